/* sm.h - private to gpu/: one streaming multiprocessor, of the GPU or in a stack.
 *
 * An SM ticks only in cycles in which a warp may issue, the load-store unit has work, or an answer has arrived. Cycles
 * are kept relative to `base` in 32 bits. A scoreboard entry is the cycle its register is ready, times two, plus one if
 * a load makes it: the maximum over an instruction's registers is both the time to wait for and the reason.
 *
 * A resident warp is in exactly one set of its scheduler: ready[unit] (may issue as soon as the unit is free) or
 * waiting[reason]. Sets are 64-bit masks over the scheduler's warps. A warp that waits for a known cycle is also in the
 * scheduler's wheel.
 */
#ifndef STRATA_GPU_SM_H
#define STRATA_GPU_SM_H

#include "base/list.h"
#include "gpu/coalesce.h"
#include "gpu/ext.h"
#include "gpu/gpu.h"
#include "mem/cache.h"
#include "net/port.h"
#include "sim/engine.h"

/* Why a warp cannot issue; in the order in which a scheduler cycle without issue is attributed (see docs). */
enum sm_wait {
	SM_WAIT_LSU,
	SM_WAIT_UNIT,
	SM_WAIT_FETCH,
	SM_WAIT_EXECUTION,
	SM_WAIT_MEMORY,
	SM_WAIT_FENCE,
	SM_WAIT_BARRIER,
	SM_WAIT_OFFLOAD,
	SM_WAIT_MOVE,
	SM_WAIT_PAUSE,
	SM_WAIT_IDLE,
	SM_WAIT_COUNT
};

struct sm_stats {
#include "sim/stat_fields.inc"
#include "gpu/sm_stats.def"
#include "sim/stat_end.inc"
};

enum {
	SM_SCHEDULER_MAX = 8,
	SM_SCHEDULER_WARPS = 64,
	SM_WHEEL_SLOTS = 64,
	SM_FETCH_SLOTS = 256, /* cycles ahead for which fetches have a turn, until one is later; a power of two */
	SM_COLLECTOR_MAX = 64, /* as sm.collector_count */
	SM_BANK_MAX = 256,     /* as sm.register_bank_count */
	SM_SB_PENDING = UINT32_MAX, /* a load whose arrival is not known yet */
	SM_NO_ACCESS = UINT32_MAX,
	SM_NEVER = UINT32_MAX,
	SM_CTA_MAX = 32,
	SM_NO_CTA = SM_CTA_MAX, /* of warps that belong to none */
	SM_CTA_SLOT_BITS = 6,
	SM_WHOLE = 32, /* parts of a cycle, where diverged instructions take less than whole ones */
	SM_COPY_GROUPS = 8, /* groups of asynchronous copies that a warp can tell apart; a power of two */
};

struct sm;

struct sm_warp {
	struct simt_warp *w; /* NULL: the slot is free */
	struct sm *sm;
	uint32_t *sb;   /* [sb_count] */
	uint32_t ready; /* cycle of the next issue if it is known */
	uint8_t wait;   /* enum sm_wait; SM_WAIT_COUNT: in ready[unit] */
	uint8_t unit;
	uint8_t scheduler, bit;
	uint8_t threads; /* with which it began */
	bool has_marked; /* the instruction that marks the one it stands at has issued, see gpu_marks_issue */
	bool is_ending;	 /* it has ended, and waits for what is under way */
	/* What its latencies so far, and its fetches, lack to whole cycles; below SM_WHOLE. */
	uint8_t latency_parts, fetch_parts;
	uint16_t slot, cta_slot;
	uint16_t loads_pending, stores_pending;
	uint16_t copies_pending; /* of loads_pending, those of asynchronous copies */
	uint16_t group_copies[SM_COPY_GROUPS]; /* the same by group; the open one is copy_group */
	uint32_t copy_group;     /* modulo SM_COPY_GROUPS */
	/* instruction buffer */
	uint32_t fetch_group; /* pc / ibuffer_count of the group the warp is in */
	uint32_t fetch_ready; /* that group may issue; SM_NEVER: L1I miss */
	uint32_t next_ready;  /* the following group is there */
	uint32_t fetch_line;  /* code line of the last group fetched */
	uint32_t fetch_token; /* fetches begun: an answer to an older one is stale */
	uint64_t watch; /* points at which extensions look at it: GPU_POINT_COUNT bits for each */
};

