/* serial_divide.c - floating-point quotients and square roots, bit by bit: a digit an iteration, rounded correctly.
 *
 * The residue R is kept inverted: ~R + Y is ~(R - Y), and its carry says that Y is larger, so that a trial needs no
 * inverted operand. Residues move up by addressing other rows; what comes in below was written before.
 */
#include "dc/array/serial_float.h"

/* The trial's carry is out of the last addition: the digit, and the tag where it is one. 3 cycles. */
static void write_digit(const struct dc_plan *p, uint32_t digit)
{
	dc_serial_write_carry(p->s, p->flag[7]);
	dc_serial_not(p->s, digit, p->flag[7]);
	dc_serial_tag(p->s, digit, false);
}

static void copy_where_tagged(const struct dc_plan *p, uint32_t to, uint32_t from, uint32_t rows)
{
	dc_serial_tagged(p->s, true);
	for (uint32_t i = 0; i < rows; i++)
		dc_serial_copy(p->s, to + i, from + i);
	dc_serial_tagged(p->s, false);
}

/* Whether the last residue, inverted in these rows, is not zero. 2 cycles. */
static void find_sticky(const struct dc_plan *p, uint32_t first, uint32_t rows)
{
	dc_serial_all(p->s, p->flag[6], first, rows);
	dc_serial_not(p->s, p->sticky, p->flag[6]);
}

/* ---- division ---- */

/* exp = x_exp - y_exp + bias. 3 e + 4 cycles. */
static void subtract_exponents(const struct dc_plan *p)
{
	struct dc_serial *s = p->s;

	for (uint32_t i = 0; i < p->e; i++)
		dc_serial_not(s, p->diff + i, p->y_exp + i);
	dc_serial_set_carry(s, true);
	for (uint32_t i = 0; i < p->e; i++)
		dc_serial_add(s, p->exp + i, p->x_exp + i, p->diff + i);
	for (uint32_t i = p->e; i < p->e + 2; i++)
		dc_serial_add_bit(s, p->exp + i, DC_NO_ROW, true);
	dc_float_exponent_plus(p, p->exp, p->exp, p->e + 2, (1 << (p->e - 1)) - 1);
}

/* Digits from the highest on into rows of x_man: `digits` of them. 2 m + 4 cycles each, m + 2 before. */
static void divide_mantissas(const struct dc_plan *p, uint32_t digits)
{
	struct dc_serial *s = p->s;
	const uint32_t m = p->m, top = p->sum + digits - 1;

	dc_serial_fill(s, p->sum, digits - 1, true);
	for (uint32_t i = 0; i < m; i++)
		dc_serial_not(s, top + i, p->x_man + p->g + i);
	dc_serial_fill(s, top + m, 1, true);
	for (uint32_t k = 0; k < digits; k++) {
		const uint32_t residue = top - k;

		dc_serial_set_carry(s, false);
		for (uint32_t i = 0; i < m; i++)
			dc_serial_add(s, p->value + i, residue + i, p->y_man + p->g + i);
		dc_serial_add_bit(s, p->flag[6], residue + m, false);
		write_digit(p, p->x_man + digits - 1 - k);
		copy_where_tagged(p, residue, p->value, m);
	}
}

/* Where the first digit is none: up by a row. digits + e + 3 cycles. */
static void normalise_quotient(const struct dc_plan *p, uint32_t digits)
{
	struct dc_serial *s = p->s;

	dc_serial_tag(s, p->x_man + digits - 1, true);
	dc_serial_tagged(s, true);
	for (uint32_t i = digits - 1; i > 0; i--)
		dc_serial_copy(s, p->x_man + i, p->x_man + i - 1);
	dc_serial_fill(s, p->x_man, 1, false);
	dc_float_exponent_plus(p, p->exp, p->exp, p->e + 2, -1);
	dc_serial_tagged(s, false);
}

/* Flags 1: too small, 2: too large, 3: no number, 4: infinite by its operands, 5: zero by them. 15 cycles. */
static void quotient_flags(const struct dc_plan *p)
{
	struct dc_serial *s = p->s;

	dc_serial_none(s, p->flag[1], p->exp, p->e + 2);
	dc_serial_or(s, p->flag[1], p->flag[1], p->exp + p->e + 1);
	dc_serial_all(s, p->flag[2], p->exp, p->e);
	dc_serial_or(s, p->flag[2], p->flag[2], p->exp + p->e);
	dc_serial_or(s, p->flag[4], p->top_a, p->zero_b);
	dc_serial_or(s, p->flag[5], p->zero_a, p->top_b);
	dc_float_sense_small(p, p->flag[1], p->flag[5]);
	dc_serial_some(s, p->flag[3], p->a, p->m - 1, DC_NO_ROW);
	dc_serial_and(s, p->flag[3], p->flag[3], p->top_a);
	dc_serial_some(s, p->flag[6], p->b, p->m - 1, DC_NO_ROW);
	dc_serial_and(s, p->flag[6], p->flag[6], p->top_b);
	dc_serial_or(s, p->flag[3], p->flag[3], p->flag[6]);
	/* Infinity by infinity, zero by zero */
	dc_serial_and(s, p->flag[6], p->top_a, p->top_b);
	dc_serial_or(s, p->flag[3], p->flag[3], p->flag[6]);
	dc_serial_and(s, p->flag[6], p->zero_a, p->zero_b);
	dc_serial_or(s, p->flag[3], p->flag[3], p->flag[6]);
}

