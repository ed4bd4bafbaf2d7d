/*
 * Input and reference of the 2D FFT, for the CUDA program and the program of threads. Who includes it defines
 * MULTIPLY_ADD(a, b, c), a times b plus c, as its kernel rounds it.
 */
#ifndef SKAFFT_HOST_H
#define SKAFFT_HOST_H

#include "common/program.h"
#include "skafft/skafft.h"

#include <math.h>

struct sample {
	float re, im;
};

enum { POINTS = SKAFFT_SIDE * SKAFFT_SIDE };

static const double pi = 3.14159265358979323846;

static inline struct sample input_sample(uint64_t seed, size_t i)
{
	return (struct sample){workload_random_float(seed, 0, i) - 0.5f, workload_random_float(seed, 1, i) - 0.5f};
}

static inline void factors_make(struct sample *factors)
{
	for (unsigned int half = 1; half < SKAFFT_SIDE; half *= 2)
		for (unsigned int offset = 0; offset < half; offset++) {
			factors[half - 1 + offset].re = (float)cos(pi * offset / half);
			factors[half - 1 + offset].im = (float)-sin(pi * offset / half);
		}
}

static inline unsigned int reversed(unsigned int value)
{
	unsigned int out = 0;

	for (unsigned int i = 0; i < SKAFFT_LOG; i++)
		out |= (value >> i & 1) << (SKAFFT_LOG - 1 - i);
	return out;
}

static inline void butterfly(struct sample *a, struct sample *b, const struct sample *w)
{
	const float re = MULTIPLY_ADD(w->re, b->re, -(w->im * b->im));
	const float im = MULTIPLY_ADD(w->re, b->im, w->im * b->re);

	b->re = a->re - re;
	b->im = a->im - im;
	a->re += re;
	a->im += im;
}

static inline void line_transform(struct sample *line, size_t step, const struct sample *factors)
{
	struct sample x[SKAFFT_SIDE];

	for (unsigned int i = 0; i < SKAFFT_SIDE; i++)
		x[reversed(i)] = line[i * step];
	for (unsigned int half = 1; half < SKAFFT_SIDE; half *= 2)
		for (unsigned int i = 0; i < SKAFFT_SIDE; i++)
			if (!(i & half))
				butterfly(&x[i], &x[i + half], &factors[half - 1 + (i & (half - 1))]);
	for (unsigned int i = 0; i < SKAFFT_SIDE; i++)
		line[i * step] = x[i];
}

/* The reference, in place: rows, then columns. */
static inline void matrix_transform(struct sample *matrix, const struct sample *factors)
{
	for (size_t i = 0; i < SKAFFT_SIDE; i++)
		line_transform(matrix + i * SKAFFT_SIDE, 1, factors);
	for (size_t i = 0; i < SKAFFT_SIDE; i++)
		line_transform(matrix + i, SKAFFT_SIDE, factors);
}

/* 5 n log2(n): as equation (2.5). */
static inline double operations_of(size_t matrices)
{
	return 5.0 * POINTS * 2 * SKAFFT_LOG * (double)matrices;
}

#endif
