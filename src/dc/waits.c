/* waits.c - see waits.h. */
#include "dc/waits.h"

#include <glib.h>
#include <string.h>

#include "simt/alu/alu.h"

/* What a value is in the rounds of a loop: the same in all; a function of what memory says and of such values; another
 * one in each. */
enum kind { SAME, FOUND, OTHER, NOT_ASKED };

struct loop {
	const struct ptx_func *f;
	const struct ptx_cfg *cfg;
	const struct ptx_loop *loop;
	uint32_t *defs, *def_at; /* [reg_count]: instructions in the loop that write it; the last of them */
	uint8_t *kinds;          /* [inst_count]: enum kind of what the instruction makes */
	const struct ptx_inst *look; /* what it asks memory with; one that takes no lock comes first */
};

static bool is_inside(const struct ptx_cfg *cfg, uint32_t loop, uint32_t block)
{
	uint32_t l = cfg->blocks[block].loop;

	while (l != UINT32_MAX && l != loop)
		l = cfg->loops[l].parent;
	return l == loop;
}

/* The instruction, done again, leaves in memory what it left there before. */
static bool is_idle_again(const struct ptx_inst *i)
{
	switch (i->mods.atom) {
	case PTX_ATOM_CAS:
	case PTX_ATOM_EXCH:
	case PTX_ATOM_AND:
	case PTX_ATOM_OR:
	case PTX_ATOM_MIN:
	case PTX_ATOM_MAX:
		return true;
	case PTX_ATOM_ADD:
		return i->src[1].kind == PTX_OPND_IMM && !i->src[1].imm;
	default:
		return false;
	}
}

static bool is_of_others(const struct ptx_inst *i)
{
	return i->mods.space == PTX_GLOBAL || i->mods.space == PTX_SPACE_NONE;
}

static bool is_look(const struct ptx_inst *i)
{
	return is_of_others(i) &&
	       (i->op == PTX_OP_LD || i->op == PTX_OP_LDU || (i->op == PTX_OP_ATOM && is_idle_again(i)));
}

static enum kind kind_of_reg(struct loop *l, uint32_t reg, uint32_t at);

static enum kind kind_of_operand(struct loop *l, const struct ptx_operand *o, uint32_t at)
{
	enum kind kind = SAME;

	if (o->kind == PTX_OPND_SREG)
		return o->sreg == PTX_SREG_CLOCK || o->sreg == PTX_SREG_CLOCK_HI || o->sreg == PTX_SREG_CLOCK64 ||
			       o->sreg == PTX_SREG_GLOBALTIMER || o->sreg == PTX_SREG_GLOBALTIMER_LO ||
			       o->sreg == PTX_SREG_GLOBALTIMER_HI
			   ? OTHER
			   : SAME;
	if ((o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR) && o->reg != UINT32_MAX)
		kind = kind_of_reg(l, o->reg, at);
	for (uint32_t e = 0; e < o->elem_count; e++)
		kind = MAX(kind, kind_of_operand(l, &o->elems[e], at));
	return kind;
}

static enum kind kind_of_sources(struct loop *l, uint32_t inst)
{
	const struct ptx_inst *i = &l->f->insts[inst];
	enum kind kind = SAME;

	for (uint32_t s = 0; s < i->src_count; s++)
		kind = MAX(kind, kind_of_operand(l, &i->src[s], inst));
	return kind;
}

static bool is_pure(const struct ptx_inst *i)
{
	struct simt_alu alu;
	const char *why;

	return i->op == PTX_OP_MOV || ptx_inst_is_warp_wide(i) || simt_alu_find(i, SIMT_ISA_PORTABLE, &alu, &why);
}

static bool takes_a_lock(const struct ptx_inst *i)
{
	return i->op == PTX_OP_ATOM && (i->mods.atom == PTX_ATOM_CAS || i->mods.atom == PTX_ATOM_EXCH);
}

static enum kind kind_of_result(struct loop *l, uint32_t inst)
{
	const struct ptx_inst *i = &l->f->insts[inst];
	const enum kind kind = kind_of_sources(l, inst);

	if (is_look(i) && kind == SAME) {
		if (!l->look || takes_a_lock(l->look))
			l->look = i;
		return FOUND;
	}
	if (i->op == PTX_OP_LD && (i->mods.space == PTX_CONST || i->mods.space == PTX_PARAM_ENTRY))
		return kind;
	return is_pure(i) ? kind : OTHER;
}

