/* pause.c - stopping the SMs in the middle of a kernel, as an interrupt to the GPU's runtime does: no warp of the GPU
 * issues, offloaded blocks end, what is on its way arrives, the caches forget what they hold, the mechanism changes
 * what it wants to change, and the warps go on where they stood.
 */
#include "gpu/mmu.h"
#include "gpu/priv.h"

enum { LOOK_CYCLES = 64 }; /* between two looks whether everything has arrived */

void gpu_pause(struct gpu *g, uint64_t least_ps)
{
	uint64_t now = sim_now_units(g->engine);

	g->is_paused = true;
	g->totals.pauses++;
	g->pause_begin_units = now;
	sim_wake_units(g->engine, g->pause_comp, now + sim_units_of_ps(g->engine, least_ps) + 1);
	for (uint32_t i = 0; i < g->sm_total; i++) /* so that the wait is counted as what it is */
		sim_wake_units(g->engine, g->sms[i]->comp, now + 1);
}

/* Every request has been answered and every slice has been rid of its own. */
static bool is_at_rest(const struct gpu *g)
{
	if (mem_req_outstanding(g->pool) != gpu_spare_count(g) || g->guests_live || g->partitions_live)
		return false;
	for (uint32_t i = 0; i < g->sm_total; i++) {
		if (g->sms[i]->lsu_count || g->sms[i]->lsu_ready_count)
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

void gpu_pause_tick(void *component, uint64_t cycle)
{
	struct gpu *g = component;

	if (!g->is_paused || g->has_failed)
		return;
	if (!is_at_rest(g)) {
		sim_wake_cycle(g->engine, g->pause_comp, cycle + LOOK_CYCLES);
		return;
	}
	forget_all(g);
	g->is_paused = false;
	g->totals.pause_ps += sim_ps_of_units(g->engine, sim_now_units(g->engine) - g->pause_begin_units);
	g->guest->resumed(g->guest_ctx, g);
	for (uint32_t i = 0; i < g->sm_count; i++)
		offload_forget_entries(g->sms[i]);
	for (uint32_t i = 0; i < g->sm_total; i++)
		sim_wake_cycle(g->engine, g->sms[i]->comp, cycle + 1);
}
