/* Attention on the host, in double precision: the reference of the programs that have it. */
#ifndef ATTENTION_HOST_H
#define ATTENTION_HOST_H

#include "common/half.h"
#include "common/program.h"

#include <math.h>
#include <stdlib.h>

enum { ATTENTION_ELEMENTS = 128 }; /* of a head */

/* keys[i] and values[i] are position i's rows. */
static inline void attention_reference(const float *query, const uint16_t *const *keys, const uint16_t *const *values,
				       size_t positions, float *want)
{
	double *part = workload_host_alloc(positions, sizeof(*part)), most = -1e300, sum = 0;

	for (size_t i = 0; i < positions; i++) {
		for (size_t c = 0; c < ATTENTION_ELEMENTS; c++)
			part[i] += (double)half_value(keys[i][c]) * query[c];
		most = fmax(most, part[i]);
	}
	for (size_t i = 0; i < positions; i++) {
		part[i] = exp(part[i] - most);
		sum += part[i];
	}
	for (size_t c = 0; c < ATTENTION_ELEMENTS; c++) {
		double element = 0;

		for (size_t i = 0; i < positions; i++)
			element += part[i] * half_value(values[i][c]);
		want[c] = (float)(element / sum);
	}
	free(part);
}

/* Halves between -1 and 1. */
static inline uint16_t *attention_rows(uint64_t seed, uint32_t stream, size_t rows)
{
	uint16_t *halves = workload_host_alloc(rows * ATTENTION_ELEMENTS, sizeof(*halves));

	for (size_t i = 0; i < rows * ATTENTION_ELEMENTS; i++)
		halves[i] = half_from(2 * workload_random_float(seed, stream, i) - 1);
	return halves;
}

/* Queries, scaled so that scores are of some units, and the softmax is neither flat nor one position's. */
static inline float *attention_queries(uint64_t seed, uint32_t stream, size_t queries)
{
	float *elements = workload_host_alloc(queries * ATTENTION_ELEMENTS, sizeof(*elements));

	for (size_t i = 0; i < queries * ATTENTION_ELEMENTS; i++)
		elements[i] = 0.5f * workload_random_float(seed, stream, i) - 0.25f;
	return elements;
}

#endif
