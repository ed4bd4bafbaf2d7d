/* events.h - what parts of the system do later, in the order of time, then of the calls.
 *
 * Events wait in a wheel, by the cycle of the clock that fires them, in packs that are used again at once, and are
 * sorted when their cycle comes; those further away than the wheel reaches, in a heap. So an event costs the same
 * whether ten or ten thousand wait, and nothing of others is touched for it.
 */
#ifndef STRATA_CPU_EVENTS_H
#define STRATA_CPU_EVENTS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "sim/engine.h"

/* Within what it is about; its owner keeps it until it fires. */
struct cpu_event {
	uint64_t time_units, order;
	void (*fire)(void *self, struct cpu_event *e);
	void *self;
};

struct cpu_due {
	uint64_t time_units;
	struct cpu_event *event;
};

enum { CPU_PACK_EVENTS = 7 }; /* two of the host's lines */

/* Events of one cycle, in the order of coming. */
struct cpu_pack {
	struct cpu_pack *before; /* a full one, NULL: none; or unused as well */
	uint32_t count, behind;  /* here; in those before it */
	struct cpu_due items[CPU_PACK_EVENTS];
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
	struct cpu_pack *last[CPU_WHEEL_CYCLES]; /* of each cycle; NULL: none */
	BASE_POOL(struct cpu_pack) packs;
	/* Of the cycle that fires, in order; is_firing: some of them may be left. */
	struct cpu_due *due;
	uint32_t due_next, due_count, due_room;
	bool is_firing;
};

/* domain: of the component that fires them. */
void cpu_events_init(struct cpu_events *q, struct sim_engine *engine, uint32_t domain);
void cpu_events_free(struct cpu_events *q);
/* time_units is not before the engine's time; fire and self are set. */
void cpu_event_at(struct cpu_events *q, struct cpu_event *e, uint64_t time_units);

#endif
