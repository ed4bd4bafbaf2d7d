/* blocks.h - a program's candidates in the form that the hardware works with: scoreboard ids and conditions. */
#ifndef STRATA_NDP_TOM_BLOCKS_H
#define STRATA_NDP_TOM_BLOCKS_H

#include "gpu/guest.h"
#include "ndp/tom/candidates.h"

struct tom_block {
	struct gpu_block block;
	bool has_condition, is_at_most;
	uint16_t condition_sb;
	uint32_t condition_bytes; /* 4 or 8 */
	int64_t threshold;
	uint8_t tag;
};

struct tom_blocks {
	struct tom_block *items;
	uint32_t count;
};

/* The blocks of a program's entry function, found at the first call for this program, marked in it (mark = index + 1),
 * and owned by it. */
const struct tom_blocks *tom_blocks_of(struct simt_program *p, const struct tom_cost_params *cost);

/* Step 1 of the offload decision (TOM section 4.2): every lane that would execute the block satisfies the condition. */
bool tom_block_condition_holds(const struct tom_block *b, const struct simt_warp *w);

#endif
