/* split.c - lanes of a warp that do not run together: independent thread scheduling, as docs/execution.md describes it.
 *
 * A warp begins as one split. It is carved when some of its lanes must wait (at a .sync instruction for lanes that are
 * elsewhere, at a CTA barrier that the others have not reached) or only poll. Splits with equal stacks are joined
 * again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "simt/state.h"

static void filter(struct simt_split *split, uint32_t lanes)
{
	uint32_t keep = 0;

	for (uint32_t i = 0; i < split->depth; i++) {
		split->stack[i].mask &= lanes;
		if (split->stack[i].mask)
			split->stack[keep++] = split->stack[i];
	}
	split->depth = keep;
	split->lanes &= lanes;
}

uint32_t simt_split_carve(struct simt_warp *w, uint32_t lanes)
{
	struct simt_warp_state *s = w->state;
	struct simt_split *from = simt_split_of(w), *to;

	CHECK(s->split_count < SIMT_LANES && (from->lanes & ~lanes) && (from->lanes & lanes));
	to = &s->splits[s->split_count++];
	if (to->cap < from->depth) {
		to->cap = from->cap;
		to->stack = realloc(to->stack, to->cap * sizeof(*to->stack));
		CHECK(to->stack);
	}
	memcpy(to->stack, from->stack, from->depth * sizeof(*to->stack));
	to->depth = from->depth;
	to->lanes = from->lanes;
	to->wait = SIMT_WAIT_NONE;
	to->is_let_go = false;
	to->red = NULL;
	filter(to, lanes);
	filter(from, ~lanes);
	return s->split_count - 1;
}

/* Removes split i; its stack's memory goes to the end for reuse. */
static void remove_split(struct simt_warp_state *s, uint32_t i)
{
	struct simt_split gone = s->splits[i];

	memmove(&s->splits[i], &s->splits[i + 1], (s->split_count - i - 1) * sizeof(gone));
	s->splits[--s->split_count] = gone;
	if (s->current > i)
		s->current--;
}

static bool same_stack(const struct simt_split *a, const struct simt_split *b)
{
	if (a->depth != b->depth || a->wait || b->wait)
		return false;
	for (uint32_t i = 0; i < a->depth; i++) {
		const struct simt_entry *x = &a->stack[i], *y = &b->stack[i];

		if (x->pc != y->pc || x->rpc != y->rpc || x->frame.row != y->frame.row ||
		    x->frame.pred != y->frame.pred || x->frame.func != y->frame.func ||
		    x->frame.call != y->frame.call || x->frame.local_at != y->frame.local_at)
			return false;
	}
	return true;
}

void simt_split_merge(struct simt_warp *w)
{
	struct simt_warp_state *s = w->state;

	for (uint32_t i = 0; i < s->split_count; i++)
		for (uint32_t j = i + 1; j < s->split_count;) {
			struct simt_split *a = &s->splits[i], *b = &s->splits[j];

			if (!same_stack(a, b)) {
				j++;
				continue;
			}
			for (uint32_t k = 0; k < a->depth; k++)
				a->stack[k].mask |= b->stack[k].mask;
			a->lanes |= b->lanes;
			if (s->current == j)
				s->current = i;
			remove_split(s, j);
		}
	simt_stack_load(w);
}

static const struct simt_entry *top_entry(const struct simt_split *split)
{
	return &split->stack[split->depth - 1];
}

/* Splits a and b wait at one place: the same instruction in the same frame, or any two bar.warp.sync. */
static bool same_place(const struct simt_launch *l, const struct simt_split *a, const struct simt_split *b)
{
	const struct simt_exec *execs = simt_program_of(l)->execs;
	const struct simt_entry *x = top_entry(a), *y = top_entry(b);

	if (x->pc == y->pc)
		return x->frame.row == y->frame.row;
	return execs[x->pc].ptx->mods.bar == PTX_BAR_WARP_SYNC && execs[y->pc].ptx->mods.bar == PTX_BAR_WARP_SYNC;
}

