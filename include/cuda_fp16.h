/*
 * Half precision for clang: __half, __half2, their conversions, arithmetic, comparisons and the usual functions (CUDA
 * Math API reference 13.0, half precision). Arithmetic is one PTX instruction on .f16 or .f16x2 each; what PTX does not
 * have (division, square root, exponentials) goes through single precision and is rounded once more. On the host there
 * are the types and the conversions only.
 */
#ifndef STRATA_CUDA_FP16_H
#define STRATA_CUDA_FP16_H

#ifdef __NVCC__
#include_next <cuda_fp16.h>
#else

#include <cuda_runtime.h>

#ifdef __CUDA__

/* ---- The types and their conversions, on both sides ------------------------------------------------------------- */

struct __half_raw {
	unsigned short x;
};

#define STRATA_BOTH static __host__ __device__ __forceinline__
#define STRATA_DEV static __device__ __forceinline__

/* Nearest even; overflow gives infinity. */
STRATA_BOTH unsigned short strata_half_of(float value)
{
	unsigned int bits;

	__builtin_memcpy(&bits, &value, sizeof(bits));

	unsigned int sign = bits >> 16 & 0x8000, a = bits & 0x7fffffff;

	if (a > 0x7f800000)
		return (unsigned short)(sign | 0x7fff);
	if (a >= 0x477ff000) /* rounds beyond 65504 */
		return (unsigned short)(sign | 0x7c00);
	if (a >= 0x38800000) { /* normal: round off 13 bits, the carry goes into the exponent */
		a += 0xfff + (a >> 13 & 1);
		return (unsigned short)(sign | (a - 0x38000000) >> 13);
	}
	if (a < 0x33000000)
		return (unsigned short)sign;

	/* Subnormal: units of 2^-24. */
	unsigned int shift = 126 - (a >> 23), mantissa = (a & 0x7fffff) | 0x800000;
	unsigned int half = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), middle = 1u << (shift - 1);

	half += rest > middle || (rest == middle && (half & 1));
	return (unsigned short)(sign | half);
}

STRATA_BOTH float strata_float_of(unsigned short h)
{
	unsigned int sign = (unsigned int)(h & 0x8000) << 16, a = h & 0x7fff, bits;
	float value;

	if (a >= 0x7c00) {
		bits = sign | 0x7f800000 | (a & 0x3ff) << 13;
	} else if (a >= 0x400) {
		bits = sign | (a << 13) + 0x38000000;
	} else { /* exact: a * 2^-24 */
		value = (float)a * 5.96046448e-8f;
		__builtin_memcpy(&bits, &value, sizeof(bits));
		bits |= sign;
	}
	__builtin_memcpy(&value, &bits, sizeof(value));
	return value;
}

struct __align__(2) __half {
	unsigned short __x;

	__half() = default;
	__host__ __device__ __forceinline__ __half(__half_raw raw) : __x(raw.x)
	{
	}
	__host__ __device__ __forceinline__ __half(float value) : __x(strata_half_of(value))
	{
	}
	__host__ __device__ __forceinline__ __half(double value) : __x(strata_half_of((float)value))
	{
	}
	__host__ __device__ __forceinline__ __half(int value) : __x(strata_half_of((float)value))
	{
	}
	__host__ __device__ __forceinline__ operator float(void) const
	{
		return strata_float_of(__x);
	}
};

struct __align__(4) __half2 {
	__half x, y;

	__half2() = default;
	__host__ __device__ __forceinline__ __half2(__half a, __half b) : x(a), y(b)
	{
	}
};

typedef __half half;
typedef __half2 half2;

STRATA_BOTH __half strata_half_bits(unsigned short bits)
{
	__half_raw raw = {bits};

	return __half(raw);
}

STRATA_BOTH __half __float2half(float x)
{
	return strata_half_bits(strata_half_of(x));
}

STRATA_BOTH __half __float2half_rn(float x)
{
	return __float2half(x);
}

STRATA_BOTH float __half2float(__half h)
{
	return strata_float_of(h.__x);
}

STRATA_BOTH __half2 __floats2half2_rn(float a, float b)
{
	return __half2(__float2half(a), __float2half(b));
}

STRATA_BOTH __half2 __float2half2_rn(float a)
{
	return __floats2half2_rn(a, a);
}

STRATA_BOTH __half2 make_half2(__half a, __half b)
{
	return __half2(a, b);
}

