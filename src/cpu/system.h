/* system.h - processors in front of a memory: private caches, a bus on which they snoop, a shared last level, channels.
 *
 * Timing and coherence only: bytes stay the program's, which are always the newest. Coherence is MSI. A private cache
 * holds a line modified, shared or not at all; the first level is a subset of the second. The last level stands beside
 * the bus and is neither inclusive nor exclusive. A miss, or a write to a shared line, takes one of the bus' slots; per
 * line one such transaction is under way, others wait for it. Other caches leave or share the line at its slot, and who
 * asked has it when it is done.
 */
#ifndef STRATA_CPU_SYSTEM_H
#define STRATA_CPU_SYSTEM_H

#include "base/diag.h"
#include "cpu/flow.h"
#include "cpu/version.h"
#include "mem/memory.h"
#include "sim/explain.h"
#include "sim/ctx.h"
#include "sim/param.h"
#include "sim/sample.h"
#include "sim/spans.h"

/* For rows that have it. */
#define CPU_STACKS(X) \
	X(CPU_STACK_MODELLED, modelled) \
	X(CPU_STACK_FREE, free)
enum cpu_stack { CPU_STACKS(SIM_PARAM_ENUMERATOR) };
/* How cores issue. */
#define CPU_CORE_MODELS(X) \
	X(CPU_CORE_IN_ORDER, in_order) \
	X(CPU_CORE_OUT_OF_ORDER, out_of_order)
enum cpu_core_model { CPU_CORE_MODELS(SIM_PARAM_ENUMERATOR) };
/* The branch predictors that a core which issues out of order may have. */
#define CPU_BRANCH_PREDICTORS(X) \
	X(CPU_BRANCH_PERFECT, perfect) \
	X(CPU_BRANCH_BIMODAL, bimodal) \
	X(CPU_BRANCH_GSHARE, gshare) \
	X(CPU_BRANCH_TOURNAMENT, tournament)
enum cpu_branch_predictor { CPU_BRANCH_PREDICTORS(SIM_PARAM_ENUMERATOR) };
/* Which bytes accesses use. */
#define CPU_VALUES(X) \
	X(CPU_VALUES_NONE, none) \
	X(CPU_VALUES_VERSIONS, versions) \
	X(CPU_VALUES_BYTES, bytes)
enum cpu_values { CPU_VALUES(SIM_PARAM_ENUMERATOR) };
/* States of lines in private caches. */
#define CPU_PROTOCOLS(X) \
	X(CPU_PROTOCOL_MSI, msi) \
	X(CPU_PROTOCOL_MESI, mesi)
enum cpu_protocol { CPU_PROTOCOLS(SIM_PARAM_ENUMERATOR) };
/* Mistakes of the protocol, for tests of what finds them. */
#define CPU_FAULTS(X) \
	X(CPU_FAULT_NONE, none) \
	X(CPU_FAULT_KEPT, kept) \
	X(CPU_FAULT_LOST, lost) \
	X(CPU_FAULT_OLD, old)
enum cpu_fault { CPU_FAULTS(SIM_PARAM_ENUMERATOR) };
/* By how many threads of a core its window is divided: those that run, or all that it has. */
#define CPU_DIVISIONS(X) X(CPU_DIVISION_RUNNING, running) X(CPU_DIVISION_FIXED, fixed)
enum cpu_division { CPU_DIVISIONS(SIM_PARAM_ENUMERATOR) };
/* Where pages lie: their lines go round the channels, or each page is behind one channel: in turns, or that of the core
 * which touches it first; or its lines go round the channels of that core's socket. */
#define CPU_PLACEMENTS(X) \
	X(CPU_PLACE_LINE, line) \
	X(CPU_PLACE_PAGE, page) \
	X(CPU_PLACE_TOUCH, touch) \
	X(CPU_PLACE_SOCKET, socket)
enum cpu_placement { CPU_PLACEMENTS(SIM_PARAM_ENUMERATOR) };

