/* carry.h - what a policy knows of the carriers. A carrier is how work travels: a block to an SM of a stack, a block
 * split between an SM and a SIMD unit, a CTA, a page; it extends the GPU (gpu/ext.h). A policy (ndp/NAME/) says which
 * work, when and where to: it fills struct carry_policy, of which what is not NULL is called, and orders what is
 * declared below it. It sees the GPU through gpu/gpu.h only.
 */
#ifndef STRATA_NDP_CARRY_CARRY_H
#define STRATA_NDP_CARRY_CARRY_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/coalesce.h"
#include "gpu/ext.h"
#include "gpu/gpu.h"
#include "net/req.h"
#include "sim/stat.h"
#include "simt/simt.h"

struct gpu;
struct nsu_program;

/* A block of instructions that may run elsewhere, as scoreboard ids of the program. */
struct carry_block {
	uint32_t begin_pc, last_pc; /* its instructions, in text order */
	uint32_t end_pc;	    /* where execution goes on afterwards */
	const uint16_t *live_in_sb, *live_out_sb;
	uint32_t live_in_count, live_out_count;
	uint32_t register_count; /* 32-bit registers of a thread that it needs where it runs */
};

enum carry_way {
	CARRY_STAY,    /* the warp goes on where it is */
	CARRY_OFFLOAD, /* on a stack SM */
	CARRY_SPLIT,   /* in two parts, here and on the SIMD unit of the stack of its first access */
	CARRY_ASK,     /* not decided yet: ask block_access where the block makes its first access */
};

/* Memory that a launch writes. all: all of it; else these ranges. */
enum { CARRY_WRITTEN_MAX = 16 };
struct carry_range {
	uint64_t addr_bytes, size_bytes;
};
struct carry_written {
	bool all;
	uint32_t count;
	struct carry_range ranges[CARRY_WRITTEN_MAX];
};

/* Is the byte in one of the ranges? */
static inline bool carry_is_written(const struct carry_written *w, uint64_t addr_bytes)
{
	for (uint32_t i = 0; i < w->count; i++)
		if (addr_bytes - w->ranges[i].addr_bytes < w->ranges[i].size_bytes)
			return true;
	return false;
}

/* The policy's answer at a block's begin. */
struct carry_verdict {
	enum carry_way way;
	bool is_observed; /* tell block_touch and block_left of this entry */
	const struct carry_block *block; /* also when it stays: a loop's later rounds are not asked again */
	bool asks_again; /* it stays for now: a loop's next round asks again */
	const char *why;		 /* it stays: a constant text, for the ledger (gpu/account.h) */
	/* CARRY_SPLIT: */
	struct nsu_program *program; /* the kernel's */
	uint32_t partition;	     /* the block's number in its code */
	/* CARRY_OFFLOAD: */
	uint32_t stack;		  /* whose stack SM runs it */
	bool is_free;		  /* ideal: no packets, no latency; else the two sizes below cross the stack's links */
	uint32_t request_bytes, reply_bytes;
	uint32_t reply_line_bytes; /* added to the answer per line written, with invalidate_lines */
	uint32_t latency_cycles;  /* SM cycles before the request leaves */
	uint32_t start_cycles;	  /* SM cycles from the warp slot to the block's first fetch */
	uint32_t invalidate_cycles; /* SM cycles per written line after the answer, before the warp goes on */
	bool invalidate_lines;	  /* coherence of TOM 4.4.2: the carrier sees to it when set */
	const struct carry_written *written; /* then: lines of the rest stay in the stack SM's L1; NULL: none stay */
};

/* What a split block did. */
struct carry_split_result {
	uint32_t block;	     /* its number */
	uint32_t read_lines; /* read-and-forward packets; of them, those that a cache of the GPU answered */
	uint32_t read_hits, write_lines;
};

/* What a block touches first, as far as it is known before it runs: the lines of its first access, and behind them
 * those of the loads that ahead asks for. */
struct carry_access {
	uint32_t sm, slot; /* the warp that came to the block */
	const uint64_t *lines;
	uint32_t count;	      /* of the first access */
	uint32_t known_count; /* with those behind it */
};

/* What a policy reads in the SM before it is asked about a block. */
enum { CARRY_REGISTERS_MAX = 4 };
struct carry_reads {
	uint32_t passes; /* over the banks of shared memory */
	uint32_t register_count; /* through an operand collector, after that */
	uint16_t registers[CARRY_REGISTERS_MAX]; /* scoreboard ids */
};

enum { CARRY_NO_SM = UINT32_MAX };

/* CTAs of the running launch that were placed on SMs, and that have ended there. */
struct carry_ctas {
	uint64_t placed, done;
};
struct carry_ctas carry_ctas(const struct gpu *g);

