/* The input of adamw and its reference, for the CUDA program and the program of threads. */
#ifndef ADAMW_HOST_H
#define ADAMW_HOST_H

#include "adamw/adamw.h"
#include "common/program.h"

#include <stdlib.h>

/* Rows of a program's counts. */
#define ADAMW_COUNTS \
	{"count", "parameters", 1 << 19, 1 << 24, ADAMW_LANE, 1 << 28, ADAMW_LANE, NULL}

enum { ADAMW_VALUES, ADAMW_MEANS, ADAMW_SQUARES, ADAMW_GRADIENTS, ADAMW_ARRAYS };

struct adamw {
	unsigned int count;
	float *arrays[ADAMW_ARRAYS];
	float mean_correction, square_correction;
};

static inline struct adamw adamw_make(const struct workload_options *options)
{
	struct adamw a = {.count = options->counts[0],
			  .mean_correction = (float)(1 / (1 - pow(0.9, ADAMW_STEP))),
			  .square_correction = (float)(1 / (1 - pow(0.999, ADAMW_STEP)))};

	for (unsigned int array = 0; array < ADAMW_ARRAYS; array++) {
		static const float scales[] = {2, 0.1f, 0.01f, 1}, least[] = {-1, -0.05f, 0, -0.5f};

		a.arrays[array] = workload_host_alloc(a.count, sizeof(float));
		for (size_t i = 0; i < a.count; i++)
			a.arrays[array][i] =
				scales[array] * workload_random_float(options->seed, array, i) + least[array];
	}
	return a;
}

/* Says what the input is, which a check makes again. */
static inline void adamw_input(const struct adamw *a)
{
	for (unsigned int array = 0; array < ADAMW_ARRAYS; array++)
		workload_input(a->arrays[array], a->count * sizeof(float));
}

static inline void adamw_free(struct adamw *a)
{
	for (unsigned int array = 0; array < ADAMW_ARRAYS; array++)
		free(a->arrays[array]);
}

/* Bit for bit by the same operations, and the values within 1e-6 of the formula in double precision.  `a` has the
 * result; the input is made again. */
static inline bool adamw_check(const struct adamw *a, const struct workload_options *options)
{
	struct adamw want = adamw_make(options);
	float *exact = workload_host_alloc(a->count, sizeof(*exact));
	float **arrays = want.arrays;
	bool right;

	for (size_t i = 0; i < a->count; i++) {
		const double gradient = arrays[ADAMW_GRADIENTS][i], value = arrays[ADAMW_VALUES][i];
		const double m = 0.9 * arrays[ADAMW_MEANS][i] + 0.1 * gradient;
		const double s = 0.999 * arrays[ADAMW_SQUARES][i] + 0.001 * gradient * gradient;
		const double change =
			m / (1 - pow(0.9, ADAMW_STEP)) / (sqrt(s / (1 - pow(0.999, ADAMW_STEP))) + 1e-8);

		exact[i] = (float)(value - 1e-3 * (change + 0.01 * value));
		adamw_update(&arrays[ADAMW_VALUES][i], &arrays[ADAMW_MEANS][i], &arrays[ADAMW_SQUARES][i],
			     arrays[ADAMW_GRADIENTS][i], want.mean_correction, want.square_correction);
	}
	right = workload_same_f32("value", a->arrays[ADAMW_VALUES], arrays[ADAMW_VALUES], a->count, 0) &&
		workload_same_f32("mean", a->arrays[ADAMW_MEANS], arrays[ADAMW_MEANS], a->count, 0) &&
		workload_same_f32("square", a->arrays[ADAMW_SQUARES], arrays[ADAMW_SQUARES], a->count, 0) &&
		workload_close_f32("value", a->arrays[ADAMW_VALUES], exact, a->count, 1e-6f);
	adamw_free(&want);
	free(exact);
	return right;
}

#endif
