/* validate_flow.c - what registers, spill slots and predicates hold, followed over the words.
 *
 * A lane is described by the block of the PTX control-flow graph that it waits for (its class): while a block's words
 * are executed, lanes of its class must have its mask true, and all others false. For each class and place: which
 * PTX register it holds, written by which instruction of the block (or before it). Reading asks for the value that PTX
 * reads there; a write makes other copies stale; an operation whose mask is not known false in another class destroys
 * what that class has there. At the end of a block its class goes on to the successors, by the predicate of the branch.
 * Classes that meet keep what is equal; loops are followed until nothing changes.
 */
#include "dc/validate.h"

#include <string.h>

struct flow {
	const struct dc_kernel *k;
	struct dc_sizes sizes;
	GHashTable *defs;         /* inst * 2^32 + reg -> def + 1 */
	struct dc_state *waiting; /* [word_count + 1]: from skips */
	struct dc_state *begin;   /* [word_count]: of loops, from jumps */
	bool *meets;              /* [block_count]: a barrier lies on some way from its beginning */
	char *wrong;
};

/* ---- which definition PTX reads ---- */

static uint64_t use_key(uint32_t inst, uint32_t reg)
{
	return (uint64_t)inst << 32 | reg;
}

/* For every register that an instruction reads: the instruction of its block that wrote it last before; and the last
 * of the whole block at key (block's last + 1). */
static void find_defs(struct flow *f)
{
	const struct ptx_cfg *cfg = f->k->cfg;
	g_autofree uint32_t *last = g_new0(uint32_t, f->k->func->reg_count + 1);
	struct ptx_reg_use u;

	f->defs = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	for (uint32_t b = 0; b < cfg->block_count; b++) {
		memset(last, 0, f->k->func->reg_count * sizeof(*last));
		for (uint32_t n = cfg->blocks[b].first; n <= cfg->blocks[b].last; n++) {
			ptx_inst_regs(&f->k->func->insts[n], &u);
			for (uint32_t r = 0; r < u.read_count; r++)
				if (last[u.reads[r]]) {
					uint64_t key = use_key(n, u.reads[r]);

					g_hash_table_insert(f->defs, g_memdup2(&key, sizeof(key)),
							    GUINT_TO_POINTER(last[u.reads[r]]));
				}
			for (uint32_t r = 0; r < u.write_count; r++)
				last[u.writes[r]] = n + 1;
		}
		for (uint32_t r = 0; r < f->k->func->reg_count; r++)
			if (last[r]) {
				uint64_t key = use_key(0x80000000u | b, r);

				g_hash_table_insert(f->defs, g_memdup2(&key, sizeof(key)), GUINT_TO_POINTER(last[r]));
			}
	}
}

static uint32_t expected_def(const struct flow *f, uint32_t inst, uint32_t reg)
{
	const uint64_t key = use_key(inst, reg);

	return GPOINTER_TO_UINT(g_hash_table_lookup(f->defs, &key));
}

/* ---- one word, one class ---- */

struct step {
	struct flow *f;
	uint32_t word;
	int64_t block;              /* whose body this is; DC_EXIT: none */
	const struct dc_lanes *old; /* before the word */
	struct dc_lanes *now;
};

static void wrong(struct step *s, const char *what, const struct ptx_inst *i)
{
	if (!s->f->wrong)
		s->f->wrong = dc_wrong(s->word, "%s, in lanes that wait for block %d%s%s", what, (int)s->old->block,
				       i && i->text ? ": " : "", i && i->text ? i->text : "");
}

static uint32_t place_of(struct dc_loc l, uint32_t half)
{
	return (uint32_t)l.array * DC_REGS + (half ? l.hi : l.lo);
}

static struct dc_bit guard_bit(const struct step *s, struct dc_guard g)
{
	struct dc_bit b = {.kind = DC_BIT_TRUE};

	if (g.pred == DC_NO_PRED)
		return b;
	b = s->old->bits[g.pred];
	if (!g.negate)
		return b;
	if (b.kind == DC_BIT_PRED)
		b.negate = !b.negate;
	else if (b.kind != DC_BIT_UNKNOWN)
		b.kind = b.kind == DC_BIT_TRUE ? DC_BIT_FALSE : DC_BIT_TRUE;
	return b;
}

/* Where a class has no business: the mask must be known false; else what is written is lost there. */
static bool is_bystander(const struct step *s)
{
	return s->old->block != s->block;
}