struct cpu_params {
#include "sim/param_fields.inc"
#include "cpu/cpu_params.def"
#include "sim/param_end.inc"
};
extern const struct sim_param_desc cpu_param_rows[];
extern const uint32_t cpu_param_row_count;

struct cpu_stats {
#include "sim/stat_fields.inc"
#include "cpu/cpu_stats.def"
#include "sim/stat_end.inc"
};
extern const struct sim_stat_table cpu_stat_table;
extern const struct sim_explain cpu_explain;

/* Rules across the parameters, and those with its memory, whose lines and stacks it uses. */
bool cpu_params_check(const struct cpu_params *p, const struct memory_params *m, struct base_diag_list *diag);

/* What accesses do, and what each needs: the bytes that were there before; the right to make new ones; that its
 * thread's stores before it are seen before it is; how many words who executes it elsewhere has to be sent. A
 * CPU_RELEASE is an atomic store, a CPU_COMPARE an atomic compare-and-exchange. */
#define CPU_OPS(X) \
	X(CPU_READ, true, false, false, 0) \
	X(CPU_WRITE, false, true, false, 1) \
	X(CPU_ATOMIC, true, true, true, 1) \
	X(CPU_PREFETCH, true, false, false, 0) \
	X(CPU_RELEASE, false, true, true, 1) \
	X(CPU_COMPARE, true, true, true, 2)
enum cpu_op {
#define OP_NAME(name, needs_old, makes_new, is_ordered, operands) name,
	CPU_OPS(OP_NAME)
#undef OP_NAME
};
static inline bool cpu_needs_old(enum cpu_op op)
{
#define OP_BIT(name, needs_old, makes_new, is_ordered, operands) | (needs_old) << name
	return (0 CPU_OPS(OP_BIT)) >> op & 1;
#undef OP_BIT
}
static inline bool cpu_is_write(enum cpu_op op)
{
#define OP_BIT(name, needs_old, makes_new, is_ordered, operands) | (makes_new) << name
	return (0 CPU_OPS(OP_BIT)) >> op & 1;
#undef OP_BIT
}
static inline bool cpu_is_atomic(enum cpu_op op)
{
	return cpu_needs_old(op) && cpu_is_write(op);
}
static inline bool cpu_is_ordered(enum cpu_op op)
{
#define OP_BIT(name, needs_old, makes_new, is_ordered, operands) | (is_ordered) << name
	return (0 CPU_OPS(OP_BIT)) >> op & 1;
#undef OP_BIT
}
static inline uint32_t cpu_operands(enum cpu_op op)
{
#define OP_BITS(name, needs_old, makes_new, is_ordered, operands) | (operands) << 2 * name
	return (0 CPU_OPS(OP_BITS)) >> 2 * op & 3;
#undef OP_BITS
}
/* An access that has not been answered. */
#define CPU_WAITS UINT64_MAX

#define CPU_NOBODY UINT32_MAX

struct cpu_account;
struct cpu_system;

struct cpu_user {
	/* The access or fence of a unit that waits is done. */
	void (*answer)(void *self, uint32_t unit, uint64_t time_ps);
	/* An access to a line, each in the order of coherence, with the version that it reads or makes. NULL: nobody
	 * asks. */
	void (*observe)(void *self, uint32_t core, uint64_t line, bool is_write, cpu_version version);
	/* What a store of these quarters makes of a copy's version. NULL: cpu_version_next. */
	cpu_version (*make)(void *self, uint64_t line, cpu_version version, cpu_version quarters);
	/* A copy of the line has gone from this core to another cache or the memory; CPU_NOBODY: from the last level
	 * or the memory to a cache. Versions are followed (observe is there). */
	void (*moved)(void *self, uint64_t line, uint32_t core);
	/* A page that the unit touches finds no room in the memory: does not return. */
	void (*full)(void *self, uint32_t unit);
	void *self;
};

