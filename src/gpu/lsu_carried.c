/* lsu_carried.c - what extensions send through the load-store unit: it waits there for its turn as instructions do. */
#include <string.h>

#include "gpu/priv.h"

static struct lsu_entry *entry_new(struct sm *sm, const struct sm_warp *w, const struct gpu_ext *ext)
{
	struct lsu_entry *e = base_ring_push(&sm->lsu);

	e->kind = LSU_CARRIED;
	e->ext = (uint8_t)ext->number;
	e->slot = w->slot;
	e->due = sm->now;
	e->access = SM_NO_ACCESS;
	e->is_bypassing = e->is_translated = false;
	e->passes = e->count = e->next = 0;
	return e;
}

void lsu_issue_carried(struct sm *sm, struct sm_warp *w, const struct gpu_ext *ext, uint32_t access,
		       const struct coalesced_line *lines, uint32_t count)
{
	struct lsu_entry *e = entry_new(sm, w, ext);

	e->access = access;
	e->count = count;
	memcpy(e->lines, lines, count * sizeof(*lines));
}

void lsu_issue_passes(struct sm *sm, struct sm_warp *w, const struct gpu_ext *ext, uint32_t passes)
{
	struct lsu_entry *e = entry_new(sm, w, ext);

	e->passes = passes;
	e->latency = (uint32_t)sm->gpu->config->sm.shared_latency_cycles;
	sm->stats.shared_accesses += passes;
}