static bool is_off(const struct step *s, struct dc_guard g)
{
	return dc_lanes_bit(s->old, guard_bit(s, g)) == DC_BIT_FALSE;
}

/* In the block's own class: the mask is that of the block, and of the instruction's guard. *partial: not all lanes. */
static bool check_guard(struct step *s, struct dc_guard g, const struct ptx_inst *i, bool *partial, uint32_t *guard)
{
	const struct dc_bit b = guard_bit(s, g);
	const uint8_t v = dc_lanes_bit(s->old, b);

	*partial = false;
	*guard = 0;
	if (!i->has_guard) {
		if (v != DC_BIT_TRUE)
			wrong(s, "the mask is not that of the block", i);
		return v == DC_BIT_TRUE;
	}
	if (v == DC_BIT_TRUE || v == DC_BIT_FALSE) {
		const uint8_t known = s->old->known[i->guard_reg];

		if (known == DC_BIT_UNKNOWN || ((known == DC_BIT_TRUE) != i->guard_negate) != (v == DC_BIT_TRUE))
			wrong(s, "the mask is not the guard", i);
		return v == DC_BIT_TRUE;
	}
	*partial = true;
	*guard = i->guard_reg * 2 + i->guard_negate;
	if (v != DC_BIT_PRED || b.reg != i->guard_reg || b.negate != i->guard_negate ||
	    b.def != expected_def(s->f, (uint32_t)(i - s->f->k->func->insts), i->guard_reg))
		wrong(s, "the mask is not the guard", i);
	return true;
}

static bool holds(const struct step *s, struct dc_loc l, uint32_t reg, uint32_t def, bool partial, uint32_t guard)
{
	const bool wide = ptx_type_bytes(s->f->k->func->regs[reg].type) == 8;

	if (l.lo == DC_NO_REG || wide != (l.hi != DC_NO_REG))
		return false;
	for (uint32_t half = 0; half <= wide; half++) {
		const struct dc_held *h = &s->old->held[place_of(l, half)];
		const bool fits = h->kind == DC_HELD_WHOLE || (h->kind == DC_HELD_PART && partial && h->guard == guard);

		if (!fits || h->reg != reg || h->half != half || h->def != def)
			return false;
	}
	return true;
}

/* Was what PTX reads there written on no path? Then it may be anything. */
static bool is_unwritten(const struct dc_lanes *l, uint32_t reg, uint32_t def)
{
	return (!def || l->passed[reg] == def) && !dc_lanes_defined(l, reg);
}

static void check_source(struct step *s, const struct dc_source *x, const struct ptx_operand *o,
			 const struct ptx_inst *i, bool partial, uint32_t guard)
{
	const struct dc_kernel *k = s->f->k;
	const uint32_t at = (uint32_t)(i - k->func->insts);
	const bool has_reg = (o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR) && o->reg != UINT32_MAX;

	if (!has_reg) {
		if (o->kind == PTX_OPND_IMM && x->kind == DC_SRC_IMM && x->imm != o->imm)
			wrong(s, "another immediate", i);
		return;
	}
	const uint32_t def = expected_def(s->f, at, o->reg);

	if (k->func->regs[o->reg].type == PTX_PRED) {
		const struct dc_bit b = x->kind == DC_SRC_PRED ? s->old->bits[x->pred] : (struct dc_bit){0};
		const uint8_t known = s->old->known[o->reg];

		if (x->negate != o->negate ||
		    !((b.kind == DC_BIT_PRED && b.reg == o->reg && !b.negate && b.def == def) ||
		      (known != DC_BIT_UNKNOWN && b.kind == known) || is_unwritten(s->old, o->reg, def)))
			wrong(s, "a predicate that is not there", i);
		return;
	}
	if (k->host_of[o->reg] != UINT32_MAX) {
		if (x->kind != DC_SRC_HOST || x->host != k->host_of[o->reg])
			wrong(s, "another value of the host", i);
		return;
	}
	if (x->kind != DC_SRC_LOC ||
	    (!holds(s, x->loc, o->reg, def, partial, guard) && !is_unwritten(s->old, o->reg, def)))
		wrong(s, "an operand that is not where it is read", i);
}

static void destroy(struct step *s, struct dc_loc l)
{
	if (l.lo != DC_NO_REG)
		s->now->held[place_of(l, 0)] = (struct dc_held){0};
	if (l.hi != DC_NO_REG)
		s->now->held[place_of(l, 1)] = (struct dc_held){0};
}

