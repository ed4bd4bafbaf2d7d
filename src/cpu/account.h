/* account.h - where the time of each hardware thread, and of each NDP core, went (run.account).
 *
 * Every unit has a cursor: what is before it is attributed, each picosecond once, to a part. The driver attributes
 * instructions and what is no access; cores attribute accesses. A wait for a line is laid over the trail of the request
 * that ended it: each stage of its way notes when it was left.
 *
 * Each charge is also one of a place in the program: where the unit's thread stood. The driver says where that is; a
 * wait for a load that came late is of the place that used it.
 *
 * Nothing of it changes the model. Without run.account there is none of it.
 */
#ifndef STRATA_CPU_ACCOUNT_H
#define STRATA_CPU_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/account.h"
#include "base/check.h"

#define CPU_ACCOUNT_PARTS(X)                                                                                 \
	X(CPU_PART_COMPUTE, compute, WORK, "instructions")                                                   \
	X(CPU_PART_ISSUE, issue, OWN, "issue slots that other threads of the core took")                     \
	X(CPU_PART_WINDOW, window, ROOM, "no room in the window: instructions, hits and stores before")      \
	X(CPU_PART_L1, l1, MEMORY, "first-level cache")                                                      \
	X(CPU_PART_L2, l2, MEMORY, "second-level cache, misses included")                                    \
	X(CPU_PART_FAULT, page_fault, OWN, "pages touched first")                                            \
	X(CPU_PART_WALK, walk, MEMORY, "walks of the page table")                                            \
	X(CPU_PART_PLACE, place, ROOM, "no place for one more load under way")                               \
	X(CPU_PART_JOIN, join, MEMORY, "behind another request for the line, at the bus")                    \
	X(CPU_PART_BUS, bus, MEMORY, "a slot of the snoop bus")                                              \
	X(CPU_PART_LOCK, lock, MEMORY, "a line that an NDP-AP has locked")                                   \
	X(CPU_PART_SNOOP, other_cache, MEMORY, "snooping, another core's cache")                             \
	X(CPU_PART_LLC, llc, MEMORY, "last-level cache")                                                     \
	X(CPU_PART_SOCKET, socket, MEMORY, "links between sockets, and answers of other sockets' caches")    \
	X(CPU_PART_DOWN, channel_down, MEMORY, "channel to the memory, with the wait for it")                \
	X(CPU_PART_LINK, ndp_link, MEMORY, "between an NDP core and its NDP-M")                              \
	X(CPU_PART_HUB, hub_queue, MEMORY, "for room in the NDP-M's queue")                                  \
	X(CPU_PART_DIRECTORY, directory, MEMORY, "the NDP-M's directory")                                    \
	X(CPU_PART_ORDER, order, MEMORY, "behind another request for the line, at the NDP-M")                \
	X(CPU_PART_CLAIM, claim, MEMORY, "claims and invalidations between NDP-M and processors")            \
	X(CPU_PART_PROBE, probe, MEMORY, "caches of NDP cores")                                              \
	X(CPU_PART_POINT, point, MEMORY, "remote lines at the NDP-AP, with the bus for them")                \
	X(CPU_PART_QUEUE, queue, MEMORY, "at the memory, until the bank's first command for it")             \
	X(CPU_PART_BANK, bank, MEMORY, "bank: precharge, activate, column access; or the rate's latency")    \
	X(CPU_PART_DATA, data, MEMORY, "data over the memory's wires, memory controller")                    \
	X(CPU_PART_UP, channel_up, MEMORY, "channel from the memory, with the wait for it")                  \
	X(CPU_PART_SYSTEM, system, OWN, "system calls, making and switching threads")                        \
	X(CPU_PART_MUTEX, mutex, OTHERS, "thread waits for a lock that another holds; with its waking")      \
	X(CPU_PART_BARRIER, barrier, OTHERS, "thread waits at a barrier, or for tasks; with its waking")     \
	X(CPU_PART_ENDING, thread_join, OTHERS, "thread waits for another to end; with its waking")          \
	X(CPU_PART_WORK, work, OTHERS, "OpenMP's thread waits for a region; with its waking")                \
	X(CPU_PART_SYNC, sync, OTHERS, "thread waits for others: condition, message, time; with its waking") \
	X(CPU_PART_DESIGN, design, WORK, "design works: asks, is answered, has nothing under way")           \
	X(CPU_PART_IDLE, no_message, IDLE, "design has nothing to do: no message")                           \
	X(CPU_PART_NONE, none, IDLE, "no thread")                                                            \
	X(CPU_PART_ENDED, ended, OWN, "an access under way when the program ended")

enum cpu_part { CPU_ACCOUNT_PARTS(ACCOUNT_ENUMERATOR) CPU_PART_COUNT };
extern const struct account_parts cpu_account_parts;

/* ---- the way of a request ---- */

enum { CPU_TRAIL_STEPS = 24 };
#define CPU_NO_CHANNEL UINT32_MAX

