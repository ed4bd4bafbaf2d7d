/* demand.c - how many registers a thread needs at each instruction.
 *
 * An allocator that may split live ranges, moving a value where two ranges meet, needs as many registers as are
 * live at once and no more: the ranges of a program in SSA form make a chordal graph (Hack, Grund and Goos, 2006).
 * What holds a constant of the launch is in the constant bank, whence arithmetic reads one operand; it takes a
 * register only where an instruction reads it otherwise.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "ptx/analysis.h"

uint32_t ptx_reg_slots(const struct ptx_reg *r)
{
	return (ptx_type_bytes(r->type) > 4 ? 2u : 1u) * (r->vec ? r->vec : 1u);
}

/* ---- constants ---- */

static bool is_constant_source(const struct ptx_inst *i, const uint64_t *constants)
{
	const struct ptx_operand *s = &i->src[0];

	if (i->has_guard)
		return false;
	switch (i->op) {
	case PTX_OP_LD:
		return i->mods.space == PTX_PARAM_ENTRY && s->reg == UINT32_MAX;
	case PTX_OP_MOV:
		return s->kind == PTX_OPND_IMM || s->kind == PTX_OPND_VAR;
	case PTX_OP_CVTA:
		return s->kind == PTX_OPND_VAR || (s->kind == PTX_OPND_REG && ptx_bit(constants, s->reg));
	default:
		return false;
	}
}

uint64_t *ptx_constants_find(const struct ptx_func *f)
{
	uint64_t *set = ptx_zeroed(f->reg_count / 64 + 1, sizeof(uint64_t));
	uint32_t *writes = ptx_zeroed(f->reg_count, sizeof(uint32_t));
	struct ptx_reg_use use;
	bool changed = true;

	for (uint32_t n = 0; n < f->inst_count; n++) {
		ptx_inst_regs(&f->insts[n], &use);
		for (uint32_t k = 0; k < use.write_count; k++)
			writes[use.writes[k]]++;
	}
	while (changed) {
		changed = false;
		for (uint32_t n = 0; n < f->inst_count; n++) {
			const struct ptx_inst *i = &f->insts[n];

			if (!is_constant_source(i, set))
				continue;
			ptx_inst_regs(i, &use);
			for (uint32_t k = 0; k < use.write_count; k++) {
				if (writes[use.writes[k]] != 1 || ptx_bit(set, use.writes[k]))
					continue;
				ptx_bit_set(set, use.writes[k]);
				changed = true;
			}
		}
	}
	free(writes);
	return set;
}

/* ---- walking a block backwards ---- */

/* Where each register is first written in the block being walked: before that it has a value only if it came in live.
 */
struct first_write {
	uint32_t *block, *inst;
};

struct walk {
	const struct ptx_cfg *cfg;
	const struct ptx_call_need *need;
	uint32_t *slots; /* [reg_count]: what a register counts for; 0: predicates, and constants where they do not */
	const uint64_t *constants; /* NULL: they count like the others */
	uint64_t *live;
	struct first_write first;
	uint32_t now, max;
};

static void find_first_writes(struct walk *w, uint32_t b)
{
	struct ptx_reg_use use;

	for (uint32_t n = w->cfg->blocks[b].last + 1; n-- > w->cfg->blocks[b].first;) {
		ptx_inst_regs(&w->cfg->func->insts[n], &use);
		for (uint32_t k = 0; k < use.write_count; k++) {
			w->first.block[use.writes[k]] = b;
			w->first.inst[use.writes[k]] = n;
		}
	}
}

static void set_live(struct walk *w, uint32_t reg, bool live)
{
	if (ptx_bit(w->live, reg) == live)
		return;
	if (live) {
		ptx_bit_set(w->live, reg);
		w->now += w->slots[reg];
	} else {
		ptx_bit_clear(w->live, reg);
		w->now -= w->slots[reg];
	}
}

/* Registers for the constants that i reads: all of them, but for one operand of arithmetic. */
static uint32_t constants_read(const struct walk *w, const struct ptx_inst *i, const struct ptx_reg_use *use)
{
	const bool is_memory = ptx_inst_is_load(i) || ptx_inst_is_store(i) || i->op == PTX_OP_ATOM ||
			       i->op == PTX_OP_RED || i->op == PTX_OP_CALL;
	uint32_t sum = 0, most = 0;

	for (uint32_t k = 0; w->constants && k < use->read_count; k++) {
		const uint32_t r = use->reads[k];

		if (!ptx_bit(w->constants, r))
			continue;
		const uint32_t slots = ptx_reg_slots(&w->cfg->func->regs[r]);

		sum += slots;
		most = slots > most ? slots : most;
	}
	return is_memory ? sum : sum - most;
}