/* Elsewhere the register's value is stale, or, after a write of some lanes, what it was in the others. */
static void make_stale(struct step *s, uint32_t reg, bool partial, uint32_t guard)
{
	for (uint32_t n = 0; n < s->f->sizes.places; n++) {
		struct dc_held *h = &s->now->held[n];

		if (h->kind == DC_HELD_NOTHING || h->reg != reg)
			continue;
		if (partial && h->kind == DC_HELD_WHOLE) {
			h->kind = DC_HELD_OLD;
			h->guard = guard;
		} else {
			*h = (struct dc_held){0};
		}
	}
}

static void write_reg(struct step *s, struct dc_loc l, uint32_t reg, uint32_t def, bool partial, uint32_t guard)
{
	const bool wide = ptx_type_bytes(s->f->k->func->regs[reg].type) == 8;
	const bool fresh = !dc_lanes_defined(s->old, reg);
	bool whole = !partial || fresh;

	for (uint32_t half = 0; half <= wide && l.lo != DC_NO_REG && partial && !fresh; half++) {
		const struct dc_held *h = &s->old->held[place_of(l, half)];

		/* In place, or the other half of a pair of guards. */
		whole = h->reg == reg && h->half == half &&
			(h->kind == DC_HELD_WHOLE || (h->kind == DC_HELD_PART && h->guard == (guard ^ 1)));
		if (!whole)
			break;
	}
	make_stale(s, reg, partial, guard);
	s->now->only[reg] = partial && (fresh || s->old->only[reg] == guard + 1) ? guard + 1 : 0;
	for (uint32_t half = 0; half <= wide && l.lo != DC_NO_REG; half++)
		s->now->held[place_of(l, half)] = (struct dc_held){.reg = reg,
								   .def = def,
								   .guard = guard,
								   .half = (uint8_t)half,
								   .kind = whole ? DC_HELD_WHOLE : DC_HELD_PART};
	s->now->defined[reg / 64] |= 1ull << reg % 64;
}

static void write_pred(struct step *s, uint16_t pred, uint32_t reg, uint32_t def, bool partial)
{
	const struct dc_bit was = s->old->bits[pred];

	if (partial && dc_lanes_defined(s->old, reg) && !(was.kind == DC_BIT_PRED && was.reg == reg && !was.negate) &&
	    was.kind != s->old->known[reg])
		wrong(s, "a guarded write of a predicate whose value is elsewhere", NULL);
	for (uint32_t p = 0; p < s->f->k->pred_count; p++)
		if (s->now->bits[p].kind == DC_BIT_PRED && s->now->bits[p].reg == reg) {
			uint8_t v = dc_lanes_bit(s->old, s->now->bits[p]);

			s->now->bits[p] = (struct dc_bit){.kind = v == DC_BIT_PRED ? DC_BIT_UNKNOWN : v};
		}
	for (uint32_t n = 0; n < s->f->sizes.places; n++)
		if (s->now->held[n].kind > DC_HELD_WHOLE && s->now->held[n].guard / 2 == reg)
			s->now->held[n] = (struct dc_held){0};
	for (uint32_t r = 0; r < s->f->sizes.reg_count; r++)
		if (s->now->only[r] && (s->now->only[r] - 1) / 2 == reg)
			s->now->only[r] = 0;
	s->now->bits[pred] = (struct dc_bit){.kind = DC_BIT_PRED, .reg = reg, .def = def};
	s->now->known[reg] = DC_BIT_UNKNOWN;
	s->now->defined[reg / 64] |= 1ull << reg % 64;
}

/* An instruction whose guard is false in all these lanes leaves its results what they were: wherever a value of them
 * is, it is what PTX reads behind the instruction, too. */
static void pass_over(struct step *s, const struct ptx_inst *i)
{
	const uint32_t def = (uint32_t)(i - s->f->k->func->insts) + 1;
	struct ptx_reg_use u;

	ptx_inst_regs(i, &u);
	for (uint32_t w = 0; w < u.write_count; w++) {
		const uint32_t reg = u.writes[w];

		for (uint32_t n = 0; n < s->f->sizes.places; n++)
			if (s->now->held[n].kind != DC_HELD_NOTHING && s->now->held[n].reg == reg)
				s->now->held[n].def = def;
		for (uint32_t p = 0; p < s->f->k->pred_count; p++)
			if (s->now->bits[p].kind == DC_BIT_PRED && s->now->bits[p].reg == reg)
				s->now->bits[p].def = def;
		s->now->passed[reg] = def;
	}
}

/* ---- operations ---- */

