/* samples.c - what a GPU samples over time (gpu.sample_ps): what tells most about bandwidth, issue, caches and
 * near-data work. */
#include "base/check.h"
#include "gpu/priv.h"

static uint32_t stack_of_vault(const void *self, uint32_t vault, uint32_t vault_count)
{
	const struct gpu *g = self;

	return vault / (vault_count / g->stack_count);
}

/* 0: on the GPU; 1: in a stack. */
static uint32_t side_of_sm(const void *self, uint32_t sm, uint32_t sm_count)
{
	const struct gpu *g = self;

	(void)sm_count;
	return sm >= g->sm_count;
}

static uint32_t resident_warps(const void *self)
{
	const struct gpu *g = self;
	uint32_t count = 0;

	for (uint32_t i = 0; i < g->sm_total; i++)
		count += g->sms[i]->resident_warps;
	return count;
}

static uint32_t requests_under_way(const void *self)
{
	const struct gpu *g = self;

	return (uint32_t)mem_req_outstanding(g->pool) - g->spare_count;
}

static uint32_t vault_requests(const void *self)
{
	const struct gpu *g = self;
	uint32_t count = 0;

	for (uint32_t i = 0; i < g->stack_count; i++)
		count += logic_layer_vault_requests(g->stacks[i]);
	return count;
}

static const struct sim_gauge gauges[] = {
    {"warps", resident_warps},
    {"requests", requests_under_way},
    {"vault_requests", vault_requests},
};

static const struct sim_sample_count counts[] = {
    {.name = "sm.warp_instructions"},
    {.name = "sm.thread_instructions", .part_of = side_of_sm, .part = "side"},
    {.name = "sm.guest_thread_instructions"},
    {.name = "sm.ctas_done"},
    {.name = "l1d.reads"},
    {.name = "l1d.read_hits"},
    {.name = "l2.reads"},
    {.name = "l2.read_hits"},
    {.name = "link_tx.bytes"},
    {.name = "link_rx.bytes"},
    {.name = "mesh.bytes"},
    {.name = "vault.read_bytes", .part_of = stack_of_vault, .part = "stack"},
    {.name = "vault.write_bytes", .part_of = stack_of_vault, .part = "stack"},
    {.name = "vault.row_hits"},
    {.name = "vault.row_misses"},
    {.name = "vault.row_conflicts"},
    {.name = "gpu.offloads"},
    {.name = "gpu.cta_moves"},
    {.name = "tom.instance_count"},
    {.name = "tom.offloaded_count"},
    {.name = "nsu_control.instances"},
    {.name = "nsu_control.offloaded"},
    {.name = "nsu.warp_instructions"},
    {.name = "nsu.thread_instructions"},
};

struct sim_sampler *gpu_sampler_new(const struct gpu *g)
{
	const struct sim_sample_table table = {.counts = counts,
					       .count_count = ARRAY_COUNT(counts),
					       .gauges = gauges,
					       .gauge_count = ARRAY_COUNT(gauges),
					       .self = g};

	return sim_sampler_new(g->engine, g->stats, g->config->gpu.sample_ps, &table);
}