struct cpu_trail {
	struct cpu_trail *next; /* of those that are unused */
	uint64_t begin_units;
	uint32_t channel; /* behind which the line was asked for; CPU_NO_CHANNEL: it did not come so far */
	uint32_t count;
	struct {
		uint64_t end_units;
		enum cpu_part part;
	} steps[CPU_TRAIL_STEPS];
};

static inline void cpu_trail_begin(struct cpu_trail *t, uint64_t units)
{
	if (unlikely(t != NULL)) {
		t->begin_units = units;
		t->channel = CPU_NO_CHANNEL;
		t->count = 0;
	}
}

/* Says which channel all of the trail was behind. */
static inline void cpu_trail_channel(struct cpu_trail *t, uint32_t channel)
{
	if (unlikely(t != NULL))
		t->channel = channel;
}

/* What is behind the trail's end until units was for this part; nothing, if that is before it. t may be NULL. */
void cpu_trail_add(struct cpu_trail *t, enum cpu_part part, uint64_t units);

static inline void cpu_trail_step(struct cpu_trail *t, enum cpu_part part, uint64_t units)
{
	if (unlikely(t != NULL))
		cpu_trail_add(t, part, units);
}

/* ---- units ---- */

struct cpu_account;

/* The first cpu_unit_count units are of processors, the others of NDPs. */
struct cpu_account *cpu_account_new(uint32_t unit_count, uint32_t cpu_unit_count, uint32_t channel_count,
				    uint64_t units_per_ps);
void cpu_account_free(struct cpu_account *a);

/* Attributes the unit's time, from its cursor to units, if that is later, to the part. */
void cpu_account_until(struct cpu_account *a, uint32_t unit, enum cpu_part part, uint64_t units);
/* Attributes that time to the parts of the trail, whose times are `later` units before the unit's; what the trail does
 * not cover is its last part's. */
void cpu_account_trail(struct cpu_account *a, uint32_t unit, const struct cpu_trail *t, uint64_t later, uint64_t units);
/* The unit is there: what was attributed beyond is taken back. */
void cpu_account_back(struct cpu_account *a, uint32_t unit, uint64_t units);
/* The unit's access is done: all of it is attributed, but for what rounding to whole picoseconds adds. */
void cpu_account_settle(struct cpu_account *a, uint32_t unit, uint64_t units);

/* ---- places ---- */

/* What the unit does from here on is done there: an address of the program's code, which is looked at by nobody here,
 * or NULL, nowhere. */
void cpu_account_at(struct cpu_account *a, uint32_t unit, const void *address);

/* The unit is an access of the hardware of this name, which is kept: its time is the hardware's, and not once more that
 * of a channel. */
void cpu_account_hardware(struct cpu_account *a, uint32_t unit, const char *name);

/* What is counted by place beside time. */
#define CPU_ACCOUNT_COUNTS(X)                          \
	X(CPU_COUNT_ACCESSES, accesses)                \
	X(CPU_COUNT_LOCAL, local)                      \
	X(CPU_COUNT_REMOTE_READS, remote_reads)        \
	X(CPU_COUNT_REMOTE_WRITES, remote_writes)      \
	X(CPU_COUNT_REMOTE_ATOMICS, remote_atomics)

enum cpu_count {
#define X(enumerator, name) enumerator,
	CPU_ACCOUNT_COUNTS(X)
#undef X
	CPU_COUNT_COUNT
};
const char *cpu_count_name(enum cpu_count count);

/* One more of an NDP core, by where it is; as the statistics of channel/ of these names, accesses of all kinds. */
void cpu_account_count(struct cpu_account *a, uint32_t unit, enum cpu_count count);

struct cpu_account_place {
	const void *address; /* NULL: nowhere */
	const char *hardware; /* whose accesses these are, or NULL */
	bool is_near;	     /* of NDPs */
	/* NULL and 0 until somebody knows; theirs who gives them. */
	const char *function, *file;
	uint32_t line;
	uint64_t parts[CPU_PART_COUNT]; /* units of time */
	uint64_t counts[CPU_COUNT_COUNT];
};
/* In the order of coming; both kinds of nowhere first. */
uint32_t cpu_account_place_count(const struct cpu_account *a);
struct cpu_account_place *cpu_account_place(struct cpu_account *a, uint32_t index);
uint64_t cpu_account_units_per_ps(const struct cpu_account *a);

/* The time that the processors, or the NDPs, waited for lines behind this channel, as their trails have it. */
uint32_t cpu_account_channel_count(const struct cpu_account *a);
uint64_t cpu_account_channel_ps(const struct cpu_account *a, uint32_t channel, bool is_near, enum cpu_part part);

/* All of a unit's parts are its cursor's time, and those of all places are those of all units: CHECKed. In
 * picoseconds; whole, when its cursor is. */
void cpu_account_check(const struct cpu_account *a);
uint64_t cpu_account_ps(const struct cpu_account *a, uint32_t unit, enum cpu_part part);

#endif
