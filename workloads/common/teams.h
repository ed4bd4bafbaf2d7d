/*
 * Teams of threads at several places of a machine at once: on the CPU, and on near-data processors (NDPs).
 *
 * A team is one thread, made where it runs, so that its stack lies there, and the OpenMP threads that it makes.
 */
#ifndef TEAMS_H
#define TEAMS_H

#include "common/program.h"

#include <pthread.h>
#include <strata/ndp.h>

/* Calls work(self, i) for each i below count at once, by a thread on NDP ndps[i], or on the CPU where that is
 * STRATA_ANY; returns when all have. Its regions have as many threads as an NDP has cores, or the CPU processors.
 * Ends the program if there is no such NDP. One team on the CPU is the caller's own. */
void workload_teams(uint32_t count, const uint32_t *ndps, void (*work)(void *self, uint32_t i), void *self);

/* ---- The same work by the CPU, by NDPs, or by both at once ------------------------------------------------------ */

enum workload_who { WORKLOAD_CPU, WORKLOAD_NDPS, WORKLOAD_APART, WORKLOAD_SHARED };

/* Two rows of a program's counts: who works, and on how many NDPs. */
extern const char *const workload_who_words[];
#define WORKLOAD_WHO                                                                                                \
	{"on", "who works; apart: the CPU and NDPs, on data of their own; shared: both on the same", WORKLOAD_CPU,   \
	 WORKLOAD_CPU, 0, WORKLOAD_SHARED, 1, workload_who_words},                                                   \
	{                                                                                                            \
		"ndps", "NDPs that work, if any do", 1, 1, 1, 64, 1, NULL                                            \
	}

/* What one team does of a job: this part of so many. */
struct workload_part {
	uint32_t job;
	uint32_t number, count;
	pthread_barrier_t *barrier; /* of the job's teams */
};

/* Jobs that there are: 2 if they work apart, the CPU's and the NDPs', else 1. */
uint32_t workload_jobs(enum workload_who who);
/* Teams that share a job. */
uint32_t workload_parts(enum workload_who who, uint32_t ndps, uint32_t job);
typedef void workload_part_work(void *self, const struct workload_part *part);
/* Calls work for each part of each job at once, when the threads of all teams are there; by the CPU alone it is a call.
 * Returns the seconds from the first call to the last return. Natively, and on a machine without NDPs, all teams are
 * the CPU's. */
double workload_divide(enum workload_who who, uint32_t ndps, workload_part_work *work, void *self);
/* All teams of the part's job have come here. */
void workload_part_wait(const struct workload_part *part);

/* Where part of n begins: iterations [workload_part_begin(p, n), workload_part_end(p, n)) are this part's. */
static inline size_t workload_part_begin(const struct workload_part *p, size_t n)
{
	return n * p->number / p->count;
}

static inline size_t workload_part_end(const struct workload_part *p, size_t n)
{
	return n * (p->number + 1) / p->count;
}

#endif
