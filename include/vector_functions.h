/* vector_functions.h - make_char1 to make_double4 (CUDA C++ Programming Guide 13.0, section 10.3). */
#ifndef STRATA_VECTOR_FUNCTIONS_H
#define STRATA_VECTOR_FUNCTIONS_H

#ifdef __NVCC__
#include_next <vector_functions.h>
#else

#include <vector_types.h>

#define STRATA_MAKE(name, type)                                                                                        \
	static __inline__ __host__ __device__ name##1 make_##name##1(type x)                                           \
	{                                                                                                              \
		name##1 v;                                                                                             \
		v.x = x;                                                                                               \
		return v;                                                                                              \
	}                                                                                                              \
	static __inline__ __host__ __device__ name##2 make_##name##2(type x, type y)                                   \
	{                                                                                                              \
		name##2 v;                                                                                             \
		v.x = x;                                                                                               \
		v.y = y;                                                                                               \
		return v;                                                                                              \
	}                                                                                                              \
	static __inline__ __host__ __device__ name##3 make_##name##3(type x, type y, type z)                           \
	{                                                                                                              \
		name##3 v;                                                                                             \
		v.x = x;                                                                                               \
		v.y = y;                                                                                               \
		v.z = z;                                                                                               \
		return v;                                                                                              \
	}                                                                                                              \
	static __inline__ __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w)                   \
	{                                                                                                              \
		name##4 v;                                                                                             \
		v.x = x;                                                                                               \
		v.y = y;                                                                                               \
		v.z = z;                                                                                               \
		v.w = w;                                                                                               \
		return v;                                                                                              \
	}

STRATA_MAKE(char, signed char)
STRATA_MAKE(uchar, unsigned char)
STRATA_MAKE(short, short)
STRATA_MAKE(ushort, unsigned short)
STRATA_MAKE(int, int)
STRATA_MAKE(uint, unsigned int)
STRATA_MAKE(long, long)
STRATA_MAKE(ulong, unsigned long)
STRATA_MAKE(longlong, long long)
STRATA_MAKE(ulonglong, unsigned long long)
STRATA_MAKE(float, float)
STRATA_MAKE(double, double)
#undef STRATA_MAKE

#endif
#endif
