/* blocks.h - a program's candidates in the form that the hardware works with: scoreboard ids and conditions. */
#ifndef STRATA_NDP_BLOCKS_BLOCKS_H
#define STRATA_NDP_BLOCKS_BLOCKS_H

#include "gpu/config.h"
#include "ndp/blocks/candidates.h"
#include "ndp/blocks/timed.h"
#include "ndp/blocks/window.h"
#include "ndp/blocks/written.h"
#include "ndp/carry/carry.h"

/* Figure 5, counted over the launches of the program (offsets.h). */
struct ndp_offset_share {
	uint64_t accesses, fixed; /* compared with others; of them, those of instructions with a fixed offset */
};

/* Lines that the block's loads wanted where it ran at home, and those of them that the SM's L1 or the L2 had. */
struct ndp_block_hits {
	uint64_t lines, held;
};

struct ndp_block {
	struct carry_block block;
	/* What travels: the first packet_in_count of block.live_in_sb (the rest comes from constants) and all
	 * live-outs, as 32-bit registers per lane and predicates per warp. */
	uint32_t packet_in_count;
	uint32_t in_register_count, in_predicate_count, out_register_count, out_predicate_count;
	uint32_t constant_count; /* registers that the block loads again from constants before it begins */
	double alu_ratio;	 /* share of its instructions that access no memory */
	bool is_counted; /* how often each of its loops runs is known when that begins */
	bool ends_in_access; /* its last instruction, in text order, accesses memory */
	bool is_warp_wide; /* some of its instructions read other lanes' registers: the warp must move as a whole */
	bool has_condition, is_difference, is_at_most;
	uint16_t condition_sb, less_sb; /* less_sb: where is_difference */
	uint32_t condition_bytes; /* 4 or 8 */
	int64_t threshold;
	uint8_t tag;
	struct ndp_offset_share offsets;
	struct ndp_block_hits hits;
	struct ndp_timed timed;
	struct ndp_window window;
};

/* What is known of a program's CTAs, for who has them begin in stacks (ndp/ctas/). */
struct ndp_cta_notes {
	struct simt_walk *walk;	   /* once it has been asked for */
	bool is_tried, has_homes;  /* most of its CTAs have a home, as the first launch showed */
	/* Mean times of a CTA in the last launch that had some on the GPU and some in stacks; or 0. */
	double here_cycles, away_cycles;
};

struct ndp_blocks {
	struct ndp_block *items;
	uint32_t count;
	uint32_t live_max; /* most 32-bit registers live at once in a block */
	/* Candidates that are not in items: no entry of the table can describe them; it has no entry for them. */
	uint32_t undescribed_count, no_entry_count;
	struct ndp_origins stores, loads; /* of the program; known once has_origins is set */
	bool has_origins;
	struct ndp_cta_notes ctas;
	bool is_hidden;		/* the program's marks are taken away */
};

/* A table of the hardware that must hold the blocks. */
struct ndp_block_table {
	/* Can an entry describe this block? */
	bool (*describes)(const void *self, const struct ndp_block *b);
	const void *self;
	uint64_t entry_count;
};

/* The blocks of a program's entry function, found at the first call for this program (*is_new), marked in it (mark =
 * index + 1), and owned by it. table: what must hold them; NULL: there is no table to limit them. */
struct ndp_blocks *ndp_blocks_of(struct simt_program *p, const struct ndp_cost_params *cost,
				 const struct ndp_block_table *table, bool *is_new);

/* Takes the marks of the blocks away from their program, or puts them back. */
void ndp_blocks_hide(struct ndp_blocks *b, struct simt_program *p, bool is_hidden);
/* What is known of the CTAs of the program that has the blocks. */
struct ndp_cta_notes *ndp_blocks_cta_notes(struct ndp_blocks *b, const struct simt_program *p);

/* Step 1 of the offload decision (TOM section 4.2): every lane that would execute the block satisfies the condition. */
bool ndp_block_condition_holds(const struct ndp_block *b, const struct simt_warp *w);
/* Are all lanes of the warp at its begin that the block's instructions may look at? */
bool ndp_block_is_whole(const struct ndp_block *b, const struct simt_warp *w);

#endif
