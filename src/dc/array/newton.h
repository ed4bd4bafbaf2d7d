/* newton.h - rsqrt and tanh of f32 and f64 by an array's own additions and products (Duality Cache, ISCA'19, Table 1:
 * fast inverse square root). Values by words; serial_newton.c has the same steps bit by bit.
 *
 * rsqrt: y = constant - (x >> 1), then steps y += y / 2 * (1 - x * y * y). Each squares the error, at first 3.4 %; what
 * is left after DC_NEWTON_STEPS is that of rounding. tanh, of f32: |x| below 2^-5 is itself; else
 * 1 - 2 / (2^(|x| * 2 log2 e) + 1) with the sign of x. Rounded to nearest; denormal numbers are zero.
 */
#ifndef STRATA_DC_ARRAY_NEWTON_H
#define STRATA_DC_ARRAY_NEWTON_H

#include "dc/formulas.h"

#define DC_RSQRT_MAGIC(m) ((m) > 24 ? 0x5fe6eb50c7b537a9ull : 0x5f3759dfull)

extern const uint32_t dc_tanh_factor; /* 2 log2 e, as f32 */
enum { DC_TANH_SMALL = 127 - 5 };     /* exponents below */

/* Rows of 32 lanes. */
void dc_rsqrt32(const uint32_t *in, uint32_t *out);
void dc_rsqrt64(const uint64_t *in, uint64_t *out);
void dc_tanh(uint32_t cordic_iterations, const uint32_t *in, uint32_t *out);

/* Of a denormal f64: that of a number 2^108 times as large, times 2^54. */
enum { DC_RSQRT_UP = 108 };

#endif