/* The clocks of its bus and its cores, before any component is made. False: see sim_domain_add. */
bool cpu_clock_add(const struct cpu_params *p, struct sim_engine *e);
/* p and user are kept. memory_bytes: its capacity. The memory's done and room are cpu_memory_done and _room. */
struct cpu_system *cpu_system_new(struct sim_ctx *ctx, const struct cpu_params *p, struct mem_memory *memory,
				  uint64_t memory_bytes);
/* Has the time of each of so many units accounted (cpu/account.h), NDP cores behind those of the processors: before who
 * is beside the processors is made. */
void cpu_system_account(struct cpu_system *s, uint32_t unit_count);
/* What is kept for reports and timelines: counts over time, and which thread ran when on which unit, filled by who runs
 * the threads; and moves of pages, by the channel where they go, named by the one where they were. All become the
 * system's; NULL: off. */
void cpu_system_keep(struct cpu_system *s, struct sim_sampler *sampler, struct sim_spans *spans,
		     struct sim_spans *moves);
struct sim_sampler *cpu_system_sampler(const struct cpu_system *s);
struct sim_spans *cpu_system_spans(const struct cpu_system *s);
const struct sim_spans *cpu_system_moves(const struct cpu_system *s);
/* NULL: it is off. */
struct cpu_account *cpu_system_account_of(const struct cpu_system *s);
void cpu_system_connect(struct cpu_system *s, const struct cpu_user *user);
void cpu_system_free(struct cpu_system *s);
void cpu_memory_done(void *system, struct mem_req *r);
void cpu_memory_room(void *system);

/* Units are hardware threads: unit u is thread u / core_count of core u % core_count. */
static inline uint32_t cpu_unit_count(const struct cpu_params *p)
{
	return (uint32_t)(p->core_count * p->smt_count);
}

/* Places that a page may have: one, channels, or sockets. */
static inline uint32_t cpu_place_count(const struct cpu_params *p)
{
	if (p->placement == CPU_PLACE_LINE)
		return 1;
	return (uint32_t)(p->placement == CPU_PLACE_SOCKET ? p->socket_count : p->channel_count);
}

/* Has the unit something to run? All have, until somebody says otherwise. */
void cpu_runs(struct cpu_system *s, uint32_t unit, bool is_running);
/* A cycle of the cores' clock, in units of the engine's time. */
uint64_t cpu_cycle_units(const struct cpu_system *s);
/* Instructions of a unit that take so many units of time from now_ps on, if nothing holds them up; they need not be
 * told in the order of time. What holds them up, its next access pays. Returns how many ps the unit's clock goes on:
 * that is the first ps which is not before its time, of which the system keeps the rest, so that sums of cycles are
 * exact. flow: of their place in the program; used by cores that issue out of order, for which units is the time of
 * units that are not pipelined. */
uint64_t cpu_pass(struct cpu_system *s, uint32_t unit, uint64_t now_ps, uint32_t instructions, uint64_t units,
		  const struct cpu_flow *flow);
/* An access of a unit, which has none that waits; the engine's time is at most now_ps. Returns when the next
 * instruction can issue, or CPU_WAITS. size_bytes at least 1. use: instructions between a load and the first one that
 * uses it; flow: what the access hangs on. One is for cores that issue in order, the other for those that do not. */
uint64_t cpu_access(struct cpu_system *s, uint32_t unit, uint64_t now_ps, uint64_t address, uint32_t size_bytes,
		    enum cpu_op op, uint32_t use, const struct cpu_flow *flow);
/* All loads and stores of the unit are done. */
uint64_t cpu_fence(struct cpu_system *s, uint32_t unit, uint64_t now_ps);
/* The line with which a page begins for the caches, touched by the unit. */
uint64_t cpu_first_line(struct cpu_system *s, uint32_t unit, uint64_t page);
/* The version that an access of the core to the line has: of its own copy, or of who would answer it now. */
cpu_version cpu_version_now(const struct cpu_system *s, uint32_t core, uint64_t line);
/* Is a store of the unit's core into the line under way that who is behind the channels has to be told of? Copies there
 * are older than it until then. */
