/* heap.h - device-side malloc. Not for other folders. */
#ifndef STRATA_SIMT_HEAP_H
#define STRATA_SIMT_HEAP_H

#include <stdlib.h>

#include "simt/memory.h"

/* The default of CUDA's malloc heap size limit (CUDA C++ Programming Guide, Heap Memory Allocation). */
#define SIMT_HEAP_BYTES (8ull << 20)

struct simt_heap_block {
	uint64_t addr, size_bytes;
	uint64_t asked_bytes; /* of a used block */
	bool is_used;
};

/* Blocks in address order cover the whole heap. */
struct simt_heap {
	struct simt_heap_block *blocks;
	uint32_t count, cap;
};

/* Size of the heap, at most the memory's capacity; false if it was made before with another one. */
bool simt_heap_resize(struct simt_memory *m, uint64_t size_bytes);
/* 16-byte aligned; 0 if size_bytes is 0 or there is no room. The heap is made at the first call. */
uint64_t simt_heap_alloc(struct simt_memory *m, uint64_t size_bytes);
/* False if addr is not the start of a used block. */
bool simt_heap_release(struct simt_memory *m, uint64_t addr);
/* All bytes lie in one used block. */
bool simt_heap_is_used(struct simt_memory *m, uint64_t addr, uint64_t size_bytes);
/* h may be NULL. A memory frees the heap that it has. */
static inline void simt_heap_free(struct simt_heap *h)
{
	if (h)
		free(h->blocks);
	free(h);
}

/* Where a memory keeps its heap (NULL until used); freed with the memory. In memory.c. */
struct simt_heap **simt_memory_heap(struct simt_memory *m);
/* Its size, SIMT_HEAP_BYTES at first. */
uint64_t *simt_memory_heap_bytes(struct simt_memory *m);

#endif
