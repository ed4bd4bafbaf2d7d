/* formulas.h - cycles of the floating-point routines with nothing saved, as sums of their phases; ops.def uses them.
 *
 * e: bits of the exponent, m: of the mantissa with its hidden one, r: 1 rounds to nearest (two guard rows and a sticky
 * one), 0 truncates. array/float.c is the algorithm that takes them; tests/dc counts it.
 */
#ifndef STRATA_DC_FORMULAS_H
#define STRATA_DC_FORMULAS_H

#include <stdint.h>

static inline uint64_t dc_log2_up(uint64_t n)
{
	uint64_t l = 0;

	while (1ull << l < n)
		l++;
	return l;
}
#define DC_LOG2(n) dc_log2_up(n)

/* Rows of one value, 64 of them at once. */
#define DC_FILLS(rows) (((rows) + 63) / 64)

/* mul of short integers: the bits that addresses and indexes have, half of them set. */
#define DC_USUAL_WIDTH(n) (n / 2)
#define DC_USUAL_MUL \
	(2 * DC_USUAL_WIDTH(n) + (DC_USUAL_WIDTH(n) / 4) * (DC_USUAL_WIDTH(n) + 3) + DC_LOG2(n) + n / 2 + 3)

/* Sensed flags, and the operands taken apart. */
#define DC_UNPACK(e, m) (4 + 2 * (e + m + 1))
/* Difference of exponents; operands swapped where it is negative. */
#define DC_SWAP(e, m) (1 + 2 * (e + m + 1) + 2 * (e))
#define DC_DIFFERENCE(e) (2 * e + 1)
/* Both mantissas to two's complement where negative. */
#define DC_COMPLEMENT(m) (1 + 2 * (1 + 2 * (m + 1)))
/* What one of them takes; an operand in two's complement needs so many cycles more to be taken apart, and as many more
 * where it is swapped; fma, which copies no sign, one more. A result that stays so needs its sign, and more after its
 * rounding. */
#define DC_COMPLEMENT_ONE(m) (1 + 2 * (m + 1))
#define DC_KEPT_UNPACK 3
#define DC_KEPT_SWAP 3
#define DC_KEPT_SIGN 1
#define DC_KEPT_ROUND 3
/* Rows of a sum: guard, overflow, sign. */
#define DC_SUM_ROWS(m, r) (m + 2 + 2 * (r))
/* One distinct difference without its search. */
#define DC_ALIGN(m, r) (DC_SUM_ROWS(m, r) + r)
/* The sum takes the place of a number, and a row more: its sign, once more. */
#define DC_ALIGN_BASE(m, r) (1 + (m + 2 * (r)) * (2 + DC_ALIGN(m, r)) + 1 + DC_ALIGN(m, r))
#define DC_MAGNITUDE(m, r) (2 + 2 * (DC_SUM_ROWS(m, r) - 1))
#define DC_NORMALISE(e, m, r) (m + 2 * (r) + e + 2)
#define DC_NORMALISE_BASE(e, m, r) (1 + (m + 2 * (r) + 1) * (1 + DC_NORMALISE(e, m, r)) + r)
#define DC_ROUND(e, m, r) ((r) * (m + e + 5))
/* The result put together; what is too large, too small, infinite or no number. */
#define DC_PACK(e, m) (e + m + 27)

#define DC_FADD_BASE(e, m, r)                                                                                          \
	(DC_UNPACK(e, m) + DC_DIFFERENCE(e) + DC_SWAP(e, m) + DC_COMPLEMENT(m) + DC_ALIGN_BASE(m, r) +                 \
	 DC_MAGNITUDE(m, r) + DC_NORMALISE_BASE(e, m, r) + DC_ROUND(e, m, r) + DC_PACK(e, m))
#define DC_FADD_USUAL(e, m, r)                                                                                         \
	(DC_UNPACK(e, m) + DC_DIFFERENCE(e) + DC_SWAP(e, m) + DC_COMPLEMENT(m) + DC_LOG2(e) + 1 + 16 +                 \
	 3 * DC_ALIGN(m, r) + DC_MAGNITUDE(m, r) + 4 * DC_NORMALISE(e, m, r) + 8 + DC_ROUND(e, m, r) + DC_PACK(e, m))
/* Exponents added, bias taken away; mantissas as unsigned integers; one row of normalisation. */
#define DC_FMUL_BASE(e, m, r)                                                                                          \
	(DC_UNPACK(e, m) + 1 + 2 * e + 3 + (m * m + 3 * m - 2) + (1 + m + 2 * r + e + 2) + r + DC_ROUND(e, m, r) +     \
	 DC_PACK(e, m))
/* Exponents subtracted; the dividend inverted; a digit an iteration; a row up; special operands. */
#define DC_FDIV_BASE(e, m, r)                                                                                          \
	(DC_UNPACK(e, m) + 1 + (3 * e + 4) + (m + 2) + (m + 1 + r) * (2 * m + 4) + 2 * (r) + (m + 1 + r + e + 3) +     \
	 DC_ROUND(e, m, r) + e + m + 28)