/* Where a CTA begins that a policy starts in a stack (carry_ctas_start). */
struct carry_start {
	uint32_t stack;
	uint32_t sm;		 /* of that stack, with room (gpu_cta_room); CARRY_NO_SM: it waits until one has */
	uint32_t latency_cycles; /* SM cycles before the message leaves that has it begin */
	uint32_t message_bytes;	 /* of that, beside the header of the channels */
};

struct carry_policy {
	const char *name;
	/* Bytes of each SM's shared memory that it takes for a program, see gpu_ext_ops. */
	uint64_t (*shared_bytes)(void *ctx, struct simt_program *p);
	/* What it reads before block_begin, each time. NULL: nothing, ever. */
	struct carry_reads (*block_reads)(void *ctx, uint32_t mark);
	/* A kernel is about to start: mark blocks with simt_program_mark. */
	void (*kernel_begin)(void *ctx, struct gpu *g, struct simt_launch *l, struct simt_program *p);
	void (*kernel_end)(void *ctx, struct gpu *g, struct simt_launch *l);
	/* A warp of a GPU SM stands at a marked instruction and could issue it. mark is the value given. Asked once per
	 * entry into the block: a jump from inside the block to its begin does not ask. */
	struct carry_verdict (*block_begin)(void *ctx, struct gpu *g, uint32_t sm, const struct simt_warp *w,
					  uint32_t mark);
	/* After CARRY_ASK: the warp, of mask lanes at the block's begin, stands at the block's first access to
	 * memory (global, local, texture), which touches these lines; or it has left the block without one (a->count
	 * is 0), and the answer is ignored. step_count instructions of the block have run on the way, for nothing when
	 * the answer is to offload. */
	struct carry_verdict (*block_access)(void *ctx, struct gpu *g, const struct carry_access *a, uint32_t mask,
					   uint32_t mark, uint32_t step_count);
	/* So many accesses of a block are looked at, CARRY_ACCESSES_MAX at most: the first, and behind it loads whose
	 * address registers nothing between writes. NULL: the first alone. */
	uint32_t (*ahead)(void *ctx);
	/* The request of an offloaded block leaves its SM. */
	void (*block_sent)(void *ctx, struct gpu *g, const struct carry_verdict *o);
	/* An offloaded block has ended and its warp resumes; it wrote line_count lines (with invalidate_lines). */
	void (*block_end)(void *ctx, struct gpu *g, uint32_t sm, const struct carry_verdict *o, uint32_t line_count);
	/* The target of a split block; loads[s] is the number of blocks that stack s's unit has or that wait for it. */
	uint32_t (*target)(void *ctx, struct gpu *g, const struct carry_access *a, const uint32_t *loads);
	/* A split block has ended; its warp resumes. */
	void (*partition_end)(void *ctx, struct gpu *g, uint32_t sm, const struct carry_split_result *r);
	/* A block whose entry is observed touches lines, wherever it runs, by an instruction of which step tells pc,
	 * lanes and addresses; home_sm and slot name the warp that entered. */
	void (*block_touch)(void *ctx, struct gpu *g, uint32_t home_sm, uint32_t slot, const struct simt_step *step,
			    const struct coalesced_line *lines, uint32_t count);
	/* That warp has left it, or resumes after it. */
	void (*block_left)(void *ctx, struct gpu *g, uint32_t home_sm, uint32_t slot);
	/* The SMs stand still after gpu_pause: they go on when this returns. Entries into blocks are forgotten:
	 * they are no longer observed, and a warp that comes to a block's begin once more is asked again. */
	void (*resumed)(void *ctx, struct gpu *g);
	/* A request is about to leave an SM (GPU or stack): may replace r->stack/vault/bank/row. */
	void (*access)(void *ctx, struct gpu *g, uint32_t sm, struct mem_req *r);
	/* Whose access gives places by maps of its own: fills *out if it has any. */
	void (*maps)(void *ctx, struct gpu_mapper *out);
	/* Called in SM cycle epoch_cycles of a kernel, and again after as many cycles as it returns (0: not in
	 * this kernel). */
	uint64_t (*epoch)(void *ctx, struct gpu *g, uint64_t cycle);
	uint64_t epoch_cycles;
	/* See gpu_ext_ops; block_begin and block_access are held, as is what a carrier that they choose does. NULL:
	 * never. */
	enum gpu_beside (*beside)(const void *ctx);
	/* Do its decisions depend on what it has seen over many epochs? */
	bool (*learns)(const void *ctx);
	/* After carry_ctas_start: where does the CTA, the next of the grid, of this index, begin? False: on the next SM
	 * of the GPU that has room. It has not begun to run. Asked again of one that was refused when an SM of a stack
	 * has room. */
	bool (*cta_start)(void *ctx, struct gpu *g, struct simt_cta *cta, uint64_t index, struct carry_start *out);
	/* The GPU has room, and the grid has none left: the last of the CTAs that wait for this stack begins there
	 * instead. UINT32_MAX: none does. */
	uint32_t (*cta_back)(void *ctx, struct gpu *g);
	/* A CTA was placed on an SM: at a kernel's begin, or in the place of one that has ended or left. */
	void (*cta_placed)(void *ctx, struct gpu *g, uint32_t sm, uint64_t cta);
	/* A CTA has ended on an SM; its place is free, and not yet taken by the next. */
	void (*cta_done)(void *ctx, struct gpu *g, uint32_t sm, uint64_t cta);
	/* After carry_cta_gather: the CTA may leave now (is_in_time), and does if the answer is true; or its time is
	 * up, and it stays whatever the answer is. Not called of one that ends before. */
	bool (*cta_gathered)(void *ctx, struct gpu *g, uint32_t sm, uint64_t cta, bool is_in_time);
	/* An SM of a stack with room for a CTA that was ordered to none and might leave now; CARRY_NO_SM: none has. */
	uint32_t (*cta_place)(void *ctx, struct gpu *g);
	/* Registers the policy's statistics. */
	void (*add_stats)(void *ctx, struct sim_stats *stats);
	/* Fills items, which the policy owns; returns their number, at most cap. */
	uint32_t (*series)(void *ctx, struct gpu_series *items, uint32_t cap);
	void (*free)(void *ctx);
};