static bool writes_reg(const struct ptx_inst *i, uint32_t reg)
{
	struct ptx_reg_use u;

	ptx_inst_regs(i, &u);
	for (uint32_t w = 0; w < u.write_count; w++)
		if (u.writes[w] == reg)
			return true;
	return false;
}

/* The instruction whose result an instruction reads there: the last before it in its block, or the only one in the
 * loop; UINT32_MAX: that is not known. */
static uint32_t def_of(const struct loop *l, uint32_t reg, uint32_t at)
{
	const uint32_t first = l->cfg->blocks[l->cfg->block_of[at]].first;

	for (uint32_t n = at; n-- > first;)
		if (writes_reg(&l->f->insts[n], reg))
			return n;
	return l->defs[reg] == 1 ? l->def_at[reg] : UINT32_MAX;
}

/* A value that goes on from round to round depends on itself: while it is asked for it is another one in each. */
static enum kind kind_of_reg(struct loop *l, uint32_t reg, uint32_t at)
{
	uint32_t def;

	if (!l->defs[reg])
		return SAME;
	def = def_of(l, reg, at);
	if (def == UINT32_MAX || l->f->insts[def].has_guard)
		return OTHER;
	if (l->kinds[def] == NOT_ASKED) {
		l->kinds[def] = OTHER;
		l->kinds[def] = (uint8_t)kind_of_result(l, def);
	}
	return l->kinds[def];
}

static void find_defs(struct loop *l)
{
	struct ptx_reg_use u;

	for (uint32_t n = 0; n < l->loop->block_count; n++) {
		const struct ptx_block *b = &l->cfg->blocks[l->loop->blocks[n]];

		for (uint32_t i = b->first; i <= b->last; i++) {
			ptx_inst_regs(&l->f->insts[i], &u);
			for (uint32_t w = 0; w < u.write_count; w++) {
				l->defs[u.writes[w]]++;
				l->def_at[u.writes[w]] = i;
			}
		}
	}
}

/* Does the loop change what others or its next round see? */
static bool writes(struct loop *l)
{
	for (uint32_t n = 0; n < l->loop->block_count; n++) {
		const struct ptx_block *b = &l->cfg->blocks[l->loop->blocks[n]];

		for (uint32_t at = b->first; at <= b->last; at++) {
			const struct ptx_inst *i = &l->f->insts[at];

			if (i->op == PTX_OP_ST || i->op == PTX_OP_RED || i->op == PTX_OP_CALL ||
			    (i->op == PTX_OP_ATOM && (!is_look(i) || kind_of_sources(l, at) != SAME)))
				return true;
		}
	}
	return false;
}

/* All ways out ask what was found, or what never changes; one of them asks what was found. */
static bool leaves_by_what_it_finds(struct loop *l, uint32_t number)
{
	bool finds = false;

	for (uint32_t n = 0; n < l->loop->block_count; n++) {
		const struct ptx_block *b = &l->cfg->blocks[l->loop->blocks[n]];
		const struct ptx_inst *last = &l->f->insts[b->last];
		bool leaves = ptx_inst_ends_block(last) && !ptx_inst_is_branch(last);
		enum kind kind;

		for (uint32_t s = 0; s < b->succ_count; s++)
			leaves |= !is_inside(l->cfg, number, b->succs[s]);
		if (!leaves)
			continue;
		kind = last->has_guard ? kind_of_reg(l, last->guard_reg, b->last) : SAME;
		if (kind == OTHER)
			return false;
		finds |= kind == FOUND;
	}
	return finds;
}

struct dc_waits dc_waits_of(const struct dc_kernel *k)
{
	const uint32_t regs = k->func->reg_count;
	struct dc_waits waits = {DC_WAITS_NOT, NULL};

	for (uint32_t n = 0; n < k->cfg->loop_count; n++) {
		g_autofree uint32_t *defs = g_new0(uint32_t, regs + 1), *def_at = g_new0(uint32_t, regs + 1);
		g_autofree uint8_t *kinds = g_malloc(k->func->inst_count + 1);
		struct loop l = {k->func, k->cfg, &k->cfg->loops[n], defs, def_at, kinds, NULL};

		memset(kinds, NOT_ASKED, k->func->inst_count + 1);
		find_defs(&l);
		if (writes(&l) || !leaves_by_what_it_finds(&l, n))
			continue;
		const enum dc_waits_for what = takes_a_lock(l.look) ? DC_WAITS_LOCK : DC_WAITS_FLAG;

		if (what > waits.what)
			waits = (struct dc_waits){what, l.look};
	}
	return waits;
}
