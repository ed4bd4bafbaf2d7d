/* truncate.h - what floating-point routines compute without guard rows, as integer formulas (docs/duality.md).
 *
 * Addition floors the shifted operand in two's complement (algorithm 1) and cuts the magnitude of the sum; it is not
 * the host's rounding to zero. Products, quotients and roots are cut. Numbers are use->e + use->m bits; denormals are
 * zero.
 */
#ifndef STRATA_DC_ARRAY_TRUNCATE_H
#define STRATA_DC_ARRAY_TRUNCATE_H

#include "dc/ops.h"

uint64_t dc_truncated_add(const struct dc_use *use, uint64_t a, uint64_t b);
uint64_t dc_truncated_mul(const struct dc_use *use, uint64_t a, uint64_t b);
uint64_t dc_truncated_fma(const struct dc_use *use, uint64_t a, uint64_t b, uint64_t c);
uint64_t dc_truncated_div(const struct dc_use *use, uint64_t a, uint64_t b);

#endif
