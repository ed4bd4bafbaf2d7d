/* copy.h - copies and memsets, for entry points and for graphs, which run them later. */
#ifndef STRATA_CUDA_COPY_H
#define STRATA_CUDA_COPY_H

#include "cuda/driver.h"

/* Where a copy stands in the order of the program's work. */
struct cuda_order {
	struct CUctx_st *ctx;
	CUstream stream;
	bool is_async;
};

/* Whether the copy could run now. An empty one can. */
CUresult cuda_copy_check(const CUDA_MEMCPY3D *c);
/* Checks and does the copy. */
CUresult cuda_copy_run(const CUDA_MEMCPY3D *c, const struct cuda_order *o);
/* Bytes that lie together have been copied: tells who watches memory. */
void cuda_copy_written(uint64_t to, uint64_t from, uint64_t bytes);
/* A copy has been done: puts it on the timeline. The thread waits for its end unless it is_async; CUDA's exceptions
 * hold: a copy from or to pageable memory and one from host to host are always waited for, one inside the device
 * never. */
void cuda_copy_count(const struct cuda_order *o, uint64_t to, uint64_t from, uint64_t bytes);

/* A host pointer is any address, but inside the arena it must be allocated memory. */
bool cuda_range_is_host(const void *pointer, uint64_t bytes);
/* A unified address: memory this API knows if it points into any, else the host's. */
bool cuda_range_is_any(uint64_t addr, uint64_t bytes);

CUresult cuda_fill_check(const CUDA_MEMSET_NODE_PARAMS *f);
CUresult cuda_fill_run(struct CUctx_st *ctx, const CUDA_MEMSET_NODE_PARAMS *f, CUstream stream);

#endif
