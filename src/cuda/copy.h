/* copy.h - copies and memsets that are kept to run later (graphs). */
#ifndef STRATA_CUDA_COPY_H
#define STRATA_CUDA_COPY_H

#include "cuda/driver.h"

/* Whether the copy could run now. An empty one can. */
CUresult cuda_copy_check(const CUDA_MEMCPY3D *c);
/* Checks and does the copy, given to the stream without waiting. */
CUresult cuda_copy_run(struct CUctx_st *ctx, const CUDA_MEMCPY3D *c, CUstream stream);

CUresult cuda_fill_check(const CUDA_MEMSET_NODE_PARAMS *f);
CUresult cuda_fill_run(struct CUctx_st *ctx, const CUDA_MEMSET_NODE_PARAMS *f, CUstream stream);

#endif
