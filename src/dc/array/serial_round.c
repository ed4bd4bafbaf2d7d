/* serial_round.c - floating point to another format, and to an integer in its own, bit by bit. Denormal numbers are
 * zero, before and after. */
#include "base/check.h"
#include "dc/array/serial_float.h"
#include "dc/formulas.h"

static bool only_present(const struct dc_serial *s)
{
	return s->savings >> DC_SAVE_DIFFERENCES & 1;
}

/* ---- what is dropped ---- */

/* up: whether the magnitude above `rows` dropped ones at `from` goes up. last: the row above, x: one of scratch. Three
 * cycles at most; none towards zero, where the row is not written. */
void dc_float_rounds_up(struct dc_serial *s, enum dc_direction rounding, uint32_t up, uint32_t from, uint32_t rows,
			uint32_t last, uint32_t sign, uint32_t x)
{
	switch (rounding) {
	case DC_TO_ZERO: break;
	case DC_TO_NEAREST:
		if (rows > 1)
			dc_serial_some(s, up, from, rows - 1, last);
		else
			dc_serial_copy(s, up, last);
		dc_serial_and(s, up, up, from + rows - 1);
		break;
	case DC_TO_LOWER:
		dc_serial_some(s, up, from, rows, DC_NO_ROW);
		dc_serial_and(s, up, up, sign);
		break;
	case DC_TO_UPPER:
		dc_serial_some(s, up, from, rows, DC_NO_ROW);
		dc_serial_not(s, x, sign);
		dc_serial_and(s, up, up, x);
		break;
	}
}

/* up: whether a number below one goes up to it. Six cycles at most. */
void dc_float_rounds_to_one(struct dc_serial *s, const struct dc_use *use, uint32_t up, uint32_t a, uint32_t x)
{
	const uint32_t fraction = use->m - 1u, exponent = a + fraction, sign = a + use->n - 1u;

	switch ((enum dc_direction)use->rounding) {
	case DC_TO_ZERO: dc_serial_fill(s, up, 1, false); break;
	case DC_TO_NEAREST: /* above a half */
		dc_serial_fill(s, up, 1, false);
		dc_serial_search(s, exponent, use->e, (1u << (use->e - 1)) - 2);
		dc_serial_tagged(s, true);
		dc_serial_fill(s, up, 1, true);
		dc_serial_tagged(s, false);
		dc_serial_some(s, x, a, fraction, DC_NO_ROW);
		dc_serial_and(s, up, up, x);
		break;
	case DC_TO_LOWER: /* no zero: a denormal one is less */
		dc_serial_some(s, up, a, use->n - 1u, DC_NO_ROW);
		dc_serial_and(s, up, up, sign);
		break;
	case DC_TO_UPPER:
		dc_serial_some(s, up, a, use->n - 1u, DC_NO_ROW);
		dc_serial_not(s, x, sign);
		dc_serial_and(s, up, up, x);
		break;
	}
}

/* ---- to another format ---- */

struct ftof {
	struct dc_serial *s;
	enum dc_direction rounding;
	uint32_t a, d;
	uint32_t e, fraction, to_e, to_fraction;
	uint32_t wide; /* rows of the exponent: two's complement */
	uint32_t exp, up, zero, top, nan, over, x;
};

static void fill_where(const struct ftof *f, uint32_t flag, bool exponent, bool fraction)
{
	dc_serial_tag(f->s, flag, false);
	dc_serial_tagged(f->s, true);
	dc_serial_fill(f->s, f->d, f->to_fraction, fraction);
	dc_serial_fill(f->s, f->d + f->to_fraction, f->to_e, exponent);
	dc_serial_tagged(f->s, false);
}

/* The largest number instead of infinity. */
static void put_largest(const struct ftof *f)
{
	struct dc_serial *s = f->s;

	if (f->rounding == DC_TO_NEAREST)
		return;
	dc_serial_copy(s, f->x, f->over);
	if (f->rounding == DC_TO_UPPER)
		dc_serial_and(s, f->x, f->x, f->a + f->fraction + f->e);
	if (f->rounding == DC_TO_LOWER) {
		dc_serial_not(s, f->up, f->a + f->fraction + f->e);
		dc_serial_and(s, f->x, f->x, f->up);
	}
	dc_serial_tag(s, f->x, false);
	dc_serial_tagged(s, true);
	dc_serial_fill(s, f->d, f->to_fraction, true);
	dc_serial_fill(s, f->d + f->to_fraction, 1, false);
	dc_serial_tagged(s, false);
}

