/* open.h - sums that are not normalised (Duality Cache, ISCA'19, section 3.1.1: one instruction takes a mantissa back
 * to sign and magnitude and normalises it; between operations it is left out). duality.elide_normalisation.
 *
 * An open number has the rows of an IEEE one: m - 1 of fraction, e of exponent, the sign's. Sign and fraction together
 * are the mantissa in two's complement, m rows with the hidden one: M * 2^(exponent - bias - (m - 2)). A register has
 * no row for the lowest bit, which is cut. A sum moves the mantissa with the smaller exponent down, adds, and where
 * that overflows moves the sum down by a row; what is cut is floored, and nothing is moved up. An exponent of ones is
 * infinity or, with a fraction, no number.
 */
#ifndef STRATA_DC_ARRAY_OPEN_H
#define STRATA_DC_ARRAY_OPEN_H

#include "dc/array/latency.h"

/* Between numbers and open ones; denormals are zero. */
uint64_t dc_open_of(const struct dc_use *use, uint64_t raw);
uint64_t dc_open_to(const struct dc_use *use, uint64_t open);
/* Of open numbers, open. */
uint64_t dc_open_add(const struct dc_use *use, uint64_t x, uint64_t y);
/* The operand k of an addition as an open number: as it is, or made one; a subtraction's second one with its sign
 * turned over. */
uint64_t dc_open_operand(const struct dc_use *use, uint32_t k, uint64_t raw);
/* What additions and conversions say about their time. */
void dc_open_facts(struct dc_facts *f, const struct dc_use *use, const void *const *src, uint32_t mask);

#endif
