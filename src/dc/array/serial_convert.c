/* serial_convert.c - integers to floating point and back, bit by bit: the normalisation of algorithm 1 (Duality Cache,
 * ISCA'19), rounded to nearest, and its alignment. */
#include "base/check.h"
#include "dc/array/serial_float.h"

static bool only_present(const struct dc_serial *s)
{
	return s->savings >> DC_SAVE_DIFFERENCES & 1;
}

/* 2 b cycles: without its sign. */
static void magnitude(struct dc_serial *s, const struct dc_use *use, uint32_t to, uint32_t from)
{
	const uint32_t b = use->bits, sign = from + b - 1;

	if (!use->is_signed) {
		for (uint32_t i = 0; i < b; i++)
			dc_serial_copy(s, to + i, from + i);
		dc_serial_idle(s, b);
		return;
	}
	for (uint32_t i = 0; i < b; i++)
		dc_serial_xor(s, to + i, from + i, sign);
	dc_serial_set_carry_row(s, sign, false);
	for (uint32_t i = 0; i < b; i++)
		dc_serial_add_one(s, to + i, to + i);
}

/* g + m + e cycles: the leading one is in row `lead` of the magnitude. What falls out below is in the last row. */
static void place(const struct dc_plan *p, uint32_t from, uint32_t lead)
{
	const uint32_t kept = p->m + p->g, exponent = lead + (1u << (p->e - 1)) - 1, top = (1u << p->e) - 1;
	struct dc_serial *s = p->s;

	dc_serial_tagged(s, true);
	if (exponent >= top) { /* infinity */
		dc_serial_fill(s, p->value, kept, false);
		dc_serial_fill(s, p->exp, p->e, true);
		dc_serial_idle(s, kept + p->e - 2);
		dc_serial_tagged(s, false);
		return;
	}
	for (uint32_t i = 0; i < kept; i++) {
		const uint32_t to = p->value + kept - 1 - i;

		if (i > lead)
			dc_serial_fill(s, to, 1, false);
		else if (i == kept - 1)
			dc_serial_some(s, to, from, lead - i + 1, DC_NO_ROW);
		else
			dc_serial_copy(s, to, from + lead - i);
	}
	for (uint32_t i = 0; i < p->e; i++)
		dc_serial_fill(s, p->exp + i, 1, exponent >> i & 1);
	dc_serial_tagged(s, false);
}

void dc_serial_itof(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d, uint32_t a,
		    uint32_t t)
{
	struct dc_plan p = dc_float_plan(s, use, arith, d, a, a, t);
	const uint32_t value = p.value + p.m + p.g; /* of bits of the integer */
	struct dc_plane left = s->guard;

	dc_serial_fill(s, p.value, p.m + p.g, false); /* of lanes that are zero */
	dc_serial_fill(s, p.exp, p.e + 2, false);
	p.sticky = p.exp + p.e + 1; /* a row of zeros until it is rounded */
	p.sign = use->is_signed ? a + use->bits - 1 : p.sticky;
	magnitude(s, use, value, a);
	for (uint32_t k = 0; k < use->bits; k++) {
		uint64_t any = 0;

		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
			for (uint32_t row = 0; row < use->bits - k; row++)
				any |= left.w[i] & s->row[value + row].w[i];
		if (!any && only_present(s))
			break;
		dc_serial_tag(s, value + use->bits - 1 - k, false);
		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++) {
			s->tag.w[i] &= left.w[i];
			left.w[i] &= ~s->tag.w[i];
		}
		if (dc_serial_any(s) || !only_present(s))
			place(&p, value, use->bits - 1 - k);
	}
	dc_float_round_up(&p, p.value + p.g, p.value + 1, 1);
	dc_float_put(&p, p.value + p.g);
}

/* ---- floating point to integers ---- */

struct ftoi {
	struct dc_serial *s;
	uint32_t e, m, b, d, a, exponent, sign;
	bool is_signed;
	const struct dc_use *use;
	uint32_t small, large, rest, carry, nan, x, up; /* rows of scratch */
};

