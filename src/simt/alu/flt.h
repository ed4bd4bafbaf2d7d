/* flt.h - floating point on single lanes: flushing, NaN rules, half formats. Everything is branch-free so that loops
 * over lanes vectorise, and uses no operation whose result could differ between builds. */
#ifndef STRATA_SIMT_ALU_FLT_H
#define STRATA_SIMT_ALU_FLT_H

#include <stdint.h>
#include <string.h>

#define FLT_NAN_F32 0x7fffffffu
#define FLT_NAN_F64 0xfff8000000000000ull
#define FLT_NAN_HALF 0x7fffu

static inline uint32_t flt_bits(float f)
{
	uint32_t u;

	memcpy(&u, &f, sizeof u);
	return u;
}

static inline float flt_from(uint32_t u)
{
	float f;

	memcpy(&f, &u, sizeof f);
	return f;
}

static inline uint64_t flt_bits64(double f)
{
	uint64_t u;

	memcpy(&u, &f, sizeof u);
	return u;
}

static inline double flt_from64(uint64_t u)
{
	double f;

	memcpy(&f, &u, sizeof f);
	return f;
}

/* Subnormals to zero of the same sign. */
static inline float flt_ftz(float f)
{
	const uint32_t u = flt_bits(f);

	return flt_from(u & 0x7f800000 ? u : u & 0x80000000);
}

static inline float flt_noftz(float f)
{
	return f;
}

/* f32 instructions give one NaN, whatever the operands' payloads. */
static inline float flt_canon(float f)
{
	return f == f ? f : flt_from(FLT_NAN_F32);
}

/* .sat: [0, 1], NaN becomes +0. */
static inline float flt_sat(float f)
{
	return f > 0.0f ? (f < 1.0f ? f : 1.0f) : 0.0f;
}

static inline double flt_sat64(double f)
{
	return f > 0.0 ? (f < 1.0 ? f : 1.0) : 0.0;
}

/* f64 instructions pass the payload of the first NaN operand on, quiet; an invalid operation gives the default NaN. */
static inline double flt_quiet64(double f)
{
	return flt_from64(flt_bits64(f) | 1ull << 51);
}

static inline double flt_nan_of(double a, double otherwise)
{
	return a != a ? flt_quiet64(a) : otherwise;
}

static inline double flt_nan1(double r, double a)
{
	const double nan = flt_nan_of(a, flt_from64(FLT_NAN_F64));

	return r == r ? r : nan;
}

static inline double flt_nan2(double r, double a, double b)
{
	const double nan = flt_nan_of(a, flt_nan_of(b, flt_from64(FLT_NAN_F64)));

	return r == r ? r : nan;
}

static inline double flt_nan3(double r, double a, double b, double c)
{
	const double nan = flt_nan_of(a, flt_nan_of(b, flt_nan_of(c, flt_from64(FLT_NAN_F64))));

	return r == r ? r : nan;
}

static inline float flt_of_bf16(uint16_t h)
{
	return flt_from((uint32_t)h << 16);
}

/* Exact. Subnormal halves are an integer times 2^-24. */
static inline float flt_of_f16(uint16_t h)
{
	const uint32_t sign = (uint32_t)(h & 0x8000) << 16, abs = h & 0x7fff;
	const uint32_t normal = (abs << 13) + (112u << 23), special = (abs << 13) | 0x7f800000;
	const uint32_t small = flt_bits((float)(int32_t)abs * 0x1p-24f);

	return flt_from(sign | (abs >= 0x7c00 ? special : abs >= 0x0400 ? normal : small));
}

static inline float flt_of_f16_ftz(uint16_t h)
{
	return flt_of_f16(h & 0x7c00 ? h : h & 0x8000);
}

#endif
