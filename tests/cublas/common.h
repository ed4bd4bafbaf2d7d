/* common.h - what the tests of cuBLAS share: elements of all types, arrays with guards on both sides, bounds.
 *
 * A test is a program that checks itself, so that `strata run` can run it on any machine: exit status 1 and a line on
 * stderr for the first ten mistakes.
 */
#ifndef TESTS_CUBLAS_COMMON_H
#define TESTS_CUBLAS_COMMON_H

#include <cublas_v2.h>
#include <cuda.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int mistakes;

#define MISTAKE(...)                                                    \
	do {                                                            \
		if (mistakes++ < 10) {                                  \
			fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
			fprintf(stderr, __VA_ARGS__);                   \
			fputc('\n', stderr);                            \
		}                                                       \
	} while (0)
#define SAME(got, expected)                                                              \
	do {                                                                             \
		const long long is_ = (long long)(got), wanted_ = (long long)(expected); \
                                                                                         \
		if (is_ != wanted_)                                                      \
			MISTAKE("%s is %lld, not %lld", #got, is_, wanted_);             \
	} while (0)
#define OK(call) SAME(call, 0)

/* ---- elements ---- */

static inline size_t size_of(cudaDataType type)
{
	return type == CUDA_R_64F ? 8 : type == CUDA_R_32F || type == CUDA_R_32I ? 4 : type == CUDA_R_8I ? 1 : 2;
}

/* The distance of 1 from the next number, halved: how far rounding may go, of 1. */
static inline double epsilon(cudaDataType type)
{
	switch (type) {
	case CUDA_R_64F:
		return 0x1p-53;
	case CUDA_R_32F:
		return 0x1p-24;
	case CUDA_R_16F:
		return 0x1p-11;
	case CUDA_R_16BF:
		return 0x1p-8;
	default:
		return 0;
	}
}

static inline void put(void *array, int64_t i, cudaDataType type, double value)
{
	const float f = (float)value;
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	if (type == CUDA_R_64F)
		((double *)array)[i] = value;
	else if (type == CUDA_R_32F)
		((float *)array)[i] = f;
	else if (type == CUDA_R_32I)
		((int32_t *)array)[i] = (int32_t)value;
	else if (type == CUDA_R_8I)
		((int8_t *)array)[i] = (int8_t)value;
	else if (type == CUDA_R_16BF)
		((uint16_t *)array)[i] = (uint16_t)(bits >> 16);
	else
		((_Float16 *)array)[i] = (_Float16)value;
}

static inline double get(const void *array, int64_t i, cudaDataType type)
{
	uint32_t bits;
	float f;

	if (type == CUDA_R_64F)
		return ((const double *)array)[i];
	if (type == CUDA_R_32F)
		return (double)((const float *)array)[i];
	if (type == CUDA_R_32I)
		return ((const int32_t *)array)[i];
	if (type == CUDA_R_8I)
		return ((const int8_t *)array)[i];
	if (type == CUDA_R_16F)
		return (double)((const _Float16 *)array)[i];
	bits = (uint32_t)((const uint16_t *)array)[i] << 16;
	memcpy(&f, &bits, sizeof(f));
	return (double)f;
}

/* From -1 to 1; of integers, from -100 to 100. */
static inline double next_value(cudaDataType type)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;

	const double unit = (double)(state >> 11) * 0x1p-53 * 2 - 1;

	return type == CUDA_R_8I || type == CUDA_R_32I ? floor(unit * 100) : unit;
}

/* ---- arrays: on both sides, with `skew` elements before the first one, and guards behind the last one ---- */

enum { GUARD_BYTES = 64, GUARD = 0xa5 };

struct array {
	cudaDataType type;
	int64_t count;
	size_t bytes; /* with skew and guard */
	char *host;   /* what the device has been given, then what it gave back */
	char *values; /* element 0 of it */
	CUdeviceptr device, at;
};

static inline struct array array_new(cudaDataType type, int64_t count, int64_t skew)
{
	const size_t size = size_of(type), before = (size_t)skew * size;
	struct array a = {.type = type, .count = count, .bytes = before + (size_t)count * size + GUARD_BYTES};

	a.host = malloc(a.bytes);
	memset(a.host, GUARD, a.bytes);
	a.values = a.host + before;
	for (int64_t i = 0; i < count; i++)
		put(a.values, i, type, next_value(type));
	OK(cuMemAlloc(&a.device, a.bytes));
	OK(cuMemcpyHtoD(a.device, a.host, a.bytes));
	a.at = a.device + before;
	return a;
}

static inline void array_to_device(const struct array *a)
{
	OK(cuMemcpyHtoD(a->device, a->host, a->bytes));
}

static inline void array_to_host(struct array *a)
{
	OK(cuMemcpyDtoH(a->host, a->device, a->bytes));
	for (const char *at = a->host; at < a->values; at++)
		if ((unsigned char)*at != GUARD)
			MISTAKE("something was written before the array");
	for (int i = 0; i < GUARD_BYTES; i++)
		if ((unsigned char)a->values[(size_t)a->count * size_of(a->type) + (size_t)i] != GUARD)
			MISTAKE("something was written behind the array");
}

static inline void array_free(struct array *a)
{
	OK(cuMemFree(a->device));
	free(a->host);
}

static inline double element(const struct array *a, int64_t i)
{
	return get(a->values, i, a->type);
}

/* `within` is absolute. */
#define NEAR(got, expected, within, ...)                                                                       \
	do {                                                                                                   \
		const double got_ = (got), expected_ = (expected), within_ = (within);                         \
                                                                                                               \
		if (!(fabs(got_ - expected_) <= within_)) {                                                    \
			MISTAKE(__VA_ARGS__);                                                                  \
			if (mistakes <= 10)                                                                    \
				fprintf(stderr, "  %.17g, not %.17g within %.3g\n", got_, expected_, within_); \
		}                                                                                              \
	} while (0)

static inline int test_end(const char *name)
{
	if (mistakes)
		fprintf(stderr, "%s: %d mistakes\n", name, mistakes);
	return mistakes > 0;
}

#endif
