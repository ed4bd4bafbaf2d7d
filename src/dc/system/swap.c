/* swap.c - rows of scratch that an array has no room for: what lies there leaves through the slice's transpose units,
 * stays in their 256 rows each, and comes back when the operation is done.
 *
 * Control blocks of a slice wait for room in turn. Where a word's rows of all banks are more than the units hold, its
 * operations are done several times, each time in as many banks as there is room for. */
#include <stdio.h>

#include "dc/system/priv.h"

static uint32_t most_of(const struct dc_word *w)
{
	uint32_t most = 0;

	for (uint32_t a = 0; a < DC_ARRAYS; a++)
		most = MAX(most, w->slot[a].swap_rows);
	return most;
}

uint32_t dc_swap_rows(const struct dc_system *s, const struct dc_word *w)
{
	uint32_t rows = 0;

	for (uint32_t a = 0; a < DC_ARRAYS; a++)
		rows += w->slot[a].swap_rows;
	return s->p->operations_are_free ? 0 : rows;
}

static uint32_t room(const struct dc_system *s)
{
	return (uint32_t)s->p->tmu_count * DC_TMU_ROWS;
}

/* Banks whose rows the units hold; 0: of one bank some arrays' only. */
static uint32_t banks_at_once(const struct dc_cb *cb, const struct dc_word *w)
{
	return MIN(cb->banks, room(cb->system) / dc_swap_rows(cb->system, w));
}

uint32_t dc_swap_passes(const struct dc_cb *cb, const struct dc_word *w)
{
	const uint32_t rows = dc_swap_rows(cb->system, w), banks = rows ? banks_at_once(cb, w) : cb->banks;

	if (banks)
		return (cb->banks + banks - 1) / banks;
	/* An array after the other, in the worst case. */
	return cb->banks * DC_ARRAYS;
}

static bool take_room(struct dc_cb *cb, const struct dc_word *w)
{
	struct dc_slice *own = &cb->system->slices[cb->slice];
	const uint32_t banks = banks_at_once(cb, w),
		       rows = banks ? banks * dc_swap_rows(cb->system, w) : most_of(w);

	if (own->parked_rows + rows > room(cb->system))
		return false;
	own->parked_rows += rows;
	cb->parked_rows = rows;
	return true;
}

static void leave(struct dc_cb *cb, const struct dc_word *w, uint64_t at)
{
	struct dc_system *s = cb->system;
	const uint64_t before = cb->cycle;

	cb->swap = DC_SWAP_OUT;
	cb->cycle = dc_transpose(s, s->slices[cb->slice].out_free, at, dc_swap_rows(s, w), cb->banks);
	s->stats.swap_rows += (uint64_t)dc_swap_rows(s, w) * cb->banks;
	s->stats.swap_cycles += cb->cycle - before;
}

bool dc_swap_begin(struct dc_cb *cb, const struct dc_word *w)
{
	struct dc_slice *own = &cb->system->slices[cb->slice];

	if (!own->swap_waits.first && take_room(cb, w)) {
		leave(cb, w, cb->cycle);
		return true;
	}
	cb->state = DC_CB_SWAP;
	base_fifo_push(&own->swap_waits, cb, next);
	return false;
}

static const struct dc_word *next_word(const struct dc_cb *cb)
{
	return &dc_program_kernel(cb->system->program)->words[dc_block_word(cb->block)];
}

void dc_swap_end(struct dc_cb *cb, const struct dc_word *w)
{
	struct dc_system *s = cb->system;
	struct dc_slice *own = &s->slices[cb->slice];
	const uint64_t begin = cb->cycle;

	cb->swap = DC_SWAP_NONE;
	cb->cycle = dc_transpose(s, own->in_free, begin, dc_swap_rows(s, w), cb->banks);
	s->stats.swap_cycles += cb->cycle - begin;
	own->parked_rows -= cb->parked_rows;
	while (own->swap_waits.first) {
		struct dc_cb *next = own->swap_waits.first;

		if (!take_room(next, next_word(next)))
			return;
		base_fifo_pop(&own->swap_waits, next);
		next->state = DC_CB_RUN;
		leave(next, next_word(next), dc_max(next->cycle, begin)); /* row by row, as there is room */
		sim_wake_cycle(s->ctx->engine, next->comp, dc_max(next->cycle, dc_now(s)));
	}
}

uint64_t dc_swap_again(struct dc_cb *cb, uint32_t rows)
{
	struct dc_system *s = cb->system;
	struct dc_slice *own = &s->slices[cb->slice];
	const uint64_t out = dc_transpose(s, own->out_free, cb->cycle, rows, cb->banks);
	const uint64_t end = dc_transpose(s, own->in_free, out, rows, cb->banks);

	s->stats.swap_rows += (uint64_t)rows * cb->banks;
	s->stats.swap_cycles += end - cb->cycle;
	return end;
}

bool dc_swap_fits(const struct dc_system *s, struct simt_launch *l)
{
	const struct dc_kernel *k = dc_program_kernel(s->program);
	uint32_t most = 0;

	for (uint32_t n = 0; n < k->word_count && !s->p->operations_are_free; n++)
		most = MAX(most, most_of(&k->words[n]));
	if (most <= room(s))
		return true;
	l->fault.kind = SIMT_FAULT_STACK;
	snprintf(l->fault.text, sizeof(l->fault.text),
		 "kernel %s: an operation has %u rows to swap, and the transpose units of a slice hold %u: set "
		 "duality.tmu_count",
		 l->program->name, most, room(s));
	return false;
}
