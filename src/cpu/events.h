/* events.h - what parts of the system do later, in the order of time, then of the calls.
 *
 * Events wait in a wheel of lists, one for each cycle of the clock that fires them, each in that order; those further
 * away than the wheel reaches, in a heap. So an event costs the same whether ten or ten thousand wait.
 */
#ifndef STRATA_CPU_EVENTS_H
#define STRATA_CPU_EVENTS_H

#include <glib.h>
#include <stdint.h>

#include "sim/engine.h"

/* Within what it is about; its owner keeps it until it fires. */
struct cpu_event {
	uint64_t time_units, order;
	struct cpu_event *next; /* of its cycle; of the last, the first */
	void (*fire)(void *self, struct cpu_event *e);
	void *self;
};

enum { CPU_WHEEL_CYCLES = 4096 }; /* a power of two; longer than most waits, in cycles of the bus */

struct cpu_events {
	struct sim_engine *engine;
	struct sim_comp comp;
	uint64_t period_units, period_inverse; /* of its clock; see cycle_of */
	uint64_t first_cycle;                  /* no event is left for an earlier one */
	uint64_t open_end, near_end;           /* cycles before them fire in this tick; are in the wheel */
	uint64_t order;                        /* of the next one */
	GPtrArray *far; /* a heap, by time and order */
	uint64_t occupancy[CPU_WHEEL_CYCLES / 64];
	struct cpu_event *last[CPU_WHEEL_CYCLES]; /* of each cycle; NULL: none */
};

/* domain: of the component that fires them. */
void cpu_events_init(struct cpu_events *q, struct sim_engine *engine, uint32_t domain);
void cpu_events_free(struct cpu_events *q);
/* time_units is not before the engine's time; fire and self are set. */
void cpu_event_at(struct cpu_events *q, struct cpu_event *e, uint64_t time_units);

#endif
