/* serial_float.h - rows and steps that floating-point routines bit by bit share. Not for other folders. */
#ifndef STRATA_DC_ARRAY_SERIAL_FLOAT_H
#define STRATA_DC_ARRAY_SERIAL_FLOAT_H

#include "dc/array/serial.h"

/* Rows in use, all from t on. */
struct dc_plan {
	struct dc_serial *s;
	uint32_t e, m, g;
	uint32_t a, b, d;
	uint32_t zero_a, zero_b, top_a, top_b; /* flags: exponent all zeros, all ones */
	uint32_t x_exp, x_man, x_sign; /* mantissas: g guard rows, m rows, a sign's row */
	uint32_t y_exp, y_man, y_sign;
	uint32_t diff, borrow;
	uint32_t diff_rows, x_exp_rows; /* e, or more where exponents have more */
	uint32_t sum, sticky, sign, is_zero;
	uint32_t value, exp; /* of the result: g + m rows, e + 2 */
	uint8_t kept;	     /* see struct dc_use */
	uint16_t least;	     /* the same */
	bool is_gradual;     /* lanes that need the operation again are written to DC_ROW_AGAIN */
	uint32_t flag[8];
};

struct dc_plan dc_float_plan(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d,
			     uint32_t a, uint32_t b, uint32_t t);
/* The plan of an addition: the sum is in x's rows, the value in y's. */
struct dc_plan dc_float_sum_plan(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith,
				 uint32_t d, uint32_t a, uint32_t b, uint32_t t);
uint32_t dc_float_exponent_row(const struct dc_plan *p, uint32_t of); /* the exponent's lowest of a number at `of` */
uint32_t dc_float_sign_row(const struct dc_plan *p, uint32_t of);
void dc_float_flags(const struct dc_plan *p); /* zero_a to top_b: 4 cycles */
/* e + m + 1 cycles: the hidden one, and no fraction where there is none. */
void dc_float_unpack(const struct dc_plan *p, uint32_t of, uint32_t is_zero, uint32_t exp, uint32_t man, uint32_t sign);
/* Takes a number in two's complement (complement.h) apart: fraction and exponent lie at `of`, the mantissa and its
 * sign's row go to man. This takes m + 4 cycles. */
void dc_float_unpack_kept(const struct dc_plan *p, uint32_t of, uint32_t is_zero, uint32_t man);
void dc_float_copy_rows(const struct dc_plan *p, uint32_t to, uint32_t from, uint32_t count);
/* Both operands, of which none lies in two's complement, taken apart, in order of their exponents, and complemented. */
void dc_float_take(const struct dc_plan *p);
void dc_float_difference(const struct dc_plan *p); /* 2 e + 1 cycles: p->diff, and p->borrow where it is negative */
/* False: no operand is to be swapped. Else what is copied next is so in the lanes whose operands are, until the end,
 * which turns their difference round: 1 and 2 e cycles. */
bool dc_float_begin_swap(const struct dc_plan *p);
void dc_float_end_swap(const struct dc_plan *p);
/* e + 2 cycles: to = from + constant, in two's complement of e + 2 rows. */
void dc_float_exponent_plus(const struct dc_plan *p, uint32_t to, uint32_t from, uint32_t from_rows, int32_t constant);
/* Algorithm 1 on x and y, m rows and g below: mantissas to two's complement where a sign's row says so; the sum of x
 * and of y moved down by the difference of exponents, with p->sticky; its magnitude and p->sign; p->value with its
 * leading one in the highest row, and p->exp. Where p->kept says so the sum stays in two's complement: p->value's
 * highest row is then the first that is not its sign's. */
void dc_float_complement(const struct dc_plan *p, uint32_t man, uint32_t sign);
void dc_float_align(const struct dc_plan *p);
void dc_float_magnitude(const struct dc_plan *p);
void dc_float_normalise(const struct dc_plan *p);
/* e + m + 5 cycles: to nearest, ties to even; low: the guard's row, below it so many that count with p->sticky. */
void dc_float_round_up(const struct dc_plan *p, uint32_t value, uint32_t low, uint32_t below);
void dc_float_put(const struct dc_plan *p, uint32_t value); /* e + m cycles: the result from value, p->exp, p->sign */
/* Ones or zeros to the result's exponent and fraction where a flag is set: 2 cycles, 3 if they differ. */
void dc_float_fill_where(const struct dc_plan *p, uint32_t flag, bool exponent, bool fraction);
void dc_float_fix_nan(const struct dc_plan *p); /* 3 cycles: where flag[3] is set */
/* Flags 2, infinite: an operand, or p->exp; and 3, no number: an operand. 9 cycles. */
void dc_float_end_flags(const struct dc_plan *p);
void dc_float_contrary_infinities(const struct dc_plan *p); /* 4 cycles: flag 3 where both are infinite, of two signs */
/* DC_PACK cycles: the sum that p->value, p->exp, p->sign and p->is_zero say. */
void dc_float_finish_sum(const struct dc_plan *p);

/* serial_gradual.c: DC_ROW_AGAIN is cleared, and set where an operand is denormal: 1 and 4 cycles; nothing where the
 * plan is not gradual. */
void dc_float_sense(const struct dc_plan *p, uint32_t operands, const uint32_t *at);
/* ... and where `small` is set and `zero` is not: 3 cycles. */
void dc_float_sense_small(const struct dc_plan *p, uint32_t small, uint32_t zero);
/* Before rounding, where p->least asks for it: see dc_float_round_up. */
void dc_float_denormalise(const struct dc_plan *p, uint32_t value, uint32_t low, uint32_t below);

/* serial_round.c */
/* To another format with denormals in both that have them, by the number as it is and not as it becomes. */
void dc_float_convert_again(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d,
			    uint32_t a, uint32_t t);
void dc_float_rounds_up(struct dc_serial *s, enum dc_direction rounding, uint32_t up, uint32_t from, uint32_t rows,
			uint32_t last, uint32_t sign, uint32_t x);
void dc_float_rounds_to_one(struct dc_serial *s, const struct dc_use *use, uint32_t up, uint32_t a, uint32_t x);

#endif