static void do_alu(struct step *s, const struct dc_slot *d)
{
	const struct ptx_inst *i = d->inst;
	const uint32_t def = (uint32_t)(i - s->f->k->func->insts) + 1;
	bool partial;
	uint32_t guard;

	if (is_bystander(s)) {
		if (is_off(s, d->guard))
			return;
		destroy(s, d->dst);
		if (d->pred_dst != DC_NO_PRED)
			s->now->bits[d->pred_dst] = (struct dc_bit){0};
		if (d->pred_dst2 != DC_NO_PRED)
			s->now->bits[d->pred_dst2] = (struct dc_bit){0};
		return;
	}
	if (!check_guard(s, d->guard, i, &partial, &guard)) {
		pass_over(s, i);
		return;
	}
	for (uint32_t k = 0; k < i->src_count; k++)
		check_source(s, &d->src[k], &i->src[k], i, partial, guard);
	if (i->dst.kind == PTX_OPND_REG && s->f->k->func->regs[i->dst.reg].type == PTX_PRED) {
		if (d->pred_dst == DC_NO_PRED)
			wrong(s, "a predicate without place", i);
		else
			write_pred(s, d->pred_dst, i->dst.reg, def, partial);
	} else if (i->dst.kind == PTX_OPND_REG) {
		if (d->dst.lo == DC_NO_REG)
			wrong(s, "a result without place", i);
		write_reg(s, d->dst, i->dst.reg, def, partial, guard);
	}
	if (i->dst2.kind == PTX_OPND_REG && d->pred_dst2 != DC_NO_PRED)
		write_pred(s, d->pred_dst2, i->dst2.reg, def, partial);
}

static uint32_t slot_place(uint32_t slot, uint32_t half)
{
	return DC_REG_PLACES + slot + half;
}

/* Moves of a value: copy, spill, fill. Places by half; UINT32_MAX: none. */
static void do_move(struct step *s, struct dc_guard g, const uint32_t from[2], const uint32_t to[2], uint32_t reg)
{
	const struct dc_bit b = guard_bit(s, g);
	const uint8_t v = dc_lanes_bit(s->old, b);

	if (v == DC_BIT_FALSE)
		return;
	for (uint32_t half = 0; half < 2; half++) {
		const struct dc_held *h, *there;
		struct dc_held moved;

		if (to[half] == UINT32_MAX)
			continue;
		there = &s->old->held[to[half]];
		if (is_bystander(s)) {
			s->now->held[to[half]] = (struct dc_held){0};
			continue;
		}
		h = from[half] == UINT32_MAX ? NULL : &s->old->held[from[half]];
		moved = h ? *h : (struct dc_held){0};
		if (moved.kind == DC_HELD_NOTHING || moved.reg != reg || moved.half != half) {
			if (dc_lanes_defined(s->old, reg))
				wrong(s, "a value moves that is not there", NULL);
			moved = (struct dc_held){0};
		}
		if (v != DC_BIT_TRUE) {
			const uint32_t guard = b.reg * 2 + (b.negate ? 1u : 0u);
			const bool has_new =
			    moved.kind == DC_HELD_WHOLE || (moved.kind == DC_HELD_PART && moved.guard == guard);
			const bool closes = has_new && ((there->reg == reg && there->half == half &&
							 there->kind == DC_HELD_OLD && there->guard == guard) ||
							s->old->only[reg] == guard + 1);

			if (v != DC_BIT_PRED) {
				wrong(s, "a value moves in unknown lanes", NULL);
				moved = (struct dc_held){0};
			} else if (closes) {
				moved.kind = DC_HELD_WHOLE;
			} else if (moved.kind == DC_HELD_WHOLE) {
				moved.kind = DC_HELD_PART;
				moved.guard = guard;
			}
		}
		s->now->held[to[half]] = moved;
	}
}

static void places_of(struct dc_loc l, uint32_t out[2])
{
	out[0] = l.lo == DC_NO_REG ? UINT32_MAX : place_of(l, 0);
	out[1] = l.hi == DC_NO_REG ? UINT32_MAX : place_of(l, 1);
}

/* Of global memory of 64 bits no address has 32 but one that a base is added to. */
static bool is_short(const struct ptx_func *f, const struct ptx_inst *i)
{
	return f->module->address_bits == 64 && i->src[0].kind == PTX_OPND_ADDR && i->src[0].reg != UINT32_MAX &&
	       (i->mods.space == PTX_GLOBAL || i->mods.space == PTX_SPACE_NONE) &&
	       ptx_type_bytes(f->regs[i->src[0].reg].type) == 4;
}

