/*
 * The nearest of many places by threads: all distances, as the CUDA program's kernel computes them.
 */
#include "common/steps.h"

#include <math.h>
#include <stdlib.h>

static const struct workload_about about = {"nn-omp", "The nearest of many places, by threads.", "65,536 places",
					    "1,048,576 places"};
static const struct workload_count counts[] = {
	{"places", "records to be searched", 65536, 1048576, 1, 1u << 28, 1, NULL},
};

static const float latitude = 30, longitude = 90; /* as in Rodinia */

static void distances(const float *places, float *result, size_t count, bool is_team)
{
#pragma omp parallel for if (is_team)
	for (size_t i = 0; i < count; i++) {
		const float across = latitude - places[2 * i], along = longitude - places[2 * i + 1];

		result[i] = sqrtf(across * across + along * along);
	}
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const size_t count = o.counts[0];
	float *places, *got, *want;
	double begin;
	bool right;

	strata_modelling_end();
	places = workload_host_alloc(2 * count, sizeof(float));
	got = workload_host_alloc(count, sizeof(float));
	want = workload_host_alloc(count, sizeof(float));
	for (size_t i = 0; i < count; i++) {
		places[2 * i] = 7 + 56 * workload_random_float(o.seed, 0, i);
		places[2 * i + 1] = 350 * workload_random_float(o.seed, 1, i);
	}
	workload_input(places, 2 * count * sizeof(float));
	begin = steps_begin();
	distances(places, got, count, true);
	steps_end(begin);
	distances(places, want, count, false);
	right = workload_same_f32("distance", got, want, count, 0);
	free(places);
	free(got);
	free(want);
	return workload_finish(right, "%zu places", count);
}
