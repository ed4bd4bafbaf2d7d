/* schedule.c - words of one block: joint scheduling and allocation (section 3.4).
 *
 * Bottom-Up Greedy chooses the array of every operation before (dag.c). Words are then filled one after the other with
 * the most urgent operations whose operands are there; what is missing is copied or filled in slots that are left.
 * Where nothing can be placed, an operation is forced: room is made by evicting copies, then by spilling.
 * Register pressure: where fewer registers are left than the order keeps, operations that free some come first, and of
 * those that take more only the first in PTX's order, whose values PTX keeps short. words.c tries several such limits.
 * The plain translator forces one operation after the other, in the order of PTX. */
#include "dc/compile/schedule.h"

#include <string.h>

enum {
	READY_LOOKED_AT = 24,
	IDLE_WORDS = 4, /* of moves alone, before an operation is forced: two may take each other's copies */
};

static struct dc_word *word_at(struct dcc_alloc *s, uint32_t n)
{
	return &g_array_index(s->words, struct dc_word, n);
}

/* ---- sources ---- */

static bool is_value(const struct dcc *c, const struct ptx_operand *o)
{
	return (o->kind == PTX_OPND_REG || (o->kind == PTX_OPND_ADDR && o->reg != UINT32_MAX)) &&
	       c->func->regs[o->reg].type != PTX_PRED && c->kernel->host_of[o->reg] == UINT32_MAX;
}

static struct dc_source source_of(struct dcc_alloc *s, const struct ptx_operand *o, uint32_t a)
{
	const struct dcc *c = s->c;

	switch (o->kind) {
	case PTX_OPND_REG:
	case PTX_OPND_ADDR:
		if (o->reg == UINT32_MAX)
			return (struct dc_source){.kind = DC_SRC_NONE};
		if (c->func->regs[o->reg].type == PTX_PRED)
			return (struct dc_source){.kind = DC_SRC_PRED, .negate = o->negate, .pred = s->phys[o->reg]};
		if (c->kernel->host_of[o->reg] != UINT32_MAX)
			return (struct dc_source){
			    .kind = DC_SRC_HOST, .negate = o->negate, .host = c->kernel->host_of[o->reg]};
		if (a == DC_ARRAYS)
			a = (uint32_t)__builtin_ctz(s->val[o->reg].in);
		return (struct dc_source){.kind = DC_SRC_LOC, .negate = o->negate, .loc = s->val[o->reg].at[a]};
	case PTX_OPND_IMM:
		return (struct dc_source){.kind = DC_SRC_IMM, .imm = o->imm};
	case PTX_OPND_SREG:
		return (struct dc_source){.kind = DC_SRC_SREG};
	default:
		return (struct dc_source){.kind = DC_SRC_NONE};
	}
}

/* Values that an instruction reads, each once. */
static uint32_t values_read(const struct dcc *c, const struct ptx_inst *i, uint32_t *regs)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < i->src_count; k++) {
		const struct ptx_operand *o = &i->src[k];

		for (uint32_t e = 0; e < MAX(o->elem_count, 1); e++) {
			const struct ptx_operand *x = o->elem_count ? &o->elems[e] : o;
			bool known = false;

			if (!is_value(c, x))
				continue;
			for (uint32_t j = 0; j < count; j++)
				known |= regs[j] == x->reg;
			if (!known)
				regs[count++] = x->reg;
		}
	}
	return count;
}

/* Registers that the operation takes more than it frees, of values of the block. */
static int32_t growth(const struct dcc_alloc *s, const struct dcc_node *n)
{
	uint32_t regs[PTX_REGS_MAX], count;
	struct ptx_reg_use u;
	int32_t slots = 0;

	if (n->step->kind != DCC_OP)
		return 0;
	const struct ptx_inst *i = &s->c->func->insts[n->inst];

	count = values_read(s->c, i, regs);
	for (uint32_t k = 0; k < count; k++)
		if (!s->val[regs[k]].is_global && s->val[regs[k]].uses_left == 1)
			slots -= (int32_t)dcc_reg_slots(s->c->func, regs[k]);
	ptx_inst_regs(i, &u);
	for (uint32_t k = 0; k < u.write_count; k++)
		if (!s->val[u.writes[k]].is_global && s->val[u.writes[k]].uses_left)
			slots += (int32_t)dcc_reg_slots(s->c->func, u.writes[k]);
	return slots;
}

