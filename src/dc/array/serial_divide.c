/* serial_divide.c - floating-point quotients and square roots, bit by bit: a digit an iteration, rounded correctly.
 *
 * The residue R is kept inverted: ~R + Y is ~(R - Y), and its carry says that Y is larger, so that a trial needs no
 * inverted operand. Residues move up by addressing other rows; what comes in below was written before.
 *
 * What values save, as of integers (section 3.1.2): where no column has a residue left all further digits are zero;
 * a mantissa begins with a one, so that the zeros that a divisor has in all columns are its last rows, which a trial
 * leaves as they are.
 */
#include "dc/array/serial_float.h"
#include "dc/formulas.h"

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

static bool looks(const struct dc_plan *p)
{
	return p->s->savings >> DC_SAVE_ZERO_RESIDUES & 1;
}

struct divisor {
	uint32_t at, width, trial; /* rows of it, and as many in which a trial lies */
};

/* A quotient's digits from the highest on into rows of x_man: `digits` of them. The residue, inverted, is in `width`
 * rows from p->sum + digits - 1 on, a row of ones above it, rows of ones below. 2 w + 4 cycles each, w being the
 * divisor's rows but those of zeros at its end. */
static void divide_rows(const struct dc_plan *p, const struct divisor *v, uint32_t digits)
{
	const uint32_t top = p->sum + digits - 1;
	struct dc_serial *s = p->s;
	uint32_t zeros = 0;

	if (s->savings >> DC_SAVE_LEADING_ZEROS & 1) {
		dc_serial_idle(s, DC_LOG2(v->width) + 1); /* bisection */
		zeros = dc_serial_zeros(s, v->at, v->width - 1);
	}
	for (uint32_t k = 0; k < digits; k++) {
		const uint32_t residue = top - k;

		if (looks(p) && dc_serial_are_set(s, residue, v->width + 1)) {
			dc_serial_fill(s, p->x_man, digits - k, false);
			return;
		}
		dc_serial_set_carry(s, false);
		for (uint32_t i = zeros; i < v->width; i++)
			dc_serial_add(s, v->trial + i, residue + i, v->at + i);
		dc_serial_add_bit(s, p->flag[6], residue + v->width, false);
		write_digit(p, p->x_man + digits - 1 - k);
		copy_where_tagged(p, residue + zeros, v->trial + zeros, v->width - zeros);
	}
}

/* m + 2 cycles, and the digits. */
static void divide_mantissas(const struct dc_plan *p, uint32_t digits)
{
	const struct divisor v = {.at = p->y_man + p->g, .width = p->m, .trial = p->value};
	const uint32_t m = p->m, top = p->sum + digits - 1;
	struct dc_serial *s = p->s;

	dc_serial_fill(s, p->sum, digits - 1, true);
	for (uint32_t i = 0; i < m; i++)
		dc_serial_not(s, top + i, p->x_man + p->g + i);
	dc_serial_fill(s, top + m, 1, true);
	divide_rows(p, &v, digits);
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

/* Is nothing left, of the residue and of the rows that are still to come? */
static bool is_taken(const struct dc_plan *p, uint32_t residue, uint32_t low, uint32_t k)
{
	const uint32_t first = residue < low ? residue : low;

	return dc_serial_are_set(p->s, first, residue + k + 3 - first);
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
	for (uint32_t k = 0; k < digits; k++) {
		const uint32_t residue = p->sum + 2 * (digits - 1 - k);

		if (looks(p) && is_taken(p, residue, p->sum + low, k)) {
			dc_serial_fill(s, root, digits - k, false);
			return;
		}
		try_digit(p, residue, root + digits - k, k);
	}
}

/* Flag 3: no number, or negative and not zero. 5 cycles. */
static void root_flags(const struct dc_plan *p)
{
	struct dc_serial *s = p->s;

	dc_serial_some(s, p->flag[3], p->a, p->m - 1, DC_NO_ROW);
	dc_serial_and(s, p->flag[3], p->flag[3], p->top_a);
	dc_serial_not(s, p->flag[4], p->zero_a);
	dc_serial_and(s, p->flag[4], p->flag[4], p->sign);
	dc_serial_or(s, p->flag[3], p->flag[3], p->flag[4]);
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
	root_flags(&p);
	dc_float_put(&p, root + (p.g != 0));
	dc_float_fill_where(&p, p.top_a, true, false);
	dc_float_fill_where(&p, p.zero_a, false, false);
	dc_float_fix_nan(&p);
	dc_serial_again(s, use, arith, d, a, DC_NO_ROW, DC_NO_ROW, t);
}

/* ---- one by a square root ---- */

/* One, inverted, as the dividend of m + 1 rows; 2 m + 3 rows at most: 64 of them at once, and its own. */
static void put_one(const struct dc_plan *p, uint32_t digits)
{
	const uint32_t rows = 2 * p->m + 3;

	for (uint32_t first = 0; first < rows; first += 64)
		dc_serial_fill(p->s, p->sum + first, rows - first < 64 ? rows - first : 64, true);
	dc_serial_fill(p->s, p->sum + digits - 1 + p->m, 1, false);
}

/* exp = 2 bias - exp. 2 (e + 2) cycles. */
static void negate_exponent(const struct dc_plan *p)
{
	for (uint32_t i = 0; i < p->e + 2; i++)
		dc_serial_not(p->s, p->exp + i, p->exp + i);
	dc_float_exponent_plus(p, p->exp, p->exp, p->e + 2, (1 << p->e) - 1);
}

void dc_serial_frsqrt(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d,
		      uint32_t a, uint32_t t)
{
	struct dc_arith nearest = *arith;

	nearest.is_truncated = false;

	const struct dc_plan p = dc_float_plan(s, use, &nearest, d, a, a, t);
	const struct divisor root = {.at = p.value + 1, .width = p.m + 1, .trial = p.y_man};
	const uint32_t digits = p.m + 2, low = p.x_man + 1;

	dc_float_sense(&p, 1, (const uint32_t[]){a});
	dc_serial_none(s, p.zero_a, dc_float_exponent_row(&p, a), p.e);
	dc_serial_all(s, p.top_a, dc_float_exponent_row(&p, a), p.e);
	dc_float_unpack(&p, a, p.zero_a, p.x_exp, p.x_man, p.sign);
	halve_exponent(&p);
	take_root(&p, root.at, root.width);
	put_one(&p, digits);
	negate_exponent(&p);
	divide_rows(&p, &root, digits);
	find_sticky(&p, p.sum, root.width);
	normalise_quotient(&p, digits);
	dc_float_round_up(&p, low + 1, low, 1);
	root_flags(&p);
	dc_float_put(&p, low + 1);
	dc_float_fill_where(&p, p.top_a, false, false);
	dc_float_fill_where(&p, p.zero_a, true, false);
	dc_float_fix_nan(&p);
	dc_serial_again(s, use, arith, d, a, DC_NO_ROW, DC_NO_ROW, t);
}
