/*
 * histogram - counts how often each value occurs, in bins that all threads share.
 *
 * Values are squared uniform numbers, so that low bins are wanted by many threads at once.
 */
#include "common/teams.h"

#include <stdlib.h>

static const struct workload_about about = {
	.name = "histogram",
	.summary = "Counts values in bins that all threads share, by atomic additions; low bins are contended.",
	.small_size = "65,536 values, 1,024 bins",
	.paper_size = "16,777,216 values, 1,048,576 bins",
};

enum { VALUES, BINS, WHO, NDPS };
static const struct workload_count counts[] = {
	{"values", "values that are counted", 65536, 16777216, 1, 1u << 31, 1, NULL},
	{"bins", "bins of 8 bytes", 1024, 1048576, 1, 1u << 28, 1, NULL},
	WORKLOAD_WHO,
};

static uint32_t value_make(uint64_t seed, size_t i, uint32_t bins)
{
	const double x = workload_random_float(seed, 0, i);

	return (uint32_t)(x * x * bins);
}

struct job {
	uint32_t *values;
	uint64_t *bins;
};

struct histogram {
	uint64_t seed;
	size_t n;
	uint32_t bins;
	struct job jobs[2];
};

static void job_make(const struct histogram *h, uint32_t number, struct job *j)
{
	uint32_t *values = workload_host_alloc(h->n, sizeof(*values));

#pragma omp parallel for
	for (size_t i = 0; i < h->n; i++)
		values[i] = value_make(h->seed + number, i, h->bins);
	*j = (struct job){values, workload_host_alloc(h->bins, sizeof(*j->bins))};
}

static void part_do(void *histogram, const struct workload_part *part)
{
	const struct histogram *h = histogram;
	const uint32_t *values = h->jobs[part->job].values;
	uint64_t *bins = h->jobs[part->job].bins;
	const size_t begin = workload_part_begin(part, h->n), end = workload_part_end(part, h->n);

#pragma omp parallel for
	for (size_t i = begin; i < end; i++) {
#pragma omp atomic
		bins[values[i]]++;
	}
}

static bool job_is_right(const struct histogram *h, uint32_t number)
{
	uint64_t *want = workload_host_alloc(h->bins, sizeof(*want));
	bool right;

	for (size_t i = 0; i < h->n; i++)
		want[value_make(h->seed + number, i, h->bins)]++;
	right = workload_same_u64("bin", h->jobs[number].bins, want, h->bins);
	free(want);
	return right;
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct histogram h = {.seed = o.seed, .n = o.counts[VALUES], .bins = o.counts[BINS]};
	const uint32_t jobs = workload_jobs(o.counts[WHO]);
	double seconds;
	bool right = true;

	strata_modelling_end();
	for (uint32_t i = 0; i < jobs; i++)
		job_make(&h, i, &h.jobs[i]);
	strata_modelling_begin(STRATA_CACHES_COLD);
	seconds = workload_divide(o.counts[WHO], o.counts[NDPS], part_do, &h);
	strata_modelling_end();
	for (uint32_t i = 0; i < jobs; i++) {
		right = job_is_right(&h, i) && right;
		free(h.jobs[i].values);
		free(h.jobs[i].bins);
	}
	workload_measure("rate", (double)h.n * jobs / seconds * 1e-9, "Gvalues/s");
	return workload_finish(right, "%zu values, %u bins", h.n, h.bins);
}
