/* cordic.h - sin, cos, 2^x, log2 x and square roots by shift and add (Duality Cache, ISCA'19, section 3.1.3), of
 * floats of 32 bits: the argument's range reduced, k iterations in fixed point of 32 rows with 30 of fraction, the
 * result rounded to nearest.
 *
 *     sin, cos   quarter turns are the product of the mantissa and 32 bits of 2 / pi: the nearest whole one is the
 *                quadrant, and the rest is turned away by angles of atan(2^-i). From |x| = 2^26 on the angle is taken
 *                as 0.
 *     2^x        the whole part is the exponent; from the rest log2(1 + 2^-i) is taken away where it can be, and the
 *                result becomes (1 + 2^-i) times as large. Whole x are exact.
 *     log2 x     the mantissa in (1/2, 1] grows by (1 + 2^-i) where it stays below 1. Powers of two are exact.
 *
 *     sqrt x     the mantissa in [1/4, 1), v: the hyperbola from (v + c, v - c) is gone along until the second is 0,
 *                by steps of 2^-i of which those of 4 and 13 are made twice; the first is then the root where c is a
 *                quarter of what the steps stretch it by, squared. 17 steps are enough for 30 rows.
 *
 * Arguments and results that are denormal are zero. cordic.c computes lanes of words, serial_cordic.c rows of bits; the
 * same to the bit.
 */
#ifndef STRATA_DC_ARRAY_CORDIC_H
#define STRATA_DC_ARRAY_CORDIC_H

#include <stdint.h>

enum dc_function { DC_SIN, DC_COS, DC_EX2, DC_LG2, DC_SQRT };

enum {
	DC_CORDIC_FRACTION = 30,
	DC_CORDIC_STEPS = 31, /* 2^-i is less than half a row from there on */
	DC_CORDIC_GAINS = 16, /* as with one more: the same in 30 rows */
	DC_CORDIC_ROOTS = 17
};

/* The tables have 30 bits of fraction: atan(2^-i) in quarter turns; log2(1 + 2^-i); the product of cos(atan(2^-j)) for
 * j < i. */
extern const uint32_t dc_cordic_angle[DC_CORDIC_STEPS], dc_cordic_log[DC_CORDIC_STEPS],
    dc_cordic_gain[DC_CORDIC_GAINS + 1];
/* The tables of roots say how far each step moves down, and what c is with so many steps. */
extern const uint8_t dc_cordic_root_shift[DC_CORDIC_ROOTS];
extern const uint32_t dc_cordic_root[DC_CORDIC_ROOTS + 1];
/* 2 / pi with 32 bits of fraction. */
extern const uint32_t dc_cordic_quarters;

/* out[i] of in[i]: the bits of 32 lanes. */
void dc_cordic(enum dc_function function, uint32_t iterations, const uint32_t *in, uint32_t *out);

#endif
