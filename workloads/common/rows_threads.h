/* A row of a matrix times a vector, by a thread, for the programs of threads: eight sums, so that no addition waits for
 * the one before.  A row has a multiple of eight elements.
 */
#ifndef ROWS_THREADS_H
#define ROWS_THREADS_H

#include "common/half.h"

#include <stddef.h>

enum { ROWS_SUMS = 8 };

static inline float rows_sums_add(const float *sums)
{
	return (sums[0] + sums[1]) + (sums[2] + sums[3]) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

static inline float rows_half(const uint16_t *row, const float *vector, size_t count)
{
	float sums[ROWS_SUMS] = {0};

	for (size_t c = 0; c < count; c += ROWS_SUMS)
		for (size_t i = 0; i < ROWS_SUMS; i++)
			sums[i] += half_value(row[c + i]) * vector[c + i];
	return rows_sums_add(sums);
}

static inline float rows_float(const float *row, const float *vector, size_t count)
{
	float sums[ROWS_SUMS] = {0};

	for (size_t c = 0; c < count; c += ROWS_SUMS)
		for (size_t i = 0; i < ROWS_SUMS; i++)
			sums[i] += row[c + i] * vector[c + i];
	return rows_sums_add(sums);
}

#endif