/* ---- orders of a policy, while a kernel runs ---- */

/* Stops the SMs in the middle of a kernel for at least least_ps, and until nothing is on its way; then the caches are
 * emptied, the policy's resumed, which it must have, is called and the warps go on. */
void carry_pause(struct gpu *g, uint64_t least_ps);

/* What a resident CTA of an SM is doing. */
struct carry_cta_state {
	uint32_t active_warps; /* not ended */
	bool has_stores;       /* of some warp are not acknowledged */
	bool has_loads;        /* some warp's loads have not returned */
	bool is_issued;	       /* some warp's instruction is in the pipeline */
	bool is_diverged, at_barrier;
};
struct carry_cta_state carry_cta_state(struct gpu *g, uint32_t sm, uint64_t cta);
/* Moves a CTA that has active warps, none at a barrier, from an SM of the GPU to an SM of a stack that has room. None
 * of its warps issues from now on until it has arrived. It leaves latency_cycles after what it has in flight (loads,
 * stores, results) has arrived; its context crosses the links in packets unless is_free. Its place is free for the next
 * CTA when the last packet has left the SM. */
void carry_cta_move(struct gpu *g, uint32_t from_sm, uint64_t cta, uint32_t to_sm, uint32_t latency_cycles,
		    bool is_free);

/* It moves a CTA as carry_cta_move does, as soon as it may leave: when no warp waits at a barrier and, with converges,
 * none is diverged. With stops a warp of which that holds stops and waits for the others, but goes on while one waits
 * at a barrier; without, all go on until it holds of all at once. Then the policy's cta_gathered is asked. After
 * wait_cycles the CTA stays. */
struct carry_cta_order {
	uint32_t from_sm, to_sm; /* to_sm CARRY_NO_SM: it waits for one, too, which the policy's cta_place names */
	uint64_t cta;
	uint32_t latency_cycles;
	bool is_free;
	bool converges, stops;
	uint64_t wait_cycles;
};
void carry_cta_gather(struct gpu *g, const struct carry_cta_order *o);

/* At kernel_begin: CTAs of this launch may begin on SMs of the stacks, and the policy's cta_start is asked. A message
 * over TX has one begin; its end is told by one over RX, and until then its place is taken. What it writes is dropped
 * from the L2, as with gpu.stack_sm_l2_invalidate. */
void carry_ctas_start(struct gpu *g);
/* CTAs that wait for a place in the stack. */
uint32_t carry_ctas_waiting(struct gpu *g, uint32_t stack);

/* For the ledger: a CTA was looked at, and stays for this reason, or leaves (NULL). */
void carry_cta_offered(struct gpu *g, const char *why);

struct gpu_config;
/* The carriers of a GPU, for gpu_new, and the policy that they ask, which may be NULL; its context becomes theirs. */
struct gpu_ext_list carry_new(const struct gpu_config *config, const struct carry_policy *policy, void *policy_ctx);

/* Adds the tables of what the carriers of such a GPU count; c NULL: of what any do. */
void carry_stat_tables(const struct gpu_config *c, struct sim_stat_tables *out);

#endif
