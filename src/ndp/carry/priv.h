/* priv.h - private to the carriers: what they share, and what each keeps. */
#ifndef STRATA_NDP_CARRY_PRIV_H
#define STRATA_NDP_CARRY_PRIV_H

#include "base/list.h"
#include "ndp/carry/coherence.h"
#include "ndp/carry/carry.h"
#include "ndp/carry/cta_audit.h"
#include "ndp/carry/destination.h"
#include "ndp/carry/lines.h"
#include "ndp/carry/split/split.h"
#include "gpu/accounting.h"
#include "gpu/priv.h"

struct block_stats {
#include "sim/stat_fields.inc"
#include "ndp/carry/block_stats.def"
#include "sim/stat_end.inc"
};
struct cta_stats {
#include "sim/stat_fields.inc"
#include "ndp/carry/cta_stats.def"
#include "sim/stat_end.inc"
};
struct remap_stats {
#include "sim/stat_fields.inc"
#include "ndp/carry/remap_stats.def"
#include "sim/stat_end.inc"
};
extern const struct sim_stat_table carry_block_stat_table, carry_cta_stat_table, carry_remap_stat_table;

/* How far a home warp is with what its policy reads before it is asked. */
enum entry_reads {
	READS_NONE,
	READS_WAIT,	 /* for a place in the load-store unit */
	READS_TABLE,	 /* the passes wait for their turn */
	READS_REGISTERS, /* when the passes are through: until the registers are there, and a collector */
	READS_LAST,	 /* is on its way */
	READS_DONE,
};

/* What the block carrier keeps per warp slot: of a GPU SM's warp its entry into a block, of a stack SM's the block. */
struct entry {
	struct carry_verdict offload; /* the last answer */
	struct sm_warp *w;
	struct carry_reads reads;
	uint8_t reading;  /* enum entry_reads */
	uint64_t reading_units; /* since when */
	bool is_asked;	  /* the policy said: stay, for the marked instruction at pc */
	bool is_observed; /* inside a block that the policy watches, here or as an offloaded block */
	bool is_split;	  /* the split carrier has it */
	bool waits;	  /* for live-ins or stores of its SM, before the request leaves */
	struct entry *credit_next; /* behind it in line for a place at the stack */
	struct sm_drain drain;	   /* stores that must be in memory first */
	uint64_t decided_units;	   /* when the block was to leave: what was stored before must be in memory */
	struct simt_warp *trial;   /* runs up to its block's first access; the guest as it would leave */
	uint32_t mark, trial_steps, trial_threads;
	const struct carry_block *home_block; /* whose entry stays, for the ledger: until home_units is counted */
	uint64_t home_units;
	struct guest *guest; /* this warp is one */
	struct guest *away;  /* this warp's own, or NULL */
};

/* An offloaded block on its way, running, or on its way back. */
struct guest {
	struct sm_warp *home;
	struct simt_warp *w;
	struct carry_verdict offload;
	uint64_t start_units, decided_units;
	uint64_t placed_units; /* in a warp slot of the stack */
	struct lines lines; /* written by the block, when offload.invalidate_lines */
	bool is_ending; /* reached its end; waits for what it still has in flight */
	struct guest *next;
	BASE_LINKS(struct guest) live; /* all blocks under way */
};

/* A stack as the block carrier sees it. */
struct block_stack {
	uint16_t port; /* to which requests go */
	struct {
		BASE_FIFO(struct guest);
	} waiting; /* for a warp slot */
	uint32_t waiting_count;
	uint32_t credits; /* requests that may leave the GPU: free warp slots and places there */
	struct {
		struct entry *first, *last;
	} credit_line; /* home warps that wait for one */
};

struct carry {
	const struct carry_policy *policy; /* never NULL */
	void *policy_ctx;
	struct gpu *gpu;
	/* block.c */
	const struct gpu_ext *block;
	struct guest *guests_free, *guests_live;
	struct block_stack *stacks; /* [stack] */
	uint16_t *answer_ports;     /* [cluster] */
	uint32_t *guest_registers; /* [SM]: that guests hold */
	bool promises_coherence; /* by every block offloaded so far */
	struct block_stats block_stats;
	/* cta.c */
	const struct gpu_ext *cta;
	struct {
		BASE_FIFO(struct migration);
	} migrations; /* under way */
	BASE_POOL(struct migration) migration_pool;
	struct sim_comp migrate_comp, limit_comp; /* limit: CTAs whose time to gather is up */
	uint16_t *context_ports; /* [stack]: of CTAs that move there */
	struct cta_stats cta_stats;
	/* start.c */
	const struct gpu_ext *start; /* NULL: the policy has no CTAs begin in stacks */
	struct {
		BASE_FIFO(struct start);
	} starts; /* that are to begin, in the order of decision */
	BASE_POOL(struct start) start_pool;
	uint32_t *starts_waiting; /* [stack]: of them, those that wait for a place there */
	struct sim_comp start_comp;
	uint16_t *start_ports, *end_ports; /* [stack]: of messages that have CTAs begin; [cluster]: of their ends */
	/* far_shared.c */
	uint16_t *far_home_ports, *far_stack_ports; /* [cluster], [stack]; NULL: there is none */
	struct sim_comp far_comp;
	struct far_access *far_free, *far_live;
	struct {
		BASE_FIFO(struct far_access);
	} far_waiting; /* at home */
	/* audit.c */
	const struct gpu_ext *audit_ext;
	struct coherence_audit *audit; /* NULL: off */
	struct cta_audit *cta_audit;   /* NULL: off */
	uint64_t stale_reads;	       /* when the kernel began */
	/* remap.c */
	struct sim_comp pause_comp;
	uint64_t pause_begin_units;
	struct remap_stats remap_stats;
	/* carry.c */
	struct sim_comp epoch_comp;
	uint64_t ctas_placed, ctas_done; /* of the running launch */
	uint64_t epoch_cycle; /* of the last one asked for */
	/* split/split.c */
	struct split *split; /* NULL: no units */
};