static void read_done(struct dcc_alloc *s, const uint32_t *regs, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++) {
		struct dcc_val *v = &s->val[regs[k]];

		CHECK(v->uses_left);
		if (--v->uses_left)
			continue;
		for (uint32_t a = 0; a < DC_ARRAYS; a++)
			if (!v->is_global || s->file[a].what[v->at[a].lo] == DCC_COPY)
				dcc_alloc_release(s, regs[k], a);
	}
}

/* ---- an operation of an array ---- */

/* Registers of array a that are free when the operation has read its operands. */
static uint32_t dying_slots(const struct dcc_alloc *s, const uint32_t *regs, uint32_t count, uint32_t a)
{
	uint32_t slots = 0;

	for (uint32_t k = 0; k < count; k++) {
		const struct dcc_val *v = &s->val[regs[k]];

		if (v->uses_left == 1 && v->in >> a & 1 && s->file[a].what[v->at[a].lo] != DCC_HOMED)
			slots += dcc_reg_slots(s->c->func, regs[k]);
	}
	return slots;
}

/* Scratch: what is free, and the rows above the registers; what else the routine needs is swapped with the TMU. */
static void take_scratch(struct dcc_alloc *s, struct dc_slot *d, uint32_t a, uint32_t free_before)
{
	const uint32_t rows = dcc_inst_scratch_rows(s->c->kernel, d->inst);
	uint32_t have = s->loose_rows;

	d->scratch_rows = (uint16_t)rows;
	for (uint32_t r = 0; r < s->limit && have < rows; r++)
		if (free_before >> r & 1 && s->file[a].what[r] == DCC_FREE) {
			d->scratch_regs |= (uint8_t)(1u << r);
			have += DC_REG_ROWS;
		}
	d->swap_rows = (uint16_t)(rows > have ? rows - have : 0);
	d->cycles = dcc_inst_cycles(s->c->kernel, d->inst) + 2 * d->swap_rows;
	s->c->kernel->counts.swap_rows += d->swap_rows;
}

static uint32_t free_set(const struct dcc_alloc *s, uint32_t a)
{
	uint32_t set = 0;

	for (uint32_t r = 0; r < s->limit; r++)
		set |= (uint32_t)(s->file[a].what[r] == DCC_FREE) << r;
	return set;
}

/* Where the result goes: the home if it is in this array; else a register from which it is written there. */
static bool result_of(struct dcc_alloc *s, const struct dcc_node *n, const struct ptx_inst *i, uint32_t reg, uint32_t a,
		      bool may_spill, struct dc_loc *out)
{
	struct dcc_val *v = &s->val[reg];
	const uint32_t slots = dcc_reg_slots(s->c->func, reg);

	if (v->is_global && !v->is_slot_home && v->home == a) {
		dcc_alloc_drop_copies(s, reg, a);
		v->in = (uint8_t)(1u << a);
		*out = v->at[a];
		return true;
	}
	if (!dcc_alloc_regs(s, a, slots, reg, v->is_global ? DCC_PENDING : DCC_LOCAL, may_spill, out))
		return false;
	if (v->is_global) {
		struct dcc_pending p = {reg, *out, n->guard, i->has_guard};

		dcc_alloc_drop_copies(s, reg, DC_ARRAYS);
		v->in = 0;
		v->slot_valid = false;
		g_array_append_val(s->pending, p);
	} else if (v->uses_left) {
		v->in = (uint8_t)(1u << a);
		v->at[a] = *out;
	} else {
		/* Nobody reads it: the registers are free again after this word. */
		s->file[a].what[out->lo] = DCC_FREE;
		if (out->hi != DC_NO_REG)
			s->file[a].what[out->hi] = DCC_FREE;
	}
	return true;
}

