/* sm_kernel.c - an SM at a kernel's begin and at its end. */
#include <glib.h>
#include <string.h>

#include "gpu/accounting.h"
#include "gpu/beside.h"
#include "gpu/mmu.h"
#include "gpu/priv.h"

static void state_clear(struct sm *sm)
{
	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		memset(&sm->schedulers[i], 0, sizeof(sm->schedulers[i]));
		sm->schedulers[i].reason = SM_WAIT_IDLE;
		sm->schedulers[i].last = 63; /* round robin begins with warp 0 */
		sm->schedulers[i].issue = (uint8_t)(i % sm->issue_count);
		sm->issue_turn[i] = (uint8_t)i;
		sm->fetch_retry[i] = 0;
	}
	memset(sm->unit_free, 0, sizeof(sm->unit_free));
	memset(sm->issue_free, 0, sizeof(sm->issue_free));
	memset(sm->unit_parts, 0, sizeof(sm->unit_parts));
	memset(sm->issue_parts, 0, sizeof(sm->issue_parts));
	memset(sm->slot_parts, 0, sizeof(sm->slot_parts));
	sm->fetch_parts = sm->collect_parts = 0;
	memset(sm->collector_free, 0, sizeof(sm->collector_free));
	memset(sm->bank_free, 0, sizeof(sm->bank_free));
	memset(sm->fetches, 0, sm->fetch_slots);
	sm->collector_next = sm->fetch_from = 0;
	pipe_clear(sm);
	sm->lsu_free = 0;
}

void sm_kernel_begin(struct sm *sm)
{
	const struct simt_program *p = sm->gpu->launch->program;

	if (p->sb_count > sm->sb_count || !sm->sb_all) {
		sm->sb_count = p->sb_count;
		sm->sb_all = g_renew(uint32_t, sm->sb_all, (size_t)sm->warp_slot_count * sm->sb_count);
		for (uint32_t i = 0; i < sm->warp_slot_count; i++)
			sm->warps[i].sb = sm->sb_all + (size_t)i * sm->sb_count;
	}
	state_clear(sm);
	sm->breaks = 0;
	if (sm->beside)
		beside_kernel_begin(sm);
	sm->base = sm->gpu->start_cycle;
	sm->now = sm->accounted = 0;
	if (sm->gpu->account)
		account_sm_begin(sm->gpu->account, sm);
	/* The L1s are not coherent: a kernel starts with none of the former one's lines; but code does not change. */
	mem_cache_invalidate_all(sm->l1d);
	mem_cache_resize(sm->l1d, sm->gpu->l1d_bytes);
	if (!sm->gpu->config->sm.inst_cache_kept)
		mem_cache_invalidate_all(sm->l1i);
	if (!sm->gpu->config->sm.const_cache_kept)
		mem_cache_invalidate_all(sm->l1c);
	mem_cache_invalidate_all(sm->l1t);
}

void sm_kernel_end(struct sm *sm, uint64_t end_cycle)
{
	struct sm_stats *st = &sm->stats;
	uint64_t sum = 0;

	sm_time_set(sm, end_cycle);
	if (sm->gpu->account)
		account_sm_end(sm->gpu->account, sm, true);
	st->scheduler_cycles += sm->issue_count * (end_cycle - sm->gpu->start_cycle);
	for (uint32_t r = 0; r < SM_WAIT_COUNT; r++)
		sum += st->stalls[r];
	CHECK(sum + st->issued_cycles == st->scheduler_cycles);
	CHECK(sm->resident_warps == 0 && sm->cta_count == 0 && sm->ctas_coming == 0 && sm->ctas_away == 0);
	CHECK(sm->ctas_followed == 0);
	CHECK(sm->lsu.count == 0 && sm->lines.count == 0 && !sm->out.first);
	CHECK(sm->stores_left == sm->gpu->config->sm.store_count);
	CHECK(sm->store_counts[0] + sm->store_counts[1] == 0);
	CHECK(sm->lsu_ready_count == 0 && (!sm->mmu || mmu_is_idle(sm->mmu)));
	CHECK(mem_cache_is_idle(sm->l1d) && mem_cache_is_idle(sm->l1i));
	CHECK(mem_cache_is_idle(sm->l1c) && mem_cache_is_idle(sm->l1t));
}

void sm_reset(struct sm *sm)
{
	struct sm_stats *st = &sm->stats;
	uint64_t sum = 0;

	if (sm->gpu->account)
		account_sm_end(sm->gpu->account, sm, false);
	/* What an aborted kernel has counted stays, and the sums still agree. */
	for (uint32_t r = 0; r < SM_WAIT_COUNT; r++)
		sum += st->stalls[r];
	st->scheduler_cycles = sum + st->issued_cycles;
	state_clear(sm);
	for (uint32_t i = 0; i <= SM_CTA_MAX; i++) {
		if (sm->ctas[i].cta)
			simt_cta_end(sm->ctas[i].cta);
		sm->ctas[i] = (struct sm_cta){.ticket = sm->ctas[i].ticket};
	}
	for (uint32_t i = 0; i < sm->warp_slot_count; i++) {
		sm->warps[i].w = NULL;
		sm->warps[i].watch = 0;
		sm->warps[i].is_ending = false;
		sm->warps[i].loads_pending = sm->warps[i].stores_pending = sm->warps[i].copies_pending = 0;
		memset(sm->warps[i].group_copies, 0, sizeof(sm->warps[i].group_copies));
	}
	sm->ext_waits_port = false;
	sm->cta_count = sm->ctas_coming = sm->ctas_away = sm->resident_warps = sm->ending_warps = 0;
	sm->ctas_followed = 0;
	for (uint32_t i = 0; i < sm->access_cap; i++)
		sm->accesses[i] = (struct sm_access){.next_free = i + 1 < sm->access_cap ? i + 1 : SM_NO_ACCESS};
	sm->access_free = sm->access_cap ? 0 : SM_NO_ACCESS;
	sm->lsu.count = 0;
	sm->lsu_waits_fill = sm->lsu_waits_port = 0;
	sm->lsu_waits_walk = false;
	sm->lines.count = 0;
	sm->lsu_ready_count = 0;
	if (sm->mmu)
		mmu_reset(sm->mmu);
	sm->stores_left = (uint32_t)sm->gpu->config->sm.store_count;
	sm->store_counts[0] = sm->store_counts[1] = 0;
	sm->out.first = NULL;
	sm->gpu->sm_has_request[sm->index] = false;
	sm->out_count = 0;
	mem_cache_reset(sm->l1d);
	mem_cache_reset(sm->l1i);
	mem_cache_reset(sm->l1c);
	mem_cache_reset(sm->l1t);
	sm->spare = sm_req_get(sm); /* the pool was emptied */
	sm->breaks = 0;
}
