/* gradual.h - denormal numbers of f16 and f64 (Duality Cache's paper has none: its programs do without).
 *
 * An operation is done as if there were none, and meanwhile two rows find out whether a lane has a denormal operand, or
 * a result that is too small. Where the wired-OR says that some lane of the control block does, the operation is done
 * again, for those lanes: with a bit of exponent more, in which all numbers of the format are normal, after operands
 * have been moved up to their leading one by steps of a power of two; before rounding a result below the least normal
 * number is moved down to where the format ends, in the same way. As processors do that leave denormals to microcode,
 * it is right and slow; what is in its way in the arrays is swapped out. Nothing of it is skipped.
 */
#ifndef STRATA_DC_ARRAY_GRADUAL_H
#define STRATA_DC_ARRAY_GRADUAL_H

#include "dc/ops.h"

/* The operation with a bit of exponent more, whose results are rounded where the format's are. */
struct dc_use dc_gradual_use(const struct dc_use *use);
/* Cycles of an operation that is done again: of a pair, of one half. */
uint64_t dc_gradual_cycles(const struct dc_use *use, const struct dc_arith *a);
/* Word-lines in the way of four such numbers, in each array at work: they leave for that, and come back. */
uint32_t dc_gradual_rows(const struct dc_use *use);
/* Does some lane of mask need it again? Sources and results are rows of 32 lanes, as numbers; half: which of a pair. */
bool dc_gradual_needs(const struct dc_use *use, const struct dc_arith *a, const void *const *src, const void *out,
		      uint32_t mask, uint32_t half);

#endif
