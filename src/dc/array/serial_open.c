/* serial_open.c - floats between additions without normalisation, bit by bit: open.h has what they are.
 *
 * Of an open number m rows are mantissa with its sign; the steps of algorithm 1 in serial_float.c take them as one of
 * m - 1 rows and a sign's. Where an operand is normalised its mantissa is complemented in m + 1 rows, and its lowest
 * one stays behind.
 */
#include "dc/array/open.h"
#include "dc/array/serial_float.h"

static const struct dc_arith cut_off = {.is_truncated = true}; /* no guard rows */

static bool is_on(const struct dc_serial *s, enum dc_saving what)
{
	return s->savings >> what & 1;
}

/* The rows that an open mantissa has, of those that a normalised one takes. */
static struct dc_plan narrow(const struct dc_plan *p)
{
	struct dc_plan n = *p;

	n.m--;
	n.x_man++;
	n.y_man++;
	n.value++;
	n.kept = 0;
	return n;
}

/* m rows. */
static void take_mantissa(const struct dc_plan *p, uint32_t man, uint32_t of)
{
	dc_float_copy_rows(p, man + 1, of, p->m - 1);
	dc_serial_copy(p->s, man + p->m, dc_float_sign_row(p, of));
}

/* Of a normalised number: its magnitude, then its contrary where it is negative. */
static void take_normalised(const struct dc_plan *p, uint32_t of, uint32_t is_zero, uint32_t exp, uint32_t man,
			    uint32_t sign)
{
	dc_float_unpack(p, of, is_zero, exp, man, sign);
	dc_serial_fill(p->s, man + p->m, 1, false);
	dc_float_complement(p, man, sign);
}

/* An open one is taken from its place again, the other one from where it has come to. */
static void swap(const struct dc_plan *p)
{
	const bool is_a = p->kept & DC_KEPT_A, is_b = p->kept & DC_KEPT_B;

	if (!dc_float_begin_swap(p))
		return;
	if (!is_b)
		dc_float_copy_rows(p, p->x_man + 1, p->y_man + 1, p->m);
	if (is_a)
		take_mantissa(p, p->y_man, p->a);
	else
		dc_float_copy_rows(p, p->y_man + 1, p->x_man + 1, p->m);
	if (is_b)
		take_mantissa(p, p->x_man, p->b);
	dc_float_copy_rows(p, p->x_exp, dc_float_exponent_row(p, p->b), p->e);
	dc_float_copy_rows(p, p->y_exp, dc_float_exponent_row(p, p->a), p->e);
	dc_float_end_swap(p);
}

/* One or both are open. */
static void take(const struct dc_plan *p)
{
	if (p->kept & DC_KEPT_A) {
		take_mantissa(p, p->x_man, p->a);
		dc_float_copy_rows(p, p->x_exp, dc_float_exponent_row(p, p->a), p->e);
	} else {
		take_normalised(p, p->a, p->zero_a, p->x_exp, p->x_man, p->x_sign);
	}
	if (p->kept & DC_KEPT_B) {
		take_mantissa(p, p->y_man, p->b);
		dc_float_copy_rows(p, p->y_exp, dc_float_exponent_row(p, p->b), p->e);
	} else {
		take_normalised(p, p->b, p->zero_b, p->y_exp, p->y_man, p->y_sign);
	}
	dc_float_difference(p);
	swap(p);
}

/* Where the two highest rows differ the sum goes down by one row, and the exponent up by one. */
static void fix_overflow(const struct dc_plan *p)
{
	const uint32_t m = p->m, overflows = p->flag[0];
	struct dc_serial *s = p->s;

	dc_serial_xor(s, overflows, p->sum + m, p->sum + m - 1);
	dc_serial_copy(s, p->sign, p->sum + m);
	dc_serial_tag(s, overflows, false);
	if (dc_serial_any(s) || !is_on(s, DC_SAVE_DIFFERENCES)) {
		dc_serial_tagged(s, true);
		dc_float_copy_rows(p, p->sum, p->sum + 1, m);
		dc_serial_tagged(s, false);
	}
	dc_serial_set_carry_row(s, overflows, false);
	for (uint32_t i = 0; i < p->e + 2; i++)
		dc_serial_add_bit(s, p->exp + i, i < p->e ? p->x_exp + i : DC_NO_ROW, false);
}

