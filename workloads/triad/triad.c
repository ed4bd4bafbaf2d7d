/*
 * triad - a[i] = b[i] + s * c[i], STREAM's third loop: three streams, no reuse.
 *
 * Every element is compared with what one thread computes, bit for bit.
 */
#include "common/teams.h"

#include <stdlib.h>

static const struct workload_about about = {
	.name = "triad",
	.summary = "a = b + s * c on arrays of doubles (STREAM's triad), by all threads.",
	.small_size = "65,536 elements, 2 passes",
	.paper_size = "16,777,216 elements, 2 passes: each array is larger than the CPU's caches",
};

enum { ELEMENTS, PASSES, WHO, NDPS };
static const struct workload_count counts[] = {
	{"elements", "elements of each array", 65536, 16777216, 1, 1u << 30, 1, NULL},
	{"passes", "times that all are computed", 2, 2, 1, 1000, 1, NULL},
	WORKLOAD_WHO,
};

static const double scale = 3.0;

static double element(uint64_t seed, uint32_t stream, size_t i)
{
	return (double)(workload_random(seed, stream, i) >> 40);
}

struct job {
	double *a, *b, *c;
};

struct triad {
	struct workload_options o;
	size_t n;
	struct job jobs[2];
};

static void job_make(const struct triad *t, uint32_t number, struct job *j)
{
	double *a = workload_host_alloc(t->n, sizeof(*a)), *b = workload_host_alloc(t->n, sizeof(*b));
	double *c = workload_host_alloc(t->n, sizeof(*c));

	/* Natively first touched by the thread that computes with it. */
#pragma omp parallel for
	for (size_t i = 0; i < t->n; i++) {
		a[i] = 0;
		b[i] = element(t->o.seed + number, 0, i);
		c[i] = element(t->o.seed + number, 1, i);
	}
	*j = (struct job){a, b, c};
}

static void part_do(void *triad, const struct workload_part *part)
{
	const struct triad *t = triad;
	const struct job j = t->jobs[part->job];
	const size_t begin = workload_part_begin(part, t->n), end = workload_part_end(part, t->n);
	double *a = j.a;
	const double *b = j.b, *c = j.c;

	for (unsigned int pass = 0; pass < t->o.counts[PASSES]; pass++) {
#pragma omp parallel for
		for (size_t i = begin; i < end; i++)
			a[i] = b[i] + scale * c[i];
	}
}

static bool job_is_right(const struct triad *t, uint32_t number)
{
	double *want = workload_host_alloc(t->n, sizeof(*want));
	bool right;

	for (size_t i = 0; i < t->n; i++)
		want[i] = element(t->o.seed + number, 0, i) + scale * element(t->o.seed + number, 1, i);
	right = workload_same_f64("a", t->jobs[number].a, want, t->n, 0);
	free(want);
	return right;
}

int main(int argc, char **argv)
{
	struct triad t = {.o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv)};
	const enum workload_who who = t.o.counts[WHO];
	const uint32_t jobs = workload_jobs(who);
	double seconds;
	bool right = true;

	t.n = t.o.counts[ELEMENTS];
	strata_modelling_end();
	for (uint32_t i = 0; i < jobs; i++)
		job_make(&t, i, &t.jobs[i]);
	strata_modelling_begin(STRATA_CACHES_COLD);
	seconds = workload_divide(who, t.o.counts[NDPS], part_do, &t);
	strata_modelling_end();
	for (uint32_t i = 0; i < jobs; i++) {
		right = job_is_right(&t, i) && right;
		free(t.jobs[i].a);
		free(t.jobs[i].b);
		free(t.jobs[i].c);
	}
	workload_measure("bandwidth", 24.0 * (double)t.n * t.o.counts[PASSES] * jobs / seconds * 1e-9, "GB/s");
	return workload_finish(right, "%zu elements, %u passes", t.n, t.o.counts[PASSES]);
}
