/* serial_convert.c - integers to floating point, bit by bit: the normalisation of algorithm 1 (Duality Cache, ISCA'19),
 * rounded to nearest. */
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
	const uint32_t kept = p->m + p->g, exponent = lead + (1u << (p->e - 1)) - 1;
	struct dc_serial *s = p->s;

	dc_serial_tagged(s, true);
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
	const uint32_t value = p.x_man; /* 64 rows at most: all three mantissas' */
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