static void do_box_inst(struct step *s, const struct dc_box *b)
{
	const struct ptx_inst *i = b->inst;
	const uint32_t def = (uint32_t)(i - s->f->k->func->insts) + 1;
	const struct ptx_operand *d = &i->dst;
	bool partial;
	uint32_t guard, n = 0;

	if (is_bystander(s)) {
		if (!is_off(s, b->guard))
			wrong(s, "a C-Box operation in lanes of another block", i);
		return;
	}
	if (!check_guard(s, b->guard, i, &partial, &guard)) {
		pass_over(s, i);
		return;
	}
	for (uint32_t k = 0; k < i->src_count; k++)
		for (uint32_t e = 0; e < MAX(i->src[k].elem_count, 1); e++, n++)
			check_source(s, &b->src[n], i->src[k].elem_count ? &i->src[k].elems[e] : &i->src[k], i, partial,
				     guard);
	if (b->kind == DC_BOX_MEMORY && (b->space != i->mods.space || b->var != i->src[0].var ||
					 (i->src[0].kind == PTX_OPND_ADDR && b->offset != i->src[0].offset) ||
					 b->has_base != is_short(s->f->k->func, i)))
		wrong(s, "another address", i);
	for (uint32_t e = 0; e < (d->kind == PTX_OPND_VEC ? d->elem_count : 1u); e++) {
		const struct ptx_operand *x = d->kind == PTX_OPND_VEC ? &d->elems[e] : d;

		if (x->kind != PTX_OPND_REG)
			continue;
		if (s->f->k->func->regs[x->reg].type == PTX_PRED)
			write_pred(s, b->pred_dst, x->reg, def, partial);
		else
			write_reg(s, b->dst[e], x->reg, def, partial, guard);
	}
	if (i->dst2.kind == PTX_OPND_REG && b->pred_dst != DC_NO_PRED)
		write_pred(s, b->pred_dst, i->dst2.reg, def, partial);
}

static bool is_barrier(const struct ptx_inst *i)
{
	return i->op == PTX_OP_BAR || i->op == PTX_OP_BARRIER;
}

/* A barrier waits for the lanes that may still come to one, and for no others. */
static void check_comes(struct step *s, const struct dc_box *b)
{
	const bool does = s->old->block != DC_EXIT && s->f->meets[s->old->block];
	const struct dc_bit bit = guard_bit(s, (struct dc_guard){b->comes, false});

	if (dc_lanes_bit(s->old, bit) != (does ? DC_BIT_TRUE : DC_BIT_FALSE))
		wrong(s, does ? "a barrier forgets lanes that come" : "a barrier waits for lanes that do not come",
		      b->inst);
}

static void find_meeting(struct flow *f)
{
	const struct ptx_cfg *cfg = f->k->cfg;
	bool changed = true;

	f->meets = g_new0(bool, cfg->block_count + 1);
	for (uint32_t b = 0; b < cfg->block_count; b++)
		for (uint32_t n = cfg->blocks[b].first; n <= cfg->blocks[b].last; n++)
			f->meets[b] |= is_barrier(&f->k->func->insts[n]);
	while (changed) {
		changed = false;
		for (uint32_t b = 0; b < cfg->block_count; b++)
			for (uint32_t k = 0; k < cfg->blocks[b].succ_count && !f->meets[b]; k++)
				changed |= f->meets[b] = f->meets[cfg->blocks[b].succs[k]];
	}
}

static void do_box(struct step *s, const struct dc_box *b)
{
	uint32_t from[2], to[2];

	if (b->kind == DC_BOX_BARRIER)
		check_comes(s, b);

	if (b->inst) {
		do_box_inst(s, b);
		return;
	}
	if (b->kind == DC_BOX_SPILL) {
		places_of(b->src[0].loc, from);
		to[0] = slot_place(b->spill, 0);
		to[1] = from[1] == UINT32_MAX ? UINT32_MAX : slot_place(b->spill, 1);
	} else {
		places_of(b->dst[0], to);
		from[0] = slot_place(b->spill, 0);
		from[1] = to[1] == UINT32_MAX ? UINT32_MAX : slot_place(b->spill, 1);
	}
	do_move(s, b->guard, from, to, b->reg);
}

static struct dc_bit mask_source(const struct step *s, const struct dc_source *x)
{
	struct dc_bit b = {.kind = x->imm ? DC_BIT_TRUE : DC_BIT_FALSE};
	uint8_t v;