static bool place_alu(struct dcc_alloc *s, struct dcc_node *n, uint32_t a, uint32_t word, bool may_spill)
{
	const struct ptx_inst *i = &s->c->func->insts[n->inst];
	uint32_t regs[PTX_REGS_MAX], count = values_read(s->c, i, regs), need, before;
	const bool writes = i->dst.kind == PTX_OPND_REG && s->c->func->regs[i->dst.reg].type != PTX_PRED;
	struct dc_slot d = {.kind = DC_SLOT_ALU,
			    .src_count = i->src_count,
			    .inst = i,
			    .pred_dst = DC_NO_PRED,
			    .pred_dst2 = DC_NO_PRED,
			    .dst = {(uint8_t)a, DC_NO_REG, DC_NO_REG}};

	if (word_at(s, word)->slot[a].kind != DC_SLOT_NONE)
		return false;
	for (uint32_t k = 0; k < count; k++)
		if (!(s->val[regs[k]].in >> a & 1))
			return false;
	CHECK(i->src_count <= G_N_ELEMENTS(d.src));
	for (uint32_t k = 0; k < i->src_count; k++)
		d.src[k] = source_of(s, &i->src[k], a);
	for (uint32_t k = 0; k < count; k++)
		dcc_alloc_lock(s, regs[k], a);
	need = writes && !(s->val[i->dst.reg].home == a) ? dcc_reg_slots(s->c->func, i->dst.reg) : 0;
	if (need > dying_slots(s, regs, count, a) + (may_spill ? dcc_alloc_room(s, a) : dcc_alloc_free_count(s, a)))
		return false;
	before = free_set(s, a);
	read_done(s, regs, count);
	if (writes && !result_of(s, n, i, i->dst.reg, a, may_spill, &d.dst))
		CHECK(!"registers that were counted");
	word = s->words->len - 1 > word && may_spill ? s->words->len - 1 : word;
	if (word_at(s, word)->slot[a].kind != DC_SLOT_NONE) {
		dcc_word_new(s, false);
		word = s->words->len - 1;
	}
	take_scratch(s, &d, a, before & free_set(s, a));
	d.guard = dcc_phys_guard(s, n->guard);
	d.bits = (uint16_t)dcc_inst_bits(i);
	if (!writes && i->dst.kind == PTX_OPND_REG)
		d.pred_dst = s->phys[i->dst.reg];
	if (i->dst2.kind == PTX_OPND_REG)
		d.pred_dst2 = s->phys[i->dst2.reg];
	word_at(s, word)->slot[a] = d;
	n->word = word;
	s->c->kernel->counts.ops++;
	return true;
}

/* ---- masks ---- */

bool dcc_place_mask(struct dcc_alloc *s, const struct dcc_step *step, uint32_t a, uint32_t word)
{
	struct dc_slot *d = &word_at(s, word)->slot[a];

	if (d->kind != DC_SLOT_NONE)
		return false;
	d->kind = DC_SLOT_MASK;
	d->mask_op = step->mask_op;
	d->guard.pred = DC_NO_PRED;
	d->src_count = step->mask_op == DC_MASK_MOV ? 1 : 2;
	for (uint32_t k = 0; k < d->src_count; k++) {
		d->src[k] = step->mask_src[k];
		if (d->src[k].kind == DC_SRC_PRED) {
			d->src[k].pred = s->phys[step->mask_src[k].host];
			d->src[k].host = 0;
		}
	}
	d->pred_dst = s->phys[step->pred];
	d->bits = 1;
	d->cycles = 1;
	s->c->kernel->counts.masks++;
	return true;
}

/* ---- the C-Box ---- */

static bool array_is_free(struct dcc_alloc *s, uint32_t word, uint32_t a)
{
	return word_at(s, word)->slot[a].kind == DC_SLOT_NONE;
}

