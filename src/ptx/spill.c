/* spill.c - chooses registers to keep in local memory, and rewrites the function.
 *
 * Spill everywhere, in rounds: while some instruction needs more registers than there are, the register goes that is
 * live there unused, over most such instructions per access (loops count ten times a level). Each access then has a
 * temporary register of its own; inside a basic block one is kept for the next access where there is room.
 */
#include "ptx/spill.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "ptx/analysis.h"
#include "ptx/arena.h"

enum {
	ROUNDS_MAX = 8,	   /* temporaries of one round are what is left for the next */
	KEEP_DISTANCE = 64, /* instructions over which a temporary is kept, at most */
	DEPTH_MAX = 4,	   /* of loops, for the costs */
};
#define NOWHERE UINT32_MAX

struct ptx_spill {
	struct ptx_arena arena;
	struct ptx_func func;
	struct ptx_var area; /* the values' place in the frame */
	uint32_t first_temporary; /* registers of the function as it was */
};

/* A temporary that holds a spilled register since instruction `at` of the block being rewritten. */
struct held {
	uint32_t temporary, at;
};

/* One round. */
struct round {
	struct ptx_spill *spill;
	struct ptx_cfg *cfg;
	uint32_t slots_max;
	uint32_t *at;		/* [inst_count]: registers needed, as spills are chosen */
	uint64_t *live;		/* [inst_count][live_words]: before the instruction */
	bool *is_fixed;		/* [reg_count] */
	double *cost;		/* [reg_count]: accesses, weighted */
	uint32_t *over_count;	/* [reg_count]: instructions that need too many, across which it is live unused */
	uint32_t *offset_bytes; /* [reg_count]: in the area, or NOWHERE */
	struct held *held;	/* [reg_count] */
	uint32_t over_left;	/* instructions that need too many */
	uint32_t chosen_count;
	struct ptx_inst *insts; /* rewritten */
	uint32_t inst_count, inst_cap, reg_cap;
	uint32_t *index_of; /* [inst_count + 1]: where an instruction's loads begin now */
};

static uint32_t slot_bytes(const struct ptx_func *f, uint32_t reg)
{
	return ptx_type_bytes(f->regs[reg].type) > 4 ? 8 : 4;
}

static const uint64_t *live_before(const struct round *r, uint32_t n)
{
	return r->live + (size_t)n * r->cfg->live_words;
}

static bool is_over(const struct round *r, uint32_t n)
{
	return r->at[n] > r->slots_max;
}

/* ---- what may be spilled, and what it costs ---- */

static void find_fixed(struct round *r, const uint64_t *constants)
{
	const struct ptx_func *f = &r->spill->func;

	for (uint32_t k = 0; k < f->reg_count; k++)
		r->is_fixed[k] = k >= r->spill->first_temporary || f->regs[k].type == PTX_PRED ||
				 f->regs[k].vec > 1 || ptx_bit(constants, k);
	for (uint32_t k = 0; k < f->param_count; k++)
		if (f->params[k].space == PTX_REG)
			r->is_fixed[f->params[k].index] = true;
	for (uint32_t k = 0; k < f->ret_count; k++)
		if (f->rets[k].space == PTX_REG)
			r->is_fixed[f->rets[k].index] = true;
}

static double weight_of(const struct ptx_cfg *c, uint32_t n)
{
	double weight = 1;
	uint32_t depth = 0;

	for (uint32_t l = c->blocks[c->block_of[n]].loop; l != UINT32_MAX && depth < DEPTH_MAX; depth++) {
		weight *= 10;
		l = c->loops[l].parent;
	}
	return weight;
}

static bool has_reg(const uint32_t *list, uint32_t count, uint32_t reg)
{
	for (uint32_t k = 0; k < count; k++)
		if (list[k] == reg)
			return true;
	return false;
}

static bool is_accessed(const struct ptx_reg_use *use, uint32_t reg)
{
	return has_reg(use->reads, use->read_count, reg) || has_reg(use->writes, use->write_count, reg);
}