static bool rounds(const struct ftoi *f)
{
	return f->use->rounding != DC_TO_ZERO;
}

/* 8 cycles: exponents below 2^0, and of 2^b or more, which infinity and what is no number are. */
static void find_rest(const struct ftoi *f)
{
	const uint32_t top = f->exponent + f->e - 1, low = (uint32_t)__builtin_ctz(f->b);
	struct dc_serial *s = f->s;

	dc_serial_all(s, f->small, f->exponent, f->e - 1);
	dc_serial_or(s, f->small, f->small, top);
	dc_serial_not(s, f->small, f->small);
	if (low < f->e - 1) {
		dc_serial_some(s, f->large, f->exponent + low, f->e - 1 - low, DC_NO_ROW);
		dc_serial_all(s, f->x, f->exponent, low);
		dc_serial_or(s, f->large, f->large, f->x);
		dc_serial_and(s, f->large, f->large, top);
	} else { /* infinity alone */
		dc_serial_all(s, f->large, f->exponent, f->e);
		dc_serial_idle(s, 3);
	}
	dc_serial_or(s, f->rest, f->small, f->large);
}

/* 2 cycles: the largest in the tagged lanes; negative ones, inverted without a carry, are the least. */
static void saturate(const struct ftoi *f)
{
	dc_serial_fill(f->s, f->d, f->is_signed ? f->b - 1 : f->b, true);
	dc_serial_fill(f->s, f->carry, 1, false);
}

/* Three cycles, where it is rounded: what is below 1 of a magnitude whose leading one is in row j. */
static void find_up(const struct ftoi *f, uint32_t j)
{
	const uint64_t begin = f->s->cycles;
	const uint32_t fraction = f->m - 1;

	if (j < fraction)
		dc_float_rounds_up(f->s, (enum dc_direction)f->use->rounding, f->up, f->a, fraction - j, f->d, f->sign,
				   f->x);
	dc_serial_idle(f->s, 3 - (f->s->cycles - begin));
}

/* m cycles: a magnitude whose leading one is in row j, without what is below 1. */
static void put_integer(const struct ftoi *f, uint32_t j)
{
	const uint64_t begin = f->s->cycles;
	const uint32_t fraction = f->m - 1;

	dc_serial_tagged(f->s, true);
	if (f->is_signed && j == f->b - 1) {
		saturate(f);
	} else {
		dc_serial_fill(f->s, f->d + j, 1, true);
		for (uint32_t i = 0; i < j && i < fraction; i++)
			dc_serial_copy(f->s, f->d + j - 1 - i, f->a + fraction - 1 - i);
	}
	dc_serial_idle(f->s, f->m - (f->s->cycles - begin));
	if (rounds(f) && f->is_signed && j == f->b - 1)
		dc_serial_idle(f->s, 3);
	else if (rounds(f))
		find_up(f, j);
	dc_serial_tagged(f->s, false);
}

/* 2 cycles: the exponent of 2^j; where the format has none, or infinity's, it is found nowhere. */
static void search_exponent(const struct ftoi *f, uint32_t j)
{
	const uint32_t exponent = j + (1u << (f->e - 1)) - 1;

	if (exponent < (1u << f->e) - 1) {
		dc_serial_search(f->s, f->exponent, f->e, exponent);
		return;
	}
	f->s->tag = (struct dc_plane){0};
	dc_serial_idle(f->s, 2);
}

static void put_integers(const struct ftoi *f)
{
	struct dc_serial *s = f->s;
	struct dc_plane left;

	for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
		left.w[i] = s->guard.w[i] & ~s->row[f->rest].w[i];
	for (uint32_t j = 0; j < f->b; j++) {
		uint64_t any = 0;

		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
			any |= left.w[i];
		if (!any && only_present(s))
			break;
		search_exponent(f, j);
		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
			left.w[i] &= ~s->tag.w[i];
		if (dc_serial_any(s) || !only_present(s))
			put_integer(f, j);
	}
}

