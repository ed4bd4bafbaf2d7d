/* window.h - what a hardware thread has between dispatch and retirement on a core that issues out of order. */
#ifndef STRATA_CPU_WINDOW_H
#define STRATA_CPU_WINDOW_H

#include "base/list.h"
#include "cpu/events.h"
#include "cpu/system.h"

struct cpu_flight;
struct cpu_forward;

/* A flight waits for a value of another one. */
struct cpu_hang {
	struct cpu_hang *next; /* on the same one */
	struct cpu_flight *flight; /* that waits */
	uint64_t units;		   /* after the value is there */
	bool is_data;
};

/* An access, or the end of a chain of instructions, from its dispatch until it has retired and what it asked for has
 * come. */
struct cpu_flight {
	struct cpu_event event; /* its access begins */
	struct cpu_thread *thread;
	struct cpu_flight *next; /* of those that wait for a place; of free ones */
	struct cpu_hang *hanging; /* on its value */
	struct cpu_hang hangs[CPU_FLOW_STEPS + 1];
	uint32_t hang_count;
	struct cpu_forward *forward; /* of a store: where it stands, if no later one does; or NULL */
	uint64_t address, end; /* from where it is on */
	uint64_t instruction;  /* the thread's, at its dispatch */
	uint64_t begun_units, ready_units, data_units; /* dispatched; its address, and what it stores, are there */
	uint64_t done_units; /* its value is there, a store has all that it needs; CPU_NOT_YET */
	uint32_t operands, inputs; /* that are not known: of its address, of its data */
	uint32_t lines;		   /* that have not come, and one while it is not done with its own */
	enum cpu_op op;
	uint8_t slot;
	bool has_access, has_retired, is_beyond; /* is_beyond: it has a place of those of cpu.l2_miss_count */
};

/* The last store into a word. */
struct cpu_forward {
	uint64_t address, end, line;
	struct cpu_flight *flight; /* NULL: all it needs was there at units */
	uint64_t units;
};
enum { CPU_FORWARDS = 64, CPU_FORWARD_BYTES = 8 };

struct cpu_slot {
	struct cpu_flight *flight; /* whose value it is; NULL: known */
	uint64_t units;
};

/* What ends a wait of the thread. */
enum cpu_wake {
	CPU_WAKE_NOT,
	CPU_WAKE_FIRST, /* of the window is done */
	CPU_WAKE_HELD,
	CPU_WAKE_STORES,
	CPU_WAKE_BRANCH /* that was predicted wrongly: its condition is known */
};

struct cpu_window {
	struct cpu_event event; /* the thread looks again whether it may go on */
	struct cpu_flight *flights, *free;
	struct cpu_flight **order; /* a ring, in the order of the program */
	uint32_t first, count, size;
	uint32_t loads, stores; /* in its queues; stores: that have not asked for their lines */
	struct cpu_flight *held; /* the thread waits for it; or NULL */
	uint64_t over_units; /* when dispatch had to stop for the first of the window; CPU_NOT_YET: it has not */
	uint64_t slots_rest; /* of issue slots, in units / issue_count */
	enum cpu_wake wake;
	uint64_t *wait_ps; /* a wait for stores is counted there */
	struct cpu_flow kept; /* of the thread's access, while it waits */
	bool is_fence;	   /* it waits for all that it has under way */
	bool is_room;	   /* it waits for room alone */
	bool has_trail;	   /* what it waited for was a request: its trail is the thread's stall_trail */
	uint64_t history;      /* of its branches */
	struct cpu_flow branch; /* behind which the thread is, if it has one */
	struct cpu_flight *wrong; /* the branch that was predicted wrongly and whose condition is not known; or NULL */
	uint64_t wrong_units;	  /* the thread's time at it, */
	uint64_t wrong_more_units; /* and what others cost that were predicted wrongly behind it */
	struct cpu_slot slots[CPU_FLOW_SLOTS];
	struct cpu_forward forwards[CPU_FORWARDS];
};

#endif
