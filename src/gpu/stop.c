/* stop.c - how a launch ends before its end: it fails, or is stopped from outside, and what it may take. */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "gpu/priv.h"

void gpu_fail(struct gpu *g)
{
	g->has_failed = true;
	sim_stop(g->engine);
}

void gpu_interrupt(struct gpu *g, enum device_stop why)
{
	g->stop = (int)why;
	sim_stop(g->engine);
}

static bool is_elsewhere(const struct gpu *g, const struct sm_warp *w)
{
	GPU_EXT_EACH(g, e, is_elsewhere)
		if (e->ops->is_elsewhere(e->self, w))
			return true;
	return false;
}

static void add_cta(void *ctx, struct simt_cta *cta)
{
	for (uint32_t i = 0; i < simt_cta_warp_count(cta); i++)
		simt_where_add(ctx, simt_cta_warp(cta, i));
}

static void add_sm(const struct gpu *g, struct simt_where *where, const struct sm *sm)
{
	for (uint32_t k = 0; k < sm->warp_slot_count; k++) {
		const struct sm_warp *w = &sm->warps[k];

		if (w->w && !is_elsewhere(g, w))
			simt_where_add(where, w->w);
	}
}

void gpu_stop_say(struct gpu *g, const char *where)
{
	struct simt_launch *l = g->launch;

	l->fault.kind = device_stop_kind((enum device_stop)g->stop);
	snprintf(l->fault.text, sizeof(l->fault.text), "kernel %s: %s", l->program->name,
		 device_stop_text((enum device_stop)g->stop));
	g_strlcat(l->fault.text, where, sizeof(l->fault.text));
}

void gpu_stop_fault(struct gpu *g, struct simt_cta *extra)
{
	struct simt_where *where = simt_where_new(g->launch);
	char text[sizeof(g->launch->fault.text)] = "";
	uint64_t waiting = g->cta_total - g->cta_next;

	for (uint32_t i = 0; i < g->sm_total; i++)
		add_sm(g, where, g->sms[i]);
	GPU_EXT_EACH(g, e, each_cta)
		e->ops->each_cta(e->self, add_cta, where);
	if (extra)
		add_cta(where, extra);
	simt_where_end(where, text, sizeof(text));
	if (waiting)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "; %llu of %llu CTAs have not begun",
			 (unsigned long long)waiting, (unsigned long long)g->cta_total);
	gpu_stop_say(g, text);
}

void gpu_untimed_limit_set(struct gpu *g)
{
	const uint64_t limit_ps = g->run->timeout_simulated_ps, now_ps = gpu_now_ps(g);
	const uint64_t period = sim_period_units(g->engine, g->clocks.sm);

	g->untimed_limit = 0;
	if (limit_ps)
		g->untimed_limit = 1 + (limit_ps > now_ps ? sim_units_of_ps(g->engine, limit_ps - now_ps) / period : 0);
}

uint64_t gpu_limit_units(const struct gpu *g)
{
	const uint64_t limit_ps = g->run->timeout_simulated_ps;

	if (!limit_ps)
		return SIM_NEVER;
	return sim_units_of_ps(g->engine, limit_ps > g->estimated_ps ? limit_ps - g->estimated_ps : 0);
}