/* A scheduler holds 64 warps. Where it has more (stack SMs with several times the warps), several of these share one
 * issue slot and its units: in a cycle one of them issues, the one that issued last if it can. */
struct sm_scheduler {
	uint64_t ready[SIMT_UNIT_COUNT];
	uint64_t waiting[SM_WAIT_COUNT];
	uint64_t resident;
	uint64_t unstopped; /* warps that go on while the SMs are stopped */
	uint64_t wheel_bits;
	uint64_t wheel[SM_WHEEL_SLOTS];
	uint8_t issue; /* its issue slot */
	uint32_t last;  /* warp that issued last */
	uint8_t reason; /* of every cycle since the last tick */
};

struct sm_cta {
	struct simt_cta *cta; /* NULL: free */
	uint64_t index;	      /* in the grid */
	uint64_t start_cycle; /* when it was placed on its first SM */
	uint32_t warps_left;
	uint32_t ticket; /* its slot, and above that how many CTAs the slot has held */
	uint32_t stores_pending; /* lines of all its warps' stores, ended warps' too: issued, not acknowledged */
	uint32_t home_sm; /* gpu.stack_sm_shared_stays: where its shared memory is; of one that has moved */
	const struct gpu_ext *watcher; /* whose cta_stored is called when that becomes 0; or NULL */
	uint64_t masks[SM_SCHEDULER_MAX];
};

/* A warp's access whose results are outstanding. */
struct sm_access {
	const struct simt_inst *inst;
	uint32_t parts_left; /* 0: free */
	uint32_t ready; /* latest of the parts that are done */
	uint16_t slot;
	uint8_t copy_group; /* of an asynchronous copy */
	uint32_t next_free;
	struct simt_complete complete; /* when it is done */
};

/* An asynchronous copy of the warp is under way, in its open group; it is done. */
static inline void sm_copy_begin(struct sm_warp *w, struct sm_access *a)
{
	a->copy_group = (uint8_t)(w->copy_group % SM_COPY_GROUPS);
	w->group_copies[a->copy_group]++;
	w->copies_pending++;
}

static inline void sm_copy_done(struct sm_warp *w, const struct sm_access *a)
{
	w->group_copies[a->copy_group]--;
	w->copies_pending--;
	if (a->complete.bytes)
		simt_mbarrier_complete(w->w->cta, &a->complete);
}

enum lsu_kind { LSU_LOAD, LSU_STORE, LSU_ATOMIC, LSU_CONST, LSU_TEXTURE, LSU_FIXED,
		LSU_CARRIED /* its lines are an extension's; access: what that has given */ };

/* Lines are looked up for the first instruction of the LSU's queue, and for the first of those on their way to the
 * L1D. */
enum lsu_place { LSU_AT_QUEUE = 1, LSU_AT_LINES = 2 };

struct lsu_entry {
	uint8_t kind;
	uint8_t port;      /* enum sm_port: where its lines' answers go */
	uint8_t ext;       /* LSU_CARRIED: number of the extension */
	bool is_bypassing; /* of the L1 */
	bool is_far; /* shared memory at another SM: what goes there, and comes back */
	uint16_t far_bytes, far_back_bytes;
	uint16_t slot;
	uint32_t access;  /* or SM_NO_ACCESS */
	uint32_t passes;  /* bank passes, constant words: cycles before the lines, or instead of them */
	uint32_t latency; /* of the passes' result */
	uint32_t count, next;
	uint64_t issue_units; /* run.audit */
	uint32_t cta;	      /* stores, and atomics whose result nobody uses: sm_cta.ticket */
	uint32_t due;	      /* the cycle from which it is looked at */
	bool is_translated; /* lines[next] has passed the MMU */
	uint8_t store_bank; /* stores and reductions: where they are counted until they are in memory */
	struct coalesced_line lines[COALESCE_LINES_MAX];
	struct mem_req_bytes bytes[COALESCE_LINES_MAX]; /* stores, where the L2 has sectors: of each line */
};

/* Where answers reach an SM: a port for each thing that asks. */
enum sm_port_kind {
	SM_PORT_DATA, SM_PORT_LOCAL, SM_PORT_CONST, SM_PORT_TEXTURE, SM_PORT_CODE, /* lines of its caches */
	SM_PORT_LOAD, SM_PORT_LOCAL_LOAD, SM_PORT_TEXTURE_LOAD, /* past the caches */
	SM_PORT_STORE, SM_PORT_ATOMIC, SM_PORT_REDUCTION,
	SM_PORT_TABLE, /* page walks */
	SM_PORT_COUNT
};

