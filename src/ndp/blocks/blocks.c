/* blocks.c - translates candidates to scoreboard ids and conditions. */
#include "ndp/blocks/blocks.h"

#include <glib.h>
#include <stdlib.h>

#include "base/check.h"
#include "simt/walk.h"

static void add_register(GArray *ids, const struct simt_program *p, uint32_t reg)
{
	const struct ptx_reg *r = &p->entry->regs[reg];
	uint32_t first = p->entry_alloc->slot[reg];

	if (r->type == PTX_PRED) {
		uint16_t id = (uint16_t)(p->sb_pred_first + first);

		g_array_append_val(ids, id);
		return;
	}

	uint32_t slots = (ptx_type_bytes(r->type) > 4 ? 2u : 1u) * (r->vec ? r->vec : 1);

	for (uint32_t s = 0; s < slots; s++) {
		uint16_t id = (uint16_t)(first + s);

		g_array_append_val(ids, id);
	}
}

static uint16_t *scoreboard_ids(const struct simt_program *p, const uint32_t *regs, uint32_t count,
				const uint32_t *more, uint32_t more_count, uint32_t *id_count)
{
	GArray *ids = g_array_new(FALSE, FALSE, sizeof(uint16_t));

	for (uint32_t i = 0; i < count; i++)
		add_register(ids, p, regs[i]);
	for (uint32_t i = 0; i < more_count; i++)
		add_register(ids, p, more[i]);
	*id_count = ids->len;
	return (uint16_t *)g_array_free(ids, FALSE);
}

static uint32_t count_predicates(const struct simt_program *p, const uint16_t *sb, uint32_t count)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < count; i++)
		n += sb[i] >= p->sb_pred_first;
	return n;
}

static double alu_ratio(const struct simt_program *p, const struct ndp_candidate *c)
{
	uint32_t memory = 0;

	for (uint32_t pc = c->begin; pc <= c->last; pc++)
		memory += p->insts[pc].unit == SIMT_UNIT_LDST;
	return 1 - (double)memory / (c->last - c->begin + 1);
}

static bool is_warp_wide(const struct simt_program *p, const struct ndp_candidate *c)
{
	for (uint32_t pc = c->begin; pc <= c->last; pc++)
		if (ptx_inst_is_warp_wide(p->insts[pc].ptx))
			return true;
	return false;
}

static struct ndp_block block_of(const struct simt_program *p, const struct ndp_candidate *c)
{
	struct ndp_block b = {
		.block = {.begin_pc = c->begin, .last_pc = c->last, .end_pc = c->end},
		.has_condition = c->condition.exists,
		.is_difference = c->condition.exists && c->condition.less_reg != NDP_NO_REG,
		.is_at_most = c->condition.is_at_most,
		.threshold = c->condition.threshold,
		.tag = c->tag,
	};

	/* What the block loads again from the constant bank is in the guest's registers from its first instruction on,
	 * but it is not in the packet: live_in_count of the candidate, not of the block, sizes it. */
	b.block.live_in_sb = scoreboard_ids(p, c->live_in, c->live_in_count, c->remat, c->remat_count,
					    &b.block.live_in_count);
	b.block.live_out_sb = scoreboard_ids(p, c->live_out, c->live_out_count, NULL, 0, &b.block.live_out_count);
	g_free(scoreboard_ids(p, c->live_in, c->live_in_count, NULL, 0, &b.packet_in_count));
	b.in_predicate_count = count_predicates(p, b.block.live_in_sb, b.packet_in_count);
	b.in_register_count = b.packet_in_count - b.in_predicate_count;
	b.out_predicate_count = count_predicates(p, b.block.live_out_sb, b.block.live_out_count);
	b.out_register_count = b.block.live_out_count - b.out_predicate_count;
	b.constant_count = c->remat_count;
	b.block.register_count = c->live_max;
	b.alu_ratio = alu_ratio(p, c);
	b.is_warp_wide = is_warp_wide(p, c);
	b.is_counted = c->is_counted;
	b.ends_in_access = p->insts[c->last].unit == SIMT_UNIT_LDST && !(p->insts[c->last].flags & SIMT_SHUFFLE);
	if (c->condition.exists) {
		b.condition_sb = (uint16_t)p->entry_alloc->slot[c->condition.reg];
		if (b.is_difference)
			b.less_sb = (uint16_t)p->entry_alloc->slot[c->condition.less_reg];
		b.condition_bytes = ptx_type_bytes(p->entry->regs[c->condition.reg].type) > 4 ? 8 : 4;
	}
	return b;
}

