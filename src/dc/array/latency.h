/* latency.h - how long an operation takes with the values it has: the word-level side, without a bit-serial step.
 *
 * All lanes of a control block do an operation together, so what can be skipped depends on all of them: rows of zeros
 * in a multiplier, leading zeros, the distinct exponent differences. Facts are gathered row of 32 lanes by row, over
 * the lanes that take part, and the cycles follow from them. array/serial.h does the same bit by bit; tests/dc holds
 * them together.
 */
#ifndef STRATA_DC_ARRAY_LATENCY_H
#define STRATA_DC_ARRAY_LATENCY_H

#include "dc/ops.h"

/* What may be saved (section 3.1); each can be switched off. */
enum dc_saving {
	DC_SAVE_PARTIAL_PRODUCTS, /* rows of a multiplier that are zero in all lanes */
	DC_SAVE_LEADING_ZEROS,	  /* of multiplicands, dividends and divisors */
	DC_SAVE_ZERO_RESIDUES,	  /* of divisions, in all lanes */
	DC_SAVE_DIFFERENCES,	  /* only exponent differences, shifts and exponents that occur */
	DC_SAVE_SIGNS,		  /* no lane negative, no operand to swap */
	DC_SAVING_COUNT
};
#define DC_SAVE_ALL ((1u << DC_SAVING_COUNT) - 1)

struct dc_facts {
	/* The bits that some lane has in its operands; of signed ones in x ^ (x >> n-1), of floats in mantissas, of
	 * RSQRT in roots (or_b). */
	uint64_t or_a, or_b;
	uint64_t multiplier_rows; /* MUL: rows of the multiplier with a one in some lane */
	bool any_negative, any_zero_divisor, any_lane, any_swap;
	uint32_t digits; /* of the longest quotient; of floats, and of roots: for which some lane has a residue */
	uint32_t more_digits;	/* RSQRT: of the quotient behind the root */
	uint64_t zero_residues; /* iterations, counted from the last one, in which every lane's residue is zero */
	/* Alignment: bit k of the first for the difference k; rest: one beyond the mantissa. Normalisation: bit t for
	 * the leading one at row t below the overflow's. FMA of doubles has more than 64 of each. */
	uint64_t differences[2], shifts[2];
	bool any_rest, any_overflow; /* of a sum of open numbers: moved down */
};

void dc_facts_begin(struct dc_facts *f);
/* The operands of the lanes of mask: rows of 32 or 64 bits, as use->n says. */
void dc_facts_add(struct dc_facts *f, const struct dc_use *use, const struct dc_arith *a, const void *const *src,
		  uint32_t mask);
/* The cycles of the operation; of one on pairs those of one half, for each half has facts of its own. */
uint64_t dc_cycles(const struct dc_use *use, const struct dc_arith *a, uint32_t savings, const struct dc_facts *f);
/* Does the operation's time depend on values? If not dc_facts_add need not be called. */
bool dc_has_facts(enum dc_op op);

#endif
