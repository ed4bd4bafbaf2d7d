/* costs.h - what the instructions of a site take, on a kind of units. */
#ifndef STRATA_THREADS_CPU_COSTS_H
#define STRATA_THREADS_CPU_COSTS_H

#include "channel/channel.h"
#include "threads/site.h"

#include <string.h>

/* Of a site's instructions. */
struct cost {
	const uint16_t *counts;
	uint64_t units; /* of the engine's time */
	uint32_t instructions;
};
enum { COSTS = 1024 };

/* Of a kind of units. */
struct costs {
	uint64_t cycles[THREAD_CLASS_COUNT], cycle_units;
	uint64_t *instructions;
	struct cost sites[COSTS];
};

static inline void cost_of(const struct costs *of, const uint16_t *counts, struct cost *out)
{
	uint64_t cycles = 0;

	*out = (struct cost){.counts = counts};
	for (uint32_t i = 0; i < THREAD_CLASS_COUNT; i++)
		cycles += counts[i] * of->cycles[i];
	for (uint32_t i = 0; i < THREAD_CLASS_lane_integer; i++)
		out->instructions += counts[i];
	out->units = cycles * of->cycle_units;
}

static inline void costs_of_cpu(struct costs *c, const struct cpu_params *p, uint64_t cycle_units,
				uint64_t *instructions)
{
	const uint64_t cycles[] = {
#define THREAD_CLASS(name, cycles, text) p->name##_cycles,
#include "threads/classes.def"
#undef THREAD_CLASS
	};

	memcpy(c->cycles, cycles, sizeof(cycles));
	c->cycle_units = cycle_units;
	c->instructions = instructions;
}

static inline void costs_of_ndp(struct costs *c, const struct channel_params *p, uint64_t cycle_units,
				uint64_t *instructions)
{
	const uint64_t cycles[] = {
#define THREAD_CLASS(name, cycles, text) p->name##_cycles,
#include "threads/classes.def"
#undef THREAD_CLASS
	};

	memcpy(c->cycles, cycles, sizeof(cycles));
	c->cycle_units = cycle_units;
	c->instructions = instructions;
}

#endif
