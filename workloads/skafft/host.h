/*
 * Reference of the 2D FFT, for the CUDA program and the program of threads. Who includes it defines
 * MULTIPLY_ADD(a, b, c), a times b plus c, as its kernel rounds it.
 */
#ifndef SKAFFT_HOST_H
#define SKAFFT_HOST_H

#include "common/radix2_host.h"
#include "skafft/skafft.h"

enum { SKAFFT_LOG_MAX = 8, SKAFFT_SIDE_MAX = 1 << SKAFFT_LOG_MAX };

static inline void line_transform(struct sample *line, size_t step, unsigned int log, const struct sample *factors)
{
	const unsigned int side = 1u << log;
	struct sample x[SKAFFT_SIDE_MAX];

	for (unsigned int i = 0; i < side; i++)
		x[reversed(i, log)] = line[i * step];
	points_transform(x, side, factors);
	for (unsigned int i = 0; i < side; i++)
		line[i * step] = x[i];
}

/* The reference, in place: rows, then columns, of 2^log points each. */
static inline void matrix_transform(struct sample *matrix, unsigned int log, const struct sample *factors)
{
	const size_t side = (size_t)1 << log;

	for (size_t i = 0; i < side; i++)
		line_transform(matrix + i * side, 1, log, factors);
	for (size_t i = 0; i < side; i++)
		line_transform(matrix + i, side, log, factors);
}

/* 5 n log2(n): as equation (2.5). */
static inline double operations_of(size_t matrices, unsigned int log)
{
	const double points = (double)(1u << 2 * log);

	return 5 * points * 2 * log * (double)matrices;
}

#endif