/* Slots behind i, its dead results included; a call needs its own beside what is live across it. */
static uint32_t demand_after(const struct walk *w, const struct ptx_inst *i, const struct ptx_reg_use *use)
{
	uint32_t dead = 0, written = 0;

	for (uint32_t k = 0; k < use->write_count; k++)
		*(ptx_bit(w->live, use->writes[k]) ? &written : &dead) += w->slots[use->writes[k]];
	if (i->op != PTX_OP_CALL || !w->need)
		return w->now + dead;

	const uint32_t callee = w->need->slots(w->need->ctx, i);

	return w->now - written + (callee > written + dead ? callee : written + dead);
}

/* Steps over instruction n, backwards; returns the slots needed there. */
static uint32_t step(struct walk *w, uint32_t b, uint32_t n)
{
	const struct ptx_inst *i = &w->cfg->func->insts[n];
	const uint64_t *live_in = w->cfg->live_in + (size_t)b * w->cfg->live_words;
	struct ptx_reg_use use;

	ptx_inst_regs(i, &use);

	const uint32_t after = demand_after(w, i, &use);

	for (uint32_t k = 0; k < use.write_count; k++) {
		uint32_t r = use.writes[k];

		if (ptx_write_is_total(w->cfg->func, i, r) || (w->first.inst[r] == n && !ptx_bit(live_in, r)))
			set_live(w, r, false);
	}
	for (uint32_t k = 0; k < use.read_count; k++) {
		uint32_t r = use.reads[k];

		if (ptx_bit(live_in, r) || (w->first.block[r] == b && w->first.inst[r] < n))
			set_live(w, r, true);
	}

	const uint32_t before = w->now + constants_read(w, i, &use);

	return after > before ? after : before;
}

static void walk_block(struct walk *w, uint32_t b, uint32_t *at)
{
	const struct ptx_cfg *c = w->cfg;

	memcpy(w->live, c->live_out + (size_t)b * c->live_words, c->live_words * sizeof(uint64_t));
	w->now = 0;
	for (uint32_t k = 0; k < c->live_words; k++)
		for (uint64_t bits = w->live[k]; bits; bits &= bits - 1)
			w->now += w->slots[k * 64 + (uint32_t)__builtin_ctzll(bits)];
	find_first_writes(w, b);
	for (uint32_t n = c->blocks[b].last + 1; n-- > c->blocks[b].first;) {
		const uint32_t slots = step(w, b, n);

		w->max = slots > w->max ? slots : w->max;
		if (at)
			at[n] = slots;
	}
}

/* at: [inst_count] or NULL. */
static uint32_t walk_all(const struct ptx_cfg *c, const struct ptx_call_need *need, const uint64_t *constants,
			 uint32_t *at)
{
	const struct ptx_func *f = c->func;
	struct walk w = {.cfg = c, .need = need, .constants = constants};

	w.slots = ptx_zeroed(f->reg_count, sizeof(uint32_t));
	w.live = ptx_zeroed(c->live_words, sizeof(uint64_t));
	w.first = (struct first_write){ptx_zeroed(f->reg_count, sizeof(uint32_t)),
				       ptx_zeroed(f->reg_count, sizeof(uint32_t))};
	memset(w.first.block, 0xff, f->reg_count * sizeof(uint32_t));
	for (uint32_t r = 0; r < f->reg_count; r++)
		if (f->regs[r].type != PTX_PRED && !(constants && ptx_bit(constants, r)))
			w.slots[r] = ptx_reg_slots(&f->regs[r]);
	for (uint32_t b = 0; b < c->block_count; b++)
		walk_block(&w, b, at);
	free(w.slots);
	free(w.live);
	free(w.first.block);
	free(w.first.inst);
	return w.max;
}

uint32_t ptx_live_max(const struct ptx_cfg *c)
{
	return walk_all(c, NULL, NULL, NULL);
}

uint32_t ptx_demand(const struct ptx_cfg *c, const struct ptx_call_need *need, const uint64_t *constants, uint32_t *at)
{
	return walk_all(c, need, constants, at);
}

uint32_t ptx_demand_max(const struct ptx_cfg *c, const struct ptx_call_need *need)
{
	uint64_t *constants = ptx_constants_find(c->func);
	const uint32_t max = walk_all(c, need, constants, NULL);

	free(constants);
	return max;
}
