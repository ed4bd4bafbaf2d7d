/* untimed.c - past the instruction limit: what a kernel has left runs for its values only. What extensions have under
 * way ends first, then the resident CTAs, then those not yet placed. */
#include <glib.h>

#include "gpu/priv.h"

/* The launch is ended from outside. */
static bool is_stopped(struct gpu *g)
{
	if (unlikely(g->untimed_limit && g->totals.untimed_warp_instructions >= g->untimed_limit && !g->stop))
		g->stop = DEVICE_STOP_SIMULATED;
	return unlikely(g->stop);
}

bool gpu_untimed_step(struct gpu *g, struct simt_warp *w)
{
	if (is_stopped(g))
		return false;
	if (!simt_step(g->launch, w, &g->step)) {
		g->has_failed = true;
		return false;
	}
	g->totals.untimed_warp_instructions++;
	return true;
}

/* A turn for each warp of a CTA. */
static bool cta_turn(struct gpu *g, struct simt_cta *cta)
{
	for (uint32_t i = 0; i < simt_cta_warp_count(cta); i++) {
		struct simt_warp *w = simt_cta_warp(cta, i);

		for (uint32_t n = 0; n < g->run->turn_count && !w->is_done && !w->at_barrier; n++) {
			if (!gpu_untimed_step(g, w))
				return false;
		}
	}
	return true;
}

static void add_cta(void *ctx, struct simt_cta *cta)
{
	g_ptr_array_add(ctx, cta);
}

/* CTAs on SMs, and on their way between them. */
static void resident_ctas(struct gpu *g, GPtrArray *ctas)
{
	for (uint32_t i = 0; i < g->sm_total; i++) {
		struct sm *sm = g->sms[i];

		for (uint32_t k = 0; k < sm->cta_slot_count; k++) {
			if (sm->ctas[k].cta)
				g_ptr_array_add(ctas, sm->ctas[k].cta);
		}
	}
	GPU_EXT_EACH(g, e, each_cta)
		e->ops->each_cta(e->self, add_cta, ctas);
}

/* In turn, since they may wait for each other. */
static bool residents_run(struct gpu *g, const GPtrArray *ctas)
{
	bool is_left = true;

	while (is_left) {
		is_left = false;
		for (uint32_t i = 0; i < ctas->len; i++) {
			struct simt_cta *cta = ctas->pdata[i];

			if (simt_cta_is_done(cta))
				continue;
			is_left = true;
			if (!cta_turn(g, cta))
				return false;
		}
	}
	return true;
}

static bool residents_end(struct gpu *g)
{
	GPtrArray *ctas = g_ptr_array_new();

	resident_ctas(g, ctas);

	bool ok = residents_run(g, ctas);

	g_ptr_array_free(ctas, TRUE);
	return ok;
}

/* Of those that have not begun, one after the other. */
static bool rest_end(struct gpu *g)
{
	bool ok = true;

	while (ok && g->cta_next < g->cta_total) {
		struct simt_cta *cta = simt_cta_begin(g->launch, g->cta_next++, 0);

		while (ok && !simt_cta_is_done(cta))
			ok = cta_turn(g, cta);
		if (!ok && g->stop)
			gpu_stop_fault(g, cta);
		simt_cta_end(cta);
	}
	return ok;
}

static bool exts_end(struct gpu *g)
{
	GPU_EXT_EACH(g, e, finish_untimed)
		if (!e->ops->finish_untimed(e->self))
			return false;
	return true;
}

bool gpu_finish_untimed(struct gpu *g)
{
	gpu_untimed_limit_set(g);
	if (exts_end(g) && residents_end(g))
		return rest_end(g);
	if (g->stop)
		gpu_stop_fault(g, NULL);
	return false;
}