STRATA_BOTH __half2 __halves2half2(__half a, __half b)
{
	return __half2(a, b);
}

STRATA_BOTH __half2 __half2half2(__half a)
{
	return __half2(a, a);
}

STRATA_BOTH __half __low2half(__half2 a)
{
	return a.x;
}

STRATA_BOTH __half __high2half(__half2 a)
{
	return a.y;
}

STRATA_BOTH float __low2float(__half2 a)
{
	return __half2float(a.x);
}

STRATA_BOTH float __high2float(__half2 a)
{
	return __half2float(a.y);
}

STRATA_BOTH float2 __half22float2(__half2 a)
{
	return make_float2(__low2float(a), __high2float(a));
}

STRATA_BOTH __half2 __float22half2_rn(float2 a)
{
	return __floats2half2_rn(a.x, a.y);
}

STRATA_BOTH unsigned short __half_as_ushort(__half h)
{
	return h.__x;
}

STRATA_BOTH __half __ushort_as_half(unsigned short bits)
{
	return strata_half_bits(bits);
}

STRATA_BOTH __half __int2half_rn(int x)
{
	return __float2half((float)x);
}

STRATA_DEV int __half2int_rz(__half h)
{
	return (int)__half2float(h);
}

STRATA_DEV int __half2int_rn(__half h)
{
	return __float2int_rn(__half2float(h));
}

/* ---- Arithmetic ------------------------------------------------------------------------------------------------- */

STRATA_DEV unsigned int strata_pair(__half2 a)
{
	unsigned int bits;

	__builtin_memcpy(&bits, &a, sizeof(bits));
	return bits;
}

STRATA_DEV __half2 strata_unpair(unsigned int bits)
{
	__half2 a;

	__builtin_memcpy(&a, &bits, sizeof(a));
	return a;
}

#define STRATA_HALF_2(name, instruction)                                                                               \
	STRATA_DEV __half __h##name(__half a, __half b)                                                                \
	{                                                                                                              \
		unsigned short r;                                                                                      \
                                                                                                                       \
		asm(instruction ".f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));                                \
		return strata_half_bits(r);                                                                            \
	}                                                                                                              \
	STRATA_DEV __half2 __h##name##2(__half2 a, __half2 b)                                                          \
	{                                                                                                              \
		unsigned int r;                                                                                        \
                                                                                                                       \
		asm(instruction ".f16x2 %0, %1, %2;" : "=r"(r) : "r"(strata_pair(a)), "r"(strata_pair(b)));            \
		return strata_unpair(r);                                                                               \
	}
STRATA_HALF_2(add, "add")
STRATA_HALF_2(sub, "sub")
STRATA_HALF_2(mul, "mul")
#undef STRATA_HALF_2

STRATA_DEV __half __hfma(__half a, __half b, __half c)
{
	unsigned short r;

	asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
	return strata_half_bits(r);
}

STRATA_DEV __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
	unsigned int r;

	asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(strata_pair(a)), "r"(strata_pair(b)), "r"(strata_pair(c)));
	return strata_unpair(r);
}

STRATA_DEV __half __hneg(__half a)
{
	return strata_half_bits(a.__x ^ 0x8000);
}

STRATA_DEV __half __habs(__half a)
{
	return strata_half_bits(a.__x & 0x7fff);
}

STRATA_DEV __half2 __hneg2(__half2 a)
{
	return __half2(__hneg(a.x), __hneg(a.y));
}

STRATA_DEV __half2 __habs2(__half2 a)
{
	return __half2(__habs(a.x), __habs(a.y));
}

