/* sm_cta.c - an SM's warp slots and CTAs: who gets one, and who leaves it. */
#include <glib.h>
#include <string.h>

#include "gpu/priv.h"

uint32_t sm_slot_find(const struct sm *sm)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		uint64_t vacant = ~sm->schedulers[i].resident;
		uint32_t slot = vacant ? (uint32_t)__builtin_ctzll(vacant) * sm->scheduler_count + i : UINT32_MAX;

		best = slot < best ? slot : best;
	}
	return best < sm->warp_slot_count ? best : UINT32_MAX;
}

static uint8_t thread_count(const struct simt_launch *l, const struct simt_warp *t)
{
	const uint64_t all = (uint64_t)l->block[0] * l->block[1] * l->block[2];

	return (uint8_t)MIN(SIMT_LANES, all - (uint64_t)t->index_in_cta * SIMT_LANES);
}

struct sm_warp *sm_warp_place(struct sm *sm, struct simt_warp *t, uint32_t slot, uint32_t cta_slot, uint32_t start)
{
	struct sm_warp *w = &sm->warps[slot];
	struct sm_scheduler *s = &sm->schedulers[w->scheduler];

	CHECK(!w->w && w->loads_pending == 0);
	w->w = t;
	w->threads = thread_count(sm->gpu->launch, t);
	w->latency_parts = w->fetch_parts = 0;
	w->cta_slot = (uint16_t)cta_slot;
	w->watch = sm->gpu->watch;
	for (uint32_t i = 0; i < sm->gpu->exts.count; i++) {
		const struct gpu_ext *e = &sm->gpu->exts.items[i];

		if (e->ops->warp_bytes)
			memset(sm_ext_state(e, w), 0, e->ops->warp_bytes);
	}
	w->fetch_line = UINT32_MAX;
	memset(w->sb, 0, sm->sb_count * sizeof(*w->sb));
	t->owner = w;
	t->slot = slot;
	t->smid = sm->index;
	s->resident |= 1ull << w->bit;
	s->waiting[SM_WAIT_FETCH] |= 1ull << w->bit;
	w->wait = SM_WAIT_FETCH;
	sm->resident_warps++;
	if (sm->resident_warps > sm->stats.warps_max)
		sm->stats.warps_max = sm->resident_warps;
	sm_fetch_start(sm, w, t->pc, start);
	sm_evaluate(sm, w);
	return w;
}

static void slot_release(struct sm *sm, struct sm_warp *w)
{
	struct sm_scheduler *s = &sm->schedulers[w->scheduler];
	uint64_t mask = ~(1ull << w->bit);

	sm_set_wait(sm, w, SM_WAIT_IDLE);
	s->waiting[SM_WAIT_IDLE] &= mask;
	s->resident &= mask;
	sm->fetch_retry[w->scheduler] &= mask;
	w->w = NULL;
	w->watch = 0;
	sm->ending_warps -= w->is_ending;
	w->is_ending = false;
	sm->resident_warps--;
}

bool sm_has_cta_slot(const struct sm *sm)
{
	const struct gpu *g = sm->gpu;

	return (sm->stack == UINT32_MAX || g->config->gpu.stack_sm_ctas) && gpu_cta_room(g, sm->index);
}

/* Gives a CTA a slot, and its live warps theirs. */
static void cta_take(struct sm *sm, struct simt_cta *cta, uint64_t index, uint64_t start_cycle, uint32_t start)
{
	uint32_t slot = 0;
	struct sm_cta *c;

	while (sm->ctas[slot].cta)
		slot++;
	CHECK(slot < sm->cta_slot_count);
	c = &sm->ctas[slot];
	*c = (struct sm_cta){.cta = cta,
			     .index = index,
			     .start_cycle = start_cycle,
			     .ticket = c->ticket + (1u << SM_CTA_SLOT_BITS)};
	sm->cta_order[sm->cta_count++] = (uint8_t)slot;
	for (uint32_t i = 0; i < simt_cta_warp_count(cta); i++) {
		uint32_t warp_slot = sm_slot_find(sm);
		struct sm_warp *w = &sm->warps[warp_slot];

		if (simt_cta_warp(cta, i)->is_done)
			continue;
		CHECK(warp_slot != UINT32_MAX);
		c->warps_left++;
		c->masks[w->scheduler] |= 1ull << w->bit;
		sm_warp_place(sm, simt_cta_warp(cta, i), warp_slot, slot, start);
	}
}

void sm_cta_place(struct sm *sm, struct simt_cta *cta, uint64_t index)
{
	sm->stats.ctas++;
	cta_take(sm, cta, index, sm->base + sm->now, sm->now + (uint32_t)sm->gpu->config->sm.cta_launch_cycles);
}

void sm_cta_arrive(struct sm *sm, struct simt_cta *cta, uint64_t index, uint64_t start_cycle)
{
	sm_touch(sm);
	sm->ctas_coming--;
	simt_cta_move(sm->gpu->launch, cta, sm->index);
	cta_take(sm, cta, index, start_cycle, sm->now);
	sm_wake(sm, sm->now);
}

void sm_cta_begin(struct sm *sm, struct simt_cta *cta, uint64_t index)
{
	sm_touch(sm);
	sm->ctas_coming--;
	simt_cta_move(sm->gpu->launch, cta, sm->index);
	sm_cta_place(sm, cta, index);
	sm_wake(sm, sm->now);
}

struct sm_cta *sm_cta_find(struct sm *sm, uint64_t index)
{
	for (uint32_t i = 0; i < sm->cta_count; i++) {
		struct sm_cta *c = &sm->ctas[sm->cta_order[i]];

		if (c->index == index)
			return c;
	}
	return NULL;
}

static void cta_release(struct sm *sm, struct sm_cta *c)
{
	uint32_t slot = (uint32_t)(c - sm->ctas), i = 0;

	while (sm->cta_order[i] != slot)
		i++;
	memmove(&sm->cta_order[i], &sm->cta_order[i + 1], sm->cta_count - i - 1);
	sm->cta_count--;
	c->cta = NULL;
}

void sm_cta_leave(struct sm *sm, struct sm_cta *c)
{
	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		for (uint64_t m = c->masks[i]; m; m &= m - 1) {
			struct sm_warp *w = &sm->warps[(uint32_t)__builtin_ctzll(m) * sm->scheduler_count + i];

			CHECK(!w->w->is_done && w->loads_pending == 0);
			slot_release(sm, w);
		}
	}
	CHECK(c->stores_pending == 0);
	cta_release(sm, c);
}

static void cta_end(struct sm *sm, struct sm_cta *c)
{
	uint64_t index = c->index, start_cycle = c->start_cycle;
	struct sm *home = sm->far_shared ? sm->gpu->sms[c->home_sm] : NULL;

	CHECK(!sm->is_beside);
	simt_cta_end(c->cta);
	cta_release(sm, c);
	gpu_cta_done(sm->gpu, sm, index, start_cycle);
	if (unlikely(home != NULL)) { /* its shared memory is free for another */
		sm_touch(home);
		home->ctas_away--;
		gpu_cta_next(sm->gpu, home);
		sm_wake(home, home->now);
	}
}

void sm_warp_retire(struct sm *sm, struct sm_warp *w)
{
	struct sm_cta *c;

	slot_release(sm, w);
	if (unlikely(w->cta_slot == SM_NO_CTA))
		return;
	c = &sm->ctas[w->cta_slot];
	c->masks[w->scheduler] &= ~(1ull << w->bit);
	if (--c->warps_left == 0)
		cta_end(sm, c);
}
