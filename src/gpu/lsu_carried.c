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
	e->is_bypassing = e->is_translated = e->is_far = false;
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

void lsu_far_bytes(struct lsu_entry *e, const struct simt_inst *inst, uint32_t mask)
{
	const uint32_t lanes = (uint32_t)__builtin_popcount(mask), words = lanes * inst->access_bytes * inst->vec;
	const bool reads = inst->write_count || inst->flags & SIMT_FROM_SHARED;
	const bool writes = inst->flags & (SIMT_STORE | SIMT_ATOMIC | SIMT_COPY) && !(inst->flags & SIMT_FROM_SHARED);

	e->is_far = true;
	e->far_bytes = (uint16_t)(4 * lanes + (writes ? words : 0)); /* a word of address a lane, and what it writes */
	e->far_back_bytes = (uint16_t)(reads ? words : 0);
}

void lsu_far_issue(struct sm *sm, struct lsu_entry *e)
{
	sm->lsu_free = sm->now + 1;
	sm->far_shared->ops->far_shared(sm->far_shared->self, sm, e);
	e->passes = 0;
}
