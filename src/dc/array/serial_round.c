/* serial_round.c - floating point to another format, and to an integer in its own, bit by bit. Denormal numbers are
 * zero, before and after. */
#include "base/check.h"
#include "dc/array/serial_float.h"

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
	case DC_TO_LOWER:
		dc_serial_some(s, up, exponent, use->e, DC_NO_ROW);
		dc_serial_and(s, up, up, sign);
		break;
	case DC_TO_UPPER:
		dc_serial_some(s, up, exponent, use->e, DC_NO_ROW);
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

static void put_range(const struct ftof *f)
{
	const uint32_t is_negative = f->exp + f->wide - 1;
	struct dc_serial *s = f->s;

	dc_serial_all(s, f->over, f->exp, f->to_e);
	dc_serial_some(s, f->over, f->exp + f->to_e, f->wide - 1 - f->to_e, f->over);
	dc_serial_not(s, f->x, is_negative);
	dc_serial_and(s, f->over, f->over, f->x);
	dc_serial_none(s, f->x, f->exp, f->wide);
	dc_serial_or(s, f->x, f->x, is_negative);
	dc_serial_or(s, f->x, f->x, f->zero);
	fill_where(f, f->x, false, false);
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
	const uint64_t begin = s->cycles, all = dc_base_cycles(use, arith);

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
	round_off(&f);
	for (uint32_t i = 0; i < f.to_e; i++)
		dc_serial_copy(s, d + f.to_fraction + i, f.exp + i);
	dc_serial_copy(s, d + f.to_fraction + f.to_e, exponent + f.e);
	put_range(&f);
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
