/* samples.c - what a Duality Cache samples over time (duality.sample_ps). */
#include "dc/system/priv.h"

/* Its program counts them until the launch ends. */
static uint64_t lane_operations(const void *self, uint32_t part)
{
	const struct dc_system *s = self;

	(void)part;
	return s->stats.lane_operations + dc_program_counts(s->program)->lane_operations;
}

static uint32_t blocks_at_work(const void *self)
{
	const struct dc_system *s = self;

	return s->active;
}

static uint32_t requests(const void *self)
{
	const struct dc_system *s = self;

	return (uint32_t)mem_req_outstanding(s->ctx->pool);
}

/* Of the memory: in front of it and in it. */
static uint32_t waiting(const void *self)
{
	const struct dc_system *s = self;
	uint32_t count = mem_memory_queued(s->memory);

	for (uint32_t i = 0; i < s->slice_count; i++)
		for (const struct dc_fetch *f = s->slices[i].queue; f; f = f->next)
			count++;
	return count;
}

static const struct sim_gauge gauges[] = {
    {"control_blocks", blocks_at_work},
    {"requests", requests},
    {"vault_requests", waiting},
};

static const struct sim_sample_count counts[] = {
    {.name = "duality.lane_operations", .read = lane_operations},
    {.name = "duality.ctas"},
    {.name = "duality.compute_cycles"},
    {.name = "duality.memory_cycles"},
    {.name = "duality.feed_wait_cycles"},
    {.name = "duality.wave_wait_cycles"},
    {.name = "duality.jump_cycles"},
    {.name = "duality.accesses"},
    {.name = "duality.lines"},
    {.name = "duality.mshr_merges"},
    {.name = "duality.mshr_wait_cycles"},
    {.name = "duality.tmu_rows"},
    {.name = "duality.crossbar_lines"},
    {.name = "duality.cache_hits"},
    {.name = "duality.cache_misses"},
    {.name = "duality.link_bytes"},
    {.name = "duality.read_bytes"},
    {.name = "duality.write_bytes"},
};

struct sim_sampler *dc_sampler_new(const struct dc_system *s)
{
	const struct sim_sample_table table = {.counts = counts,
					       .count_count = ARRAY_COUNT(counts),
					       .gauges = gauges,
					       .gauge_count = ARRAY_COUNT(gauges),
					       .self = s};

	return sim_sampler_new(s->ctx->engine, s->ctx->stats, s->p->sample_ps, &table);
}
