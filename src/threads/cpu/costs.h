/* costs.h - what the instructions of a site take, on a kind of units. */
#ifndef STRATA_THREADS_CPU_COSTS_H
#define STRATA_THREADS_CPU_COSTS_H

#include "channel/channel.h"
#include "threads/site.h"

#include <string.h>

/* What a site's instructions cost. */
struct cost {
	const uint16_t *counts;
	uint64_t units; /* of the engine's time */
	uint32_t instructions;
};
enum { COSTS = 1024 };

/* What instructions cost on a kind of units. */
struct costs {
	uint64_t cycles[THREAD_CLASS_COUNT], cycle_units;
	uint64_t latencies[THREAD_PATH_CLASS_COUNT]; /* of instructions one after the other; cycles */
	uint32_t slots[THREAD_CLASS_COUNT];	     /* of issue; where cores issue out of order, as the next */
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

/* A site's flow as the core has it. */
struct flow {
	const uint16_t *counts;
	struct cpu_flow flow;
};

/* Costs are those of cores that issue out of order: an instruction takes a slot of issue, a vector operation as many
 * as its cycles and its elements' are; only dividers take their time from those behind. What else a class takes is a
 * latency. */
static inline void costs_are_of_window(struct costs *c)
{
#define THREAD_PATH(name, bits, at) c->latencies[THREAD_PATH_##name] = c->cycles[THREAD_CLASS_##name];
	THREAD_PATHS(THREAD_PATH)
#undef THREAD_PATH
	for (uint32_t i = 0; i < THREAD_CLASS_COUNT; i++) {
		c->slots[i] = i < THREAD_CLASS_vector ? 1 : (uint32_t)c->cycles[i];
		if (i != THREAD_CLASS_divide && i != THREAD_CLASS_float_divide)
			c->cycles[i] = 0;
	}
}

/* site: NULL, only the counts are known. */
static inline void flow_make(const struct costs *of, const struct thread_site *site, const uint16_t *counts,
			     struct flow *out)
{
	static const struct {
		uint32_t bits, at;
	} paths[] = {
#define THREAD_PATH(name, bits, at) {bits, at},
		THREAD_PATHS(THREAD_PATH)
#undef THREAD_PATH
	};

	*out = (struct flow){.counts = counts};
	for (uint32_t i = 0; i < THREAD_CLASS_COUNT; i++)
		out->flow.issue_slots += counts[i] * of->slots[i];
	if (!site)
		return;
	out->flow.slot = site->slot;
	out->flow.step_count = site->step_count;
	out->flow.is_known = site->flags & THREAD_SITE_FLOW;
	out->flow.block = site->block;
	out->flow.branch = site->branch;
	out->flow.taken = site->taken;
	for (uint32_t i = 0; i < site->step_count; i++) {
		const struct thread_flow_step *step = &site->flow[i];
		uint64_t cycles = 0;

		for (uint32_t k = 0; k < THREAD_PATH_CLASS_COUNT; k++)
			cycles += (step->path >> paths[k].at & ((1u << paths[k].bits) - 1)) * of->latencies[k];
		out->flow.steps[i].kind = step->kind;
		out->flow.steps[i].slot = step->slot;
		out->flow.steps[i].units = cycles * of->cycle_units;
	}
}
_Static_assert((int)THREAD_FLOW_BRANCH == (int)CPU_FLOW_BRANCH && (int)THREAD_FLOW_STEPS == (int)CPU_FLOW_STEPS &&
		       (int)THREAD_FLOW_SLOTS == (int)CPU_FLOW_SLOTS,
	       "the core and the site mean the same");

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
