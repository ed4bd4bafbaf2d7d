/*
 * Device functions on integers and on the bits of floats, under the names that clang calls (__nv_*): one or two
 * instructions each. Not included by hand: include <cuda_runtime.h>.
 */
#ifndef STRATA_DEVICE_INTEGER_H
#define STRATA_DEVICE_INTEGER_H

#define STRATA_NV extern "C" __device__ __inline__ __attribute__((always_inline))

/* ---- Bits of floats --------------------------------------------------------------------------------------------- */

STRATA_NV int __nv_float_as_int(float x)
{
	return __nvvm_bitcast_f2i(x);
}

STRATA_NV float __nv_int_as_float(int x)
{
	return __nvvm_bitcast_i2f(x);
}

STRATA_NV unsigned int __nv_float_as_uint(float x)
{
	return (unsigned int)__nvvm_bitcast_f2i(x);
}

STRATA_NV float __nv_uint_as_float(unsigned int x)
{
	return __nvvm_bitcast_i2f((int)x);
}

STRATA_NV unsigned long long __nv_double_as_longlong(double x)
{
	return (unsigned long long)__nvvm_bitcast_d2ll(x);
}

STRATA_NV double __nv_longlong_as_double(long long x)
{
	return __nvvm_bitcast_ll2d(x);
}

STRATA_NV int __nv_double2hiint(double x)
{
	return (int)(__nvvm_bitcast_d2ll(x) >> 32);
}

STRATA_NV int __nv_double2loint(double x)
{
	return (int)__nvvm_bitcast_d2ll(x);
}

STRATA_NV double __nv_hiloint2double(int high, int low)
{
	return __nvvm_bitcast_ll2d((long long)((unsigned long long)(unsigned int)high << 32 | (unsigned int)low));
}

/* ---- Integers --------------------------------------------------------------------------------------------------- */

STRATA_NV int __nv_abs(int x)
{
	return x < 0 ? (int)(0u - (unsigned int)x) : x;
}

STRATA_NV long long __nv_llabs(long long x)
{
	return x < 0 ? (long long)(0ull - (unsigned long long)x) : x;
}

#define STRATA_MIN_MAX(prefix, type)                                                                                   \
	STRATA_NV type __nv_##prefix##min(type a, type b)                                                              \
	{                                                                                                              \
		return a < b ? a : b;                                                                                  \
	}                                                                                                              \
	STRATA_NV type __nv_##prefix##max(type a, type b)                                                              \
	{                                                                                                              \
		return a > b ? a : b;                                                                                  \
	}
STRATA_MIN_MAX(, int)
STRATA_MIN_MAX(u, unsigned int)
STRATA_MIN_MAX(ll, long long)
STRATA_MIN_MAX(ull, unsigned long long)
#undef STRATA_MIN_MAX

STRATA_NV int __nv_brev(int x)
{
	return (int)__builtin_bitreverse32((unsigned int)x);
}

STRATA_NV long long __nv_brevll(long long x)
{
	return (long long)__builtin_bitreverse64((unsigned long long)x);
}

STRATA_NV int __nv_byte_perm(int a, int b, int selector)
{
	return (int)__nvvm_prmt((unsigned int)a, (unsigned int)b, (unsigned int)selector);
}

STRATA_NV int __nv_clz(int x)
{
	return x ? __builtin_clz((unsigned int)x) : 32;
}

STRATA_NV int __nv_clzll(long long x)
{
	return x ? __builtin_clzll((unsigned long long)x) : 64;
}

STRATA_NV int __nv_ffs(int x)
{
	return x ? __builtin_ctz((unsigned int)x) + 1 : 0;
}

STRATA_NV int __nv_ffsll(long long x)
{
	return x ? __builtin_ctzll((unsigned long long)x) + 1 : 0;
}

STRATA_NV int __nv_popc(int x)
{
	return __builtin_popcount((unsigned int)x);
}

STRATA_NV int __nv_popcll(long long x)
{
	return __builtin_popcountll((unsigned long long)x);
}

STRATA_NV int __nv_hadd(int a, int b)
{
	return (int)(((long long)a + b) >> 1);
}

STRATA_NV int __nv_rhadd(int a, int b)
{
	return (int)(((long long)a + b + 1) >> 1);
}

STRATA_NV int __nv_uhadd(unsigned int a, unsigned int b)
{
	return (int)(((unsigned long long)a + b) >> 1);
}

STRATA_NV unsigned int __nv_urhadd(unsigned int a, unsigned int b)
{
	return (unsigned int)(((unsigned long long)a + b + 1) >> 1);
}

STRATA_NV int __nv_mul24(int a, int b)
{
	return __nvvm_mul24_i(a, b);
}

STRATA_NV unsigned int __nv_umul24(unsigned int a, unsigned int b)
{
	return __nvvm_mul24_ui(a, b);
}

STRATA_NV int __nv_mulhi(int a, int b)
{
	return __nvvm_mulhi_i(a, b);
}

STRATA_NV unsigned int __nv_umulhi(unsigned int a, unsigned int b)
{
	return __nvvm_mulhi_ui(a, b);
}

STRATA_NV long long __nv_mul64hi(long long a, long long b)
{
	return __nvvm_mulhi_ll(a, b);
}

STRATA_NV unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b)
{
	return __nvvm_mulhi_ull(a, b);
}

STRATA_NV int __nv_sad(int a, int b, int c)
{
	return (int)((unsigned int)c + (a > b ? (unsigned int)a - (unsigned int)b : (unsigned int)b - (unsigned int)a));
}

STRATA_NV unsigned int __nv_usad(unsigned int a, unsigned int b, unsigned int c)
{
	return c + (a > b ? a - b : b - a);
}

#endif
