/*
 * Linear equations by Gaussian elimination by threads: a column after the other, rows below its pivot for each thread.
 */
#include "common/steps.h"

#include <stdlib.h>
#include <string.h>

static const struct workload_about about = {"gaussian-omp", "Linear equations by Gaussian elimination, by threads.",
					    "128 unknowns", "256 unknowns"};
static const struct workload_count counts[] = {
	{"unknowns", "unknowns and equations", 128, 256, 2, 8192, 1, NULL},
};

/* size rows of size + 1: the right side is the last column. */
static void eliminate(float *matrix, size_t size, bool is_team)
{
	const size_t width = size + 1;

#pragma omp parallel if (is_team)
	for (size_t column = 0; column + 1 < size; column++) {
		const float *pivot = matrix + column * width;

#pragma omp for
		for (size_t row = column + 1; row < size; row++) {
			float *values = matrix + row * width;
			const float multiplier = values[column] / pivot[column];

			for (size_t j = column; j < width; j++)
				values[j] -= multiplier * pivot[j];
		}
	}
}

/* As the CUDA program has them: the right side has random numbers of its own. */
static float element_of(uint64_t seed, size_t size, size_t row, size_t column)
{
	if (column == size)
		return workload_random_float(seed, 1, row);
	return workload_random_float(seed, 0, row * size + column) + (row == column ? (float)size : 0);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const size_t size = o.counts[0], count = size * (size + 1);
	float *got, *want;
	double begin;
	bool right;

	strata_modelling_end();
	got = workload_host_alloc(count, sizeof(float));
	want = workload_host_alloc(count, sizeof(float));
	for (size_t i = 0; i < count; i++)
		got[i] = element_of(o.seed, size, i / (size + 1), i % (size + 1));
	for (size_t row = 0; row < size; row++) {
		workload_input(got + row * (size + 1), size * sizeof(float));
		workload_input(got + row * (size + 1) + size, sizeof(float));
	}
	memcpy(want, got, count * sizeof(float));
	begin = steps_begin();
	eliminate(got, size, true);
	steps_end(begin);
	eliminate(want, size, false);
	right = workload_same_f32("element", got, want, count, 0);
	free(got);
	free(want);
	return workload_finish(right, "%zu unknowns", size);
}