/* In single precision, rounded. */
#define STRATA_HALF_BY_FLOAT(name, value)                                                                              \
	STRATA_DEV __half h##name(__half h)                                                                            \
	{                                                                                                              \
		float x = __half2float(h);                                                                             \
                                                                                                                       \
		return __float2half(value);                                                                            \
	}                                                                                                              \
	STRATA_DEV __half2 h2##name(__half2 a)                                                                         \
	{                                                                                                              \
		return __half2(h##name(a.x), h##name(a.y));                                                            \
	}
STRATA_HALF_BY_FLOAT(sqrt, sqrtf(x))
STRATA_HALF_BY_FLOAT(rsqrt, rsqrtf(x))
STRATA_HALF_BY_FLOAT(rcp, 1.0f / x)
STRATA_HALF_BY_FLOAT(exp, expf(x))
STRATA_HALF_BY_FLOAT(exp2, exp2f(x))
STRATA_HALF_BY_FLOAT(log, logf(x))
STRATA_HALF_BY_FLOAT(log2, log2f(x))
STRATA_HALF_BY_FLOAT(sin, sinf(x))
STRATA_HALF_BY_FLOAT(cos, cosf(x))
STRATA_HALF_BY_FLOAT(floor, floorf(x))
STRATA_HALF_BY_FLOAT(ceil, ceilf(x))
STRATA_HALF_BY_FLOAT(trunc, truncf(x))
STRATA_HALF_BY_FLOAT(rint, rintf(x))
#undef STRATA_HALF_BY_FLOAT

STRATA_DEV __half __hdiv(__half a, __half b)
{
	return __float2half(__half2float(a) / __half2float(b));
}

STRATA_DEV __half2 __h2div(__half2 a, __half2 b)
{
	return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}

/* ---- Comparisons ------------------------------------------------------------------------------------------------ */

#define STRATA_HALF_COMPARE(name, op)                                                                                  \
	STRATA_DEV bool __h##name(__half a, __half b)                                                                  \
	{                                                                                                              \
		return __half2float(a) op __half2float(b);                                                             \
	}
STRATA_HALF_COMPARE(eq, ==)
STRATA_HALF_COMPARE(ne, !=)
STRATA_HALF_COMPARE(lt, <)
STRATA_HALF_COMPARE(le, <=)
STRATA_HALF_COMPARE(gt, >)
STRATA_HALF_COMPARE(ge, >=)
#undef STRATA_HALF_COMPARE

STRATA_DEV bool __hisnan(__half a)
{
	return (a.__x & 0x7fff) > 0x7c00;
}

STRATA_DEV __half __hmax(__half a, __half b)
{
	return __float2half(fmaxf(__half2float(a), __half2float(b)));
}

STRATA_DEV __half __hmin(__half a, __half b)
{
	return __float2half(fminf(__half2float(a), __half2float(b)));
}

#define STRATA_HALF_OPERATOR(op, name)                                                                                 \
	STRATA_DEV __half operator op(__half a, __half b)                                                              \
	{                                                                                                              \
		return __h##name(a, b);                                                                                \
	}                                                                                                              \
	STRATA_DEV __half &operator op##=(__half & a, __half b)                                                        \
	{                                                                                                              \
		return a = a op b;                                                                                     \
	}
STRATA_HALF_OPERATOR(+, add)
STRATA_HALF_OPERATOR(-, sub)
STRATA_HALF_OPERATOR(*, mul)
STRATA_HALF_OPERATOR(/, div)
#undef STRATA_HALF_OPERATOR

#define STRATA_HALF_OPERATOR(op, name)                                                                                 \
	STRATA_DEV bool operator op(__half a, __half b)                                                                \
	{                                                                                                              \
		return __h##name(a, b);                                                                                \
	}
STRATA_HALF_OPERATOR(==, eq)
STRATA_HALF_OPERATOR(!=, ne)
STRATA_HALF_OPERATOR(<, lt)
STRATA_HALF_OPERATOR(<=, le)
STRATA_HALF_OPERATOR(>, gt)
STRATA_HALF_OPERATOR(>=, ge)
#undef STRATA_HALF_OPERATOR

STRATA_DEV __half operator-(__half a)
{
	return __hneg(a);
}

STRATA_DEV __half2 operator+(__half2 a, __half2 b)
{
	return __hadd2(a, b);
}

STRATA_DEV __half2 operator-(__half2 a, __half2 b)
{
	return __hsub2(a, b);
}

STRATA_DEV __half2 operator*(__half2 a, __half2 b)
{
	return __hmul2(a, b);
}

/* ---- Warp shuffles ---------------------------------------------------------------------------------------------- */

STRATA_DEV __half __shfl_down_sync(unsigned int mask, __half value, unsigned int distance, int width = 32)
{
	return strata_half_bits((unsigned short)__shfl_down_sync(mask, (int)value.__x, distance, width));
}

STRATA_DEV __half __shfl_xor_sync(unsigned int mask, __half value, int lanes, int width = 32)
{
	return strata_half_bits((unsigned short)__shfl_xor_sync(mask, (int)value.__x, lanes, width));
}

#undef STRATA_BOTH
#undef STRATA_DEV

#endif

#endif
#endif