/* A GPU's carriers are found by what they were added with (gpu_ext_self). */
extern const struct gpu_ext_ops carry_block_ops, carry_split_ops, carry_cta_ops, carry_start_ops, carry_remap_ops,
    carry_audit_ops, carry_policy_ops;

/* Freed with its extension. */
struct split *split_new(struct carry *c);

/* ---- ahead.c ---- */
/* Writes to lines, and returns the number of, those of so many loads of the block behind its first access, at first_pc;
 * the warp's registers are those that this access sees. COALESCE_LINES_MAX of each load at most. */
uint32_t carry_lines_ahead(struct gpu *g, struct simt_warp *w, uint32_t first_pc, const struct carry_block *b,
			   uint32_t loads, uint64_t *lines);
/* Bytes that a lane accesses. */
static inline uint32_t carry_access_bytes(const struct simt_inst *i)
{
	return i->access_bytes ? (uint32_t)i->access_bytes * (i->vec ? i->vec : 1) : 4;
}
/* How many accesses of a block the policy looks at. */
static inline uint32_t carry_accesses(const struct carry *c)
{
	return c->policy->ahead ? c->policy->ahead(c->policy_ctx) : 1;
}

/* ---- block.c ---- */
static inline struct entry *entry_of(const struct carry *c, const struct sm_warp *w)
{
	return sm_ext_state(c->block, w);
}
/* The warp leaves for the block of its entry, as soon as it may. */
void block_leave(struct carry *c, struct sm *sm, struct sm_warp *w);
/* Runs a block to its end and its home warp behind it. False: the launch has a fault, or is stopped. */
bool block_run_untimed(struct gpu *g, struct simt_warp *home, struct simt_warp *guest, const struct carry_block *b);

/* ---- ask.c: a home warp at a marked block ---- */
/* gpu_ext_ops: enter and branched (a jump from inside a block to its begin is no new entry); access, of an observed
 * warp or of its guest; stepped, of a warp that is no guest. */
bool ask_enter(void *self, struct sm *sm, struct sm_warp *w);
void ask_branched(void *self, struct sm_warp *w, uint32_t from_pc);
void ask_accessed(void *self, struct sm_warp *w, const struct simt_step *step, const struct coalesced_line *lines,
		  uint32_t count);
void ask_stepped(struct carry *c, struct sm_warp *w, const struct simt_step *step);
/* The warp's entry is observed: its block touches lines; it has ended. */
void ask_observe(struct carry *c, struct sm_warp *home, const struct simt_step *step,
		 const struct coalesced_line *lines, uint32_t count);
void ask_left(struct carry *c, struct sm_warp *home);
/* gpu_ext_ops.passed; and the warp, which reads, is due, or one of its loads has returned. */
void ask_passed(void *self, struct sm_warp *w, uint32_t ready);
void ask_reads_due(struct carry *c, struct sm *sm, struct sm_warp *w);
static inline bool ask_is_reading(const struct entry *e)
{
	return e->reading != READS_NONE && e->reading != READS_DONE;
}
/* A block that the split carrier had has ended. */
void ask_split_end(struct carry *c, struct sm_warp *w);
/* The warps of the SM have entered no block; not of those that are on trial or about to leave. */
void ask_forget(struct carry *c, struct sm *sm);
/* Warps that wait to leave for a block that they began on trial run it: the registers of its begin are in the trial's
 * guest, not in the warp. One still on its trial goes on as it is. False as block_run_untimed. */
bool ask_finish_untimed(struct carry *c, struct sm *sm);

/* ---- far_shared.c ---- */
void far_shared_new(struct carry *c);
void far_shared_reset(struct carry *c);
void far_shared_free(struct carry *c);
void far_shared_issue(void *self, struct sm *sm, const struct lsu_entry *e);
/* What of a CTA travels when it moves. */
static inline uint64_t carry_context_bytes(const struct carry *c, const struct simt_launch *l,
					   const struct simt_cta *cta)
{
	const uint64_t shared = l->program->shared_static_bytes + l->shared_dynamic_bytes;

	return simt_cta_context_bytes(l, cta) - (c->far_home_ports ? shared : 0);
}

/* ---- audit.c: what it cannot see of a CTA, by its index in the grid; nothing without run.audit ---- */
/* It is told to move; is_free: nothing of it is sent. */
void carry_audit_stopped(struct carry *c, uint64_t cta, const struct simt_cta *state, bool is_free);
/* It is to begin in a stack, which a message of so many bytes tells. */
void carry_audit_starts(struct carry *c, uint64_t cta, const struct simt_cta *state, uint64_t bytes);
/* A part of it has reached its stack. */
void carry_audit_packet(struct carry *c, uint64_t cta, const struct mem_req *r);
/* It is about to leave the SM; it has. */
void carry_audit_leaves(struct carry *c, struct sm *sm, const struct sm_cta *cta);
void carry_audit_left(struct carry *c, uint64_t cta, struct simt_cta *state, const struct sm *sm);
/* It is about to arrive at the SM; it has. */
void carry_audit_arrives(struct carry *c, uint64_t cta, const struct simt_cta *state, const struct sm *sm);
void carry_audit_arrived(struct carry *c, uint64_t cta, struct sm *sm);

#endif