	if (x->kind == DC_SRC_PRED)
		b = s->old->bits[x->pred];
	v = dc_lanes_bit(s->old, b);
	if (v != DC_BIT_PRED)
		b = (struct dc_bit){.kind = v};
	if (x->negate && b.kind == DC_BIT_PRED)
		b.negate = !b.negate;
	else if (x->negate && b.kind != DC_BIT_UNKNOWN)
		b.kind = b.kind == DC_BIT_TRUE ? DC_BIT_FALSE : DC_BIT_TRUE;
	return b;
}

static void do_mask(struct step *s, const struct dc_slot *d)
{
	struct dc_bit a = mask_source(s, &d->src[0]), b = {.kind = DC_BIT_TRUE};
	const uint8_t strong = d->mask_op == DC_MASK_AND ? DC_BIT_FALSE : DC_BIT_TRUE;

	if (d->src_count > 1) {
		b = mask_source(s, &d->src[1]);
		if (a.kind == strong || b.kind == strong)
			a = (struct dc_bit){.kind = strong};
		else if (a.kind == DC_BIT_TRUE || a.kind == DC_BIT_FALSE)
			a = b;
		else if (b.kind != DC_BIT_TRUE && b.kind != DC_BIT_FALSE)
			a = (struct dc_bit){0};
	}
	s->now->bits[d->pred_dst] = a;
}

static void do_word(struct flow *f, struct dc_state *state, uint32_t n, int64_t block)
{
	const struct dc_word *w = &f->k->words[n];
	struct dc_lanes *old = dc_lanes_new(&f->sizes, DC_EXIT);

	for (uint32_t c = 0; c < state->lanes->len; c++) {
		struct step s = {f, n, block, old, state->lanes->pdata[c]};

		dc_lanes_copy(&f->sizes, old, s.now);
		for (uint32_t a = 0; a < DC_ARRAYS; a++) {
			const struct dc_slot *d = &w->slot[a];
			uint32_t from[2], to[2];

			if (d->kind == DC_SLOT_ALU) {
				do_alu(&s, d);
			} else if (d->kind == DC_SLOT_MASK) {
				do_mask(&s, d);
			} else if (d->kind == DC_SLOT_COPY) {
				places_of(d->src[0].loc, from);
				places_of(d->dst, to);
				do_move(&s, d->guard, from, to, d->reg);
			}
			for (uint32_t r = 0; r < DC_REGS; r++)
				if (d->scratch_regs >> r & 1)
					destroy(&s, (struct dc_loc){(uint8_t)a, (uint8_t)r, DC_NO_REG});
		}
		if (w->box.kind)
			do_box(&s, &w->box);
	}
	dc_lanes_free(old);
}

/* ---- ends of blocks ---- */

/* What the block wrote and somebody still reads is somewhere, as its last definition left it. */
static void check_live_out(struct flow *f, const struct dc_lanes *l, uint32_t block, uint32_t word)
{
	const uint64_t *live = f->k->cfg->live_out + (size_t)block * f->k->cfg->live_words;

	for (uint32_t r = 0; r < f->k->func->reg_count; r++) {
		const uint32_t def = expected_def(f, 0x80000000u | block, r);
		bool there = false;

		if (!(live[r / 64] >> r % 64 & 1) || !def || f->k->host_of[r] != UINT32_MAX ||
		    is_unwritten(l, r, def))
			continue;
		for (uint32_t n = 0; n < f->sizes.places; n++)
			there |= l->held[n].kind == DC_HELD_WHOLE && l->held[n].reg == r && l->held[n].def == def;
		for (uint32_t p = 0; p < f->k->pred_count; p++)
			there |= l->bits[p].kind == DC_BIT_PRED && l->bits[p].reg == r && l->bits[p].def == def;
		if (!there && !f->wrong)
			f->wrong = dc_wrong(word, "%s is lost at the end of block %u", f->k->func->regs[r].name, block);
	}
}

static void forget_defs(const struct flow *f, struct dc_lanes *l)
{
	for (uint32_t n = 0; n < f->sizes.places; n++) {
		l->held[n].def = 0;
		if (l->held[n].kind > DC_HELD_WHOLE)
			l->held[n] = (struct dc_held){0};
	}
	for (uint32_t p = 0; p < f->k->pred_count; p++)
		l->bits[p].def = 0;
	memset(l->passed, 0, f->sizes.reg_count * sizeof(*l->passed));
	memset(l->only, 0, f->sizes.reg_count * sizeof(*l->only));
}