/* An SM's cycle between the ticks of its LSU and of its schedulers, and where it has come to. */
struct sm_cycle {
	uint32_t next;	       /* when the LSU is to tick again */
	uint32_t queued_count; /* requests in the queue before anything issues */
	uint32_t slot;	       /* issue slots that have had their turn */
	uint32_t issued;       /* bit by slot: it has issued */
};

/* Why an SM issues no more in a cycle: its launch has failed there; or the rest of the cycle waits for its turn. */
enum sm_break { SM_FAILED = 1, SM_HELD = 2 };

struct sm_port {
	struct sm *sm;
	struct mem_cache *cache;	/* of lines */
	struct sim_hist *latency_ps;	/* of memory_stats */
};

struct sm {
	struct gpu *gpu;
	struct sim_comp comp;
	struct sm_port ports[SM_PORT_COUNT];
	uint16_t port_first; /* the number of ports[0]; the others follow */
	uint32_t index;   /* over all SMs */
	uint32_t cluster; /* crossbar port; of GPU SMs */
	uint32_t stack;   /* UINT32_MAX: an SM of the GPU */
	uint32_t scheduler_count, issue_count, warp_slot_count, cta_slot_count;
	bool is_gto;
	bool has_fp64_on_sfu; /* sm.fp64_on_sfu */
	bool ends_stored; /* sm.warp_ends_stored */
	bool has_caches; /* L1 data and texture */
	const struct gpu_ext *far_shared; /* whose far_shared is called for its shared memory; NULL: it is here */

	uint64_t base;      /* cycle 0 of relative cycles */
	uint32_t accounted; /* first cycle not yet attributed */
	uint32_t now;
	struct sm_scheduler schedulers[SM_SCHEDULER_MAX];
	struct sm_warp *warps;
	uint32_t *sb_all;
	uint32_t sb_count;
	uint32_t resident_warps, ending_warps; /* ending_warps: of them, those that have ended */
	uint32_t unit_free[SIMT_UNIT_COUNT]; /* units shared by the schedulers */
	uint32_t issue_free[SM_SCHEDULER_MAX][SIMT_UNIT_COUNT]; /* [issue slot]: its own */
	/* sm.divergence_is_free: parts of the cycle *_free that are taken, of the coming issue slots, and of the next
	 * turns to fetch and to collect; below SM_WHOLE, and 0 as long as no warp has diverged. */
	bool divergence_is_free;
	uint8_t unit_parts[SIMT_UNIT_COUNT], issue_parts[SM_SCHEDULER_MAX][SIMT_UNIT_COUNT];
	uint32_t slot_parts[SM_SCHEDULER_MAX], fetch_parts, collect_parts;
	uint8_t issue_turn[SM_SCHEDULER_MAX]; /* [issue slot]: the scheduler that is asked first */
	uint32_t latency[SIMT_UNIT_COUNT], interval[SIMT_UNIT_COUNT];
	uint32_t kind_latency[SIMT_KIND_COUNT], kind_interval[SIMT_KIND_COUNT]; /* 0: the unit's */
	bool loads_are_coalesced; /* sm.loads_are_coalesced */
	uint32_t group_shift, group_line_shift, fetch_latency, branch_penalty;
	uint32_t fetch_warps, fetch_from; /* fetches of cycles before fetch_from are not kept */
	bool fetches_ahead;
	uint8_t *fetches; /* [cycle % fetch_slots], from fetch_from on */
	uint32_t fetch_slots; /* a power of two */
	uint32_t collector_count, collector_reads, register_banks;
	uint32_t collector_next;		  /* cycle from which one is free */
	uint32_t collector_free[SM_COLLECTOR_MAX]; /* of each */
	uint32_t bank_free[SM_BANK_MAX];	  /* of each bank of registers */
	struct sm_pipe *pipe; /* or NULL: results do not meet, see sm_pipe.c */
	uint32_t sector_bytes, bank_count;
	uint32_t l1d_sector_bytes; /* 0: its lines have none */

	struct sm_cta ctas[SM_CTA_MAX + 1]; /* the last one stands for none */
	uint8_t cta_order[SM_CTA_MAX]; /* slots in use, oldest first */
	uint32_t cta_count, ctas_coming; /* ctas_coming: on their way here from other SMs */
	uint32_t ctas_followed; /* whose steps and answers an extension waits for: the SM does not tick beside others */
	uint32_t ctas_away; /* have moved, and left their shared memory here */

