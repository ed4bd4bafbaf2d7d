/* diff_types.h - what the generated functions stand on, for the host and for clang's device compilation. */
#ifndef STRATA_TESTS_DIFF_TYPES_H
#define STRATA_TESTS_DIFF_TYPES_H

#ifdef __CUDA__
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
#define DIFF_FN static __device__ __forceinline__
#else
#include <stdint.h>
#define DIFF_FN static
#endif

DIFF_FN float diff_f32(uint64_t bits)
{
	union {
		uint32_t u;
		float f;
	} pun;

	pun.u = (uint32_t)bits;
	return pun.f;
}

DIFF_FN double diff_f64(uint64_t bits)
{
	union {
		uint64_t u;
		double f;
	} pun;

	pun.u = bits;
	return pun.f;
}

/* All NaN are one: C says nothing on payloads. */
DIFF_FN uint64_t diff_bits_f32(float f)
{
	union {
		float f;
		uint32_t u;
	} pun;

	pun.f = f;
	return f == f ? pun.u : 0x7fc00000u;
}

DIFF_FN uint64_t diff_bits_f64(double f)
{
	union {
		double f;
		uint64_t u;
	} pun;

	pun.f = f;
	return f == f ? pun.u : 0x7ff8000000000000u;
}

#endif