static void go_to(struct flow *f, struct dc_state *state, const struct dc_lanes *from, int64_t block, uint32_t reg,
		  uint8_t known)
{
	struct dc_lanes *l = dc_lanes_new(&f->sizes, block);

	dc_lanes_copy(&f->sizes, l, from);
	l->block = block;
	l->is_fresh = true;
	if (known != DC_BIT_UNKNOWN)
		l->known[reg] = known;
	dc_state_join(&f->sizes, state, l);
	dc_lanes_free(l);
}

static void leave_block(struct flow *f, struct dc_state *state, uint32_t block, uint32_t word)
{
	const struct ptx_cfg *cfg = f->k->cfg;
	const struct ptx_block *b = &cfg->blocks[block];
	const struct ptx_inst *last = &f->k->func->insts[b->last];
	struct dc_lanes *l = dc_state_find(state, block, false), *from;
	const bool is_last = b->last + 1 >= f->k->func->inst_count;
	const int64_t next = is_last ? DC_EXIT : (int64_t)cfg->block_of[b->last + 1];
	int64_t taken = DC_EXIT;
	bool certain = false;

	if (!l)
		return;
	check_live_out(f, l, block, word);
	/* The branch's predicate is what its row says only if that was the last to be written. */
	for (uint32_t p = 0; p < f->k->pred_count && last->has_guard; p++)
		certain |= l->bits[p].kind == DC_BIT_PRED && l->bits[p].reg == last->guard_reg &&
			   l->bits[p].def == expected_def(f, b->last, last->guard_reg);
	from = dc_lanes_new(&f->sizes, DC_EXIT);
	dc_lanes_copy(&f->sizes, from, l);
	g_ptr_array_remove(state->lanes, l);
	forget_defs(f, from);
	if (last->op == PTX_OP_BRA)
		taken = cfg->block_of[last->src[0].label];
	if (!ptx_inst_ends_block(last) || (last->op == PTX_OP_TRAP && last->has_guard)) {
		/* Who traps ends the launch: whoever is there afterwards goes on. */
		go_to(f, state, from, next, 0, DC_BIT_UNKNOWN);
	} else if (!last->has_guard) {
		go_to(f, state, from, taken, 0, DC_BIT_UNKNOWN);
	} else {
		const uint8_t known = from->known[last->guard_reg];
		const uint8_t yes = last->guard_negate ? DC_BIT_FALSE : DC_BIT_TRUE;
		const uint8_t no = last->guard_negate ? DC_BIT_TRUE : DC_BIT_FALSE;

		if (known != no)
			go_to(f, state, from, taken, last->guard_reg, certain || known ? yes : DC_BIT_UNKNOWN);
		if (known != yes)
			go_to(f, state, from, next, last->guard_reg, certain || known ? no : DC_BIT_UNKNOWN);
	}
	dc_lanes_free(from);
}

/* The masks of those that left the block are made: they join others that wait for the same. */
static void settle(struct flow *f, struct dc_state *state)
{
	for (uint32_t c = 0; c < state->lanes->len; c++) {
		struct dc_lanes *l = state->lanes->pdata[c], *other;

		if (!l->is_fresh)
			continue;
		other = dc_state_find(state, l->block, false);
		l->is_fresh = false;
		if (!other)
			continue;
		dc_lanes_meet(&f->sizes, other, l);
		g_ptr_array_remove_index(state->lanes, c--);
	}
}

/* ---- the whole ---- */

static void drop_known(struct dc_state *state, uint16_t pred, uint8_t value)
{
	for (uint32_t c = state->lanes->len; c-- > 0;) {
		struct dc_lanes *l = state->lanes->pdata[c];

		if (dc_lanes_bit(l, l->bits[pred]) == value)
			g_ptr_array_remove_index(state->lanes, c);
	}
}

/* A skip is taken when no lane has the predicate: by no class that certainly has it. A class whose own block is skipped
 * must certainly have it. */
static void do_skip(struct flow *f, struct dc_state *state, uint32_t n, int64_t block)
{
	const struct dc_word *w = &f->k->words[n];
	struct dc_state away = {0};
	const struct dc_lanes *own = block == DC_EXIT ? NULL : dc_state_find(state, block, false);

	if (own && dc_lanes_bit(own, own->bits[w->flow_pred]) != DC_BIT_TRUE && !f->wrong)
		f->wrong = dc_wrong(n, "lanes of block %d may be skipped", (int)block);
	dc_state_join_all(&f->sizes, &away, state);
	if (away.lanes) {
		drop_known(&away, w->flow_pred, DC_BIT_TRUE);
		dc_state_join_all(&f->sizes, &f->waiting[w->target], &away);
	}
	dc_state_clear(&away);
}

