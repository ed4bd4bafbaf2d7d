/* stack.c - the SIMT stack: entries of lanes that run together, meeting again at reconvergence points.
 *
 * Invariants. The top entry runs; its pc, lanes, reconvergence pc and frame are cached in the warp (stack_save writes
 * the pc back). An entry waits at its pc for the entries above it that carry this pc as rpc. Masks shrink only by exit,
 * ret and split; an entry with no lanes does not exist. Entries of a deeper call lie above those of their caller.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "simt/state.h"

static struct simt_entry *top_of(struct simt_warp *w)
{
	struct simt_split *split = simt_split_of(w);

	CHECK(split->depth);
	return &split->stack[split->depth - 1];
}

static void cache_top(struct simt_warp *w)
{
	struct simt_warp_state *s = w->state;
	const struct simt_entry *e = top_of(w);

	w->pc = e->pc;
	w->active_mask = e->mask;
	w->stack_depth = (uint16_t)simt_split_of(w)->depth;
	s->rpc = e->rpc;
	s->frame = e->frame;
	s->base[SIMT_BASE_FRAME] = s->rows + (uint64_t)e->frame.row * SIMT_ROW_BYTES;
	s->pred = s->preds + e->frame.pred;
}

void simt_stack_save(struct simt_warp *w)
{
	top_of(w)->pc = w->pc;
}

void simt_stack_load(struct simt_warp *w)
{
	struct simt_split *split = simt_split_of(w);

	while (split->depth > 1 && top_of(w)->pc == top_of(w)->rpc)
		split->depth--;
	cache_top(w);
}

void simt_stack_goto(struct simt_warp *w, uint32_t pc)
{
	w->pc = pc;
	if (pc != w->state->rpc)
		return;
	simt_stack_save(w);
	simt_stack_load(w);
}

static void make_room(struct simt_split *split)
{
	split->cap = split->cap ? split->cap * 2 : 16;
	split->stack = realloc(split->stack, split->cap * sizeof(*split->stack));
	CHECK(split->stack);
}

void simt_stack_push(struct simt_warp *w, const struct simt_entry *e)
{
	struct simt_split *split = simt_split_of(w);

	if (split->depth == split->cap)
		make_room(split);
	split->stack[split->depth++] = *e;
}

void simt_stack_diverge(struct simt_warp *w, const uint32_t *pcs, const uint32_t *masks, uint32_t count, uint32_t rpc)
{
	struct simt_warp_state *s = w->state;
	struct simt_split *split = simt_split_of(w);
	struct simt_entry *top = top_of(w);
	uint32_t child_rpc = rpc, pushed = 0;

	/* Lanes that part inside a loop they entered parted already meet where the outer entry waits: no new entry, so
	 * the stack does not grow with the trip count. */
	if (rpc == SIMT_NO_PC || rpc == top->rpc) {
		child_rpc = top->rpc;
		split->depth--;
	} else {
		top->pc = rpc;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct simt_entry *child;

		if (!masks[i] || pcs[i] == child_rpc)
			continue;
		if (split->depth == split->cap)
			make_room(split);
		child = &split->stack[split->depth++];
		child->pc = pcs[i];
		child->rpc = child_rpc;
		child->mask = masks[i];
		child->frame = s->frame;
		pushed = i + 1;
	}
	if (!pushed) {
		simt_stack_load(w);
		return;
	}
	/* The top runs now, in the same frame. */
	w->pc = pcs[pushed - 1];
	w->active_mask = masks[pushed - 1];
	w->stack_depth = (uint16_t)split->depth;
	s->rpc = child_rpc;
}

void simt_stack_drop(struct simt_warp *w, uint32_t lanes, uint32_t depth)
{
	struct simt_split *split = simt_split_of(w);
	uint32_t first = split->depth, keep;

	while (first && split->stack[first - 1].frame.depth >= depth)
		first--;
	keep = first;
	for (uint32_t i = first; i < split->depth; i++) {
		split->stack[i].mask &= ~lanes;
		if (split->stack[i].mask)
			split->stack[keep++] = split->stack[i];
	}
	split->depth = keep;
}

void simt_frame_open(const struct simt_launch *l, struct simt_warp *w, const struct simt_frame *f)
{
	struct simt_warp_state *s = w->state;
	const struct simt_program_func *func = &simt_program_of(l)->funcs[f->func];
	uint32_t rows = f->row + func->row_count, preds = f->pred + func->alloc->pred_count;

	/* Room for twice the need: only recursion comes here again. */
	if (rows > s->row_cap) {
		uint8_t *bigger = aligned_alloc(64, (size_t)rows * 2 * SIMT_ROW_BYTES);

		CHECK(bigger);
		memset(bigger, 0, (size_t)rows * 2 * SIMT_ROW_BYTES);
		if (s->row_cap)
			memcpy(bigger, s->rows, (size_t)s->row_cap * SIMT_ROW_BYTES);
		free(s->rows);
		s->rows = bigger;
		s->row_cap = rows * 2;
	}
	if (preds > s->pred_cap) {
		s->preds = realloc(s->preds, (size_t)preds * 2 * sizeof(*s->preds));
		CHECK(s->preds);
		memset(s->preds + s->pred_cap, 0, ((size_t)preds * 2 - s->pred_cap) * sizeof(*s->preds));
		s->pred_cap = preds * 2;
	}
}

void simt_stack_begin(const struct simt_launch *l, struct simt_warp *w, uint32_t lanes)
{
	struct simt_warp_state *s = w->state;
	struct simt_split *split = &s->splits[0];
	const struct simt_frame frame = {.local_at = (uint32_t)simt_program_of(l)->local_entry};

	s->split_count = 1;
	s->current = 0;
	split->lanes = lanes;
	split->wait = SIMT_WAIT_NONE;
	split->is_let_go = false;
	s->carry = 0;
	s->polled = 0;
	s->ahead = 0;
	s->bulk_lanes = 0;
	s->spin_count = 0;
	s->spin_budget = SIMT_SPIN_FIRST;
	if (unlikely(!s->row_cap))
		simt_frame_open(l, w, &frame);
	if (unlikely(!split->cap))
		make_room(split);
	split->depth = 1;
	split->stack[0] = (struct simt_entry){.pc = 0, .rpc = SIMT_NO_PC, .mask = lanes, .frame = frame};
	cache_top(w);
	w->live_mask = lanes;
	w->is_done = !lanes;
	w->at_barrier = false;
	w->instruction_count = 0;
}