static void block_clear(struct ndp_block *b)
{
	g_free((void *)b->block.live_in_sb);
	g_free((void *)b->block.live_out_sb);
}

static void blocks_free(void *data)
{
	struct ndp_blocks *blocks = data;

	for (uint32_t i = 0; i < blocks->count; i++)
		block_clear(&blocks->items[i]);
	g_free(blocks->items);
	simt_walk_free(blocks->ctas.walk);
	g_free(blocks);
}

static double saving(const struct ndp_candidate *c)
{
	return -(c->bandwidth.tx_words + c->bandwidth.rx_words);
}

static int compare_savings(const void *a, const void *b)
{
	const struct ndp_candidate *x = *(const struct ndp_candidate *const *)a;
	const struct ndp_candidate *y = *(const struct ndp_candidate *const *)b;

	if (saving(x) != saving(y))
		return saving(x) > saving(y) ? -1 : 1;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Of the candidates that an entry can describe, as many as the table has entries: those that save most. is_in is by
 * number in the set. */
static void choose(struct ndp_blocks *blocks, const struct simt_program *p, const struct ndp_candidate_set *set,
		   const struct ndp_block_table *table, bool *is_in)
{
	g_autofree const struct ndp_candidate **order = g_new0(const struct ndp_candidate *, set->count + 1);
	uint32_t count = 0;

	for (uint32_t i = 0; i < set->count; i++) {
		struct ndp_block b = block_of(p, &set->items[i]);

		if (!table || table->describes(table->self, &b))
			order[count++] = &set->items[i];
		block_clear(&b);
	}
	blocks->undescribed_count = set->count - count;
	if (table && count > table->entry_count) {
		qsort(order, count, sizeof(*order), compare_savings);
		blocks->no_entry_count = count - (uint32_t)table->entry_count;
		count = (uint32_t)table->entry_count;
	}
	for (uint32_t i = 0; i < count; i++)
		is_in[order[i] - set->items] = true;
}

struct ndp_blocks *ndp_blocks_of(struct simt_program *p, const struct ndp_cost_params *cost,
				 const struct ndp_block_table *table, bool *is_new)
{
	*is_new = !p->guest_data;
	if (p->guest_data)
		return p->guest_data;

	struct ndp_candidate_set *set = ndp_candidates_find(p->entry_cfg, cost);
	struct ndp_blocks *blocks = g_new0(struct ndp_blocks, 1);
	g_autofree bool *is_in = g_new0(bool, set->count + 1);

	blocks->items = g_new0(struct ndp_block, set->count + 1);
	choose(blocks, p, set, table, is_in);
	for (uint32_t i = 0; i < set->count; i++) {
		if (!is_in[i])
			continue;
		blocks->items[blocks->count] = block_of(p, &set->items[i]);
		blocks->live_max = MAX(blocks->live_max, set->items[i].live_max);
		simt_program_mark(p, blocks->items[blocks->count].block.begin_pc, blocks->count + 1);
		blocks->count++;
	}
	ndp_candidates_free(set);
	CHECK(!p->guest_free);
	p->guest_data = blocks;
	p->guest_free = blocks_free;
	return blocks;
}

void ndp_blocks_hide(struct ndp_blocks *b, struct simt_program *p, bool is_hidden)
{
	if (b->is_hidden == is_hidden)
		return;
	for (uint32_t i = 0; i < b->count; i++)
		simt_program_mark(p, b->items[i].block.begin_pc, is_hidden ? 0 : i + 1);
	b->is_hidden = is_hidden;
}

struct ndp_cta_notes *ndp_blocks_cta_notes(struct ndp_blocks *b, const struct simt_program *p)
{
	if (!b->ctas.walk)
		b->ctas.walk = simt_walk_new(p);
	return &b->ctas;
}

bool ndp_block_is_whole(const struct ndp_block *b, const struct simt_warp *w)
{
	return !b->is_warp_wide || w->active_mask == w->live_mask;
}

bool ndp_block_condition_holds(const struct ndp_block *b, const struct simt_warp *w)
{
	if (!b->has_condition)
		return true;
	for (uint32_t lanes = w->active_mask; lanes; lanes &= lanes - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(lanes);
		uint64_t raw = simt_warp_slot_value(w, b->condition_sb, b->condition_bytes, lane);

		if (b->is_difference)
			raw -= simt_warp_slot_value(w, b->less_sb, b->condition_bytes, lane);

		int64_t value = b->condition_bytes == 4 ? (int32_t)raw : (int64_t)raw;

		if (b->is_at_most ? value > b->threshold : value < b->threshold)
			return false;
	}
	return true;
}