/* Another round is for the lanes that wait for the loop's first block, and for no others. */
static void check_jump(struct flow *f, const struct dc_state *state, uint32_t n)
{
	const struct dc_word *w = &f->k->words[n];
	uint32_t r = 0;

	while (r < f->k->range_count && f->k->ranges[r].first < w->target)
		r++;
	for (uint32_t c = 0; c < state->lanes->len && !f->wrong; c++) {
		const struct dc_lanes *l = state->lanes->pdata[c];
		const bool repeats = r < f->k->range_count && l->block == f->k->ranges[r].block;

		if (dc_lanes_bit(l, l->bits[w->flow_pred]) != (repeats ? DC_BIT_TRUE : DC_BIT_FALSE))
			f->wrong = dc_wrong(n, "another round %s lanes that wait for block %d",
					    repeats ? "may not come for" : "may come for", (int)l->block);
	}
}

/* Blocks whose words end before word n, of those that begin before word `before`: a loop may begin with blocks that
 * have no words. *left: the block's lanes have gone on, its masks are not done. */
static void end_blocks(struct flow *f, struct dc_state *state, uint32_t n, uint32_t before, uint32_t *range, bool *left)
{
	const struct dc_kernel *k = f->k;

	for (; *range < k->range_count && k->ranges[*range].first < before; ++*range) {
		if (!*left && k->ranges[*range].edge <= n) {
			leave_block(f, state, k->ranges[*range].block, n);
			*left = true;
		}
		if (!*left || k->ranges[*range].end > n)
			break;
		settle(f, state);
		*left = false;
	}
}

/* One walk over the words; true if a loop's beginning has changed. */
static bool walk(struct flow *f)
{
	const struct dc_kernel *k = f->k;
	struct dc_state state = {0};
	struct dc_lanes *first = dc_lanes_new(&f->sizes, 0);
	uint32_t range = 0;
	bool changed = false, left = false;

	dc_state_join(&f->sizes, &state, first);
	dc_lanes_free(first);
	for (uint32_t n = 0; n < k->word_count && !f->wrong; n++) {
		const struct dc_word *w = &k->words[n];
		int64_t block = DC_EXIT;

		dc_state_join_all(&f->sizes, &state, &f->waiting[n]);
		dc_state_clear(&f->waiting[n]);
		end_blocks(f, &state, n, n, &range, &left);
		if (w->is_loop_begin) {
			changed |= dc_state_join_all(&f->sizes, &f->begin[n], &state);
			dc_state_clear(&state);
			dc_state_join_all(&f->sizes, &state, &f->begin[n]);
		}
		end_blocks(f, &state, n, n + 1, &range, &left);
		if (range < k->range_count && !left && k->ranges[range].first <= n)
			block = k->ranges[range].block;
		if (w->flow == DC_FLOW_SKIP)
			do_skip(f, &state, n, block);
		do_word(f, &state, n, block);
		if (w->flow == DC_FLOW_JUMP) {
			check_jump(f, &state, n);
			changed |= dc_state_join_all(&f->sizes, &f->begin[w->target], &state);
			drop_known(&state, w->flow_pred, DC_BIT_TRUE);
		}
	}
	for (uint32_t c = 0; c < state.lanes->len && !f->wrong; c++) {
		const struct dc_lanes *l = state.lanes->pdata[c];

		if (l->block != DC_EXIT)
			f->wrong =
			    dc_wrong(k->word_count - 1, "lanes wait for block %d, which does not come", (int)l->block);
	}
	dc_state_clear(&state);
	return changed;
}

char *dc_validate_flow(const struct dc_kernel *k)
{
	struct flow f = {.k = k, .sizes = {DC_REG_PLACES + k->spill_slots + 2, k->pred_count, k->func->reg_count}};

	f.waiting = g_new0(struct dc_state, k->word_count + 1);
	f.begin = g_new0(struct dc_state, k->word_count + 1);
	find_defs(&f);
	find_meeting(&f);
	while (!f.wrong && walk(&f)) {
	}
	for (uint32_t n = 0; n <= k->word_count; n++) {
		dc_state_clear(&f.waiting[n]);
		dc_state_clear(&f.begin[n]);
	}
	g_free(f.waiting);
	g_free(f.begin);
	g_free(f.meets);
	g_hash_table_destroy(f.defs);
	return f.wrong;
}
