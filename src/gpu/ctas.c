/* ctas.c - which SM a launch's CTAs begin on, and when; and what follows from the end of one. */
#include "gpu/accounting.h"
#include "gpu/priv.h"
#include "gpu/sampling.h"

uint32_t gpu_cta_room(const struct gpu *g, uint32_t index)
{
	const struct sm *sm = g->sms[index];
	uint32_t limit = sm->stack == UINT32_MAX ? g->ctas_per_sm : g->ctas_per_stack_sm;

	/* CTAs that have left their shared memory here: as many less, if that is what limits them. */
	if (unlikely(sm->ctas_away))
		limit = limit < g->ctas_by_shared - MIN(sm->ctas_away, g->ctas_by_shared)
			    ? limit
			    : g->ctas_by_shared - MIN(sm->ctas_away, g->ctas_by_shared);
	return limit - (sm->cta_count + sm->ctas_coming < limit ? sm->cta_count + sm->ctas_coming : limit);
}

void gpu_ctas_offer(struct gpu *g)
{
	const struct gpu_ext *e = g->cta_starter;

	while (g->cta_next < g->cta_total && e->ops->cta_starts(e->self, g->cta_next))
		g->cta_next++;
}

static void place(struct gpu *g, struct sm *sm, uint64_t index)
{
	sm_cta_place(sm, simt_cta_begin(g->launch, index, sm->index), index);
	GPU_EXT_EACH(g, e, cta_placed)
		e->ops->cta_placed(e->self, sm, index);
}

static void place_next(struct gpu *g, struct sm *sm)
{
	if (unlikely(g->cta_starter != NULL)) {
		gpu_ctas_offer(g);
		if (g->cta_next == g->cta_total)
			return;
	}
	place(g, sm, g->cta_next++);
}

/* What the CTA starter has taken and gives back. */
static void place_back(struct gpu *g, struct sm *sm)
{
	const struct gpu_ext *e = g->cta_starter;
	uint64_t index;

	if (sm->stack == UINT32_MAX && gpu_cta_room(g, sm->index) && e->ops->cta_back(e->self, &index))
		place(g, sm, index);
}

void gpu_cta_next(struct gpu *g, struct sm *sm)
{
	if (unlikely(g->now_windows != NULL) && !windows_next(g->now_windows))
		return;
	if (g->cta_next < g->cta_total && sm_has_cta_slot(sm))
		place_next(g, sm);
	else if (unlikely(g->cta_starter != NULL) && g->cta_next == g->cta_total)
		place_back(g, sm);
}

void gpu_cta_done(struct gpu *g, struct sm *sm, uint64_t index, uint64_t start_cycle)
{
	uint64_t cycles = sm->base + sm->now - start_cycle;

	g->ctas_left--;
	sm->stats.ctas_done++;
	sm->stats.cta_cycles += cycles;
	gpu_span(g, GPU_SPANS_CTAS, sm->index, g->totals.kernels + 1,
		 start_cycle * sim_period_units(g->engine, g->clocks.sm));
	if (unlikely(g->account != NULL))
		account_cta_done(g, sm, cycles);
	sim_hist_add(sm->stack == UINT32_MAX ? &g->totals.cta_cycles : &g->totals.cta_stack_cycles, cycles);
	GPU_EXT_EACH(g, e, cta_done)
		e->ops->cta_done(e->self, sm, index);
	if (unlikely(g->now_slices != NULL) && !g->ctas_left)
		slices_last(g->now_slices);
	if (g->stop)
		sim_stop(g->engine);
	else
		gpu_cta_next(g, sm);
}

/* One CTA per SM and round, as long as there are CTAs and places. */
void gpu_ctas_begin(struct gpu *g)
{
	bool has_placed = true;

	while (has_placed && g->cta_next < g->cta_total) {
		has_placed = false;
		for (uint32_t i = 0; i < g->sm_total && g->cta_next < g->cta_total; i++) {
			if (!sm_has_cta_slot(g->sms[i]))
				continue;
			place_next(g, g->sms[i]);
			has_placed = true;
		}
	}
}