/* Adds step to over_count of each register that is live across instruction n unused. */
static void count_across(struct round *r, uint32_t n, int32_t step)
{
	const uint64_t *live = live_before(r, n);
	struct ptx_reg_use use;

	ptx_inst_regs(&r->spill->func.insts[n], &use);
	for (uint32_t w = 0; w < r->cfg->live_words; w++)
		for (uint64_t bits = live[w]; bits; bits &= bits - 1) {
			const uint32_t reg = w * 64 + (uint32_t)__builtin_ctzll(bits);

			if (!is_accessed(&use, reg))
				r->over_count[reg] += (uint32_t)step;
		}
}

static void measure(struct round *r)
{
	const struct ptx_func *f = &r->spill->func;
	struct ptx_reg_use use;

	for (uint32_t b = 0; b < r->cfg->block_count; b++)
		ptx_live_block(r->cfg, b, r->live + (size_t)r->cfg->blocks[b].first * r->cfg->live_words);
	for (uint32_t n = 0; n < f->inst_count; n++) {
		const double weight = weight_of(r->cfg, n);

		ptx_inst_regs(&f->insts[n], &use);
		for (uint32_t k = 0; k < use.read_count; k++)
			r->cost[use.reads[k]] += weight;
		for (uint32_t k = 0; k < use.write_count; k++)
			r->cost[use.writes[k]] += weight;
		if (!is_over(r, n))
			continue;
		r->over_left++;
		count_across(r, n, 1);
	}
}

/* ---- choosing ---- */

static uint32_t best_register(const struct round *r)
{
	const struct ptx_func *f = &r->spill->func;
	uint32_t best = NOWHERE;
	double best_gain = 0;

	for (uint32_t k = 0; k < f->reg_count; k++) {
		if (r->is_fixed[k] || !r->over_count[k] || r->offset_bytes[k] != NOWHERE)
			continue;

		const double gain = (double)r->over_count[k] * ptx_reg_slots(&f->regs[k]) / r->cost[k];

		if (gain > best_gain) {
			best_gain = gain;
			best = k;
		}
	}
	return best;
}

static void take(struct round *r, uint32_t reg)
{
	const struct ptx_func *f = &r->spill->func;
	const uint32_t slots = ptx_reg_slots(&f->regs[reg]), bytes = slot_bytes(f, reg);
	struct ptx_var *area = &r->spill->area;
	struct ptx_reg_use use;

	area->size_bytes = (area->size_bytes + bytes - 1) & ~(uint64_t)(bytes - 1);
	r->offset_bytes[reg] = (uint32_t)area->size_bytes;
	area->size_bytes += bytes;
	r->chosen_count++;
	for (uint32_t n = 0; n < f->inst_count; n++) {
		if (!ptx_bit(live_before(r, n), reg))
			continue;
		ptx_inst_regs(&f->insts[n], &use);
		if (is_accessed(&use, reg))
			continue;

		const bool was_over = is_over(r, n);

		CHECK(r->at[n] >= slots);
		r->at[n] -= slots;
		if (was_over && !is_over(r, n)) {
			r->over_left--;
			count_across(r, n, -1);
		}
	}
}

static void choose(struct round *r)
{
	while (r->over_left) {
		const uint32_t reg = best_register(r);

		if (reg == NOWHERE)
			return;
		take(r, reg);
	}
}

/* ---- rewriting ---- */

static struct ptx_inst *append(struct round *r)
{
	if (r->inst_count == r->inst_cap) {
		r->inst_cap = r->inst_cap * 2 + 64;
		r->insts = realloc(r->insts, r->inst_cap * sizeof(*r->insts));
		CHECK(r->insts);
	}
	return &r->insts[r->inst_count++];
}

static uint32_t new_temporary(struct round *r, uint32_t reg)
{
	struct ptx_func *f = &r->spill->func;

	if (f->reg_count == r->reg_cap) {
		r->reg_cap = r->reg_cap * 2 + 64;

		struct ptx_reg *regs = ptx_arena_array(&r->spill->arena, r->reg_cap, sizeof(*regs));

		memcpy(regs, f->regs, f->reg_count * sizeof(*regs));
		f->regs = regs;
	}
	f->regs[f->reg_count] = f->regs[reg];
	return f->reg_count++;
}

static struct ptx_operand reg_operand(uint32_t reg)
{
	return (struct ptx_operand){.kind = PTX_OPND_REG, .reg = reg};
}

