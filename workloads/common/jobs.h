/*
 * A program of threads whose work is done by teams that share it, or by the CPU and NDPs on inputs of their own
 * (teams.h): what all such programs do around it.  Only the work is modelled.
 */
#ifndef JOBS_H
#define JOBS_H

#include "common/teams.h"

#include <stdlib.h>

/* What a program has for a job, of `bytes` bytes. */
struct job_kind {
	size_t bytes;
	void (*make)(void *job, const struct workload_options *options);
	void (*part)(void *job, const struct workload_part *part); /* a team's part of the work */
	bool (*check)(const void *job, const struct workload_options *options);
	void (*free)(void *job);
};

struct job_list {
	const struct job_kind *kind;
	void *jobs[2];
};

static inline void job_part_do(void *list, const struct workload_part *part)
{
	const struct job_list *l = list;

	l->kind->part(l->jobs[part->job], part);
}

/* The CPU's own team is there before its time begins, as other teams are (teams.c), and a device is. */
static inline void job_team_make(void)
{
#pragma omp parallel
	{
#pragma omp barrier
	}
}

/* Makes the jobs, each from a seed of its own, does the work, and checks it.  `who` is the number of the first of the
 * two options WORKLOAD_WHO; `data_bytes` is what a job reads and writes at least. */
static inline bool jobs_do(const struct job_kind *kind, struct workload_options options, unsigned int who,
			   double data_bytes)
{
	const uint32_t count = workload_jobs(options.counts[who]);
	const uint64_t seed = options.seed;
	struct job_list l = {.kind = kind};
	double seconds;
	bool right = true;

	strata_modelling_end();
	for (uint32_t i = 0; i < count; i++) {
		options.seed = seed + i;
		l.jobs[i] = workload_host_alloc(1, kind->bytes);
		kind->make(l.jobs[i], &options);
	}
	strata_modelling_begin(STRATA_CACHES_COLD);
	job_team_make();
	seconds = workload_divide(options.counts[who], options.counts[who + 1], job_part_do, &l);
	strata_modelling_end();
	for (uint32_t i = 0; i < count; i++) {
		options.seed = seed + i;
		right = kind->check(l.jobs[i], &options) && right;
		kind->free(l.jobs[i]);
		free(l.jobs[i]);
	}
	workload_measure("steps", seconds * 1e6, "us");
	workload_measure("bandwidth", data_bytes * count / seconds * 1e-9, "GB/s");
	return right;
}

#endif
