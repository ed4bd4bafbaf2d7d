/*
 * Device functions that clang's headers leave to the vendor's: atomics under their C++ names, min and max on all types,
 * and a few more. Not included by hand: include <cuda_runtime.h>.
 */
#ifndef STRATA_DEVICE_MORE_H
#define STRATA_DEVICE_MORE_H

#define STRATA_DEV static __device__ __forceinline__

/* ---- Atomics: each returns the value from before ---------------------------------------------------------------- */

/* One operation at the three scopes: device, block, system. `op` is clang's function (__iAtomicAdd). */
#define STRATA_ATOMIC(name, type, op, as)                                                                              \
	STRATA_DEV type atomic##name(type *address, type value)                                                        \
	{                                                                                                              \
		return (type)op((as *)address, (as)value);                                                             \
	}                                                                                                              \
	STRATA_DEV type atomic##name##_block(type *address, type value)                                                \
	{                                                                                                              \
		return (type)op##_block((as *)address, (as)value);                                                     \
	}                                                                                                              \
	STRATA_DEV type atomic##name##_system(type *address, type value)                                               \
	{                                                                                                              \
		return (type)op##_system((as *)address, (as)value);                                                    \
	}
STRATA_ATOMIC(Add, int, __iAtomicAdd, int)
STRATA_ATOMIC(Add, unsigned int, __uAtomicAdd, unsigned int)
STRATA_ATOMIC(Add, unsigned long long, __ullAtomicAdd, unsigned long long)
STRATA_ATOMIC(Add, float, __fAtomicAdd, float)
STRATA_ATOMIC(Add, double, __dAtomicAdd, double)
STRATA_ATOMIC(Exch, int, __iAtomicExch, int)
STRATA_ATOMIC(Exch, unsigned int, __uAtomicExch, unsigned int)
STRATA_ATOMIC(Exch, unsigned long long, __ullAtomicExch, unsigned long long)
STRATA_ATOMIC(Exch, float, __fAtomicExch, float)
STRATA_ATOMIC(Min, int, __iAtomicMin, int)
STRATA_ATOMIC(Min, unsigned int, __uAtomicMin, unsigned int)
STRATA_ATOMIC(Min, long long, __illAtomicMin, long long)
STRATA_ATOMIC(Min, unsigned long long, __ullAtomicMin, unsigned long long)
STRATA_ATOMIC(Max, int, __iAtomicMax, int)
STRATA_ATOMIC(Max, unsigned int, __uAtomicMax, unsigned int)
STRATA_ATOMIC(Max, long long, __illAtomicMax, long long)
STRATA_ATOMIC(Max, unsigned long long, __ullAtomicMax, unsigned long long)
STRATA_ATOMIC(And, int, __iAtomicAnd, int)
STRATA_ATOMIC(And, unsigned int, __uAtomicAnd, unsigned int)
STRATA_ATOMIC(And, unsigned long long, __ullAtomicAnd, unsigned long long)
STRATA_ATOMIC(Or, int, __iAtomicOr, int)
STRATA_ATOMIC(Or, unsigned int, __uAtomicOr, unsigned int)
STRATA_ATOMIC(Or, unsigned long long, __ullAtomicOr, unsigned long long)
STRATA_ATOMIC(Xor, int, __iAtomicXor, int)
STRATA_ATOMIC(Xor, unsigned int, __uAtomicXor, unsigned int)
STRATA_ATOMIC(Xor, unsigned long long, __ullAtomicXor, unsigned long long)
STRATA_ATOMIC(Inc, unsigned int, __uAtomicInc, unsigned int)
STRATA_ATOMIC(Dec, unsigned int, __uAtomicDec, unsigned int)
#undef STRATA_ATOMIC

#define STRATA_ATOMIC_SUB(type, negate)                                                                                \
	STRATA_DEV type atomicSub(type *address, type value)                                                           \
	{                                                                                                              \
		return atomicAdd(address, negate);                                                                     \
	}                                                                                                              \
	STRATA_DEV type atomicSub_block(type *address, type value)                                                     \
	{                                                                                                              \
		return atomicAdd_block(address, negate);                                                               \
	}                                                                                                              \
	STRATA_DEV type atomicSub_system(type *address, type value)                                                    \
	{                                                                                                              \
		return atomicAdd_system(address, negate);                                                              \
	}