/* A load or store of a spilled register's place, on behalf of instruction i. */
static void add_access(struct round *r, const struct ptx_inst *i, uint32_t reg, uint32_t temporary, bool is_store)
{
	struct ptx_inst *a = append(r);
	const bool is_wide = slot_bytes(&r->spill->func, reg) == 8;
	const struct ptx_operand place = {.kind = PTX_OPND_ADDR,
					  .reg = UINT32_MAX,
					  .var = &r->spill->area,
					  .offset = r->offset_bytes[reg]};

	*a = (struct ptx_inst){
	    .op = is_store ? PTX_OP_ST : PTX_OP_LD,
	    .type = is_wide ? PTX_B64 : PTX_B32,
	    .mods.space = PTX_LOCAL,
	    .is_spill = true,
	    .line = i->line,
	    .col = i->col,
	    .loc = i->loc,
	    .text = is_store ? "(register spilled to local memory)" : "(register loaded from local memory)",
	};
	a->src[0] = place;
	if (is_store)
		a->src[1] = reg_operand(temporary);
	else
		a->dst = reg_operand(temporary);
	a->src_count = is_store ? 2 : 1;
}

/* Can the temporary live on to instruction n, across those between that do not access it? Takes the room if so. */
static bool keeps(struct round *r, uint32_t reg, uint32_t n)
{
	const struct held *h = &r->held[reg];
	const uint32_t slots = ptx_reg_slots(&r->spill->func.regs[reg]);

	if (h->temporary == NOWHERE || r->cfg->block_of[h->at] != r->cfg->block_of[n] || n - h->at > KEEP_DISTANCE)
		return false;
	for (uint32_t k = h->at + 1; k < n; k++)
		if (r->at[k] + slots > r->slots_max)
			return false;
	for (uint32_t k = h->at + 1; k < n; k++)
		r->at[k] += slots;
	return true;
}

/* The temporary that holds the register's value before instruction n. */
static void bring(struct round *r, uint32_t n, uint32_t reg)
{
	if (!keeps(r, reg, n)) {
		r->held[reg].temporary = new_temporary(r, reg);
		add_access(r, &r->spill->func.insts[n], reg, r->held[reg].temporary, false);
	}
	r->held[reg].at = n;
}

static void rename_operand(struct round *r, struct ptx_operand *o)
{
	if ((o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR) && o->reg != UINT32_MAX &&
	    r->offset_bytes[o->reg] != NOWHERE)
		o->reg = r->held[o->reg].temporary;
	if ((o->kind != PTX_OPND_VEC && o->kind != PTX_OPND_LIST) || !o->elem_count)
		return;
	o->elems = ptx_arena_copy(&r->spill->arena, o->elems, o->elem_count * sizeof(*o->elems));
	for (uint32_t k = 0; k < o->elem_count; k++)
		rename_operand(r, &o->elems[k]);
}

static bool is_spilled(const struct round *r, uint32_t reg)
{
	return r->offset_bytes[reg] != NOWHERE;
}

static void rewrite_inst(struct round *r, uint32_t n)
{
	const struct ptx_inst i = r->spill->func.insts[n];
	struct ptx_reg_use use;
	struct ptx_inst *to;

	ptx_inst_regs(&i, &use);
	for (uint32_t k = 0; k < use.read_count; k++)
		if (is_spilled(r, use.reads[k]))
			bring(r, n, use.reads[k]);
	/* The old value stays on lanes whose guard is false. */
	for (uint32_t k = 0; i.has_guard && k < use.write_count; k++)
		if (is_spilled(r, use.writes[k]))
			bring(r, n, use.writes[k]);
	to = append(r);
	*to = i;
	for (uint32_t k = 0; k < i.src_count; k++)
		rename_operand(r, &to->src[k]);
	for (uint32_t k = 0; !i.has_guard && k < use.write_count; k++)
		if (is_spilled(r, use.writes[k]))
			r->held[use.writes[k]] = (struct held){new_temporary(r, use.writes[k]), n};
	rename_operand(r, &to->dst);
	rename_operand(r, &to->dst2);
	for (uint32_t k = 0; k < use.write_count; k++)
		if (is_spilled(r, use.writes[k]))
			add_access(r, &i, use.writes[k], r->held[use.writes[k]].temporary, true);
}

static void move_labels(struct round *r, struct ptx_operand *o)
{
	if (o->kind == PTX_OPND_LABEL)
		o->label = r->index_of[o->label];
	for (uint32_t k = 0; o->kind == PTX_OPND_LIST && k < o->elem_count; k++)
		move_labels(r, &o->elems[k]);
}

