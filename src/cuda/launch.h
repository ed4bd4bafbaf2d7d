/* launch.h - a checked kernel launch, for those that keep it to run later (graphs) or run it at once. */
#ifndef STRATA_CUDA_LAUNCH_H
#define STRATA_CUDA_LAUNCH_H

#include "cuda/driver.h"

struct cuda_launch {
	struct CUfunc_st *f;
	uint32_t grid[3], block[3], threads, dynamic_bytes;
	uint32_t depth; /* 0: from the host; of a kernel's child one more than the kernel's */
	uint64_t ready_ps; /* it begins no earlier; 0: the stream and the host's clock say all */
	uint64_t end_ps;   /* once it has run */
	bool is_cooperative;
	bool has_run;	  /* to its end or to its fault */
	bool is_kept;	  /* to run when a graph is launched */
	char reason[512]; /* why it does neither; "": the result says it */
};

/* Checks f, the shape and the resources, fills in threads, and gathers the parameters from either form into *block,
 * which is malloc'ed. */
CUresult cuda_launch_prepare(struct cuda_launch *l, void **params, void **extra, uint8_t **block);
/* Checks grid and block alone, and fills in threads. */
CUresult cuda_launch_check_shape(struct cuda_launch *l);
/* Keeps why the launch does not begin. Returns result. */
CUresult cuda_launch_because(struct cuda_launch *l, CUresult result, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* simt_launch.ask */
typedef uint32_t cuda_launch_ask(void *asked, struct simt_ask *a);
/* Runs the grid of a prepared launch in the stream; its threads ask with asked. A fault is kept as the context's. */
CUresult cuda_launch_grid(struct CUctx_st *ctx, struct cuda_launch *l, CUstream stream, const uint8_t *block,
			  cuda_launch_ask *ask, void *asked);
/* The same with all grids that come of it, in children.c. */
CUresult cuda_launch_run(struct CUctx_st *ctx, struct cuda_launch *l, CUstream stream, const uint8_t *block);

#endif
