/* carry.c - makes the carriers of a GPU, and tells their policy what happens. */
#include "ndp/carry/priv.h"

#include <glib.h>

static const struct carry_policy no_policy = {.name = "none"};

struct gpu_ext_list carry_new(const struct gpu_config *config, const struct carry_policy *policy, void *policy_ctx)
{
	struct carry *c = g_new0(struct carry, 1);
	struct gpu_ext_list list = {0};

	c->policy = policy ? policy : &no_policy;
	c->policy_ctx = policy_ctx;
	gpu_ext_list_add(&list, &carry_block_ops, c);
	if (config->nsu.is_present) {
		c->split = split_new(c);
		gpu_ext_list_add(&list, &carry_split_ops, c->split);
	}
	gpu_ext_list_add(&list, &carry_cta_ops, c);
	if (c->policy->cta_start)
		gpu_ext_list_add(&list, &carry_start_ops, c);
	gpu_ext_list_add(&list, &carry_remap_ops, c);
	gpu_ext_list_add(&list, &carry_audit_ops, c);
	gpu_ext_list_add(&list, &carry_policy_ops, c); /* frees it */
	return list;
}

void carry_stat_tables(const struct gpu_config *c, struct sim_stat_tables *out)
{
	const struct sim_stat_table *const all[] = {&carry_block_stat_table, &carry_cta_stat_table,
						    &carry_remap_stat_table},
			     *const split[] = {&carry_partition_stat_table, &carry_packet_stat_table,
					       &carry_nsu_stat_table};

	for (uint32_t i = 0; i < ARRAY_COUNT(all); i++)
		sim_stat_tables_add(out, all[i]);
	for (uint32_t i = 0; i < ARRAY_COUNT(split) && (!c || c->nsu.is_present); i++)
		sim_stat_tables_add(out, split[i]);
}

/* ---- what a policy hears ---- */

static void epoch_at(struct carry *c, uint64_t cycle)
{
	c->epoch_cycle = cycle;
	sim_wake_cycle(c->gpu->engine, c->epoch_comp, cycle);
}

static void epoch_tick(void *component, uint64_t cycle)
{
	struct carry *c = component;
	struct gpu *g = c->gpu;
	uint64_t again;

	if (g->ctas_left == 0 || g->has_failed)
		return;
	again = c->policy->epoch(c->policy_ctx, g, cycle - g->start_cycle);
	if (again)
		epoch_at(c, cycle + again);
}

static uint64_t shared_bytes(void *self, struct simt_program *p)
{
	struct carry *c = self;

	return c->policy->shared_bytes ? c->policy->shared_bytes(c->policy_ctx, p) : 0;
}

static void kernel_begin(void *self, struct simt_launch *l, struct simt_program *p)
{
	struct carry *c = self;

	c->ctas_placed = c->ctas_done = 0;
	if (c->policy->kernel_begin)
		c->policy->kernel_begin(c->policy_ctx, c->gpu, l, p);
	if (c->policy->epoch)
		epoch_at(c, c->gpu->start_cycle + c->policy->epoch_cycles);
}

static void kernel_end(void *self, struct simt_launch *l)
{
	struct carry *c = self;

	if (c->policy->kernel_end)
		c->policy->kernel_end(c->policy_ctx, c->gpu, l);
}

static void cta_placed(void *self, struct sm *sm, uint64_t cta)
{
	struct carry *c = self;

	c->ctas_placed++;
	if (c->policy->cta_placed)
		c->policy->cta_placed(c->policy_ctx, c->gpu, sm->index, cta);
}

static void cta_done(void *self, struct sm *sm, uint64_t cta)
{
	struct carry *c = self;

	if (c->gpu->ctas_left == 0 && c->policy->epoch)
		sim_cancel(c->gpu->engine, c->epoch_comp, c->epoch_cycle); /* it would make the kernel longer */
	c->ctas_done++;
	if (c->policy->cta_done)
		c->policy->cta_done(c->policy_ctx, c->gpu, sm->index, cta);
}

/* A policy counts an instance of a block when a warp comes to it, and decides later. */
static bool follows_warps(void *self)
{
	const struct carry *c = self;

	return c->policy != &no_policy;
}

static enum gpu_beside beside(void *self)
{
	const struct carry *c = self;

	if (c->policy == &no_policy)
		return GPU_BESIDE_NOW;
	return c->policy->beside ? c->policy->beside(c->policy_ctx) : GPU_BESIDE_NEVER;
}

static bool learns(void *self)
{
	const struct carry *c = self;

	return c->policy->learns && c->policy->learns(c->policy_ctx);
}

static void place(void *self, uint32_t sm, struct mem_req *r)
{
	struct carry *c = self;

	c->policy->access(c->policy_ctx, c->gpu, sm, r);
}

static uint32_t series(void *self, struct gpu_series *items, uint32_t cap)
{
	struct carry *c = self;

	return c->policy->series ? c->policy->series(c->policy_ctx, items, cap) : 0;
}

static void build(void *self, struct gpu *g, const struct gpu_ext *e)
{
	struct carry *c = self;

	c->gpu = g;
	if (c->policy->access)
		g->placer = e;
	if (c->policy->maps)
		c->policy->maps(c->policy_ctx, &g->mapper);
	if (c->policy->add_stats)
		c->policy->add_stats(c->policy_ctx, g->stats);
}

static void complete(void *self)
{
	struct carry *c = self;

	if (c->policy->epoch)
		c->epoch_comp = sim_engine_add(c->gpu->engine, c->gpu->clocks.sm, "epoch", epoch_tick, c);
}

static void policy_free(void *self)
{
	struct carry *c = self;

	if (c->policy->free)
		c->policy->free(c->policy_ctx);
	g_free(c);
}

const struct gpu_ext_ops carry_policy_ops = {
    .build = build,
    .complete = complete,
    .free = policy_free,
    .series = series,
    .shared_bytes = shared_bytes,
    .kernel_begin = kernel_begin,
    .kernel_end = kernel_end,
    .cta_placed = cta_placed,
    .cta_done = cta_done,
    .follows_warps = follows_warps,
    .beside = beside,
    .learns = learns,
    .place = place,
};

struct carry_ctas carry_ctas(const struct gpu *g)
{
	const struct carry *c = gpu_ext_self(g, &carry_policy_ops);

	return (struct carry_ctas){.placed = c->ctas_placed, .done = c->ctas_done};
}
