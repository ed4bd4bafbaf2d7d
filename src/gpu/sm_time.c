/* sm_time.c - an SM's time: cycles since an origin of its own, brought to the present when something touches it. */
#include "gpu/beside.h"
#include "gpu/priv.h"

enum { REBASE_CYCLES = 1 << 30 };

/* Attributes the cycles before upto that no tick has attributed: nothing has changed in them. */
static void account(struct sm *sm, uint32_t upto)
{
	if (upto <= sm->accounted)
		return;
	for (uint32_t i = 0; i < sm->issue_count; i++)
		sm->stats.stalls[sm->schedulers[i].reason] += upto - sm->accounted;
	sm->accounted = upto;
}

static void earlier(uint32_t *cycles, uint32_t count, uint32_t by)
{
	for (uint32_t i = 0; i < count; i++)
		cycles[i] -= cycles[i] < by ? cycles[i] : by;
}

/* Cycles are 31 bits in the scoreboard: moves their origin long before they overflow. */
static void rebase(struct sm *sm, uint32_t by)
{
	sm->base += by;
	sm->accounted -= by;
	sm->lsu_free -= sm->lsu_free < by ? sm->lsu_free : by;
	for (uint32_t i = 0; i < sm->warp_slot_count; i++) {
		struct sm_warp *w = &sm->warps[i];

		w->ready -= w->ready < by || w->ready == SM_NEVER ? 0 : by;
		w->fetch_ready -= w->fetch_ready == SM_NEVER ? 0 : w->fetch_ready < by ? w->fetch_ready : by;
		w->next_ready -= w->next_ready == SM_NEVER ? 0 : w->next_ready < by ? w->next_ready : by;
		for (uint32_t k = 0; k < sm->sb_count; k++) {
			uint32_t *sb = &w->sb[k];

			*sb -= *sb == SM_SB_PENDING ? 0 : *sb < 2 * by ? *sb : 2 * by;
		}
	}
	earlier(sm->unit_free, SIMT_UNIT_COUNT, by);
	for (uint32_t i = 0; i < sm->scheduler_count; i++)
		earlier(sm->issue_free[i], SIMT_UNIT_COUNT, by);
	earlier(&sm->collector_next, 1, by);
	earlier(sm->collector_free, sm->collector_count, by);
	earlier(sm->bank_free, sm->register_banks, by);
	pipe_clear(sm);
	for (uint32_t i = 0; i < sm->lsu.count; i++)
		earlier(&base_ring_at(&sm->lsu, i)->due, 1, by);
	for (uint32_t i = 0; i < sm->lines.count; i++)
		earlier(&base_ring_at(&sm->lines, i)->due, 1, by);
	earlier(&sm->fetch_from, 1, by); /* a multiple of SM_FETCH_SLOTS */
	for (uint32_t i = 0; i < sm->access_cap; i++)
		sm->accesses[i].ready -= sm->accesses[i].ready < by ? sm->accesses[i].ready : by;
}

void sm_time_set(struct sm *sm, uint64_t cycle)
{
	account(sm, cycle - sm->base > UINT32_MAX ? UINT32_MAX : (uint32_t)(cycle - sm->base));
	while (unlikely(cycle - sm->base >= REBASE_CYCLES)) {
		/* A multiple of the wheel's length keeps its slots where they are. */
		rebase(sm, REBASE_CYCLES - SM_WHEEL_SLOTS);
	}
	sm->now = (uint32_t)(cycle - sm->base);
}

void sm_touch(struct sm *sm)
{
	sm_time_set(sm, unlikely(sm->is_beside) ? sm->beside->hand->cycle
					      : sim_cycle_now(sm->gpu->engine, sm->gpu->clocks.sm));
}

void sm_wake(struct sm *sm, uint32_t at)
{
	if (unlikely(sm->is_beside))
		beside_wake(sm, at);
	else
		sim_wake_cycle(sm->gpu->engine, sm->comp, sm->base + at);
}
