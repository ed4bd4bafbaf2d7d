/* cfg.h - control flow of one PTX function: basic blocks, dominators, loops, liveness, register allocation.
 *
 * Built once per function from immutable IR; everything is freed with ptx_cfg_free. Block 0 is the entry; block order
 * is the order of the text. A virtual exit block (index block_count) post-dominates everything.
 */
#ifndef STRATA_PTX_CFG_H
#define STRATA_PTX_CFG_H

#include "ptx/ptx.h"

#define PTX_NO_BLOCK UINT32_MAX

struct ptx_block {
	uint32_t first, last; /* instruction indexes, inclusive */
	uint32_t *succs, succ_count;
	uint32_t *preds, pred_count;
	uint32_t idom;	/* immediate dominator; PTX_NO_BLOCK for entry and unreachable blocks */
	uint32_t ipdom; /* immediate post-dominator; block_count = the virtual exit; also for blocks on endless loops */
	uint32_t loop;	/* innermost loop index or UINT32_MAX */
	bool is_reachable;
};

struct ptx_loop {
	uint32_t header;	/* block */
	uint32_t latch;		/* a block with the back edge (the last in text order) */
	uint32_t parent;	/* enclosing loop or UINT32_MAX */
	uint32_t *blocks, block_count; /* header included, ascending */
};

struct ptx_cfg {
	const struct ptx_func *func;
	struct ptx_block *blocks;
	uint32_t block_count;
	uint32_t *block_of; /* [inst_count] */
	uint32_t *rpo, rpo_count; /* reachable blocks in reverse post order */
	struct ptx_loop *loops; /* natural loops, outer before inner */
	uint32_t loop_count;
	/* Liveness: bitsets over func->regs. */
	uint32_t live_words;
	uint64_t *live_in, *live_out; /* [block_count][live_words] */
};

struct ptx_cfg *ptx_cfg_build(const struct ptx_func *f);
void ptx_cfg_free(struct ptx_cfg *cfg);

/* Live registers just before instruction inst: out[live_words] is overwritten. */
void ptx_live_before(const struct ptx_cfg *cfg, uint32_t inst, uint64_t *out);
/* What is live before every instruction of a block: rows[instructions of the block][live_words]. */
void ptx_live_block(const struct ptx_cfg *cfg, uint32_t block, uint64_t *rows);

/* A write that always replaces the whole register: neither guarded nor of a component. */
bool ptx_write_is_total(const struct ptx_func *f, const struct ptx_inst *i, uint32_t reg);

bool ptx_dominates(const struct ptx_cfg *cfg, uint32_t a, uint32_t b);

/* Registers that hold a constant of the launch: written once, unguarded, with a kernel's parameter, an immediate, a
 * variable's address, or the generic form of such a register. A bit set over f->regs, malloc'ed. */
uint64_t *ptx_constants_find(const struct ptx_func *f);

/* Registers that the callee of a call needs, beside those that are live across it. */
struct ptx_call_need {
	uint32_t (*slots)(void *ctx, const struct ptx_inst *call);
	void *ctx;
};

/* Register allocation by linear scan over live ranges: virtual registers of 32 bits or less take one slot, 64-bit ones
 * two adjacent slots (even-aligned), vectors their elements in sequence; predicates are numbered apart.
 *
 * Two numbers of slots come out. register_count is what a compiler would allocate per thread: it may split live ranges
 * and reads constants from the constant bank (demand.c). slot_count is where values are here, by whole ranges, and
 * larger: 64-bit values have slots of their own, first in number. A warp's row of 64-bit lanes covers two slots, so a
 * 32-bit row in one of them would hold other lanes' bits, which lanes on another divergent path may still need. */
struct ptx_alloc {
	uint32_t *slot; /* [reg_count]: first 32-bit slot or predicate number; UINT32_MAX: in no instruction */
	uint32_t slot_count, pred_count;
	uint32_t wide_slot_count; /* slots below this hold 64-bit values, the others 32-bit ones */
	uint32_t register_count; /* as few as an allocator that splits live ranges needs */
	uint32_t whole_count;	 /* registers where it leaves them whole, constants in registers too */
	uint32_t live_max; /* the largest number of 32-bit slots live at once, constants included */
};
/* need: NULL: calls need nothing. */
struct ptx_alloc *ptx_alloc_build(const struct ptx_cfg *cfg, const struct ptx_call_need *need);
void ptx_alloc_free(struct ptx_alloc *a);

#endif
