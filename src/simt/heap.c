/* heap.c - device-side malloc and free: first fit in one allocation of the arena.
 *
 * The heap belongs to the memory, not to a launch: what one kernel allocates a later one may use and free, as on a real
 * device. The list of blocks is kept outside the simulated memory, so kernels cannot damage it.
 */
#include "simt/heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "simt/check_hooks.h"

enum { GRAIN_BYTES = 16 };

static struct simt_heap *new_heap(struct simt_memory *m)
{
	uint64_t addr = simt_memory_alloc(m, *simt_memory_heap_bytes(m), GRAIN_BYTES, SIMT_ALLOC_HEAP);
	struct simt_heap *h;

	if (!addr)
		return NULL;
	h = calloc(1, sizeof(*h));
	CHECK(h);
	h->cap = 64;
	h->blocks = malloc(h->cap * sizeof(*h->blocks));
	CHECK(h->blocks);
	h->blocks[h->count++] = (struct simt_heap_block){.addr = addr, .size_bytes = *simt_memory_heap_bytes(m)};
	return h;
}

static void insert(struct simt_heap *h, uint32_t at, struct simt_heap_block b)
{
	if (h->count == h->cap) {
		h->cap *= 2;
		h->blocks = realloc(h->blocks, h->cap * sizeof(*h->blocks));
		CHECK(h->blocks);
	}
	memmove(&h->blocks[at + 1], &h->blocks[at], (h->count - at) * sizeof(b));
	h->blocks[at] = b;
	h->count++;
}

bool simt_heap_resize(struct simt_memory *m, uint64_t size_bytes)
{
	uint64_t *const now = simt_memory_heap_bytes(m);

	/* Whole grains, so that blocks cover it. */
	size_bytes = (size_bytes + GRAIN_BYTES - 1) / GRAIN_BYTES * GRAIN_BYTES;
	if (*simt_memory_heap(m))
		return size_bytes == *now;
	*now = size_bytes;
	return true;
}

uint64_t simt_heap_alloc(struct simt_memory *m, uint64_t size_bytes)
{
	struct simt_heap **slot = simt_memory_heap(m);

	const uint64_t asked_bytes = size_bytes;

	if (!size_bytes || size_bytes > *simt_memory_heap_bytes(m))
		return 0;
	if (!*slot)
		*slot = new_heap(m);
	struct simt_heap *h = *slot;

	size_bytes = (size_bytes + GRAIN_BYTES - 1) & ~(GRAIN_BYTES - 1ull);
	if (simt_memory_check(m))
		size_bytes += GRAIN_BYTES; /* a distance to the next block */
	for (uint32_t i = 0; h && i < h->count; i++) {
		struct simt_heap_block *b = &h->blocks[i];

		if (b->is_used || b->size_bytes < size_bytes)
			continue;
		struct simt_heap_block rest = {.addr = b->addr + size_bytes, .size_bytes = b->size_bytes - size_bytes};

		b->is_used = true;
		b->size_bytes = size_bytes;
		b->asked_bytes = asked_bytes;
		if (simt_memory_check(m))
			simt_check_allocated(simt_memory_check(m), b->addr, asked_bytes, SIMT_ALLOC_HEAP);
		uint64_t addr = b->addr;

		if (rest.size_bytes)
			insert(h, i + 1, rest);
		return addr;
	}
	return 0;
}

static void join_next(struct simt_heap *h, uint32_t i)
{
	if (i + 1 >= h->count || h->blocks[i].is_used || h->blocks[i + 1].is_used)
		return;
	h->blocks[i].size_bytes += h->blocks[i + 1].size_bytes;
	memmove(&h->blocks[i + 1], &h->blocks[i + 2], (h->count - i - 2) * sizeof(struct simt_heap_block));
	h->count--;
}

bool simt_heap_release(struct simt_memory *m, uint64_t addr)
{
	struct simt_heap *h = *simt_memory_heap(m);

	for (uint32_t i = 0; h && i < h->count; i++) {
		if (h->blocks[i].addr != addr || !h->blocks[i].is_used)
			continue;
		h->blocks[i].is_used = false;
		join_next(h, i);
		if (i)
			join_next(h, i - 1);
		return true;
	}
	return false;
}

bool simt_heap_is_used(struct simt_memory *m, uint64_t addr, uint64_t size_bytes)
{
	const struct simt_heap *h = *simt_memory_heap(m);
	uint32_t lo = 0, hi = h ? h->count : 0;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (h->blocks[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return false;
	const struct simt_heap_block *b = &h->blocks[lo - 1];

	return b->is_used && size_bytes <= b->asked_bytes && addr - b->addr <= b->asked_bytes - size_bytes;
}