/* is_gradual: what is too small is a denormal number by now. */
static void put_range(const struct ftof *f, bool is_gradual)
{
	const uint32_t is_negative = f->exp + f->wide - 1;
	struct dc_serial *s = f->s;

	dc_serial_all(s, f->over, f->exp, f->to_e);
	dc_serial_some(s, f->over, f->exp + f->to_e, f->wide - 1 - f->to_e, f->over);
	dc_serial_not(s, f->x, is_negative);
	dc_serial_and(s, f->over, f->over, f->x);
	if (!is_gradual) {
		dc_serial_none(s, f->x, f->exp, f->wide);
		dc_serial_or(s, f->x, f->x, is_negative);
		dc_serial_or(s, f->zero, f->x, f->zero);
	}
	fill_where(f, f->zero, false, false);
	fill_where(f, f->over, true, false);
	put_largest(f);
	fill_where(f, f->top, true, false);
	fill_where(f, f->nan, true, true);
	dc_serial_tagged(s, true);
	dc_serial_fill(s, f->d + f->to_fraction + f->to_e, 1, false);
	dc_serial_tagged(s, false);
}

static void round_off(const struct ftof *f)
{
	struct dc_serial *s = f->s;

	if (f->fraction <= f->to_fraction || f->rounding == DC_TO_ZERO)
		return;
	dc_float_rounds_up(s, f->rounding, f->up, f->a, f->fraction - f->to_fraction, f->d,
			   f->a + f->fraction + f->e, f->x);
	dc_serial_set_carry_row(s, f->up, false);
	for (uint32_t i = 0; i < f->to_fraction; i++)
		dc_serial_add_one(s, f->d + i, f->d + i);
	for (uint32_t i = 0; i < f->wide; i++)
		dc_serial_add_one(s, f->exp + i, f->exp + i);
}

void dc_serial_ftof(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d, uint32_t a,
		    uint32_t t)
{
	const uint32_t wide = (use->e > use->to_e ? use->e : use->to_e) + 2u;
	const struct ftof f = {.s = s, .rounding = (enum dc_direction)use->rounding, .a = a, .d = d, .e = use->e,
			       .fraction = use->m - 1u, .to_e = use->to_e, .to_fraction = use->to_m - 1u, .wide = wide,
			       .exp = t, .up = t + wide, .zero = t + wide + 1, .top = t + wide + 2,
			       .nan = t + wide + 3, .over = t + wide + 4, .x = t + wide + 5};
	const uint32_t bias = (1u << (f.to_e - 1)) - (1u << (f.e - 1)), exponent = a + f.fraction;
	/* The last cycle of those that look for denormals is that of dc_serial_again. */
	const uint64_t begin = s->cycles, all = dc_base_cycles(use, arith) - (dc_sense_cycles(use, arith) != 0);
	const struct dc_plan p = {.s = s, .e = use->e, .m = use->m, .is_gradual = dc_use_is_gradual(use, arith)};

	dc_float_sense(&p, dc_sensed_operands(use, arith), &a);
	dc_serial_none(s, f.zero, exponent, f.e);
	dc_serial_all(s, f.top, exponent, f.e);
	dc_serial_some(s, f.nan, a, f.fraction, DC_NO_ROW);
	dc_serial_and(s, f.nan, f.nan, f.top);
	for (uint32_t i = 0; i < f.to_fraction; i++) {
		if (i + f.fraction >= f.to_fraction)
			dc_serial_copy(s, d + i, a + i + f.fraction - f.to_fraction);
		else
			dc_serial_fill(s, d + i, 1, false);
	}
	dc_serial_set_carry(s, false);
	for (uint32_t i = 0; i < wide; i++)
		dc_serial_add_bit(s, f.exp + i, i < f.e ? exponent + i : DC_NO_ROW, bias >> i & 1);
	if (dc_use_makes_denormals(use, arith)) {
		dc_serial_none(s, f.x, f.exp, wide);
		dc_serial_or(s, f.x, f.x, f.exp + wide - 1);
		dc_float_sense_small(&p, f.x, f.zero);
	}
	round_off(&f);
	for (uint32_t i = 0; i < f.to_e; i++)
		dc_serial_copy(s, d + f.to_fraction + i, f.exp + i);
	dc_serial_copy(s, d + f.to_fraction + f.to_e, exponent + f.e);
	put_range(&f, false);
	CHECK(s->cycles - begin <= all);
	dc_serial_idle(s, all - (s->cycles - begin));
	dc_serial_again(s, use, arith, d, a, DC_NO_ROW, DC_NO_ROW, t);
}

/* Rows of a number that is converted with denormals: below its fraction those that rounding drops, the lowest of which
 * says what fell out, above it the hidden one. */
struct precise {
	struct dc_serial *s;
	uint32_t first, rows, dropped, hidden;
	uint32_t m, exp, wide, no_number; /* exp: two's complement */
	uint32_t amount, low, x;
};

