/* open.h - floats between additions without normalisation, as integer formulas (Duality Cache, ISCA'19, section
 * 3.1.1): what duality.elide_normalisation leaves in registers.
 *
 * An open number has the rows of a normalised one: exponent where IEEE has it, and in the rows of fraction and sign the
 * mantissa, m rows of two's complement without a hidden one, the sign's row the highest. A normalised number of signed
 * mantissa M, of m bits and a sign, has floor(M / 2) with the same exponent: a row of fraction less. Sums are those of
 * algorithm 1 alone: floor(Y / 2^k) added to X of the larger exponent, and where that overflows floor(sum / 2) with an
 * exponent more. They are neither normalised nor rounded, so that what cancels keeps the larger exponent, as a zero
 * does. An exponent of all ones is infinity with the mantissa's sign, 2^(m - 2) or its contrary; with a one in the
 * rows below that it is no number. Zero has one sign, and denormals are zero.
 */
#ifndef STRATA_DC_ARRAY_OPEN_H
#define STRATA_DC_ARRAY_OPEN_H

#include "dc/array/latency.h"

/* A number as algorithm 1 takes it: mantissa times 2^(exponent - bias - (m - 2)), of m bits with its sign. */
struct dc_open {
	int64_t exponent, mantissa;
	bool is_infinite, is_nan;
};

/* The number that lies so, or what a normalised one becomes: denormals are zero, infinity has a mantissa. */
struct dc_open dc_open_parts(const struct dc_use *use, uint64_t raw, bool is_open);
/* A normalised number as it lies in its rows; and back from there, cut to m bits as sums are: what is too small is
 * zero. */
uint64_t dc_open_of(const struct dc_use *use, uint64_t raw);
uint64_t dc_open_to(const struct dc_use *use, uint64_t raw);
/* Operands and result that use->kept names are open, the others are not. */
uint64_t dc_open_add(const struct dc_use *use, uint64_t a, uint64_t b);
/* What additions and conversions back say about their time. */
void dc_open_facts(struct dc_facts *f, const struct dc_use *use, const void *const *src, uint32_t mask);

#endif
