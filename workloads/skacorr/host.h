/*
 * Input and reference of the correlation, for the CUDA program and the program of threads. Who includes it defines
 * MULTIPLY_ADD(a, b, c), a times b plus c, as its kernel rounds it.
 */
#ifndef SKACORR_HOST_H
#define SKACORR_HOST_H

#include "common/samples.h"
#include "skacorr/skacorr.h"

/* The sum over time of a times b conjugated. */
static inline struct sample pair_sum(const struct sample *input, size_t signals, size_t times, size_t a, size_t b)
{
	struct sample sum = {0, 0};

	for (size_t t = 0; t < times; t++) {
		const struct sample x = input[t * signals + a], y = input[t * signals + b];

		sum.re = MULTIPLY_ADD(x.im, y.im, MULTIPLY_ADD(x.re, y.re, sum.re));
		sum.im = MULTIPLY_ADD(-x.re, y.im, MULTIPLY_ADD(x.im, y.re, sum.im));
	}
	return sum;
}

/* Every pair of which the second signal is not behind the first. */
static inline bool sums_check(const struct sample *input, const struct sample *output, size_t signals, size_t times)
{
	bool right = true;

	for (size_t a = 0; a < signals && right; a++)
		for (size_t b = 0; b <= a && right; b++) {
			const struct sample want = pair_sum(input, signals, times, a, b);

			right = workload_same_f32("visibilities", &output[a * signals + b].re, &want.re, 2,
						  2 * (a * signals + b));
		}
	return right;
}

/* 8 operations for half of all pairs: equation (2.2). */
static inline double operations_of(size_t signals, size_t times)
{
	return 8 * 0.5 * (double)signals * (double)signals * (double)times;
}

#endif
