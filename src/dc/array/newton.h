/* newton.h - rsqrt and tanh by an array's own operations. Values by words; serial_newton.c and serial_divide.c have
 * the same steps bit by bit.
 *
 * rsqrt is one by the root: m + 1 digits of the root, those below cut off, then a quotient rounded to nearest, within
 * 2^-(m - 1) of the value. That of Table 1 (Duality Cache, ISCA'19; fast inverse square root, of f32) is
 * y = constant - (x >> 1), then three steps y += y / 2 * (1 - x * y * y); each squares the error, at first 3.4 %. tanh,
 * of f32: |x| below 2^-5 is itself; else 1 - 2 / (2^(|x| * 2 log2 e) + 1) with the sign of x. Rounded to
 * nearest; denormal numbers are zero.
 */
#ifndef STRATA_DC_ARRAY_NEWTON_H
#define STRATA_DC_ARRAY_NEWTON_H

#include <stdbool.h>

#include "dc/formulas.h"

/* The integer part of a root. */
uint64_t dc_whole_root(unsigned __int128 x);
/* m + 1 digits of the root of a mantissa of m bits, twice as large where the exponent's last bit is clear. */
uint64_t dc_root_digits(uint64_t mantissa, bool is_even, uint32_t m);

#define DC_RSQRT_MAGIC 0x5f3759dfu

extern const uint32_t dc_tanh_factor; /* 2 log2 e, as f32 */
enum { DC_TANH_SMALL = 127 - 5 };     /* exponents below */

/* Rows of 32 lanes. */
void dc_rsqrt32(const uint32_t *in, uint32_t *out);
void dc_newton32(const uint32_t *in, uint32_t *out);
void dc_rsqrt64(const uint64_t *in, uint64_t *out);
void dc_tanh(uint32_t cordic_iterations, const uint32_t *in, uint32_t *out);

/* The reciprocal root of a denormal f64 is that of a number 2^108 times as large, times 2^54. */
enum { DC_RSQRT_UP = 108 };

#endif