/* The array with the most free registers among those that the word leaves free. */
static uint32_t roomy_array(struct dcc_alloc *s, uint32_t word, uint32_t slots, bool may_spill)
{
	uint32_t best = DC_ARRAYS, best_free = 0;

	for (uint32_t a = 0; a < s->c->o->array_count; a++) {
		uint32_t count = may_spill ? dcc_alloc_room(s, a) : dcc_alloc_free_count(s, a);

		if (array_is_free(s, word, a) && count >= slots && (best == DC_ARRAYS || count > best_free)) {
			best = a;
			best_free = count;
		}
	}
	return best;
}

static bool box_result(struct dcc_alloc *s, const struct dcc_node *n, const struct ptx_inst *i, uint32_t reg,
		       uint32_t word, bool may_spill, struct dc_loc *out)
{
	const struct dcc_val *v = &s->val[reg];
	uint32_t a = v->is_global && !v->is_slot_home ? v->home : DC_ARRAYS;

	if (a == DC_ARRAYS)
		a = roomy_array(s, word, dcc_reg_slots(s->c->func, reg), may_spill);
	if (a == DC_ARRAYS)
		return false;
	return result_of(s, n, i, reg, a, may_spill, out);
}

static void add_sources(struct dcc_alloc *s, struct dc_box *b, const struct ptx_inst *i)
{
	for (uint32_t k = 0; k < i->src_count; k++) {
		const struct ptx_operand *o = &i->src[k];

		for (uint32_t e = 0; e < MAX(o->elem_count, 1); e++) {
			CHECK(b->src_count < G_N_ELEMENTS(b->src));
			b->src[b->src_count++] = source_of(s, o->elem_count ? &o->elems[e] : o, DC_ARRAYS);
		}
	}
}

/* Arrays that hold the sources, a bit each, or 0xff: one of them is nowhere, or its array is not free. */
static uint32_t arrays_of(struct dcc_alloc *s, const uint32_t *regs, uint32_t count, uint32_t word)
{
	uint32_t arrays = 0;

	for (uint32_t k = 0; k < count; k++) {
		if (!s->val[regs[k]].in)
			return 0xff;
		arrays |= 1u << __builtin_ctz(s->val[regs[k]].in);
	}
	for (uint32_t a = 0; a < DC_ARRAYS; a++)
		if (arrays >> a & 1 && !array_is_free(s, word, a))
			return 0xff;
	return arrays;
}

/* Room for all results, counted before anything is changed. */
static bool results_fit(struct dcc_alloc *s, const struct ptx_inst *i, uint32_t word, bool may_spill)
{
	uint32_t need = 0, widest = 0, room = 0;
	struct ptx_reg_use u;

	ptx_inst_regs(i, &u);
	for (uint32_t k = 0; k < u.write_count; k++) {
		const struct dcc_val *v = &s->val[u.writes[k]];
		const uint32_t slots = dcc_reg_slots(s->c->func, u.writes[k]);

		if (!slots)
			continue;
		if (v->is_global && !v->is_slot_home) {
			if (!array_is_free(s, word, v->home))
				return false;
			continue;
		}
		need += slots;
		widest = MAX(widest, slots);
	}
	for (uint32_t a = 0; a < s->c->o->array_count; a++)
		if (array_is_free(s, word, a)) {
			uint32_t count = may_spill ? dcc_alloc_room(s, a) : dcc_alloc_free_count(s, a);

			room += count / MAX(widest, 1) * MAX(widest, 1);
		}
	return need <= room;
}

static void lock_loc(struct dcc_alloc *s, struct dc_loc l)
{
	s->file[l.array].lock[l.lo] = s->stamp;
	if (l.hi != DC_NO_REG)
		s->file[l.array].lock[l.hi] = s->stamp;
}

