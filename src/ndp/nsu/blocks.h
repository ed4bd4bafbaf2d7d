/* blocks.h - a kernel's NSU code and its blocks as the GPU wants them. */
#ifndef STRATA_NDP_NSU_BLOCKS_H
#define STRATA_NDP_NSU_BLOCKS_H

#include "gpu/config.h"
#include "ndp/carry/carry.h"
#include "nsu/exec.h"

struct nsu_blocks {
	const char *name; /* what decisions about them are kept under */
	struct nsu_program *program;
	struct carry_block *items; /* [program->code->block_count] */
};

/* The blocks of the program in this launch, which are marked (mark = number + 1). There are two versions of a program
 * in which loads follow stores to other arrays, each made when it is first needed, as the units' registers and buffers
 * allow: one with those loads in blocks, for launches whose pointers lead to different allocations, and one without, as
 * a compiler makes two versions of a loop and chooses at run time. Owned by the program. */
const struct nsu_blocks *nsu_blocks_of(struct simt_program *p, const struct simt_launch *l,
				       const struct nsu_params *params);

#endif
