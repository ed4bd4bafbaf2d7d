/* rounds.c - see rounds.h. */
#include "rounds.h"

static uint64_t touch(struct mem_cache *c, uint64_t addr_bytes)
{
	struct mem_req r = {.addr_bytes = addr_bytes, .size_bytes = 4};
	uint64_t victim;
	uint32_t mshr;

	if (mem_cache_read(c, &r, &mshr) == MEM_CACHE_HIT)
		return 0;
	mem_cache_fill(c, mshr, &victim);
	return 1;
}

static struct mem_cache *slice_cache(struct gpu *g, uint64_t addr_bytes)
{
	struct mem_req r = {.addr_bytes = addr_bytes};

	gpu_place(g, 0, &r);
	return (struct mem_cache *)(uintptr_t)l2_slice_cache(g->slices[slice_of_place(g, r.stack, &r)]);
}

uint64_t rounds_slices(struct gpu *g, uint64_t first, uint64_t lines)
{
	const uint64_t line_bytes = g->config->l2.line_bytes;
	uint64_t misses = 0;

	for (uint32_t round = 0; round < 2; round++) {
		misses = 0;
		for (uint64_t a = first; a < first + lines * line_bytes; a += line_bytes)
			misses += touch(slice_cache(g, a), a);
	}
	return misses;
}

uint64_t rounds_stack(struct gpu *g, struct mem_cache *c, uint32_t stack, uint64_t first, uint64_t lines, bool has_all)
{
	const uint32_t sm = gpu_stack_sm(g, stack, 0)->index;
	uint64_t misses = 0;

	for (uint32_t round = 0; round < 2; round++) {
		uint64_t a = first;

		misses = 0;
		for (uint64_t left = lines; left; a += mem_cache_line_bytes(c)) {
			if (!has_all && gpu_stack_of(g, sm, a) != stack)
				continue;
			misses += touch(c, a);
			left--;
		}
	}
	return misses;
}