static bool place_box(struct dcc_alloc *s, struct dcc_node *n, uint32_t word, bool may_spill)
{
	const struct ptx_inst *i = &s->c->func->insts[n->inst];
	uint32_t regs[PTX_REGS_MAX], count = values_read(s->c, i, regs), arrays;
	struct dc_box b = {.kind = (uint8_t)dcc_box_kind(i), .inst = i, .pred_dst = DC_NO_PRED, .comes = DC_NO_PRED};
	const struct ptx_operand *d = &i->dst;

	if (word_at(s, word)->box.kind != DC_BOX_NONE)
		return false;
	arrays = arrays_of(s, regs, count, word);
	if (arrays == 0xff)
		return false;
	for (uint32_t k = 0; k < count; k++)
		dcc_alloc_lock(s, regs[k], (uint32_t)__builtin_ctz(s->val[regs[k]].in));
	if (!results_fit(s, i, word, may_spill))
		return false;
	for (uint32_t k = 0; k < DC_ELEMS; k++)
		b.dst[k] = (struct dc_loc){0, DC_NO_REG, DC_NO_REG};
	add_sources(s, &b, i);
	b.guard = dcc_phys_guard(s, n->guard);
	b.cycles = dcc_box_cycles(s->c, i);
	if (b.kind == DC_BOX_MEMORY) {
		b.offset = i->src[0].offset + (i->src[0].kind == PTX_OPND_IMM ? (int64_t)i->src[0].imm : 0);
		b.var = i->src[0].var;
		b.space = i->mods.space;
		b.has_base = dcc_inst_has_base(s->c->func, i);
		if (i->src[0].kind == PTX_OPND_IMM)
			b.src[0].kind = DC_SRC_NONE;
		s->c->kernel->counts.accesses++;
	}
	for (uint32_t e = 0; e < (d->kind == PTX_OPND_VEC ? d->elem_count : 1u); e++) {
		const struct ptx_operand *x = d->kind == PTX_OPND_VEC ? &d->elems[e] : d;

		b.elem_count = (uint8_t)(e + 1);
		if (x->kind != PTX_OPND_REG)
			continue;
		if (s->c->func->regs[x->reg].type == PTX_PRED)
			b.pred_dst = s->phys[x->reg];
		else if (!box_result(s, n, i, x->reg, word, may_spill, &b.dst[e]))
			CHECK(!"registers that were counted");
		/* The other results must not take its place. */
		if (b.dst[e].lo != DC_NO_REG)
			lock_loc(s, b.dst[e]);
	}
	if (i->dst2.kind == PTX_OPND_REG)
		b.pred_dst = s->phys[i->dst2.reg];
	if (b.kind == DC_BOX_BARRIER)
		b.comes = s->comes;
	read_done(s, regs, count);
	if (s->words->len - 1 > word) { /* spills came first */
		dcc_word_new(s, false);
		word = s->words->len - 1;
	}
	for (uint32_t e = 0; e < b.elem_count; e++)
		if (b.dst[e].lo != DC_NO_REG)
			arrays |= 1u << b.dst[e].array;
	for (uint32_t a = 0; a < DC_ARRAYS; a++)
		if (arrays >> a & 1)
			word_at(s, word)->slot[a].kind = DC_SLOT_BUSY;
	word_at(s, word)->box = b;
	n->word = word;
	return true;
}

/* Does the word move this register's value? */
static bool moves(struct dcc_alloc *s, uint32_t word, uint32_t reg)
{
	const struct dc_word *w = word_at(s, word);

	for (uint32_t a = 0; a < DC_ARRAYS; a++)
		if (w->slot[a].kind == DC_SLOT_COPY && w->slot[a].reg == reg)
			return true;
	return (w->box.kind == DC_BOX_SPILL || w->box.kind == DC_BOX_FILL) && w->box.reg == reg;
}

/* A value on its way to its home is there before it is written again. */
static bool is_pending(struct dcc_alloc *s, const struct dcc_node *n, uint32_t word)
{
	struct ptx_reg_use u;

	if (n->step->kind == DCC_MASK)
		return false;
	ptx_inst_regs(&s->c->func->insts[n->inst], &u);
	for (uint32_t j = 0; j < u.write_count; j++) {
		if (moves(s, word, u.writes[j]))
			return true;
		for (uint32_t k = 0; k < s->pending->len; k++)
			if (g_array_index(s->pending, struct dcc_pending, k).reg == u.writes[j])
				return true;
	}
	return false;
}

