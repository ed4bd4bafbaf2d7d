/* barrier.c - named barriers of a CTA, and lanes that leave the kernel.
 *
 * A warp arrives when all its live lanes have; it counts as 32 threads (PTX ISA, bar). A barrier without a thread count
 * waits for every warp of the CTA that has not finished.
 */
#include <string.h>

#include "base/check.h"
#include "simt/build.h"
#include "simt/check_hooks.h"
#include "simt/state.h"

/* Writes the reduction's result to the lanes that asked for it and lets the split go on. */
static void release_split(struct simt_warp *w, struct simt_split *split, const struct simt_barrier *b)
{
	struct simt_warp_state *s = w->state;
	const struct simt_exec *e = split->red;

	split->wait = SIMT_WAIT_NONE;
	split->red = NULL;
	if (!e)
		return;
	uint32_t *pred = s->preds + split->red_frame.pred;

	if (e->pred_dst != SIMT_NO_PRED) {
		uint32_t value = (e->ptx->mods.atom == PTX_ATOM_AND ? b->red_and : b->red_or) ? split->red_mask : 0;

		pred[e->pred_dst] = (pred[e->pred_dst] & ~split->red_mask) | value;
	} else if (e->dst.bytes) {
		uint8_t *row = s->rows + (uint64_t)split->red_frame.row * SIMT_ROW_BYTES + e->dst.off;

		SIMT_FOR_LANES(lane, split->red_mask)
			simt_lane_set(row, e->dst.bytes, lane, b->red_popc);
	}
}

static void reset(struct simt_barrier *b)
{
	*b = (struct simt_barrier){.red_and = true};
}

static void open_barrier(struct simt_cta *c, uint32_t id, struct simt_step *out)
{
	struct simt_barrier *b = &c->barriers[id];

	for (uint32_t i = 0; i < c->warp_count; i++) {
		struct simt_warp *w = &c->warps[i];

		if (w->is_done || !w->at_barrier || w->barrier_id != id)
			continue;
		w->at_barrier = false;
		c->waiting_warps--;
		if (c->check)
			simt_check_release(w, id);
		for (uint32_t k = 0; k < w->state->split_count; k++)
			release_split(w, &w->state->splits[k], b);
		if (w->state->split_count > 1)
			simt_split_merge(w);
	}
	reset(b);
	c->arrived_barriers &= ~(1u << id);
	if (c->check)
		simt_check_barrier_reset(c, id);
	out->barrier_opened = true;
}

static void open_if_complete(struct simt_cta *c, uint32_t id, struct simt_step *out)
{
	struct simt_barrier *b = &c->barriers[id];
	uint32_t expected = b->expected_threads ? b->expected_threads : c->live_warps * SIMT_LANES;

	if (b->arrived_threads && b->arrived_threads >= expected)
		open_barrier(c, id, out);
}

/* False with a fault if no warp of the CTA can ever run again. */
static bool check_progress(struct simt_launch *l, const struct simt_cta *c)
{
	if (!c->live_warps || c->waiting_warps < c->live_warps)
		return true;
	for (uint32_t i = 0; i < c->warp_count; i++) {
		const struct simt_warp *w = &c->warps[i];
		const struct simt_barrier *b = &c->barriers[w->barrier_id];

		if (w->is_done)
			continue;
		simt_fault(
		    l, w, NULL, (uint32_t)__builtin_ctz(w->live_mask), SIMT_FAULT_BARRIER,
		    "barrier deadlock: all %u warps of the CTA that have not finished wait; barrier %u has %u of %u "
		    "threads",
		    c->live_warps, w->barrier_id, b->arrived_threads,
		    b->expected_threads ? b->expected_threads : c->live_warps * SIMT_LANES);
		return false;
	}
	return true;
}

bool simt_barrier_warp_arrived(struct simt_launch *l, struct simt_warp *w, uint32_t id, struct simt_step *out)
{
	struct simt_cta *c = w->cta;

	w->at_barrier = true;
	w->barrier_id = (uint8_t)id;
	c->waiting_warps++;
	c->barriers[id].arrived_threads += SIMT_LANES;
	c->arrived_barriers |= 1u << id;
	open_if_complete(c, id, out);
	return check_progress(l, c);
}

bool simt_barrier_warp_done(struct simt_launch *l, struct simt_warp *w, struct simt_step *out)
{
	struct simt_cta *c = w->cta;

	if (c->check)
		simt_check_warp_done(w);
	c->live_warps--;
	SIMT_FOR_LANES(id, c->arrived_barriers)
		if (c->live_warps)
			open_if_complete(c, id, out);
	return check_progress(l, c);
}