/* The exponent halved, the mantissa inverted; iteration k takes 2 k + 8. */
#define DC_FSQRT_BASE(e, m, r)                                                                                         \
	(2 + (e + m + 1) + (e + m + 6) + (m + 3) + DC_ROOT_DIGITS(m + r) + 3 * (r) + DC_ROUND(e, m, r) + e + m + 13)
/* Digits of a root, of which each trial is two rows wider than the one before. */
#define DC_ROOT_DIGITS(digits) ((digits) * ((digits) + 7))
/* One by the root: m + 1 digits of it, and m + 2 of the quotient; exponents and rounding as of both. */
#define DC_FRSQRT_BASE(e, m)                                                                                           \
	(2 + (e + m + 1) + (e + m + 6) + (m + 3) + DC_ROOT_DIGITS(m + 1) + DC_FILLS(2 * m + 3) + 1 + 2 * (e + 2) +     \
	 (m + 2) * (2 * m + 6) + 2 + (m + e + 5) + DC_ROUND(e, m, 1) + 5 + e + m + 8)
#define DC_FMA_BASE(e, m, r)                                                                                           \
	(DC_UNPACK(e, m) + 1 + 2 * (e + 2) + (m * m + 3 * m - 2) + DC_DIFFERENCE(e) + DC_SWAP(e, 2 * m) +              \
	 DC_COMPLEMENT(2 * m) + DC_ALIGN_BASE(2 * m, r) + DC_MAGNITUDE(2 * m, r) + DC_NORMALISE_BASE(e, 2 * m, r) +    \
	 DC_ROUND(e, m, r) + DC_PACK(e, m))
/* Product and addend, 2 m rows each. Of f64 these alone fill an array, and 20 rows go out and in once more. */
#define DC_FMA_SCRATCH(e, m) (4 * (m) + 3 * (e) + 20 + ((m) > 40 ? 20 : 0))
/* b: bits of the integer. Sign to magnitude, a search of the leading one, rounding. */
#define DC_ITOF_BASE(e, m, r) (2 * b + 2 + b * (1 + m + 2 * (r) + e) + DC_ROUND(e, m, r) + e + m)
#define DC_ITOF_USUAL(e, m, r) (2 * b + 2 + 4 * (1 + m + 2 * (r) + e) + b / 2 + DC_ROUND(e, m, r) + e + m)
#define DC_FTOI_REST(m) (m < 9 ? 11 : 2 + m) /* nine rows of which are what is no number, and the largest */
#define DC_FTOI_BASE(e, m) (b * (2 + m) + DC_FTOI_REST(m) + 2 * b + 8)
#define DC_FTOI_USUAL(e, m) (4 * (2 + m) + 2 * b + 24)
/* What else a conversion rounds by: a group's three rows, what is below one, the sum, its overflow. */
#define DC_FTOI_ROUND (4 * b + 13)
/* CORDIC (array/serial_cordic.c): what its steps take, none of which waits. In fixed point of n rows, for a rotation:
 * which way it goes, two numbers moved down by addressing other rows and inverted where it goes back, three sums. For a
 * root there is no angle. Powers and logarithms try a difference or a sum, and take it where its sign says so. */
#define DC_TURN(n) (5 * (n) + 2)
#define DC_TRY(n) (3 * (n) + 1)
#define DC_ROOT_STEP(n) (4 * (n) + 2)
/* A root's error is squared by a step: those behind the paper's 17 have nothing to do in 30 rows of fraction. */
#define DC_ROOT_STEPS(k) ((k) < 17 ? (k) : 17)
/* Cycles of these operations, with the numbers that an iteration begins with. */
#define DC_SINCOS_FIXED(n, k) ((n) + 1 + (k) * DC_TURN(n))
#define DC_EXP_FIXED(n, k) (2 + (k) * DC_TRY(n))
#define DC_LOG_FIXED(n, k) (1 + (k) * DC_TRY(n))
#define DC_SQRT_FIXED(n, k) (2 * (n) + DC_ROOT_STEPS(k) * DC_ROOT_STEP(n))
/* Rows moved down by what an exponent says, in steps of powers of two. */
#define DC_MOVE_DOWN(e, rows) (2 * (e) + 4 + DC_LOG2(rows) * ((rows) + 2) + 1 - (1ull << DC_LOG2(rows)))
/* A magnitude's leading one moved to the highest row, rounded, put together. */
#define DC_PUT_MAGNITUDE(e, m, rows)                                                                                   \
	(DC_LOG2(rows) * ((rows) + 4) + 1 - (1ull << DC_LOG2(rows)) + 3 * (e) + 2 * (m) + 11)
/* Quarter turns: a partial product for each one of 2 / pi, of which half of the rows and one are; its nearest whole
 * one; the result's sign; of a sine that of what is zero. */
#define DC_WAVE_ENDS(e, m, n)                                                                                          \
	(2 + (m) + 1 + ((n) / 2 + 1) * ((m) + 1) + DC_MOVE_DOWN(e, (m) + (n)) + 6 * (n) + 10 +                         \
	 DC_PUT_MAGNITUDE(e, m, n))
