/*
 * histogram - counts how often each value occurs, in bins that all threads share.
 *
 * Values are squared uniform numbers, so that low bins are wanted by many threads at once.
 */
#include "common/program.h"

#include <stdlib.h>
#include <strata/ndp.h>

static const struct workload_about about = {
	.name = "histogram",
	.summary = "Counts values in bins that all threads share, by atomic additions; low bins are contended.",
	.small_size = "65,536 values, 1,024 bins",
	.paper_size = "16,777,216 values, 1,048,576 bins",
};

enum { VALUES, BINS };
static const struct workload_count counts[] = {
	{"values", "values that are counted", 65536, 16777216, 1, 1u << 31, 1, NULL},
	{"bins", "bins of 8 bytes", 1024, 1048576, 1, 1u << 28, 1, NULL},
};

static uint32_t value_make(uint64_t seed, size_t i, uint32_t bins)
{
	const double x = workload_random_float(seed, 0, i);

	return (uint32_t)(x * x * bins);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const size_t n = o.counts[VALUES];
	const uint32_t bins = o.counts[BINS];
	uint32_t *values = workload_host_alloc(n, sizeof(*values));
	uint64_t *got = workload_host_alloc(bins, sizeof(*got)), *want = workload_host_alloc(bins, sizeof(*want));
	double seconds;
	bool right;

	strata_modelling_end();
#pragma omp parallel for
	for (size_t i = 0; i < n; i++)
		values[i] = value_make(o.seed, i, bins);
	strata_modelling_begin(STRATA_CACHES_COLD);
	seconds = workload_seconds();
#pragma omp parallel for
	for (size_t i = 0; i < n; i++) {
#pragma omp atomic
		got[values[i]]++;
	}
	seconds = workload_seconds() - seconds;
	strata_modelling_end();
	for (size_t i = 0; i < n; i++)
		want[value_make(o.seed, i, bins)]++;
	right = workload_same_u64("bin", got, want, bins);
	workload_measure("rate", (double)n / seconds * 1e-9, "Gvalues/s");
	free(values);
	free(got);
	free(want);
	return workload_finish(right, "%zu values, %u bins", n, bins);
}