bool cpu_is_untold(const struct cpu_system *s, uint32_t unit, uint64_t line);
/* Has nobody touched the page of the address yet? */
bool cpu_is_untouched(const struct cpu_system *s, uint64_t address);
/* Pages that are wholly in the range have no place in the memory any more: they are new when they are touched again.
 * Their translations go, and no others, by a TLB command for each that was touched, for whose answers the caller waits:
 * returns until when, at least now_ps. is_silent: they go without a command, at once, as nobody has used them. */
uint64_t cpu_unmap(struct cpu_system *s, uint64_t now_ps, uint64_t address, uint64_t size_bytes, bool is_silent);
/* Translations of pages of which any part is in the range change: TLB commands, the same. */
uint64_t cpu_protect(struct cpu_system *s, uint64_t now_ps, uint64_t address, uint64_t size_bytes);
/* For one more page of a channel, where pages have channels. */
bool cpu_has_room(const struct cpu_system *s, uint32_t channel);
/* Caches leave what they have of the touched page of the address, to the memory if it is modified. Lines with something
 * under way stay: who asks for them gets them where they were. */
void cpu_leave(struct cpu_system *s, uint64_t address);
/* Software writes the lines of the range back and has all caches of the processors forget them, by an instruction of a
 * core each: a slot of the bus, and the channel for what was modified. Lines with something under way stay. Returns
 * when the last is done. */
uint64_t cpu_flush(struct cpu_system *s, uint64_t now_ps, uint64_t begin, uint64_t end);
/* The touched page of the address, which caches have left, goes to another channel, where pages have channels, and that
 * one has room: a TLB command, and a copy. *done_ps, at least the engine's time, is put off until both are done, and by
 * cpu.page_fault_ps for who moves it. */
void cpu_move(struct cpu_system *s, uint64_t address, uint32_t channel, uint64_t *done_ps);
/* Pages of the range that nobody has touched yet go to these channels in turns, a bit each, or, 0, to that of who
 * touches them; without a range, all pages of which nothing else is said. Only where pages have channels. */
void cpu_place(struct cpu_system *s, uint64_t address, uint64_t size_bytes, uint64_t channels);
/* The channel of a touched page; -1: it is not touched, or its lines are on all channels. */
int32_t cpu_channel_of(const struct cpu_system *s, uint64_t address);
/* Accesses of the memory under way, and those of them that wait before it. */
uint32_t cpu_memory_under_way(const struct cpu_system *s);
uint32_t cpu_memory_waiting(const struct cpu_system *s);
/* Pages that the TLBs of all cores hold. */
uint32_t cpu_tlb_pages(const struct cpu_system *s);
/* What has been moved on one channel: see cpu.up_bytes, cpu.down_bytes, cpu.rated_bytes. */
enum cpu_way { CPU_WAY_UP, CPU_WAY_DOWN, CPU_WAY_RATED };
uint64_t cpu_channel_bytes(const struct cpu_system *s, uint32_t channel, enum cpu_way way);
/* How often something was put off until later: where it is as before, nothing new is due. */
uint64_t cpu_events_asked(const struct cpu_system *s);
/* All caches are empty, and what was modified in them is in the memory; it takes no time. */
void cpu_cold(struct cpu_system *s);
/* Adds the statistics and their laws, for who has cores on a bus without a system. */
void cpu_stats_add(struct sim_ctx *ctx, struct cpu_stats *stats);
/* The owner counts instructions there. */
struct cpu_stats *cpu_system_stats(struct cpu_system *s);
/* M, S or nothing in the private caches, for a test. */
enum cpu_state { CPU_INVALID, CPU_SHARED, CPU_EXCLUSIVE, CPU_MODIFIED };
enum cpu_state cpu_state_of(const struct cpu_system *s, uint32_t core, uint64_t line);

#endif
