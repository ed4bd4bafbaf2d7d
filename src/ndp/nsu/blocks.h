/* blocks.h - a kernel's NSU code and its blocks as the GPU wants them, made once per program. */
#ifndef STRATA_NDP_NSU_BLOCKS_H
#define STRATA_NDP_NSU_BLOCKS_H

#include "gpu/config.h"
#include "gpu/guest.h"
#include "nsu/exec.h"

struct nsu_blocks {
	struct nsu_program *program;
	struct gpu_block *items; /* [program->code->block_count] */
};

/* The blocks of the program; at the first call finds them, as the units' registers and buffers allow, and marks them
 * (mark = number + 1). Owned by the program. */
const struct nsu_blocks *nsu_blocks_of(struct simt_program *p, const struct nsu_params *params);

#endif