#define DC_FSIN_BASE(e, m) (DC_WAVE_ENDS(e, m, n) + 4 + DC_SINCOS_FIXED(n, k))
#define DC_FCOS_BASE(e, m) (DC_WAVE_ENDS(e, m, n) + 2 + DC_SINCOS_FIXED(n, k))
#define DC_FEXP_BASE(e, m)                                                                                             \
	((m) + DC_MOVE_DOWN(e, (n) + 8) + 2 * (n) + DC_EXP_FIXED(n, k) + 3 * (e) + 2 * (m) + 50)
#define DC_FLOG_BASE(e, m) ((m) + (e) + DC_LOG_FIXED(n, k) + 4 * (n) + DC_PUT_MAGNITUDE(e, m, (n) + 8) + 49)
/* The exponent halved, the mantissa down by a row where it is odd; what is not from 1/2 to 1 is the nearest that is.
 */
#define DC_FROOT_BASE(e, m) (3 * (e) + 4 * (m) + DC_SQRT_FIXED(n, k) + 34)
/* newton.h: the first number; steps of three products, two sums, a constant, a half and a copy; special operands. */
#define DC_NEWTON_STEPS 3
#define DC_FNEWTON_BASE(e, m)                                                                                          \
	(2 * n + DC_NEWTON_STEPS * (3 * DC_FMUL_BASE(e, m, 1) + 2 * DC_FADD_BASE(e, m, 1) + 2 * n + e + 3) + 20)
#define DC_FTANH_BASE(e, m)                                                                                            \
	(DC_FMUL_BASE(e, m, 1) + DC_FEXP_BASE(e, m) + 2 * DC_FADD_BASE(e, m, 1) + DC_FDIV_BASE(e, m, 1) + 7 * n + e +  \
	 15)

/* Gradual underflow (array/gradual.h). What is looked for: a row cleared, its wired-OR; of an operand whether its
 * exponent is zero and its fraction is not; of a result whether it is too small and not zero; of a conversion's before
 * rounding. */
#define DC_SENSE_ENDS 2
#define DC_SENSE_OPERAND 4
#define DC_SENSE_RESULT 3
#define DC_SENSE_KEPT 3 /* of an fma's that stays in two's complement */
#define DC_SENSE_CONVERTED 5
/* Steps of 2^k rows that move `rows` rows by any number up to theirs: the sum of what is left in each, c besides. */
#define DC_STEPS(rows, c) (DC_LOG2((rows) + 1) * ((rows) + (c)) + 1 - (1ull << DC_LOG2((rows) + 1)))
/* An operand with a bit of exponent more, and its leading one in the hidden row. */
#define DC_WIDEN(e, m) (2 * m + e + 9 + DC_STEPS(m - 1, e + 6))
/* A result below the least normal number, in `rows` rows, moved down to where the format ends. */
#define DC_DENORMALISE(e, rows) (3 * (e + 2) + 9 + ((rows) > 64) + DC_STEPS(rows, 4))
#define DC_NARROW(e, m) (2 * e + m + 16)
/* The result to its lanes. */
#define DC_AGAIN(e, m) (1 + e + m)
/* The conversion: f rows of fraction to t, exponents of w rows; rounded in t + 1 rows and d below. */
#define DC_CONVERT_AGAIN(f, t, w, d)                                                                                   \
	(42 + f + 2 * t + 5 * w + DC_STEPS(f, w + 5) + DC_STEPS((t + d + 2), 4))

/* Sums of which an operand (k: so many) or the result is open (array/open.h, r = 0): mantissas have a row less. Open
 * operands are copied, and swapped from where they are; both normalised, they are in turn complemented after that. */
#define DC_OPEN_TAKE(e, m, k)                                                                                         \
	(DC_UNPACK(e, m) + DC_DIFFERENCE(e) + DC_COMPLEMENT(m) - (k) * (1 + DC_COMPLEMENT_ONE(m)) - (k) / 2)
#define DC_OPEN_SWAP(e, m, k) (DC_SWAP(e, m) - ((k) ? 2 : 0))
/* The exponent of the sum; its rows, where it overflows; the result, what is infinite or no number; a normalised one.
 */
#define DC_OPEN_EXPONENT(e) (3 + e + 2)
#define DC_OPEN_OVERFLOW(m) (m)
#define DC_OPEN_PACK(e, m) (e + m + 20)
#define DC_OPEN_NORMALISE(e, m) (DC_MAGNITUDE((m - 1), 0) + 1 + DC_PACK(e, m))
#define DC_OPEN_OF(e, m) (2 * m + e + 11)
#define DC_OPEN_TO_BASE(e, m) (m + 2 + DC_OPEN_NORMALISE(e, m) + DC_NORMALISE_BASE(e, (m - 1), 0))
#define DC_OPEN_TO_USUAL(e, m) (m + 2 + DC_OPEN_NORMALISE(e, m) + 4 * DC_NORMALISE(e, (m - 1), 0) + 8)
#define DC_OPEN_OF_SCRATCH 4
#define DC_OPEN_TO_SCRATCH(e, m) (2 * m + 2 * e + 16)

#endif
