/* copies.c - which allocations are copied, and what that takes. */
#include "ndp/tom/copies.h"

#include "ndp/map/mapping.h"
#include "simt/memory.h"

static bool is_wanted(const struct tom_copies *c, const struct simt_launch *l, const struct carry_range *r)
{
	const struct simt_alloc *a;

	if (r->size_bytes <= c->limit_bytes)
		return true;
	a = c->has_declared ? simt_memory_find(l->mem, r->addr_bytes, 1) : NULL;
	return a && a->is_read_mostly;
}

/* Moves the ranges to the front that are small enough, or declared, and not written. Returns their bytes. */
static uint64_t choose(struct tom_copies *c, const struct simt_launch *l, const struct carry_written *written)
{
	uint64_t bytes = 0;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < c->of.count; i++) {
		const struct carry_range r = c->of.ranges[i];

		if (!is_wanted(c, l, &r) || carry_is_written(written, r.addr_bytes))
			continue;
		c->of.ranges[kept++] = r;
		bytes += r.size_bytes;
	}
	c->of.count = kept;
	return bytes;
}

void tom_copies_begin(struct tom_copies *c, const struct gpu_config *config, const struct simt_launch *l,
		      const struct ndp_origins *loads, const struct ndp_origins *stores, uint64_t now_ps,
		      struct tom_stats *stats)
{
	const uint64_t stacks = config->gpu.stack_count;
	struct carry_written written;
	uint64_t bytes, wire_bytes;

	ndp_written_of(stores, l, &written);
	ndp_read_of(loads, l, &c->of);
	if (written.all)
		c->of.count = 0;
	bytes = choose(c, l, &written);
	wire_bytes = map_wire_bytes(config, bytes * (stacks - 1));
	c->ready_ps = now_ps + map_wires_ps(config, wire_bytes);
	stats->copied_bytes += bytes * (stacks - 1);
	stats->copied_wire_bytes += wire_bytes;
}