/* 8 cycles: of what is below 1. */
static void find_small_up(const struct ftoi *f)
{
	const uint64_t begin = f->s->cycles;

	dc_float_rounds_to_one(f->s, f->use, f->x, f->a, f->nan);
	dc_serial_and(f->s, f->up, f->x, f->small);
	dc_serial_idle(f->s, 8 - (f->s->cycles - begin));
}

/* b + 4 cycles: the magnitude one larger; beyond the integer it is the largest. */
static void go_up(const struct ftoi *f)
{
	struct dc_serial *s = f->s;
	const uint64_t begin = s->cycles;

	dc_serial_set_carry_row(s, f->up, false);
	for (uint32_t i = 0; i < f->b; i++)
		dc_serial_add_one(s, f->d + i, f->d + i);
	if (f->is_signed) {
		dc_serial_tag(s, f->d + f->b - 1, false);
		dc_serial_tagged(s, true);
		saturate(f);
		dc_serial_fill(s, f->d + f->b - 1, 1, false);
	} else {
		dc_serial_write_carry(s, f->x);
		dc_serial_tag(s, f->x, false);
		dc_serial_tagged(s, true);
		saturate(f);
	}
	dc_serial_tagged(s, false);
	dc_serial_idle(s, f->b + 4 - (s->cycles - begin));
}

/* 2 b cycles: the sign; of an unsigned integer nothing is below zero. */
static void put_sign(const struct ftoi *f)
{
	struct dc_serial *s = f->s;

	if (!f->is_signed) {
		dc_serial_tag(s, f->sign, false);
		dc_serial_tagged(s, true);
		dc_serial_fill(s, f->d, f->b, false);
		dc_serial_tagged(s, false);
		dc_serial_idle(s, 2 * f->b - 2);
		return;
	}
	for (uint32_t i = 0; i < f->b; i++)
		dc_serial_xor(s, f->d + i, f->d + i, f->sign);
	dc_serial_set_carry_row(s, f->carry, false);
	for (uint32_t i = 0; i < f->b; i++)
		dc_serial_add_one(s, f->d + i, f->d + i);
}

/* What is no number is zero, or the sign's row alone: as the GPU's conversions have it. 6 cycles. */
static void put_nan(const struct ftoi *f)
{
	struct dc_serial *s = f->s;

	dc_serial_all(s, f->nan, f->exponent, f->e);
	dc_serial_some(s, f->x, f->a, f->m - 1, DC_NO_ROW);
	dc_serial_and(s, f->nan, f->nan, f->x);
	dc_serial_tag(s, f->nan, false);
	dc_serial_tagged(s, true);
	dc_serial_fill(s, f->d, f->b, false);
	dc_serial_fill(s, f->d + f->b - 1, 1, f->m > 24 || f->b > 32);
	dc_serial_tagged(s, false);
}

void dc_serial_ftoi(struct dc_serial *s, const struct dc_use *use, bool is_signed, uint32_t d, uint32_t a, uint32_t t)
{
	const struct ftoi f = {.s = s, .e = use->e, .m = use->m, .b = use->bits, .d = d, .a = a, .is_signed = is_signed,
			       .exponent = a + use->m - 1u, .sign = a + use->n - 1u,
			       .use = use, .small = t, .large = t + 1, .rest = t + 2, .carry = t + 3, .nan = t + 4,
			       .x = t + 5, .up = t + 6};
	bool has_rest;

	dc_serial_fill(s, d, f.b, false);
	if (rounds(&f))
		dc_serial_fill(s, f.up, 1, false);
	dc_serial_copy(s, f.carry, f.sign);
	find_rest(&f);
	s->tag = s->row[f.rest];
	has_rest = dc_serial_any(s) || !only_present(s);
	if (has_rest) {
		dc_serial_tag(s, f.large, false);
		dc_serial_tagged(s, true);
		saturate(&f);
		dc_serial_tagged(s, false);
	}
	if (has_rest && rounds(&f))
		find_small_up(&f);
	put_integers(&f);
	if (rounds(&f))
		go_up(&f);
	put_sign(&f);
	if (has_rest) {
		put_nan(&f);
		dc_serial_idle(s, f.m > 9 ? f.m - 9 : 0);
	}
}
