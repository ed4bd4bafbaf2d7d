/* remap.c - stops the SMs in the middle of a kernel, as an interrupt to the GPU's runtime does, so that pages may move:
 * no warp of the GPU issues, what other carriers have under way ends, what is on its way arrives, the caches forget
 * what they hold, the policy changes what it wants to change, and the warps go on where they stood.
 */
#include "ndp/carry/priv.h"
#include "gpu/mmu.h"

static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct remap_stats
#include "sim/stat_rows.inc"
#include "ndp/carry/remap_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table carry_remap_stat_table = {"gpu", stat_rows, ARRAY_COUNT(stat_rows)};

enum { LOOK_CYCLES = 64 }; /* between two looks whether everything has arrived */

void carry_pause(struct gpu *g, uint64_t least_ps)
{
	struct carry *c = gpu_ext_self(g, &carry_remap_ops);
	uint64_t now = sim_now_units(g->engine);

	CHECK(c->policy->resumed);
	g->is_paused = true;
	c->remap_stats.pauses++;
	c->pause_begin_units = now;
	sim_wake_units(g->engine, c->pause_comp, now + sim_units_of_ps(g->engine, least_ps) + 1);
	for (uint32_t i = 0; i < g->sm_total; i++) /* so that the wait is counted as what it is */
		sim_wake_units(g->engine, g->sms[i]->comp, now + 1);
}

/* Every request has been answered and every slice has been rid of its own. */
static bool is_at_rest(const struct gpu *g)
{
	if (mem_req_outstanding(g->pool) != g->spare_count)
		return false;
	GPU_EXT_EACH(g, e, is_idle)
		if (!e->ops->is_idle(e->self))
			return false;
	for (uint32_t i = 0; i < g->sm_total; i++) {
		if (g->sms[i]->lsu.count || g->sms[i]->lsu_ready_count)
			return false;
	}
	return true;
}

static void forget_all(struct gpu *g)
{
	for (uint32_t i = 0; i < g->sm_total; i++) {
		mem_cache_invalidate_all(g->sms[i]->l1d);
		mem_cache_invalidate_all(g->sms[i]->l1c);
		mem_cache_invalidate_all(g->sms[i]->l1t);
		if (g->sms[i]->mmu)
			mmu_forget(g->sms[i]->mmu);
	}
	for (uint32_t i = 0; i < g->slice_count; i++)
		l2_slice_invalidate_all(g->slices[i]);
}

static void pause_tick(void *component, uint64_t cycle)
{
	struct carry *c = component;
	struct gpu *g = c->gpu;

	if (!g->is_paused || g->has_failed)
		return;
	if (!is_at_rest(g)) {
		sim_wake_cycle(g->engine, c->pause_comp, cycle + LOOK_CYCLES);
		return;
	}
	forget_all(g);
	g->is_paused = false;
	c->remap_stats.pause_ps += sim_ps_of_units(g->engine, sim_now_units(g->engine) - c->pause_begin_units);
	gpu_span(g, GPU_SPANS_PAUSES, 0, 0, c->pause_begin_units);
	c->policy->resumed(c->policy_ctx, g);
	for (uint32_t i = 0; i < g->sm_count; i++)
		ask_forget(c, g->sms[i]);
	for (uint32_t i = 0; i < g->sm_total; i++)
		sim_wake_cycle(g->engine, g->sms[i]->comp, cycle + 1);
}

static void build(void *self, struct gpu *g, const struct gpu_ext *e)
{
	struct carry *c = self;

	(void)e;
	sim_stats_add_table(g->stats, &carry_remap_stat_table, &c->remap_stats, sizeof(c->remap_stats));
}

static void complete(void *self)
{
	struct carry *c = self;

	if (c->policy->resumed)
		c->pause_comp = sim_engine_add(c->gpu->engine, c->gpu->clocks.sm, "pause", pause_tick, c);
}

static void reset(void *self)
{
	((struct carry *)self)->gpu->is_paused = false;
}

const struct gpu_ext_ops carry_remap_ops = {
    .build = build,
    .complete = complete,
    .reset = reset,
};
