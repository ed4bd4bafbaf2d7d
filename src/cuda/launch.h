/* launch.h - a checked kernel launch, for those that keep it to run later (graphs) or run it at once. */
#ifndef STRATA_CUDA_LAUNCH_H
#define STRATA_CUDA_LAUNCH_H

#include "cuda/driver.h"

struct cuda_launch {
	struct CUfunc_st *f;
	uint32_t grid[3], block[3], threads, dynamic_bytes;
	uint32_t depth; /* 0: from the host; of a kernel's child one more than the kernel's */
	bool is_cooperative;
	bool has_run;	  /* to its end or to its fault */
	bool is_kept;	  /* to run when a graph is launched */
	char reason[512]; /* why it does neither; "": the result says it */
};

/* Checks f, the shape and the resources, fills in threads, and gathers the parameters from either form into *block,
 * which is malloc'ed. */
CUresult cuda_launch_prepare(struct cuda_launch *l, void **params, void **extra, uint8_t **block);
/* Runs a prepared launch in the stream. A fault is kept as the context's. */
CUresult cuda_launch_run(struct CUctx_st *ctx, struct cuda_launch *l, CUstream stream, const uint8_t *block);

#endif