static void rewrite(struct round *r)
{
	struct ptx_func *f = &r->spill->func;
	const uint32_t count = f->inst_count;

	for (uint32_t n = 0; n < count; n++) {
		r->index_of[n] = r->inst_count;
		rewrite_inst(r, n);
	}
	r->index_of[count] = r->inst_count;
	for (uint32_t n = 0; n < r->inst_count; n++)
		for (uint32_t k = 0; k < r->insts[n].src_count; k++)
			move_labels(r, &r->insts[n].src[k]);
	f->insts = ptx_arena_copy(&r->spill->arena, r->insts, r->inst_count * sizeof(*r->insts));
	f->inst_count = r->inst_count;
}

/* ---- rounds ---- */

static struct round round_begin(struct ptx_spill *s, uint32_t slots_max)
{
	struct round r = {.spill = s, .slots_max = slots_max, .cfg = ptx_cfg_build(&s->func)};
	const uint32_t regs = s->func.reg_count, insts = s->func.inst_count;

	r.at = ptx_zeroed(insts, sizeof(*r.at));
	r.live = ptx_zeroed((size_t)insts * r.cfg->live_words + 1, sizeof(*r.live));
	r.is_fixed = ptx_zeroed(regs, sizeof(*r.is_fixed));
	r.cost = ptx_zeroed(regs, sizeof(*r.cost));
	r.over_count = ptx_zeroed(regs, sizeof(*r.over_count));
	r.offset_bytes = ptx_zeroed(regs, sizeof(*r.offset_bytes));
	r.held = ptx_zeroed(regs, sizeof(*r.held));
	r.index_of = ptx_zeroed(insts + 1, sizeof(*r.index_of));
	r.reg_cap = regs; /* of an array that is not ours to write */
	memset(r.offset_bytes, 0xff, regs * sizeof(*r.offset_bytes));
	for (uint32_t k = 0; k < regs; k++)
		r.held[k].temporary = NOWHERE;
	return r;
}

static void round_end(struct round *r)
{
	ptx_cfg_free(r->cfg);
	free(r->at);
	free(r->live);
	free(r->is_fixed);
	free(r->cost);
	free(r->over_count);
	free(r->offset_bytes);
	free(r->held);
	free(r->insts);
	free(r->index_of);
}

/* True if the function has changed. */
static bool spill_some(struct ptx_spill *s, uint32_t slots_max, const struct ptx_call_need *need)
{
	struct round r = round_begin(s, slots_max);
	uint64_t *constants = ptx_constants_find(&s->func);

	if (ptx_demand(r.cfg, need, constants, r.at) > slots_max) {
		find_fixed(&r, constants);
		measure(&r);
		choose(&r);
	}
	if (r.chosen_count)
		rewrite(&r);
	free(constants);

	const bool has_changed = r.chosen_count;

	round_end(&r);
	return has_changed;
}

struct ptx_spill *ptx_spill_build(const struct ptx_func *f, uint32_t slots_max, const struct ptx_call_need *need)
{
	struct ptx_spill *s = ptx_zeroed(1, sizeof(*s));
	bool has_changed = false;

	s->func = *f;
	s->first_temporary = f->reg_count;
	s->area = (struct ptx_var){.name = "(spilled registers)",
				   .space = PTX_LOCAL,
				   .type = PTX_B32,
				   .align_bytes = 8,
				   .offset_bytes = (f->frame_local_bytes + 7) & ~7ull,
				   .owner = &s->func};
	for (uint32_t k = 0; k < ROUNDS_MAX && spill_some(s, slots_max, need); k++)
		has_changed = true;
	if (!has_changed) {
		ptx_spill_free(s);
		return NULL;
	}
	s->func.frame_local_bytes = s->area.offset_bytes + s->area.size_bytes;
	return s;
}

void ptx_spill_free(struct ptx_spill *s)
{
	if (s)
		ptx_arena_free(&s->arena);
	free(s);
}

const struct ptx_func *ptx_spill_func(const struct ptx_spill *s)
{
	return &s->func;
}

uint32_t ptx_spill_bytes(const struct ptx_spill *s)
{
	return (uint32_t)s->area.size_bytes;
}
