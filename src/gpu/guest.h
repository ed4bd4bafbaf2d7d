/* guest.h - where a near-data mechanism meets the GPU: a table of functions called at a few named points.
 *
 * A mechanism (ndp/NAME/) fills the table; the GPU calls what is not NULL. With no mechanism the table is empty and
 * costs one predictable branch at marked instructions only. The GPU never knows which mechanism it hosts.
 */
#ifndef STRATA_GPU_GUEST_H
#define STRATA_GPU_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/req.h"
#include "sim/stat.h"
#include "simt/simt.h"

struct gpu;

/* A block of instructions [begin_pc, end_pc) that may run elsewhere, as scoreboard ids of the program. */
struct gpu_block {
	uint32_t begin_pc, end_pc;
	const uint16_t *live_in_sb, *live_out_sb;
	uint32_t live_in_count, live_out_count;
};

/* The mechanism's answer at a block's begin. */
struct gpu_offload {
	bool is_offloaded;	  /* false: the warp goes on where it is */
	const struct gpu_block *block;
	uint32_t stack;		  /* whose stack SM runs it */
	bool is_free;		  /* ideal: no packets, no latency; else the two sizes below cross the stack's links */
	uint32_t request_bytes, reply_bytes;
	uint32_t latency_cycles;  /* SM cycles before the request leaves */
	bool invalidate_lines;	  /* coherence of TOM 4.4.2: handled by the GPU when set */
};

struct gpu_guest_ops {
	const char *name;
	/* A kernel is about to start: mark blocks with simt_program_mark. */
	void (*kernel_begin)(void *ctx, struct gpu *g, struct simt_launch *l, struct simt_program *p);
	void (*kernel_end)(void *ctx, struct gpu *g, struct simt_launch *l);
	/* A warp of a GPU SM stands at a marked instruction and could issue it. mark is the value given. */
	struct gpu_offload (*block_begin)(void *ctx, struct gpu *g, uint32_t sm, const struct simt_warp *w,
					  uint32_t mark);
	/* An offloaded block has ended and its warp resumes. */
	void (*block_end)(void *ctx, struct gpu *g, uint32_t sm, const struct gpu_offload *o);
	/* A request is about to leave an SM (GPU or stack): may replace r->stack/vault/bank/row. */
	void (*access)(void *ctx, struct gpu *g, uint32_t sm, struct mem_req *r);
	/* A page is touched for the first time in this run. */
	void (*page_touch)(void *ctx, struct gpu *g, uint64_t page_addr_bytes);
	/* Called every epoch_cycles SM cycles while a kernel runs. */
	void (*epoch)(void *ctx, struct gpu *g, uint64_t cycle);
	uint64_t epoch_cycles;
	/* A CTA was placed on an SM. */
	void (*cta_placed)(void *ctx, struct gpu *g, uint32_t sm, uint64_t cta);
	/* Registers the mechanism's statistics. */
	void (*add_stats)(void *ctx, struct sim_stats *stats);
	void (*free)(void *ctx);
};

#endif