/* Lanes that wait where split `at` is, its own included. */
static uint32_t gathered(const struct simt_launch *l, const struct simt_warp_state *s, uint32_t at)
{
	uint32_t lanes = top_entry(&s->splits[at])->mask;

	for (uint32_t i = 0; i < s->split_count; i++)
		if (i != at && s->splits[i].wait == SIMT_WAIT_SYNC && same_place(l, &s->splits[at], &s->splits[i]))
			lanes |= top_entry(&s->splits[i])->mask;
	return lanes;
}

static bool can_run(const struct simt_launch *l, const struct simt_warp *w, uint32_t i)
{
	const struct simt_split *split = &w->state->splits[i];

	if (split->wait == SIMT_WAIT_SYNC)
		return split->is_let_go || !(split->need & w->live_mask & ~gathered(l, w->state, i));
	return split->wait == SIMT_WAIT_NONE;
}

static bool is_matrix(const struct simt_launch *l, const struct simt_split *split)
{
	switch (simt_program_of(l)->execs[top_entry(split)->pc].ptx->op) {
	case PTX_OP_MMA:
	case PTX_OP_WMMA:
	case PTX_OP_LDMATRIX:
	case PTX_OP_STMATRIX:
	case PTX_OP_MOVMATRIX:
		return true;
	default:
		return false;
	}
}

/* Lanes of splits that wait at a .sync instruction for nothing but lanes that do so, too. Matrix instructions, which
 * are one for the whole warp, are none of these. */
static uint32_t waiting_for_each_other(const struct simt_launch *l, const struct simt_warp *w)
{
	const struct simt_warp_state *s = w->state;
	uint32_t lanes = 0, before;

	for (uint32_t i = 0; i < s->split_count; i++)
		if (s->splits[i].wait == SIMT_WAIT_SYNC && !is_matrix(l, &s->splits[i]))
			lanes |= top_entry(&s->splits[i])->mask;
	do {
		before = lanes;
		for (uint32_t i = 0; i < s->split_count; i++)
			if (s->splits[i].need & w->live_mask & ~lanes)
				lanes &= ~top_entry(&s->splits[i])->mask;
	} while (lanes != before);
	return lanes;
}

/* Nobody can run. Hardware does not ask where lanes wait for each other (WARPSYNC has a mask and no place): those that
 * wait at different .sync instructions go on, each place by itself. False: there are none. */
static bool let_go(const struct simt_launch *l, struct simt_warp *w)
{
	struct simt_warp_state *s = w->state;
	const uint32_t lanes = waiting_for_each_other(l, w);

	for (uint32_t i = 0; i < s->split_count; i++) {
		struct simt_split *split = &s->splits[i];

		split->is_let_go = split->wait == SIMT_WAIT_SYNC && (top_entry(split)->mask & lanes);
	}
	return lanes != 0;
}

static bool all_at_barrier(const struct simt_warp_state *s)
{
	for (uint32_t i = 0; i < s->split_count; i++)
		if (s->splits[i].wait != SIMT_WAIT_BARRIER || s->splits[i].barrier_id != s->splits[0].barrier_id)
			return false;
	return true;
}

/* The next split in order that can run. False: there is none. */
static bool take_next(const struct simt_launch *l, struct simt_warp *w)
{
	struct simt_warp_state *s = w->state;

	for (uint32_t k = 1; k <= s->split_count; k++) {
		uint32_t i = (s->current + k) % s->split_count;

		if (!can_run(l, w, i))
			continue;
		s->current = i;
		s->splits[i].wait = SIMT_WAIT_NONE;
		s->spin_count = 0;
		simt_stack_load(w);
		return true;
	}
	return false;
}

