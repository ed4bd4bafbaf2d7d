/* half.h - rounding to f16 and bf16 in any mode, and sums that round once. */
#ifndef STRATA_SIMT_ALU_HALF_H
#define STRATA_SIMT_ALU_HALF_H

#include "simt/alu/flt.h"

enum half_round { HALF_RN, HALF_RZ, HALF_RM, HALF_RP };

/* x rounded to a format of `digits` fraction bits and least exponent `least`, in one step: x is scaled so that the
 * format's last place is 1 (exactly, by a power of two), cut to an integer, and the rest decides. */
static inline uint16_t half_round(double x, int digits, int least, enum half_round mode)
{
	const uint64_t u = flt_bits64(x), sign = u >> 63;
	const double size = flt_from64(u & INT64_MAX);
	const int64_t e = (int64_t)(u >> 52 & 2047) - 1023, place = (e > least ? e : least);
	const int64_t top = place > 1 - least ? 2 - least : place;
	const double scaled = size * flt_from64((uint64_t)(1023 + digits - place) << 52);
	const double y = scaled < 65536.0 ? scaled : 65535.0;
	const int32_t whole = (int32_t)y;
	const double rest = y - whole;
	const int inexact = rest > 0.0;
	const int up = mode == HALF_RN ? (rest > 0.5) | ((rest == 0.5) & whole & 1)
		       : mode == HALF_RM ? inexact & (int)sign
		       : mode == HALF_RP ? inexact & (int)!sign
					 : 0;
	const uint32_t inf = (uint32_t)(2 * (1 - least) + 1) << digits;
	const uint32_t bits = ((uint32_t)(top - least) << digits) + (uint32_t)whole + (uint32_t)up;
	const int to_inf = mode == HALF_RN || (mode == HALF_RM && sign) || (mode == HALF_RP && !sign);
	const uint32_t large = (to_inf | (e == 1024)) ? inf : inf - 1;
	const uint32_t r = bits < inf ? bits : large;

	return (uint16_t)(x != x ? FLT_NAN_HALF : r | (uint32_t)sign << 15);
}

/* A double as a float rounded to odd: cut, and the last bit set if anything was lost. It still lies on the right side
 * of every half and every midpoint between halves. */
static inline float half_odd(double x)
{
	const float f = (float)x;
	const uint32_t u = flt_bits(f), past = __builtin_fabs((double)f) > __builtin_fabs(x) ? 1 : 0;

	return flt_from((double)f == x ? u : (u - past) | 1);
}

/* To nearest. Adding 1/2 leaves a subnormal half's bits, rounded by the addition itself, at the end of the mantissa. */
static inline uint16_t half_near_f16(float f)
{
	const uint32_t u = flt_bits(f), size = u & 0x7fffffff;
	const uint32_t normal = (size - (112u << 23) + 0xfff + (size >> 13 & 1)) >> 13;
	const uint32_t small = flt_bits(flt_from(size < 0x38800000 ? size : 0) + 0.5f) - 0x3f000000;
	const uint32_t finite = size < 0x38800000 ? small : size < 0x477ff000 ? normal : 0x7c00;

	return (uint16_t)(size > 0x7f800000 ? FLT_NAN_HALF : finite | (u >> 16 & 0x8000));
}

static inline uint16_t half_near_bf16(float f)
{
	const uint32_t u = flt_bits(f);

	return (uint16_t)(f != f ? FLT_NAN_HALF : (u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static inline uint16_t half_f16(double x, enum half_round mode)
{
	return mode == HALF_RN ? half_near_f16(half_odd(x)) : half_round(x, 10, -14, mode);
}

static inline uint16_t half_bf16(double x, enum half_round mode)
{
	return mode == HALF_RN ? half_near_bf16(half_odd(x)) : half_round(x, 7, -126, mode);
}

/* a + b rounded to odd: inexact sums end in a one, so that a second rounding to a much shorter format sees which side
 * of every midpoint the sum is on. */
static inline double half_sum_odd(double a, double b)
{
	const double s = a + b, t = s - a, error = (a - (s - t)) + (b - t);
	const uint64_t u = flt_bits64(s);
	const int adjust = (error != 0.0) & !(u & 1) & (error == error);
	const int away = (error > 0.0) == (s > 0.0);

	return flt_from64(adjust ? (away ? u + 1 : u - 1) : u);
}

/* An integer as a double that rounds to odd past 53 bits. */
static inline double half_of_u64(uint64_t v)
{
	const uint64_t odd = v >> 53 ? (v & ~2047ull) | (uint64_t)((v & 2047) != 0) << 11 : v;

	return (double)(odd >> 32) * 0x1p32 + (double)(odd & UINT32_MAX);
}

static inline double half_of_s64(int64_t v)
{
	return v < 0 ? -half_of_u64(0 - (uint64_t)v) : half_of_u64((uint64_t)v);
}

#endif