/* Up by as many rows as are zeros above the leading one of m: its exponent with it. */
static void lead(const struct precise *v)
{
	struct dc_serial *s = v->s;

	for (uint32_t k = 1u << (DC_LOG2(v->m) - 1); k; k /= 2) {
		dc_serial_none(s, v->x, v->hidden + 1 - k, k);
		dc_serial_and(s, v->x, v->x, v->no_number);
		dc_serial_tag(s, v->x, false);
		dc_serial_tagged(s, true);
		for (uint32_t i = 0; i + k < v->m; i++)
			dc_serial_copy(s, v->hidden - i, v->hidden - i - k);
		dc_serial_fill(s, v->hidden + 1 - v->m, k, false);
		dc_serial_set_carry(s, false);
		for (uint32_t i = 0; i < v->wide; i++)
			dc_serial_add_bit(s, v->exp + i, v->exp + i, -k >> i & 1);
		dc_serial_tagged(s, false);
	}
}

/* Down to exponent 1 where it is less: and then it is 0. */
static void sink(const struct precise *v)
{
	const uint32_t steps = (uint32_t)DC_LOG2(v->rows); /* the lowest stays */
	struct dc_serial *s = v->s;

	dc_serial_set_carry(s, false);
	for (uint32_t i = 0; i < v->wide; i++)
		dc_serial_not(s, v->amount + i, v->exp + i);
	for (uint32_t i = 0; i < v->wide; i++) /* 1 - exp */
		dc_serial_add_bit(s, v->amount + i, v->amount + i, i == 1);
	dc_serial_none(s, v->low, v->amount, v->wide);
	dc_serial_or(s, v->low, v->low, v->amount + v->wide - 1);
	dc_serial_not(s, v->low, v->low);
	for (uint32_t n = 0; n < steps; n++) {
		dc_serial_and(s, v->x, v->low, v->amount + n);
		dc_serial_tag(s, v->x, false);
		dc_serial_tagged(s, true);
		dc_serial_some(s, v->first, v->first + 1, 1u << n, v->first);
		for (uint32_t i = 1; i + (1u << n) < v->rows; i++)
			dc_serial_copy(s, v->first + i, v->first + i + (1u << n));
		dc_serial_fill(s, v->first + v->rows - (1u << n), 1u << n, false);
		dc_serial_tagged(s, false);
	}
	dc_serial_some(s, v->x, v->amount + steps, v->wide - 1 - steps, DC_NO_ROW);
	dc_serial_and(s, v->x, v->x, v->low);
	dc_serial_tag(s, v->x, false);
	dc_serial_tagged(s, true);
	dc_serial_some(s, v->first, v->first, v->rows, DC_NO_ROW);
	dc_serial_fill(s, v->first + 1, v->rows - 1, false);
	dc_serial_tag(s, v->low, false);
	dc_serial_fill(s, v->exp, v->wide, false);
	dc_serial_tagged(s, false);
}

static void round_precise(const struct ftof *f, const struct precise *v)
{
	struct dc_serial *s = f->s;

	if (f->rounding == DC_TO_ZERO)
		return;
	dc_float_rounds_up(s, f->rounding, f->up, v->first, v->dropped, f->d, f->a + f->fraction + f->e, f->x);
	dc_serial_set_carry_row(s, f->up, false);
	for (uint32_t i = 0; i < f->to_fraction; i++)
		dc_serial_add_one(s, f->d + i, f->d + i);
	for (uint32_t i = 0; i < f->wide; i++)
		dc_serial_add_one(s, f->exp + i, f->exp + i);
}