	struct sm_access *accesses;
	uint32_t access_cap, access_free;

	struct {
		BASE_RING(struct lsu_entry);
	} lsu;
	uint32_t lsu_free;
	/* Lines between the LSU and the L1D's tags; cap 0: there are none. */
	struct {
		BASE_RING(struct lsu_entry);
	} lines;
	uint8_t lsu_at;			       /* enum lsu_place: whose line is being looked up */
	uint8_t lsu_waits_fill, lsu_waits_port; /* of enum lsu_place, those that wait for an answer, for the port */
	bool ext_waits_port;
	char *ext_state[GPU_EXT_MAX]; /* [extension]: [warp slot] */
	bool lsu_waits_walk;      /* the first entry, for a place at the MMU or for pages */
	uint32_t lsu_ready_count; /* lines whose page walk has ended: they go before the queue */
	uint32_t stores_left; /* store buffer places */
	uint32_t store_epoch;
	uint32_t store_counts[2]; /* [epoch % 2]: stores from issue to memory, see store.c */

	struct mmu *mmu;      /* or NULL: addresses are not translated here */
	uint32_t tlb_latency; /* cycles that it adds to loads */
	struct mem_cache *l1d, *l1i, *l1c, *l1t;
	struct mem_req *spare;
	struct mem_req *answer; /* of a load or store, that is being looked at; or NULL */
	struct {
		BASE_FIFO(struct mem_req);
	} out; /* to the crossbar, or to the stack's vaults */
	uint32_t out_count, out_cap;
	uint64_t fetch_retry[SM_SCHEDULER_MAX]; /* warps whose fetch found no MSHR */
	uint8_t breaks; /* of enum sm_break: why it issues no more in this cycle */
	bool is_beside; /* it ticks while others do, see beside.h */
	struct sm_beside *beside; /* NULL: it never does */

	struct sm_stats stats;
	uint64_t kept_cycles; /* of the scheduler cycles in these, while sampling_counts reads */
};

/* sm.c */
/* Latency and issue interval of the execution units by enum simt_unit, in cycles; [SIMT_UNIT_COUNT] each. */
void sm_unit_times(const struct sm_params *p, uint32_t *latency_cycles, uint32_t *interval_cycles);

/* Latencies and intervals by enum simt_kind, 0 where the unit's hold; [SIMT_KIND_COUNT] each. */
void sm_kind_times(const struct sm_params *p, uint32_t *latency_cycles, uint32_t *interval_cycles);

void sm_tick_whole(void *component, uint64_t cycle); /* an SM's tick */
struct sm *sm_new(struct gpu *g, uint32_t index, uint32_t cluster, uint32_t stack);
void sm_free(struct sm *sm);
void sm_kernel_begin(struct sm *sm);
void sm_kernel_end(struct sm *sm, uint64_t end_cycle); /* CHECKs that nothing is left */
void sm_reset(struct sm *sm);                          /* after an aborted launch */
bool sm_has_cta_slot(const struct sm *sm);
void sm_cta_place(struct sm *sm, struct simt_cta *cta, uint64_t index);
/* A CTA leaves, with nothing in flight / arrives, with its live warps. */
void sm_cta_leave(struct sm *sm, struct sm_cta *c);
void sm_cta_arrive(struct sm *sm, struct simt_cta *cta, uint64_t index, uint64_t start_cycle);
/* A CTA for which the SM has kept a place begins. */
void sm_cta_begin(struct sm *sm, struct simt_cta *cta, uint64_t index);
/* The resident CTA of this index, or NULL. */
struct sm_cta *sm_cta_find(struct sm *sm, uint64_t index);
void sm_warp_retire(struct sm *sm, struct sm_warp *w);
/* The parts of a tick: up to what is issued, issue, and what comes then. */
void sm_cycle_begin(struct sm *sm, uint64_t cycle, struct sm_cycle *c);
void sm_cycle_issue(struct sm *sm, struct sm_cycle *c);
/* The launch has failed in a step of the SM. */
void sm_fail(struct sm *sm);
/* Gives a warp of a CTA (cta_slot) or of none (SM_NO_CTA) a free slot; it fetches from cycle start on. */
struct sm_warp *sm_warp_place(struct sm *sm, struct simt_warp *w, uint32_t slot, uint32_t cta_slot, uint32_t start);
uint32_t sm_slot_find(const struct sm *sm);

