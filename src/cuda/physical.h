/* physical.h - device memory without an address: what cuMemCreate makes, and cuMemMap maps. */
#ifndef STRATA_CUDA_PHYSICAL_H
#define STRATA_CUDA_PHYSICAL_H

#include "cuda/driver.h"

/* Sizes, offsets and addresses are multiples of it: the pages by which GPUs protect their memory. */
enum { CUDA_GRANULARITY_BYTES = SIMT_PROTECTION_BYTES };

/* Lives as long as a handle or a mapping. */
struct cuda_physical {
	struct cuda_object object;	    /* live while handle_count */
	CUmemAllocationProp prop;
	uint64_t offset_bytes, size_bytes;  /* in the one file behind all of it */
	uint32_t handle_count, map_count;
	struct cuda_physical *next;	    /* by ascending offset */
};

static inline bool cuda_is_granular(uint64_t bytes)
{
	return bytes && bytes % CUDA_GRANULARITY_BYTES == 0;
}

/* NULL for what is not a live handle. */
struct cuda_physical *cuda_physical_of(CUmemGenericAllocationHandle handle);
/* One more handle. */
CUmemGenericAllocationHandle cuda_physical_retain(struct cuda_physical *p);
/* Maps the first size_bytes to addr in the host, in place of what is mapped there. False: the host has no room. */
bool cuda_physical_map(struct cuda_physical *p, uint64_t addr, uint64_t size_bytes);
/* A mapping of p is gone; p may go with it. */
void cuda_physical_unmapped(struct cuda_physical *p);

#endif
