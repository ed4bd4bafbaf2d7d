/* complement.h - floats between additions (Duality Cache, ISCA'19, section 3.1.1): their mantissas stay in the two's
 * complement that additions take and make.
 *
 * Sign, exponent and the rows of the fraction are where IEEE has them; the fraction of a negative number is the
 * contrary of its magnitude's, modulo its rows. The hidden one and the sign's row of the mantissa follow from these, so
 * that such a number needs no row more. Taking the contrary twice gives the number back.
 */
#ifndef STRATA_DC_ARRAY_COMPLEMENT_H
#define STRATA_DC_ARRAY_COMPLEMENT_H

#include "dc/ops.h"

uint64_t dc_complement(const struct dc_use *use, uint64_t raw);
/* 32 of them, of 32 or 64 bits; to may be from. */
void dc_complement_row(const struct dc_use *use, const void *from, void *to);

#endif