void dc_float_convert_again(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d,
			    uint32_t a, uint32_t t)
{
	const uint32_t wide = (use->e > use->to_e ? use->e : use->to_e) + 2u;
	const struct ftof f = {.s = s, .rounding = (enum dc_direction)use->rounding, .a = a, .d = d, .e = use->e,
			       .fraction = use->m - 1u, .to_e = use->to_e, .to_fraction = use->to_m - 1u, .wide = wide,
			       .exp = t, .up = t + wide, .zero = t + wide + 1, .top = t + wide + 2,
			       .nan = t + wide + 3, .over = t + wide + 4, .x = t + wide + 5};
	const uint32_t bias = (1u << (f.to_e - 1)) - (1u << (f.e - 1)), exponent = a + f.fraction;
	const uint32_t dropped = 3 + (f.fraction > f.to_fraction ? f.fraction - f.to_fraction : 0);
	const uint32_t first = t + wide + 8 + wide, hidden = first + dropped + f.to_fraction;
	const struct precise v = {.s = s, .first = first, .rows = dropped + f.to_fraction + 1, .dropped = dropped,
				  .hidden = hidden, .m = use->m, .exp = f.exp, .wide = wide, .no_number = f.zero,
				  .amount = t + wide + 8, .low = t + wide + 6, .x = f.x};
	const uint64_t begin = s->cycles;
	const uint64_t all = DC_CONVERT_AGAIN(f.fraction, f.to_fraction, wide, (dropped - 1)) + use->to_e;

	dc_serial_none(s, f.zero, exponent, f.e);
	dc_serial_all(s, f.top, exponent, f.e);
	dc_serial_some(s, f.nan, a, f.fraction, DC_NO_ROW);
	dc_serial_and(s, f.nan, f.nan, f.top);
	dc_serial_fill(s, first, v.rows, false);
	for (uint32_t i = 0; i < f.fraction; i++)
		dc_serial_copy(s, hidden - f.fraction + i, a + i);
	dc_serial_not(s, hidden, f.zero);
	dc_serial_set_carry_row(s, f.zero, false); /* a denormal number's exponent is 1 */
	for (uint32_t i = 0; i < wide; i++)
		dc_serial_add_bit(s, f.exp + i, i < f.e ? exponent + i : DC_NO_ROW, bias >> i & 1);
	if (dc_use_takes_denormals(use, arith))
		lead(&v);
	dc_serial_none(s, f.x, a, f.fraction);
	dc_serial_and(s, f.zero, f.zero, f.x);
	if (dc_use_makes_denormals(use, arith))
		sink(&v);
	for (uint32_t i = 0; i < f.to_fraction; i++)
		dc_serial_copy(s, d + i, first + dropped + i);
	round_precise(&f, &v);
	for (uint32_t i = 0; i < f.to_e; i++)
		dc_serial_copy(s, d + f.to_fraction + i, f.exp + i);
	dc_serial_copy(s, d + f.to_fraction + f.to_e, exponent + f.e);
	put_range(&f, dc_use_makes_denormals(use, arith));
	CHECK(s->cycles - begin <= all);
	dc_serial_idle(s, all - (s->cycles - begin));
}

/* ---- to an integer in its own format ---- */

/* n + 3 cycles: of the tagged lanes `rows` of the fraction go; what is carried goes into the exponent. */
static void drop(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t rows, uint32_t up, uint32_t x)
{
	const uint64_t begin = s->cycles;

	dc_serial_tagged(s, true);
	dc_float_rounds_up(s, (enum dc_direction)use->rounding, up, d, rows, d + rows, d + use->n - 1u, x);
	dc_serial_fill(s, d, rows, false);
	if (use->rounding != DC_TO_ZERO) {
		dc_serial_set_carry_row(s, up, false);
		for (uint32_t i = rows; i < use->n - 1u; i++)
			dc_serial_add_one(s, d + i, d + i);
	}
	dc_serial_tagged(s, false);
	dc_serial_idle(s, use->n + 3u - (s->cycles - begin));
}

/* 12 cycles: zero or one. */
static void put_small(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t small,
		      uint32_t up, uint32_t x)
{
	const uint64_t begin = s->cycles;

	dc_float_rounds_to_one(s, use, up, a, x);
	dc_serial_and(s, up, up, small);
	dc_serial_tag(s, small, false);
	dc_serial_tagged(s, true);
	dc_serial_fill(s, d, use->n - 1u, false);
	dc_serial_tagged(s, false);
	dc_serial_tag(s, up, false);
	dc_serial_tagged(s, true);
	dc_serial_fill(s, d + use->m - 1u, use->e - 1u, true);
	dc_serial_tagged(s, false);
	dc_serial_idle(s, 12 - (s->cycles - begin));
}

void dc_serial_fround(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t t)
{
	const uint32_t fraction = use->m - 1u, exponent = a + fraction, sign = d + use->n - 1u;
	const uint32_t up = t, x = t + 1, nan = t + 2, small = t + 3;

	for (uint32_t i = 0; i < use->n; i++)
		dc_serial_copy(s, d + i, a + i);
	dc_serial_all(s, small, exponent, use->e - 1u);
	dc_serial_or(s, small, small, exponent + use->e - 1u);
	dc_serial_not(s, small, small);
	s->tag = s->row[small];
	if (dc_serial_any(s) || !only_present(s))
		put_small(s, use, d, a, small, up, x);
	for (uint32_t j = 0; j < fraction; j++) { /* bias + j: its one is above fraction - j rows */
		dc_serial_search(s, exponent, use->e, j + (1u << (use->e - 1)) - 1);
		if (dc_serial_any(s) || !only_present(s))
			drop(s, use, d, fraction - j, up, x);
	}
	dc_serial_all(s, x, exponent, use->e);
	dc_serial_some(s, nan, a, fraction, DC_NO_ROW);
	dc_serial_and(s, nan, nan, x);
	dc_serial_tag(s, nan, false);
	dc_serial_tagged(s, true);
	dc_serial_fill(s, d, use->n - 1u, true);
	dc_serial_fill(s, sign, 1, false);
	dc_serial_tagged(s, false);
}
