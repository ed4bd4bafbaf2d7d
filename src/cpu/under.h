/* under.h - how long a core has at least one load under way, summed up while loads come and go. */
#ifndef STRATA_CPU_UNDER_H
#define STRATA_CPU_UNDER_H

#include "base/bits.h"

#include <stdint.h>

/* All 0: none yet. Times are in units of the engine's time. */
struct cpu_under {
	uint32_t count; /* loads whose end is not known yet */
	uint64_t begin; /* of the first of them */
	uint64_t tail;  /* end of the last load whose end was known when it began */
	uint64_t until; /* what is summed up ends here */
};

static inline uint64_t cpu_under_sum(struct cpu_under *u, uint64_t from, uint64_t to)
{
	const uint64_t begin = base_max_u64(from, u->until);

	if (to <= begin)
		return 0;
	u->until = to;
	return to - begin;
}

/* A load from `from` to `to`. Returns the units that this adds to the sum. */
static inline uint64_t cpu_under_span(struct cpu_under *u, uint64_t from, uint64_t to)
{
	if (!u->count)
		return cpu_under_sum(u, from, to);
	u->tail = base_max_u64(u->tail, to);
	return 0;
}

/* A load from `from` to a cpu_under_end. */
static inline void cpu_under_begin(struct cpu_under *u, uint64_t from)
{
	u->begin = u->count++ ? MIN(u->begin, from) : from;
}

/* One less is under way; returns as cpu_under_span does. */
static inline uint64_t cpu_under_end(struct cpu_under *u, uint64_t now)
{
	return --u->count ? 0 : cpu_under_sum(u, u->begin, base_max_u64(now, u->tail));
}

#endif
