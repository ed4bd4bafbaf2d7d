/* select.c - slow blocks, and the reasons to let one stay. */
#include "ndp/bom/select.h"

enum bom_case bom_case_of(const struct bom_core *c, const struct bom_block *b, const struct bom_slowness *s,
			  uint64_t cycle)
{
	uint64_t elapsed = cycle - b->launch_cycle;

	if (b->reference_cycles &&
	    ((double)elapsed >= s->ratio * (double)b->reference_cycles || b->later_count >= s->later_count))
		return BOM_CASE_SLOW_BLOCK;
	if (c->done_count && elapsed * c->done_count > c->done_cycles)
		return BOM_CASE_SLOW_CORE;
	return BOM_CASE_NONE;
}

enum bom_verdict bom_judge(const struct bom_situation *s)
{
	if (s->active_warps < s->min_warps)
		return BOM_KEEP_WARPS;
	if (s->checks_miss_rate && s->miss_rate <= s->mean_miss_rate)
		return BOM_KEEP_MISS_RATE;
	if (s->mshr_share < s->min_mshr_share)
		return BOM_KEEP_MSHRS;
	if (s->traffic_share < s->min_traffic_share)
		return BOM_KEEP_TRAFFIC;
	if (s->has_stores && s->drain != BOM_DRAIN_STORES)
		return BOM_KEEP_STORES;
	if (s->is_diverged && !s->moves_diverged && !s->waits)
		return BOM_KEEP_DIVERGED;
	if ((s->is_issued && s->drain == BOM_DRAIN_NONE) || (s->has_loads && s->drain < BOM_DRAIN_LOADS))
		return BOM_KEEP_ISSUED;
	if (s->at_barrier && !s->waits)
		return BOM_KEEP_BARRIER;
	if (s->uses_shared)
		return BOM_KEEP_SHARED;
	if (s->memory_share < s->min_memory_share)
		return BOM_KEEP_HINT;
	return s->has_room ? BOM_LEAVE : BOM_KEEP_FULL;
}

uint32_t bom_destination(const uint32_t *rooms, uint32_t count, uint32_t turn)
{
	uint32_t best = count;

	for (uint32_t k = 0; k < count; k++) {
		uint32_t i = (turn + k) % count;

		if (rooms[i] && (best == count || rooms[i] > rooms[best]))
			best = i;
	}
	return best;
}
