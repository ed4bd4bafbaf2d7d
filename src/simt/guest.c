/* guest.c - a warp context elsewhere that runs a block of a home warp's instructions. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "simt/state.h"

/* What a register that did not travel holds: different per register and lane, never a plausible small number. */
static uint32_t poison(uint32_t slot, uint32_t lane)
{
	return 0xbadc0de5u ^ (slot * 0x01000193u) ^ (lane << 11);
}

uint64_t simt_warp_slot_value(const struct simt_warp *w, uint16_t sb, uint32_t bytes, uint32_t lane)
{
	const struct simt_ref r = {sb * (uint32_t)SIMT_ROW_BYTES, SIMT_BASE_FRAME, (uint8_t)bytes};
	const void *row = simt_row(w->state, r);

	return bytes == 8 ? ((const uint64_t *)row)[lane] : ((const uint32_t *)row)[lane];
}

static struct simt_warp *take_guest(struct simt_launch *l)
{
	struct simt_launch_state *st = l->state;
	struct simt_warp *g = st->free_guests;

	if (g) {
		st->free_guests = g->state->next_free;
		return g;
	}
	g = calloc(1, sizeof(*g));
	CHECK(g);
	g->state = simt_warp_state_new(l);
	g->state->is_guest = true;
	g->state->next = st->all_guests;
	st->all_guests = g;
	return g;
}

/* Copies registers and predicates named by scoreboard ids, lanes of mask, between the current frames of two warps. */
static void copy_registers(const struct simt_launch *l, struct simt_warp *to, const struct simt_warp *from,
			   const uint16_t *sb, uint32_t count, uint32_t mask)
{
	const uint32_t pred_first = l->program->sb_pred_first;
	const struct simt_program_func *f = &simt_program_of(l)->funcs[to->state->frame.func];

	for (uint32_t i = 0; i < count; i++) {
		if (sb[i] >= pred_first) {
			simt_pred_set(to->state, sb[i] - pred_first, mask, from->state->pred[sb[i] - pred_first]);
			continue;
		}
		bool is_wide = sb[i] < f->alloc->wide_slot_count;
		const struct simt_ref r = {sb[i] * (uint32_t)SIMT_ROW_BYTES, SIMT_BASE_FRAME, is_wide ? 8 : 4};

		if (!is_wide)
			simt_row_copy32(simt_row_mut(to->state, r), simt_row(from->state, r), mask);
		else if (sb[i] % 2 == 0) /* named by both its slots */
			simt_row_copy64(simt_row_mut(to->state, r), simt_row(from->state, r), mask);
	}
}

static void poison_frame(const struct simt_launch *l, struct simt_warp *g)
{
	const struct simt_program_func *f = &simt_program_of(l)->funcs[g->state->frame.func];
	uint32_t *rows = (uint32_t *)(uintptr_t)g->state->base[SIMT_BASE_FRAME];

	for (uint32_t slot = 0; slot < f->row_count; slot++)
		for (uint32_t lane = 0; lane < SIMT_LANES; lane++)
			rows[slot * SIMT_LANES + lane] = poison(slot, lane);
	for (uint32_t p = 0; p < f->alloc->pred_count; p++)
		g->state->pred[p] = poison(p, 0);
}

struct simt_warp *simt_guest_begin(struct simt_launch *l, const struct simt_warp *home, uint32_t begin_pc,
				   uint32_t mask, const uint16_t *live_in_sb, uint32_t live_in_count, uint32_t smid)
{
	struct simt_warp *g = take_guest(l);
	struct simt_warp_state *s = g->state;
	const struct simt_warp_state *hs = home->state;

	CHECK(mask && !(mask & ~home->live_mask));
	g->cta = home->cta;
	g->index_in_cta = home->index_in_cta;
	g->smid = smid;
	simt_stack_begin(l, g, mask);
	s->local = hs->local;
	s->below = hs->below;
	s->carry = hs->carry;

	struct simt_entry *e = &s->splits[0].stack[0];

	/* The same function at the same place in local memory, in rows of its own. */
	e->pc = begin_pc;
	e->frame.func = hs->frame.func;
	e->frame.local_at = hs->frame.local_at;
	simt_frame_open(l, g, &e->frame);
	simt_stack_load(g);
	simt_special_fill(l, g);
	poison_frame(l, g);
	copy_registers(l, g, home, live_in_sb, live_in_count, mask);
	return g;
}

bool simt_guest_reached(const struct simt_warp *guest, uint32_t end_pc)
{
	return guest->is_done || (guest->stack_depth == 1 && guest->state->split_count == 1 && guest->pc == end_pc);
}

void simt_trial_begin(struct simt_warp *w)
{
	struct simt_warp_state *s = w->state;
	const struct simt_split *split = simt_split_of(w);

	simt_stack_save(w);
	s->trial = split->stack[split->depth - 1];
	s->trial_depth = split->depth;
}

void simt_trial_undo(struct simt_warp *w)
{
	const struct simt_warp_state *s = w->state;
	struct simt_split *split = simt_split_of(w);

	/* Entries below the remembered one wait for lanes that have not left the block: they are as they were. The
	 * remembered entry itself may have given way to entries of its lanes. */
	CHECK(split->depth >= s->trial_depth);
	split->depth = s->trial_depth - 1;
	simt_stack_push(w, &s->trial);
	simt_stack_load(w);
}

void simt_guest_drop(struct simt_launch *l, struct simt_warp *guest)
{
	guest->state->next_free = l->state->free_guests;
	l->state->free_guests = guest;
}

void simt_guest_end(struct simt_launch *l, struct simt_warp *home, struct simt_warp *guest, uint32_t end_pc,
		    const uint16_t *live_out_sb, uint32_t live_out_count)
{
	CHECK(simt_guest_reached(guest, end_pc) && !guest->is_done);
	copy_registers(l, home, guest, live_out_sb, live_out_count, guest->live_mask);
	simt_stack_goto(home, end_pc);
	simt_guest_drop(l, guest);
}