/* sm_time.c */
/* Brings the SM's view of time to the present before a change from outside its own tick. */
void sm_touch(struct sm *sm);
/* Brings it to a cycle of the clock. */
void sm_time_set(struct sm *sm, uint64_t cycle);
void sm_wake(struct sm *sm, uint32_t at);

/* sm_wait.c */
/* The warp with this bit of the scheduler's sets. */
static inline struct sm_warp *sm_warp_at(struct sm *sm, uint32_t scheduler, uint32_t bit)
{
	return &sm->warps[bit * sm->scheduler_count + scheduler];
}

/* Puts the warp into the set that its next instruction belongs to, in this cycle. */
void sm_evaluate(struct sm *sm, struct sm_warp *w);
void sm_set_wait(struct sm *sm, struct sm_warp *w, enum sm_wait reason);
void sm_set_ready(struct sm *sm, struct sm_warp *w, uint32_t unit); /* may issue when the unit is free */
void sm_wheel_due(struct sm *sm);
void sm_wheel_add(struct sm *sm, struct sm_warp *w);

/* sm_issue.c */
/* How many of SM_WHOLE parts of what is made for all threads the warp's next instruction takes: all, unless
 * sm.divergence_is_free. */
static inline uint32_t sm_share(const struct sm *sm, const struct sm_warp *w)
{
	if (likely(!sm->divergence_is_free))
		return SM_WHOLE;
	return ((uint32_t)__builtin_popcount(w->w->active_mask) * SM_WHOLE + w->threads - 1) / w->threads;
}

/* A share of a time: whole cycles, what is left over is of the next one. */
static inline uint32_t sm_share_cycles(uint8_t *left_parts, uint32_t cycles, uint32_t share)
{
	const uint32_t parts = cycles * share + *left_parts;

	*left_parts = parts % SM_WHOLE;
	return parts / SM_WHOLE;
}

/* An operand collector reads registers of the warp (scoreboard ids) that are there, for no instruction. The cycle from
 * which they are known, a later one; or, negated in *is_taken, when a collector is free. */
uint32_t sm_registers_read(struct sm *sm, const struct sm_warp *w, const uint16_t *ids, uint32_t count, bool *is_taken);
/* Counts an issued instruction; threads that the run's limit counts. */
void sm_count_issue(struct sm *sm, const struct simt_step *step);
void sm_count_threads(struct gpu *g, uint32_t threads);
/* Issues for all schedulers; returns when to tick again. With SM_HELD in sm->breaks that is nothing: sm_schedule, with
 * this bit cleared, goes on from there. */
uint32_t sm_schedule(struct sm *sm, struct sm_cycle *c);
/* A cycle while the GPU's SMs are stopped: counts it, issues nothing. */
uint32_t sm_pause_cycle(struct sm *sm);

/* sm_pipe.c */
/* NULL without buses. */
struct sm_pipe *pipe_new(const struct sm *sm, uint32_t bus_count);
void pipe_free(struct sm_pipe *p);
void pipe_clear(struct sm *sm); /* nothing is under way */
/* Sends the warp's instruction, which issues now, through the pipeline: latency cycles from issue to its result if it
 * waits for nothing, interval until its unit takes the next. Returns how much longer it takes. */
uint32_t pipe_enter(struct sm *sm, const struct sm_warp *w, const struct simt_inst *inst, uint32_t latency,
		    uint32_t interval);
/* A collector reads so many registers for no instruction: past the pipeline's first register, and it ends there.
 * Returns the cycle of the last. */
uint32_t pipe_read(struct sm *sm, const struct sm_warp *w, const uint16_t *ids, uint32_t count);
/* Takes a bus for a result of another unit that is ready then; returns the cycle from which it is there. */
uint32_t pipe_result(struct sm_pipe *p, uint32_t ready);

/* sm_fetch.c */
void sm_fetch_start(struct sm *sm, struct sm_warp *w, uint32_t pc, uint32_t start);
void sm_fetch_advance(struct sm *sm, struct sm_warp *w, uint32_t pc);
extern const struct net_port_ops sm_fetch_port_ops;

/* store.c: stores from issue to memory. */
static inline uint8_t sm_store_begin(struct sm *sm)
{
	uint8_t bank = sm->store_epoch & 1;

	sm->store_counts[bank]++;
	return bank;
}
void sm_store_end(struct sm *sm, uint8_t bank);
/* A wait for the stores that were issued before its first question; zeroed: none. */
struct sm_drain {
	bool has_begun;
	uint32_t epoch;
};
/* Are they in memory? False: ask again at stores_done. */
bool sm_stores_drained(struct sm *sm, struct sm_drain *d);