void dc_serial_fdiv(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d, uint32_t a,
		    uint32_t b, uint32_t t)
{
	const struct dc_plan p = dc_float_plan(s, use, arith, d, a, b, t);
	const uint32_t digits = p.m + 1 + (p.g != 0), low = p.x_man + (p.g != 0);

	dc_float_sense(&p, 2, (const uint32_t[]){a, b});
	dc_float_flags(&p);
	dc_float_unpack(&p, a, p.zero_a, p.x_exp, p.x_man, p.x_sign);
	dc_float_unpack(&p, b, p.zero_b, p.y_exp, p.y_man, p.y_sign);
	dc_serial_xor(s, p.sign, p.x_sign, p.y_sign);
	subtract_exponents(&p);
	divide_mantissas(&p, digits);
	if (p.g)
		find_sticky(&p, p.sum, p.m);
	normalise_quotient(&p, digits);
	if (p.g)
		dc_float_round_up(&p, low + 1, low, 1);
	quotient_flags(&p);
	dc_float_put(&p, low + 1);
	dc_float_fill_where(&p, p.flag[2], true, false);
	dc_float_fill_where(&p, p.flag[1], false, false);
	dc_float_fill_where(&p, p.flag[4], true, false);
	dc_float_fill_where(&p, p.flag[5], false, false);
	dc_float_fix_nan(&p);
	dc_serial_again(s, use, arith, d, a, b, DC_NO_ROW, t);
}

/* ---- square root ---- */

/* exp = (x_exp + bias) / 2, and the mantissa doubled where that leaves a half: in m + 1 rows. e + m + 6 cycles. */
static void halve_exponent(const struct dc_plan *p)
{
	struct dc_serial *s = p->s;
	const uint32_t man = p->x_man + p->g;

	/* A row lower than exp: the row that the division drops is in diff. */
	dc_float_exponent_plus(p, p->exp - 1, p->x_exp, p->e, (1 << (p->e - 1)) - 1);
	dc_serial_fill(s, p->exp + p->e + 1, 1, false);
	dc_serial_fill(s, man + p->m, 1, false);
	dc_serial_tag(s, p->x_exp, true);
	dc_serial_tagged(s, true);
	for (uint32_t i = p->m; i > 0; i--)
		dc_serial_copy(s, man + i, man + i - 1);
	dc_serial_fill(s, man, 1, false);
	dc_serial_tagged(s, false);
}

/* Trial k subtracts 4 Q + 1 from the residue and the next two rows; Q: k digits so far, the latest at q. Rows of the
 * residue: k + 3. 2 k + 8 cycles. */
static void try_digit(const struct dc_plan *p, uint32_t residue, uint32_t q, uint32_t k)
{
	struct dc_serial *s = p->s;
	const uint32_t trial = p->y_man;

	dc_serial_set_carry(s, false);
	dc_serial_add_bit(s, trial, residue, true);
	dc_serial_add_bit(s, trial + 1, residue + 1, false);
	for (uint32_t i = 0; i < k; i++)
		dc_serial_add(s, trial + 2 + i, residue + 2 + i, q + i);
	dc_serial_add_bit(s, p->flag[6], residue + 2 + k, false);
	write_digit(p, q - 1);
	copy_where_tagged(p, residue, trial, k + 2);
}

/* digits of them into rows from `root` on, the highest last. m + 3 cycles and the trials. */
static void take_root(const struct dc_plan *p, uint32_t root, uint32_t digits)
{
	struct dc_serial *s = p->s;
	const uint32_t low = 2 * digits - (p->m + 1);

	for (uint32_t i = 0; i <= p->m; i++)
		dc_serial_not(s, p->sum + low + i, p->x_man + p->g + i);
	dc_serial_fill(s, p->sum, low, true);
	dc_serial_fill(s, p->sum + 2 * digits, 1, true);
	for (uint32_t k = 0; k < digits; k++)
		try_digit(p, p->sum + 2 * (digits - 1 - k), root + digits - k, k);
}

void dc_serial_fsqrt(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d,
		     uint32_t a, uint32_t t)
{
	struct dc_plan p = dc_float_plan(s, use, arith, d, a, a, t);
	const uint32_t digits = p.m + (p.g != 0), root = p.value + (p.g != 0);

	dc_float_sense(&p, 1, (const uint32_t[]){a});
	dc_serial_none(s, p.zero_a, dc_float_exponent_row(&p, a), p.e);
	dc_serial_all(s, p.top_a, dc_float_exponent_row(&p, a), p.e);
	dc_float_unpack(&p, a, p.zero_a, p.x_exp, p.x_man, p.sign);
	halve_exponent(&p);
	take_root(&p, root, digits);
	if (p.g) {
		find_sticky(&p, p.sum, digits + 1);
		dc_serial_fill(s, p.value, 1, false); /* nothing between the guard's row and the residue */
		dc_float_round_up(&p, root + 1, root, 1);
	}
	/* No number, or negative and not zero */
	dc_serial_some(s, p.flag[3], a, p.m - 1, DC_NO_ROW);
	dc_serial_and(s, p.flag[3], p.flag[3], p.top_a);
	dc_serial_not(s, p.flag[4], p.zero_a);
	dc_serial_and(s, p.flag[4], p.flag[4], p.sign);
	dc_serial_or(s, p.flag[3], p.flag[3], p.flag[4]);
	dc_float_put(&p, root + (p.g != 0));
	dc_float_fill_where(&p, p.top_a, true, false);
	dc_float_fill_where(&p, p.zero_a, false, false);
	dc_float_fix_nan(&p);
	dc_serial_again(s, use, arith, d, a, DC_NO_ROW, DC_NO_ROW, t);
}
