/*
 * triad - a[i] = b[i] + s * c[i], STREAM's third loop: three streams, no reuse.
 *
 * Every element is compared with what one thread computes, bit for bit.
 */
#include "common/program.h"

#include <stdlib.h>
#include <strata/ndp.h>

static const struct workload_about about = {
	.name = "triad",
	.summary = "a = b + s * c on arrays of doubles (STREAM's triad), by all threads.",
	.small_size = "65,536 elements, 2 passes",
	.paper_size = "16,777,216 elements, 2 passes: each array is larger than the CPU's caches",
};

enum { ELEMENTS, PASSES };
static const struct workload_count counts[] = {
	{"elements", "elements of each array", 65536, 16777216, 1, 1u << 30, 1, NULL},
	{"passes", "times that all are computed", 2, 2, 1, 1000, 1, NULL},
};

static const double scale = 3.0;

static double element(uint64_t seed, uint32_t stream, size_t i)
{
	return (double)(workload_random(seed, stream, i) >> 40);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const size_t n = o.counts[ELEMENTS];
	double *a = workload_host_alloc(n, sizeof(*a)), *b = workload_host_alloc(n, sizeof(*b));
	double *c = workload_host_alloc(n, sizeof(*c)), *want = workload_host_alloc(n, sizeof(*want)), seconds;
	bool right;

	strata_modelling_end();
	/* Natively first touched by the thread that computes with it. */
#pragma omp parallel for
	for (size_t i = 0; i < n; i++) {
		a[i] = 0;
		b[i] = element(o.seed, 0, i);
		c[i] = element(o.seed, 1, i);
	}
	strata_modelling_begin(STRATA_CACHES_COLD);
	seconds = workload_seconds();
	for (unsigned int pass = 0; pass < o.counts[PASSES]; pass++) {
#pragma omp parallel for
		for (size_t i = 0; i < n; i++)
			a[i] = b[i] + scale * c[i];
	}
	seconds = workload_seconds() - seconds;
	strata_modelling_end();
	for (size_t i = 0; i < n; i++)
		want[i] = element(o.seed, 0, i) + scale * element(o.seed, 1, i);
	right = workload_same_f64("a", a, want, n, 0);
	workload_measure("bandwidth", 24.0 * (double)n * o.counts[PASSES] / seconds * 1e-9, "GB/s");
	free(a);
	free(b);
	free(c);
	free(want);
	return workload_finish(right, "%zu elements, %u passes", n, o.counts[PASSES]);
}
