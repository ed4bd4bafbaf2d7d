/* core.h - a core: its hardware threads with their loads and stores, its private caches, its prefetcher and TLB.
 *
 * Threads issue in order, or out of order (cpu.core_model; window.h). In order, a load that misses does not stop its
 * thread until the first instruction that uses it; the driver says how many come before that one. The threads of a
 * core share its caches, its issue slots, its TLB, and the places for loads, stores and prefetches under way.
 */
#ifndef STRATA_CPU_CORE_H
#define STRATA_CPU_CORE_H

#include "base/list.h"
#include "cpu/branch.h"
#include "cpu/bus.h"
#include "cpu/pages.h"
#include "cpu/stream.h"
#include "cpu/under.h"
#include "cpu/window.h"

#define CPU_NOT_YET UINT64_MAX

/* A load that its thread has passed. */
struct cpu_load {
	uint64_t due;	    /* instructions of the thread before the first that uses it */
	uint64_t use_units; /* when the thread came there, or CPU_NOT_YET */
	uint32_t lines;	    /* that have not come, and one while the instruction issues; 0: the entry is free */
};

enum cpu_wait {
	CPU_WAIT_NOT,
	CPU_WAIT_LOADS, /* for loads that it uses, before its access begins */
	CPU_WAIT_START, /* for the time at which its access begins, or goes on */
	CPU_WAIT_PLACE, /* for a place for a load */
	CPU_WAIT_LINE,
	CPU_WAIT_WALK,
	CPU_WAIT_FENCE,
	CPU_WAIT_STORES, /* for stores that are to be seen before its access, before that begins */
	CPU_WAIT_WINDOW, /* see window.h */
};

enum { CPU_TRANSLATIONS = 64 }; /* a power of two */

struct cpu_thread {
	bool is_resting; /* it has nothing to run: what is divided among threads is the others' */
	struct cpu_event start;
	struct cpu_core *core;
	uint32_t unit; /* as the driver numbers it */
	uint32_t index; /* in its core */
	enum cpu_wait wait;
	/* its instruction, from where it is on */
	uint64_t address, end, begin_units, start_units; /* start_units: when that fires */
	uint64_t ahead_units; /* so much later than its time is the ps at which the driver has it */
	uint32_t use; /* instructions between a load and the first that uses it */
	enum cpu_op op;
	struct cpu_window *window;   /* NULL: the core issues in order */
	const struct cpu_flow *flow; /* of its instruction, where there is a window */
	struct cpu_load *load; /* of this instruction, or NULL */
	/* its loads */
	struct cpu_load *loads;
	uint32_t load_count, due_count; /* entries in use; of them, those whose use the thread has reached */
	struct cpu_trail *stall_trail; /* of the load that came last of these; NULL: nobody accounts */
	uint64_t stall_from_units;     /* since when the thread wanted that */
	uint64_t stall_units;		/* that the thread's clock lacks for loads which came after their use */
	uint64_t instructions, issued, issued_units; /* passed; since the last access, and the time that they took */
	uint32_t stores;			     /* under way */
	uint32_t untold; /* of these, into lines of which there may be copies behind the channels, that are older */
	struct cpu_thread *next;		     /* that waits for a place */
	struct {
		uint64_t page, line; /* the line at which it begins */
	} translations[CPU_TRANSLATIONS];
};

struct cpu_core {
	struct cpu_common *c;
	struct cpu_bus *bus;
	struct cpu_pages *pages;
	uint32_t number; /* also as an agent */
	struct cpu_tags l1, l2, tlb;
	uint32_t tlb_pages; /* that the TLB holds */
	struct cpu_tag *recent[8]; /* of the first level: where a line was last */
	struct cpu_thread *threads;
	uint32_t loads, stores, prefetches; /* under way, by line */
	uint32_t loads_beyond; /* of flights, whose line nothing else of the core had asked for */
	struct cpu_branches branches;
	struct {
		BASE_FIFO(struct cpu_thread);
	} placeless; /* threads that wait for a place of a load, in the order of coming */
	struct {
		BASE_FIFO(struct cpu_flight);
	} unloaded, unstored; /* the same, of flights: loads, and stores */
	uint64_t port_units, fill_units; /* its load ports, and the way into its first level, are taken until then */
	uint32_t running;     /* of its hardware threads, those that have something to run */
	uint64_t issue_units; /* its issue slots are taken until then */
	uint64_t issue_rest;  /* and for this, in units / issue_count */
	struct cpu_streams streams;
	struct cpu_under under_l1, under_l2, under_llc; /* its loads that the level lacks */
};

/* Are as many lines of a core that issues out of order under way as may be, all together? */
static inline bool cpu_core_is_l2_full(const struct cpu_core *k)
{
	const uint64_t most = k->c->p->l2_miss_count;

	return most && k->threads->window &&
	       k->loads_beyond + k->stores + k->prefetches + k->streams.under_way >= most;
}

void cpu_core_init(struct cpu_core *k, struct cpu_common *c, struct cpu_bus *bus, struct cpu_pages *pages);
void cpu_core_free(struct cpu_core *k);
/* These do for a thread of the core what cpu_pass, cpu_access and cpu_fence do for a unit (cpu/system.h). */
uint64_t cpu_core_pass(struct cpu_thread *t, uint64_t now_ps, uint32_t instructions, uint64_t units,
		       const struct cpu_flow *flow);
uint64_t cpu_core_access(struct cpu_thread *t, uint64_t now_ps, uint64_t address, uint32_t size_bytes, enum cpu_op op,
			 uint32_t use, const struct cpu_flow *flow);
uint64_t cpu_core_fence(struct cpu_thread *t, uint64_t now_ps);
/* Waits until a thread with a window has room in it for one more value, and what is behind its last branch is
 * dispatched. Returns as cpu_access does. */
uint64_t cpu_core_room(struct cpu_thread *t, uint64_t now_ps);
enum cpu_state cpu_core_state(const struct cpu_core *k, uint64_t line);
/* Its caches and its TLB hold nothing. */
void cpu_core_cold(struct cpu_core *k);
/* See cpu_is_untold. */
bool cpu_core_is_untold(const struct cpu_core *k, uint64_t line);
/* Its TLB and its threads have no translation of the page any more. */
void cpu_core_forget(struct cpu_core *k, uint64_t page);

#endif