static bool place(struct dcc_alloc *s, struct dcc_node *n, uint32_t a, uint32_t word, bool may_spill)
{
	if (is_pending(s, n, word))
		return false;
	if (n->step->kind == DCC_MASK) {
		for (uint32_t k = 0; k < s->c->o->array_count; k++)
			if (dcc_place_mask(s, n->step, (a + k) % s->c->o->array_count, word)) {
				n->word = word;
				return true;
			}
		return false;
	}
	return n->is_box ? place_box(s, n, word, may_spill) : place_alu(s, n, a, word, may_spill);
}

/* ---- forcing ---- */

/* Could the operation be in this array if everything else but homes left it? */
static bool could_fit(const struct dcc_alloc *s, const struct ptx_inst *i, uint32_t a)
{
	uint32_t regs[PTX_REGS_MAX], count = values_read(s->c, i, regs), slots = 0, homed = 0, results = 0, dying = 0;

	for (uint32_t k = 0; k < count; k++) {
		const struct dcc_val *v = &s->val[regs[k]];
		const uint32_t width = dcc_reg_slots(s->c->func, regs[k]);

		if (v->is_global && v->home == a)
			continue;
		slots += width;
		dying += v->uses_left == 1 ? width : 0;
	}
	if (i->dst.kind == PTX_OPND_REG && s->val[i->dst.reg].home != a)
		results = dcc_reg_slots(s->c->func, i->dst.reg);
	for (uint32_t r = 0; r < s->limit; r++)
		homed += s->file[a].what[r] == DCC_HOMED;
	return slots + (results > dying ? results - dying : 0) + homed <= s->limit;
}

static bool bring_all(struct dcc_alloc *s, const struct ptx_inst *i, uint32_t a)
{
	uint32_t regs[PTX_REGS_MAX], count = values_read(s->c, i, regs);

	for (uint32_t k = 0; k < count; k++)
		if (s->val[regs[k]].in >> a & 1)
			dcc_alloc_lock(s, regs[k], a);
	for (uint32_t k = 0; k < count; k++) {
		if (s->val[regs[k]].in >> a & 1)
			continue;
		dcc_word_new(s, false);
		if (!dcc_alloc_bring(s, regs[k], a, s->words->len - 1, true))
			return false;
		dcc_alloc_lock(s, regs[k], a);
	}
	return true;
}

/* Sources of the C-Box may be anywhere, but not in memory. */
static bool bring_box(struct dcc_alloc *s, const struct ptx_inst *i)
{
	uint32_t regs[PTX_REGS_MAX], count = values_read(s->c, i, regs);

	for (uint32_t k = 0; k < count; k++)
		if (s->val[regs[k]].in)
			dcc_alloc_lock(s, regs[k], (uint32_t)__builtin_ctz(s->val[regs[k]].in));
	for (uint32_t k = 0; k < count; k++) {
		uint32_t a;

		if (s->val[regs[k]].in)
			continue;
		dcc_word_new(s, false);
		a = roomy_array(s, s->words->len - 1, dcc_reg_slots(s->c->func, regs[k]), true);
		if (a == DC_ARRAYS || !dcc_alloc_bring(s, regs[k], a, s->words->len - 1, true))
			return false;
		dcc_alloc_lock(s, regs[k], a);
	}
	return true;
}

static void get_stuck(struct dcc_alloc *s, const struct ptx_inst *i, const char *why)
{
	s->stuck = why;
	s->stuck_at = i;
}

static void force(struct dcc_alloc *s, struct dcc_node *n)
{
	const struct ptx_inst *i = n->step->kind == DCC_OP ? &s->c->func->insts[n->inst] : NULL;
	uint32_t a = n->array;

	dcc_alloc_flush_all(s);
	s->stamp += 2;
	if (i && !n->is_box) {
		if (!could_fit(s, i, a))
			a = 0;
		for (uint32_t k = 1; k < s->c->o->array_count && !could_fit(s, i, a); k++)
			a = k;
		if (!could_fit(s, i, a) || !bring_all(s, i, a)) {
			get_stuck(s, i, "its operands need more registers than an array has");
			return;
		}
	}
	if (i && n->is_box && !bring_box(s, i)) {
		get_stuck(s, i, "its operands need more registers than a bank has");
		return;
	}
	dcc_word_new(s, false);
	if (!place(s, n, a, s->words->len - 1, true))
		get_stuck(s, i, "its operands and results need more registers than there are");
	if (s->c->o->array_count == 1 || !s->c->o->schedule)
		dcc_alloc_flush_all(s);
}