/* Barrier operands are the same in all lanes of a warp (PTX ISA). */
static uint32_t uniform(const struct simt_warp_state *s, struct simt_ref r, uint32_t mask)
{
	return (uint32_t)simt_lane_get(simt_row(s, r), r.bytes, (uint32_t)__builtin_ctz(mask));
}

static void reduce(struct simt_barrier *b, uint32_t mask, uint32_t value)
{
	b->red_popc += (uint32_t)__builtin_popcount(value & mask);
	b->red_and &= !(mask & ~value);
	b->red_or |= (mask & value) != 0;
}

SIMT_RUN(simt_run_barrier)
{
	struct simt_warp_state *s = w->state;
	const bool has_count = e->src[1].bytes;
	uint32_t id = e->src[0].bytes ? uniform(s, e->src[0], mask) : SIMT_BARRIER_CLUSTER;
	uint32_t count = has_count ? uniform(s, e->src[1], mask) : 0;

	CHECK(!s->is_guest);
	if (e->src[0].bytes && id >= SIMT_BARRIERS)
		return simt_fault(l, w, e, (uint32_t)__builtin_ctz(mask), SIMT_FAULT_BARRIER,
				  "barrier number %u; expected 0 to %u", id, SIMT_BARRIERS - 1);
	if (has_count && (count % SIMT_LANES || !count))
		return simt_fault(l, w, e, (uint32_t)__builtin_ctz(mask), SIMT_FAULT_BARRIER,
				  "barrier thread count %u; expected a multiple of %u", count, SIMT_LANES);
	struct simt_barrier *b = &w->cta->barriers[id];

	if (w->cta->check)
		simt_check_arrive(l, w, e, id, mask);
	if (has_count)
		b->expected_threads = count;
	if (e->ptx->mods.bar == PTX_BAR_ARRIVE) {
		b->arrived_threads += SIMT_LANES;
		w->cta->arrived_barriers |= 1u << id;
		open_if_complete(w->cta, id, out);
		return SIMT_NEXT;
	}
	const bool is_red = e->ptx->mods.bar == PTX_BAR_RED;

	if (is_red)
		reduce(b, mask, simt_pred_get(s, e->pred_src));
	/* Lanes that are elsewhere arrive on their own: these wait in a split of their own. */
	const uint32_t unguarded = w->active_mask & ~mask;

	if (unlikely(simt_split_of(w)->lanes != mask)) {
		simt_stack_save(w);

		const uint32_t carved = simt_split_carve(w, mask);

		simt_stack_load(w);
		if (unguarded)
			simt_stack_goto(w, w->pc + 1);
		simt_stack_save(w);
		s->current = carved;
		simt_stack_load(w);
	}
	struct simt_split *split = simt_split_of(w);

	split->wait = SIMT_WAIT_BARRIER;
	split->barrier_id = (uint8_t)id;
	split->red = is_red ? e : NULL;
	split->red_mask = mask;
	if (is_red)
		split->red_frame = s->frame;
	simt_stack_goto(w, w->pc + 1);
	simt_stack_save(w);
	/* As simt_split_schedule would find, all lanes of the warp wait here. The stack's top still runs. */
	if (likely(s->split_count == 1)) {
		split->is_let_go = false;
		return simt_barrier_warp_arrived(l, w, id, out) ? SIMT_JUMPED : SIMT_FAULTED;
	}
	return simt_split_schedule(l, w, out) ? SIMT_JUMPED : SIMT_FAULTED;
}

enum simt_next simt_lanes_exit(struct simt_launch *l, struct simt_warp *w, uint32_t lanes, uint32_t resume_pc,
			       struct simt_step *out)
{
	struct simt_split *split = simt_split_of(w);

	w->pc = resume_pc;
	/* All at once, as nearly always: what is done below step by step. */
	if (likely(lanes == w->live_mask && w->state->split_count == 1)) {
		w->live_mask = split->lanes = split->depth = w->state->split_count = 0;
		return simt_warp_end(l, w, out) ? SIMT_JUMPED : SIMT_FAULTED;
	}
	simt_stack_save(w);
	w->live_mask &= ~lanes;
	split->lanes &= ~lanes;
	simt_stack_drop(w, lanes, 0);
	if (split->lanes) {
		simt_stack_load(w);
		return SIMT_JUMPED;
	}
	return simt_split_schedule(l, w, out) ? SIMT_JUMPED : SIMT_FAULTED;
}