/* Sign and magnitude, its leading one in the highest row, none in the lowest. exp: of so many rows. */
static void normalise(const struct dc_plan *p, uint32_t exp, uint32_t exp_rows)
{
	struct dc_plan n = narrow(p);

	n.x_exp = exp;
	n.x_exp_rows = exp_rows;
	dc_float_magnitude(&n);
	dc_float_normalise(&n);
	dc_serial_fill(p->s, p->value, 1, false);
	dc_float_finish_sum(p);
}

static void add(const struct dc_plan *p)
{
	const struct dc_plan n = narrow(p);
	struct dc_serial *s = p->s;

	if (p->kept & DC_KEPT_OPERANDS)
		take(p);
	else
		dc_float_take(p);
	dc_float_align(&n);
	fix_overflow(p);
	if (!(p->kept & DC_KEPT_RESULT)) {
		normalise(p, p->exp, p->e + 2);
		return;
	}
	dc_float_end_flags(p);
	dc_float_contrary_infinities(p);
	dc_float_put(p, p->sum);
	dc_float_fill_where(p, p->flag[2], true, false);
	dc_serial_or(s, p->d + p->m - 2, p->d + p->m - 2, p->flag[2]);
	dc_float_fix_nan(p);
}

static void open(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t t)
{
	const uint32_t is_zero = t, is_top = t + 1, is_nan = t + 2, lowest = t + 3;
	const struct dc_plan p = {.s = s, .e = use->e, .m = use->m, .a = a, .d = d, .flag[3] = is_nan};
	const uint32_t exponent = dc_float_exponent_row(&p, a), sign = dc_float_sign_row(&p, a);

	dc_serial_none(s, is_zero, exponent, p.e);
	dc_serial_all(s, is_top, exponent, p.e);
	dc_serial_some(s, is_nan, a, p.m - 1, DC_NO_ROW);
	dc_serial_and(s, is_nan, is_nan, is_top);
	dc_serial_xor(s, lowest, a, sign);
	for (uint32_t i = 1; i < p.m - 1; i++)
		dc_serial_xor(s, d + i - 1, a + i, sign);
	dc_serial_not(s, d + p.m - 2, sign); /* the hidden one */
	dc_float_copy_rows(&p, dc_float_exponent_row(&p, d), exponent, p.e);
	dc_serial_copy(s, dc_float_sign_row(&p, d), sign);
	dc_serial_set_carry_row(s, sign, false);
	dc_serial_add_one(s, lowest, lowest);
	for (uint32_t i = 0; i < p.m - 1; i++)
		dc_serial_add_one(s, d + i, d + i);
	dc_serial_tag(s, is_zero, false);
	dc_serial_tagged(s, true);
	dc_serial_fill(s, d, p.m - 1, false);
	dc_serial_fill(s, dc_float_sign_row(&p, d), 1, false);
	dc_serial_tagged(s, false);
	dc_float_fix_nan(&p);
}

/* The end of an addition, of the number as both of its operands. */
static void close(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t t)
{
	struct dc_plan p = dc_float_plan(s, use, &cut_off, d, a, a, t);

	p.kept = DC_KEPT_A | DC_KEPT_B;
	p.top_b = p.top_a;
	dc_serial_all(s, p.top_a, dc_float_exponent_row(&p, a), p.e);
	dc_float_copy_rows(&p, p.sum, a, p.m - 1);
	dc_serial_copy(s, p.sum + p.m - 1, dc_float_sign_row(&p, a));
	dc_serial_copy(s, p.sum + p.m, dc_float_sign_row(&p, a));
	normalise(&p, dc_float_exponent_row(&p, a), p.e);
}

void dc_serial_open(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t t)
{
	if (dc_use_keeps_result(use))
		open(s, use, d, a, t);
	else
		close(s, use, d, a, t);
}

void dc_serial_open_add(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t b, uint32_t t)
{
	struct dc_plan p = dc_float_sum_plan(s, use, &cut_off, d, a, b, t);

	p.sum++; /* of mantissas with a row less */
	dc_float_flags(&p);
	add(&p);
}
