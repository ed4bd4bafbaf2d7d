/*
 * The built-in vector types of CUDA C++ (CUDA C++ Programming Guide 13.0, section 10.3): char1 to double4, and dim3.
 *
 * Sizes and alignments are part of the binary interface: a vector of 2 or 4 is aligned to its size, at most 16 bytes; a
 * vector of 1 or 3 to its component.
 */
#ifndef STRATA_VECTOR_TYPES_H
#define STRATA_VECTOR_TYPES_H

#ifdef __NVCC__
#include_next <vector_types.h>
#else

#include <host_defines.h>

#define STRATA_VECTORS(name, type, align2, align4)                                                                     \
	struct name##1 {                                                                                               \
		type x;                                                                                                \
	};                                                                                                             \
	struct __attribute__((aligned(align2))) name##2 {                                                              \
		type x, y;                                                                                             \
	};                                                                                                             \
	struct name##3 {                                                                                               \
		type x, y, z;                                                                                          \
	};                                                                                                             \
	struct __attribute__((aligned(align4))) name##4 {                                                              \
		type x, y, z, w;                                                                                       \
	};                                                                                                             \
	typedef struct name##1 name##1;                                                                                \
	typedef struct name##2 name##2;                                                                                \
	typedef struct name##3 name##3;                                                                                \
	typedef struct name##4 name##4

STRATA_VECTORS(char, signed char, 2, 4);
STRATA_VECTORS(uchar, unsigned char, 2, 4);
STRATA_VECTORS(short, short, 4, 8);
STRATA_VECTORS(ushort, unsigned short, 4, 8);
STRATA_VECTORS(int, int, 8, 16);
STRATA_VECTORS(uint, unsigned int, 8, 16);
STRATA_VECTORS(long, long, 16, 16);
STRATA_VECTORS(ulong, unsigned long, 16, 16);
STRATA_VECTORS(longlong, long long, 16, 16);
STRATA_VECTORS(ulonglong, unsigned long long, 16, 16);
STRATA_VECTORS(float, float, 8, 16);
STRATA_VECTORS(double, double, 16, 16);
#undef STRATA_VECTORS

/* Sizes of grids and blocks; what is left out is 1. 12 bytes, passed by value. */
struct dim3 {
	unsigned int x, y, z;
#ifdef __cplusplus
	__host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
		: x(vx), y(vy), z(vz)
	{
	}
	__host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
	{
	}
	__host__ __device__ constexpr operator uint3(void) const
	{
		return uint3{x, y, z};
	}
#endif
};
typedef struct dim3 dim3;

#endif
#endif
