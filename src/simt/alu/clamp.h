/* clamp.h - integral floating values to integers, and widening, as cvt defines them. */
#ifndef STRATA_SIMT_ALU_CLAMP_H
#define STRATA_SIMT_ALU_CLAMP_H

#include "simt/alu/flt.h"

/* r is an integer value, infinite or NaN. Clamped before the cast, so that the cast is always defined. */
static inline int32_t flt_clamp32(double r, double lo, double hi, int32_t nan)
{
	const double low = r > lo ? r : lo, x = low < hi ? low : hi;

	return r == r ? (int32_t)x : nan;
}

#define FLT_TO(T, lo, hi, min)                                                                                         \
	static inline int32_t flt_to_##T##_f32(double r)                                                               \
	{                                                                                                              \
		return flt_clamp32(r, lo, hi, 0);                                                                      \
	}                                                                                                              \
	static inline int32_t flt_to_##T##_f64(double r)                                                               \
	{                                                                                                              \
		return flt_clamp32(r, lo, hi, min);                                                                    \
	}
FLT_TO(u8, 0.0, 255.0, 0x80)
FLT_TO(s8, -128.0, 127.0, INT8_MIN)
FLT_TO(u16, 0.0, 65535.0, 0x8000)
FLT_TO(s16, -32768.0, 32767.0, INT16_MIN)
FLT_TO(s32, -2147483648.0, 2147483647.0, INT32_MIN)

static inline uint32_t flt_clamp_u32(double r, uint32_t nan)
{
	const double low = r > 0.0 ? r : 0.0, x = low < 4294967295.0 ? low : 4294967295.0;
	const double top = x >= 2147483648.0 ? 2147483648.0 : 0.0;

	return r == r ? (uint32_t)(int32_t)(x - top) + (top > 0.0 ? 0x80000000u : 0u) : nan;
}

static inline uint32_t flt_to_u32_f32(double r)
{
	return flt_clamp_u32(r, 0);
}

static inline uint32_t flt_to_u32_f64(double r)
{
	return flt_clamp_u32(r, 0x80000000);
}

static inline int64_t flt_to_s64(double r)
{
	const double x = ((r >= -0x1p63) & (r < 0x1p63)) ? r : 0.0;

	return r >= 0x1p63 ? INT64_MAX : r >= -0x1p63 ? (int64_t)x : INT64_MIN;
}

static inline uint64_t flt_to_u64(double r)
{
	const double x = ((r >= 0.0) & (r < 0x1p64)) ? r : 0.0, top = x >= 0x1p63 ? 0x1p63 : 0.0;
	const uint64_t v = (uint64_t)(int64_t)(x - top) + (top > 0.0 ? 1ull << 63 : 0);

	return r != r ? 1ull << 63 : r >= 0x1p64 ? UINT64_MAX : v;
}

/* A NaN widens as the NaN that f32 instructions make. */
static inline double flt_widen(float f)
{
	return f == f ? (double)f : flt_from64(0x7fffffffe0000000ull);
}

#endif