/* ---- words ---- */

static bool is_ready(const struct dcc_node *nodes, const struct dcc_node *n, uint32_t word)
{
	for (uint32_t k = 0; k < n->preds->len; k++) {
		const struct dcc_node *p = &nodes[g_array_index(n->preds, uint32_t, k)];

		if (p->word == DC_NO_WORD || p->word >= word)
			return false;
	}
	return true;
}

static bool place_anywhere(struct dcc_alloc *s, struct dcc_node *n, uint32_t word)
{
	for (uint32_t k = 0; k < s->c->o->array_count; k++)
		if (place(s, n, (n->array + k) % s->c->o->array_count, word, false))
			return true;
	return false;
}

/* Operands of an operation that waits for them, into its array. */
static uint32_t bring_some(struct dcc_alloc *s, const struct dcc_node *n, uint32_t word)
{
	uint32_t regs[PTX_REGS_MAX], count, brought = 0;

	if (n->step->kind != DCC_OP)
		return 0;
	const struct ptx_inst *i = &s->c->func->insts[n->inst];

	count = values_read(s->c, i, regs);
	if (!n->is_box && !could_fit(s, i, n->array))
		return 0;
	for (uint32_t k = 0; k < count; k++) {
		const struct dcc_val *v = &s->val[regs[k]];

		if (n->is_box ? v->in != 0 : v->in >> n->array & 1) {
			dcc_alloc_lock(s, regs[k], n->is_box ? (uint32_t)__builtin_ctz(v->in) : n->array);
			continue;
		}
		if (dcc_alloc_bring(s, regs[k], n->array, word, false)) {
			dcc_alloc_lock(s, regs[k], n->array);
			brought++;
		}
	}
	return brought;
}

/* What is not placed yet, in the order in which it is looked at. */
struct queue {
	struct dcc_node **order;
	uint32_t count;
	struct dcc_node *nodes;
	const struct dcc_node *oldest; /* in PTX's order */
};

struct waiting {
	struct dcc_node *nodes[READY_LOOKED_AT];
	uint32_t count;
};

/* Would the operation take registers that are kept? */
static bool is_held_back(const struct dcc_alloc *s, const struct queue *q, const struct dcc_node *n, int32_t more)
{
	return more > 0 && n != q->oldest && (int32_t)dcc_alloc_spare(s) - more < (int32_t)s->reserve;
}

/* grows: those that take more registers than they free, or the others. */
static uint32_t place_some(struct dcc_alloc *s, const struct queue *q, bool grows, bool all, uint32_t word,
			   struct waiting *waiting)
{
	uint32_t placed = 0;

	for (uint32_t k = 0; k < q->count && waiting->count < READY_LOOKED_AT; k++) {
		struct dcc_node *n = q->order[k];
		int32_t more;

		if (n->word != DC_NO_WORD || !is_ready(q->nodes, n, word))
			continue;
		more = s->reserve ? growth(s, n) : 0;
		if ((!all && (more > 0) != grows) || is_held_back(s, q, n, more))
			continue;
		if (place_anywhere(s, n, word))
			placed++;
		else
			waiting->nodes[waiting->count++] = n;
	}
	return placed;
}

/* The number of operations and moves that found a place; *placed: of operations. */
static uint32_t fill_word(struct dcc_alloc *s, const struct queue *q, uint32_t *placed)
{
	const uint32_t word = s->words->len - 1;
	struct waiting waiting = {.count = 0};
	uint32_t moved = dcc_alloc_flush(s, word);
	const bool is_tight = dcc_alloc_spare(s) < 2 * s->reserve;

	*placed = 0;
	s->stamp += 2;
	/* A guard's predicate may be written by what follows. */
	for (uint32_t k = 0; k < s->pending->len; k++)
		if (g_array_index(s->pending, struct dcc_pending, k).is_partial)
			return moved;
	*placed = place_some(s, q, false, !is_tight, word, &waiting);
	if (is_tight)
		*placed += place_some(s, q, true, false, word, &waiting);
	for (uint32_t k = 0; k < waiting.count; k++)
		moved += bring_some(s, waiting.nodes[k], word);
	return moved + *placed;
}