bool simt_split_schedule(struct simt_launch *l, struct simt_warp *w, struct simt_step *out)
{
	struct simt_warp_state *s = w->state;

	for (uint32_t i = s->split_count; i-- > 0;)
		if (!s->splits[i].lanes)
			remove_split(s, i);
	if (!s->split_count)
		return simt_warp_end(l, w, out);
	if (take_next(l, w) || (let_go(l, w) && take_next(l, w)))
		return true;
	s->current = 0;
	simt_stack_load(w);
	if (all_at_barrier(s))
		return simt_barrier_warp_arrived(l, w, s->splits[0].barrier_id, out);
	simt_fault(
	    l, w, &simt_program_of(l)->execs[w->pc], (uint32_t)__builtin_ctz(w->active_mask), SIMT_FAULT_BARRIER,
	    "deadlock inside a warp: its lanes wait for each other at different places (live lanes 0x%08x, waiting "
	    "here 0x%08x)",
	    w->live_mask, w->active_mask);
	return false;
}

enum simt_next simt_sync_enter(struct simt_launch *l, struct simt_warp *w, uint32_t mask, uint32_t need, uint32_t *all,
			       struct simt_step *out)
{
	struct simt_warp_state *s = w->state;

	*all = mask;
	if (!(need & w->live_mask & ~mask))
		return SIMT_NEXT;
	simt_stack_save(w);
	const uint32_t unguarded = w->active_mask & ~mask;

	if (simt_split_of(w)->lanes & ~mask) {
		uint32_t carved = simt_split_carve(w, mask);

		/* Lanes of this entry whose guard is false go on; the others wait in the carved split. */
		simt_stack_load(w);
		if (unguarded) {
			simt_stack_goto(w, w->pc + 1);
			simt_stack_save(w);
		}
		s->current = carved;
		simt_stack_load(w);
	}
	const uint32_t here = s->current;

	s->splits[here].need = need;
	*all = gathered(l, s, here);
	if (!(need & w->live_mask & ~*all) || s->splits[here].is_let_go)
		return SIMT_NEXT;
	s->splits[here].wait = SIMT_WAIT_SYNC;
	out->exec_mask = 0;
	return simt_split_schedule(l, w, out) ? SIMT_JUMPED : SIMT_FAULTED;
}

enum simt_next simt_sync_leave(struct simt_warp *w, uint32_t mask, uint32_t all)
{
	struct simt_warp_state *s = w->state;
	uint32_t here = s->current;

	s->splits[here].is_let_go = false;
	if (all == mask && s->split_count == 1)
		return SIMT_NEXT;
	for (uint32_t i = 0; i < s->split_count; i++) {
		struct simt_split *split = &s->splits[i];

		if (i != here && (split->wait != SIMT_WAIT_SYNC || (top_entry(split)->mask & ~all)))
			continue;
		split->wait = SIMT_WAIT_NONE;
		split->is_let_go = false;
		s->current = i;
		simt_stack_load(w);
		simt_stack_goto(w, w->pc + 1);
		simt_stack_save(w);
	}
	s->current = here;
	simt_split_merge(w);
	return SIMT_JUMPED;
}

enum simt_next simt_spin_check(struct simt_launch *l, struct simt_warp *w, struct simt_step *out)
{
	struct simt_warp_state *s = w->state;

	s->spin_count += s->polled & SIMT_POLL_STRONG ? SIMT_POLL_STRONG : s->polled;
	s->polled = 0;
	if (s->spin_count < s->spin_budget)
		return SIMT_JUMPED;
	s->spin_count = 0;
	s->spin_budget = SIMT_SPIN_NEXT;
	simt_stack_save(w);
	if (simt_split_of(w)->lanes != w->active_mask) {
		/* The lanes that poll keep the carved split: scheduling goes on behind the current one. */
		s->current = simt_split_carve(w, w->active_mask);
	}
	return simt_split_schedule(l, w, out) ? SIMT_JUMPED : SIMT_FAULTED;
}
