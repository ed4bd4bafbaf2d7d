/* context.c - what a warp is made of, when its CTA moves to another SM. */
#include "base/hash.h"
#include "simt/state.h"

enum { REGISTER_BYTES = 4, PREDICATE_BYTES = 4, ENTRY_BYTES = 12 };

bool simt_warp_is_diverged(const struct simt_warp *w)
{
	return w->stack_depth > 1 || w->state->split_count > 1;
}

static uint32_t warp_bytes(const struct simt_launch *l, const struct simt_warp *w)
{
	const struct simt_warp_state *s = w->state;
	uint32_t lanes = (uint32_t)__builtin_popcount(w->live_mask), entries = 0;

	for (uint32_t i = 0; i < s->split_count; i++)
		entries += s->splits[i].depth;
	return l->program->slot_count * REGISTER_BYTES * lanes + l->program->pred_count * PREDICATE_BYTES +
	       entries * ENTRY_BYTES;
}

static uint64_t hash_word(uint64_t h, uint32_t v)
{
	return base_hash_add(h, &v, sizeof(v));
}

static uint64_t hash_warp(uint64_t h, const struct simt_launch *l, const struct simt_warp *w)
{
	const struct simt_warp_state *s = w->state;
	uint32_t rows = 0, preds = 0;

	h = hash_word(hash_word(hash_word(h, w->pc), w->active_mask), w->live_mask);
	h = hash_word(h, s->carry);
	for (uint32_t i = 0; i < s->split_count; i++) {
		for (uint32_t k = 0; k < s->splits[i].depth; k++) {
			const struct simt_entry *e = &s->splits[i].stack[k];
			const struct simt_program_func *f = &simt_program_of(l)->funcs[e->frame.func];
			bool is_top = i == s->current && k + 1 == s->splits[i].depth;

			/* The running entry's PC is in the warp. */
			h = hash_word(hash_word(hash_word(h, is_top ? w->pc : e->pc), e->rpc), e->mask);
			if (e->frame.row + f->row_count > rows)
				rows = e->frame.row + f->row_count;
			if (e->frame.pred + f->alloc->pred_count > preds)
				preds = e->frame.pred + f->alloc->pred_count;
		}
	}
	h = base_hash_add(h, s->rows, (size_t)rows * SIMT_ROW_BYTES);
	return base_hash_add(h, s->preds, preds * sizeof(*s->preds));
}

uint64_t simt_cta_context_bytes(const struct simt_launch *l, const struct simt_cta *c)
{
	uint64_t bytes = c->shared_bytes;

	for (uint32_t i = 0; i < c->warp_count; i++)
		bytes += c->warps[i].is_done ? 0 : warp_bytes(l, &c->warps[i]);
	return bytes;
}

uint64_t simt_cta_digest(const struct simt_launch *l, const struct simt_cta *c)
{
	uint64_t h = base_hash_add(BASE_HASH_BEGIN, c->shared, c->shared_bytes);

	for (uint32_t i = 0; i < c->warp_count; i++)
		h = c->warps[i].is_done ? h : hash_warp(h, l, &c->warps[i]);
	return h;
}

void simt_cta_move(struct simt_launch *l, struct simt_cta *c, uint32_t smid)
{
	c->smid = smid;
	for (uint32_t i = 0; i < c->warp_count; i++) {
		c->warps[i].smid = smid;
		simt_special_fill(l, &c->warps[i]);
	}
}