static int compare_urgency(const void *a, const void *b)
{
	const struct dcc_node *x = *(struct dcc_node *const *)a, *y = *(struct dcc_node *const *)b;

	if (x->urgency != y->urgency)
		return x->urgency > y->urgency ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void count_uses(struct dcc_alloc *s, const struct dcc_dag *d)
{
	uint32_t regs[PTX_REGS_MAX];

	for (uint32_t k = 0; k < d->count; k++) {
		if (d->nodes[k].step->kind != DCC_OP)
			continue;
		uint32_t count = values_read(s->c, &s->c->func->insts[d->nodes[k].inst], regs);

		for (uint32_t j = 0; j < count; j++)
			s->val[regs[j]].uses_left++;
	}
}

/* Where each register is read next among what is not placed, for the choice of what to evict. */
static void set_next_use(struct dcc_alloc *s, struct dcc_node **order, uint32_t count, uint32_t *next_use)
{
	uint32_t regs[PTX_REGS_MAX], position = count;

	memset(next_use, 0xff, s->c->func->reg_count * sizeof(*next_use));
	for (uint32_t k = count; k-- > 0; position--) {
		if (order[k]->word != DC_NO_WORD || order[k]->step->kind != DCC_OP)
			continue;
		uint32_t n = values_read(s->c, &s->c->func->insts[order[k]->inst], regs);

		for (uint32_t j = 0; j < n; j++)
			next_use[regs[j]] = position;
	}
}

static const struct dcc_node *oldest_of(const struct dcc_dag *d, uint32_t *from)
{
	while (*from < d->count && d->nodes[*from].word != DC_NO_WORD)
		++*from;
	return *from < d->count ? &d->nodes[*from] : NULL;
}

/* The most urgent of those that are ready or, where registers are kept, the first in PTX's order. */
static void force_one(struct dcc_alloc *s, const struct queue *q)
{
	for (uint32_t k = 0; k < q->count; k++)
		if (q->order[k]->word == DC_NO_WORD && is_ready(q->nodes, q->order[k], UINT32_MAX) &&
		    (!s->reserve || q->order[k] == q->oldest)) {
			force(s, q->order[k]);
			return;
		}
}

void dcc_schedule_body(struct dcc_alloc *s, struct dcc_dag *d, uint32_t *next_use)
{
	struct dcc_node **order = g_new(struct dcc_node *, d->count + 1);
	uint32_t first = 0, idle = 0, oldest = 0;

	for (uint32_t k = 0; k < d->count; k++) {
		order[k] = &d->nodes[k];
		d->nodes[k].word = DC_NO_WORD;
	}
	if (s->c->o->schedule)
		qsort(order, d->count, sizeof(struct dcc_node *), compare_urgency);
	count_uses(s, d);
	s->next_use = next_use;
	while (first < d->count && !s->stuck) {
		const struct queue q = {order + first, d->count - first, d->nodes, oldest_of(d, &oldest)};

		if (order[first]->word != DC_NO_WORD) {
			first++;
			continue;
		}
		set_next_use(s, q.order, MIN(q.count, 256), next_use);
		if (s->c->o->schedule) {
			uint32_t placed;

			dcc_word_new(s, false);
			if (fill_word(s, &q, &placed)) {
				idle = placed ? 0 : idle + 1;
				if (idle < IDLE_WORDS)
					continue;
			} else {
				g_array_set_size(s->words, s->words->len - 1);
			}
			idle = 0;
		}
		force_one(s, &q);
	}
	if (!s->stuck)
		dcc_alloc_flush_all(s);
	g_free(order);
}
