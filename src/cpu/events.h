/* events.h - what parts of the system do later, in the order of time, then of the calls. */
#ifndef STRATA_CPU_EVENTS_H
#define STRATA_CPU_EVENTS_H

#include <glib.h>
#include <stdint.h>

#include "sim/engine.h"

/* Within what it is about; its owner keeps it until it fires. */
struct cpu_event {
	uint64_t time_units, order;
	void (*fire)(void *self, struct cpu_event *e);
	void *self;
};

struct cpu_events {
	struct sim_engine *engine;
	struct sim_comp comp;
	GPtrArray *heap; /* by time and order */
	uint64_t order;
};

/* domain: of the component that fires them. */
void cpu_events_init(struct cpu_events *q, struct sim_engine *engine, uint32_t domain);
void cpu_events_free(struct cpu_events *q);
/* time_units is not before the engine's time; fire and self are set. */
void cpu_event_at(struct cpu_events *q, struct cpu_event *e, uint64_t time_units);

#endif
