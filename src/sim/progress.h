/* progress.h - how far a simulation is, and what it spends its time on: what another thread than the one that simulates
 * may ask in passing.
 *
 * Nothing is counted for this alone. Every value is one aligned word that the simulating thread counts up, and is right
 * by itself; values of one answer may be of moments that differ a little.
 */
#ifndef STRATA_SIM_PROGRESS_H
#define STRATA_SIM_PROGRESS_H

#include <stdint.h>

enum { SIM_PROGRESS_SPENT_MAX = 16 };

/* What has gone to one purpose so far, in whatever the machine counts it in. */
struct sim_progress_spent {
	const char *what;
	uint64_t amount;
};

struct sim_progress {
	uint64_t time_ps;      /* simulated */
	uint64_t instructions; /* of threads, executed so far */
	uint64_t accesses;     /* to memory, as the machine counts them */
	uint64_t done, total;  /* of what runs now; total 0: nothing does, or nobody knows */
	const char *of;	       /* what these count: "CTAs" */
	uint64_t whole;	       /* what the amounts are shares of; 0: of their sum */
	uint32_t spent_count;
	struct sim_progress_spent spent[SIM_PROGRESS_SPENT_MAX];
};

/* A count that the simulating thread goes on counting. */
static inline uint64_t sim_progress_count(const uint64_t *count)
{
	return __atomic_load_n(count, __ATOMIC_RELAXED);
}

static inline void sim_progress_spent_add(struct sim_progress *p, const char *what, uint64_t amount)
{
	if (p->spent_count < SIM_PROGRESS_SPENT_MAX)
		p->spent[p->spent_count++] = (struct sim_progress_spent){what, amount};
}

#endif