STRATA_ATOMIC_SUB(int, (int)(0u - (unsigned int)value))
STRATA_ATOMIC_SUB(unsigned int, 0u - value)
#undef STRATA_ATOMIC_SUB

#define STRATA_ATOMIC_CAS(scope)                                                                                       \
	STRATA_DEV int atomicCAS##scope(int *address, int expected, int value)                                         \
	{                                                                                                              \
		return __iAtomicCAS##scope(address, expected, value);                                                  \
	}                                                                                                              \
	STRATA_DEV unsigned int atomicCAS##scope(unsigned int *address, unsigned int expected, unsigned int value)     \
	{                                                                                                              \
		return __uAtomicCAS##scope(address, expected, value);                                                  \
	}                                                                                                              \
	STRATA_DEV unsigned long long atomicCAS##scope(unsigned long long *address, unsigned long long expected,       \
						       unsigned long long value)                                       \
	{                                                                                                              \
		return __ullAtomicCAS##scope(address, expected, value);                                                \
	}
STRATA_ATOMIC_CAS()
STRATA_ATOMIC_CAS(_block)
STRATA_ATOMIC_CAS(_system)
#undef STRATA_ATOMIC_CAS

/* ---- min and max on all arithmetic types ------------------------------------------------------------------------ */

#define STRATA_MIN_MAX(type, least, most)                                                                              \
	STRATA_DEV type min(type a, type b)                                                                            \
	{                                                                                                              \
		return least;                                                                                          \
	}                                                                                                              \
	STRATA_DEV type max(type a, type b)                                                                            \
	{                                                                                                              \
		return most;                                                                                           \
	}
STRATA_MIN_MAX(unsigned int, a < b ? a : b, a > b ? a : b)
STRATA_MIN_MAX(long, a < b ? a : b, a > b ? a : b)
STRATA_MIN_MAX(unsigned long, a < b ? a : b, a > b ? a : b)
STRATA_MIN_MAX(long long, a < b ? a : b, a > b ? a : b)
STRATA_MIN_MAX(unsigned long long, a < b ? a : b, a > b ? a : b)
STRATA_MIN_MAX(float, fminf(a, b), fmaxf(a, b))
STRATA_MIN_MAX(double, fmin(a, b), fmax(a, b))
#undef STRATA_MIN_MAX

/* ---- Single-precision overloads of functions that <cmath> does not have ----------------------------------------- */

STRATA_DEV float rsqrt(float x)
{
	return rsqrtf(x);
}

STRATA_DEV float rcbrt(float x)
{
	return rcbrtf(x);
}

STRATA_DEV float sinpi(float x)
{
	return sinpif(x);
}

STRATA_DEV float cospi(float x)
{
	return cospif(x);
}

STRATA_DEV void sincospi(float x, float *s, float *c)
{
	sincospif(x, s, c);
}

STRATA_DEV void sincos(float x, float *s, float *c)
{
	sincosf(x, s, c);
}

STRATA_DEV float erfinv(float x)
{
	return erfinvf(x);
}

STRATA_DEV float erfcx(float x)
{
	return erfcxf(x);
}

STRATA_DEV float normcdf(float x)
{
	return normcdff(x);
}

STRATA_DEV float exp10(float x)
{
	return exp10f(x);
}

/* ---- Address spaces, time, and products of bytes ---------------------------------------------------------------- */

STRATA_DEV unsigned int __isGlobal(const void *pointer)
{
	return __nvvm_isspacep_global(pointer);
}

STRATA_DEV unsigned int __isShared(const void *pointer)
{
	return __nvvm_isspacep_shared(pointer);
}

STRATA_DEV unsigned int __isConstant(const void *pointer)
{
	return __nvvm_isspacep_const(pointer);
}

STRATA_DEV unsigned int __isLocal(const void *pointer)
{
	return __nvvm_isspacep_local(pointer);
}

/* Pauses for about so many nanoseconds. */
STRATA_DEV void __nanosleep(unsigned int nanoseconds)
{
	asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}

/* Four products of bytes, added to c. */
STRATA_DEV int __dp4a(int a, int b, int c)
{
	int sum;

	asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
	return sum;
}

STRATA_DEV unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int sum;

	asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
	return sum;
}

#undef STRATA_DEV

#endif
