/* partitioned.h - runs a launch without timing, with instances of offload blocks executed on both sides. */
#ifndef STRATA_TESTS_NSU_PARTITIONED_H
#define STRATA_TESTS_NSU_PARTITIONED_H

#include "nsu/exec.h"

struct partitioned {
	struct nsu_program *program;
	uint32_t percent; /* of block instances that are offloaded */
	uint32_t seed;    /* of that choice, and of when the NSU runs */
	uint64_t instance_count, nsu_inst_count;
};

/* Like simt_run_functional, CTA after CTA. The NSU warp of an instance runs at random times between the GPU warp's
 * instructions, and goes on while the GPU warp waits at the block's end and others run. */
bool partitioned_run(struct partitioned *p, struct simt_launch *l);

#endif