/* ext.h: the state that an extension keeps for the warp slot. */
static inline void *sm_ext_state(const struct gpu_ext *e, const struct sm_warp *w)
{
	return w->sm->ext_state[e->number] + (size_t)w->slot * e->ops->warp_bytes;
}
/* From now on it is called for the warp at these points (1 << enum gpu_point), or no more. */
void sm_watch(const struct gpu_ext *e, struct sm_warp *w, uint32_t points);
static inline void sm_unwatch(const struct gpu_ext *e, struct sm_warp *w, uint32_t points)
{
	w->watch &= ~((uint64_t)points << GPU_POINT_COUNT * e->number);
}
/* Does anybody watch the warp for this point? */
#define GPU_POINT_ALL 0x0101010101010101ull
static inline bool sm_is_watched(const struct sm_warp *w, enum gpu_point point)
{
	return unlikely(w->watch & GPU_POINT_ALL << point);
}
_Static_assert(GPU_POINT_COUNT == 8 && GPU_EXT_MAX * GPU_POINT_COUNT == 64, "a byte of sm_warp.watch per extension");

/* lsu.c */
void lsu_issue(struct sm *sm, struct sm_warp *w, const struct simt_step *step);
static inline bool lsu_has_room(const struct sm *sm)
{
	return sm->lsu.count < sm->lsu.cap;
}
/* Can the first of the queue go on, as far as is known? */
static inline bool lsu_queue_goes(const struct sm *sm)
{
	return sm->lsu.count && !((sm->lsu_waits_fill | sm->lsu_waits_port) & LSU_AT_QUEUE) && !sm->lsu_waits_walk;
}
/* lsu_carried.c: lines that an extension sends (gpu_ext_ops.line); access is its own. */
void lsu_issue_carried(struct sm *sm, struct sm_warp *w, const struct gpu_ext *ext, uint32_t access,
		       const struct coalesced_line *lines, uint32_t count);
/* The entry's shared memory is at another SM (gpu_ext_ops.far_shared). */
void lsu_far_bytes(struct lsu_entry *e, const struct simt_inst *inst, uint32_t mask);
void lsu_far_issue(struct sm *sm, struct lsu_entry *e);
/* Reads of shared memory that an extension makes for a warp, so many passes over its banks (gpu_ext_ops.passed). */
void lsu_issue_passes(struct sm *sm, struct sm_warp *w, const struct gpu_ext *ext, uint32_t passes);
/* A part of an access has its data at this cycle. Returns true when it was the last one. */
bool lsu_access_part(struct sm *sm, uint32_t access, uint32_t ready);
uint32_t lsu_tick(struct sm *sm); /* returns when to tick again */
/* Lines of the data, constant and texture caches; what goes past them; stores and atomics. */
extern const struct net_port_ops lsu_line_ops, lsu_load_ops, lsu_store_ops, lsu_atomic_ops, lsu_reduction_ops;

/* sm_port.c */
/* Takes a request whose address, size, op, kind, port and tag are set; finds its place and queues it. */
void port_push(struct sm *sm, struct mem_req *r);
/* Pushes a request with the bytes of its line that it reads or writes; others are what lies at its address. */
void port_push_bytes(struct sm *sm, struct mem_req *r, const struct mem_req_bytes *bytes);
static inline uint16_t port_number(const struct sm *sm, enum sm_port_kind kind)
{
	return (uint16_t)(sm->port_first + kind);
}
/* A packet whose place is set, to a stack. */
void port_push_packet(struct sm *sm, struct mem_req *r);
/* Tells the L2 to drop a line, a flit on the crossbar. What the SM pushes later gets there later. */
void port_invalidate(struct sm *sm, uint64_t line_addr_bytes);
static inline bool port_has_room(const struct sm *sm, uint32_t count)
{
	return sm->out_count + count <= sm->out_cap;
}
/* The first request has left; next is the one behind it. */
void port_pop(struct sm *sm, struct mem_req *next);
void port_drain(struct sm *sm); /* of a stack SM, to its stack */
/* An answer has reached the SM: brings its time to the present and counts it, if that has not been done. */
void port_answered(struct sm *sm, const struct mem_req *r, struct sim_hist *latency_ps);

/* place.c */
/* Finds the stack, vault, bank, row and column of r's address, r being the SM's. */
void sm_place(struct sm *sm, struct mem_req *r);

#endif
