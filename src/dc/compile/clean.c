/* clean.c - copies are read where they come from, what nobody reads is not computed, and nothing branches to what
 * follows. */
#include "dc/compile/priv.h"

#include "simt/alu/alu.h"

struct defs {
	uint32_t *count, *at; /* of each register: definitions, and the last one's instruction */
	uint32_t *reads;
};

static struct defs find_defs(const struct ptx_func *f)
{
	struct defs d = {g_new0(uint32_t, f->reg_count + 1), g_new0(uint32_t, f->reg_count + 1),
			 g_new0(uint32_t, f->reg_count + 1)};
	struct ptx_reg_use u;

	for (uint32_t n = 0; n < f->inst_count; n++) {
		ptx_inst_regs(&f->insts[n], &u);
		for (uint32_t k = 0; k < u.write_count; k++) {
			d.count[u.writes[k]]++;
			d.at[u.writes[k]] = n;
		}
		for (uint32_t k = 0; k < u.read_count; k++)
			d.reads[u.reads[k]]++;
	}
	return d;
}

static void free_defs(struct defs *d)
{
	g_free(d->count);
	g_free(d->at);
	g_free(d->reads);
}

static bool is_copy(const struct ptx_func *f, const struct defs *d, const struct ptx_inst *i)
{
	const struct ptx_operand *s = &i->src[0];

	return i->op == PTX_OP_MOV && i->type != PTX_PRED && !i->has_guard && i->dst.kind == PTX_OPND_REG &&
	       s->kind == PTX_OPND_REG && !s->negate && d->count[i->dst.reg] == 1 && d->count[s->reg] == 1 &&
	       !f->insts[d->at[s->reg]].has_guard && f->regs[i->dst.reg].type != PTX_PRED &&
	       dcc_reg_slots(f, i->dst.reg) == dcc_reg_slots(f, s->reg);
}

static bool dominates(const struct ptx_cfg *cfg, uint32_t def, uint32_t use)
{
	const uint32_t a = cfg->block_of[def], b = cfg->block_of[use];

	return a == b ? def < use : cfg->blocks[b].is_reachable && ptx_dominates(cfg, a, b);
}

/* from[r]: what r is a copy of, or r. A copy whose every reader its definition dominates. */
static bool find_copies(const struct ptx_cfg *cfg, const struct defs *d, uint32_t *from)
{
	const struct ptx_func *f = cfg->func;
	struct ptx_reg_use u;
	bool any = false;

	for (uint32_t r = 0; r < f->reg_count; r++)
		from[r] = d->count[r] == 1 && is_copy(f, d, &f->insts[d->at[r]]) ? f->insts[d->at[r]].src[0].reg : r;
	for (uint32_t n = 0; n < f->inst_count; n++) {
		ptx_inst_regs(&f->insts[n], &u);
		for (uint32_t k = 0; k < u.read_count; k++)
			if (from[u.reads[k]] != u.reads[k] && !dominates(cfg, d->at[u.reads[k]], n))
				from[u.reads[k]] = u.reads[k];
	}
	for (uint32_t r = 0; r < f->reg_count; r++)
		any |= from[r] != r;
	return any;
}

static void replace(struct ptx_operand *o, const uint32_t *from)
{
	if ((o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR) && o->reg != UINT32_MAX)
		while (from[o->reg] != o->reg)
			o->reg = from[o->reg];
}

static void replace_all(struct dcc *c, struct ptx_inst *i, const uint32_t *from)
{
	for (uint32_t k = 0; k < i->src_count; k++) {
		replace(&i->src[k], from);
		if (!i->src[k].elem_count)
			continue;
		i->src[k].elems =
		    ptx_arena_copy(c->arena, i->src[k].elems, i->src[k].elem_count * sizeof(*i->src[k].elems));
		for (uint32_t e = 0; e < i->src[k].elem_count; e++)
			replace(&i->src[k].elems[e], from);
	}
}

static bool is_useless(const struct dcc *c, const struct defs *d, const struct ptx_inst *i)
{
	struct simt_alu alu;
	const char *why;

	if (i->dst.kind != PTX_OPND_REG || d->reads[i->dst.reg] ||
	    (i->dst2.kind == PTX_OPND_REG && d->reads[i->dst2.reg]))
		return false;
	return i->op == PTX_OP_MOV || dcc_inst_is_given(c, i) || simt_alu_find(i, SIMT_ISA_PORTABLE, &alu, &why);
}

/* To what follows anyway: blocks that only such a branch parts become one. */
static bool is_idle_branch(const struct ptx_inst *i, uint32_t at)
{
	return i->op == PTX_OP_BRA && i->src[0].kind == PTX_OPND_LABEL && i->src[0].label == at + 1;
}

/* A power of two as factor is a shift, which is a copy from other rows. */
static void multiply_by_shift(struct dcc *c, struct ptx_inst *i)
{
	const uint64_t factor = i->src[1].imm;

	if (i->op != PTX_OP_MUL || ptx_type_is_float(i->type) || i->mods.part != PTX_LO_HALF ||
	    i->src[1].kind != PTX_OPND_IMM || !factor || factor & (factor - 1))
		return;
	i->op = PTX_OP_SHL;
	i->type = ptx_type_bytes(i->type) == 8 ? PTX_B64 : ptx_type_bytes(i->type) == 4 ? PTX_B32 : PTX_B16;
	i->mods.part = 0;
	i->src[1] = dcc_imm((uint64_t)__builtin_ctzll(factor), PTX_U32);
	i->text = ptx_arena_printf(c->arena, "as a shift: %s", i->text ? i->text : "mul");
}

void dcc_clean(struct dcc *c)
{
	for (bool changed = true; changed;) {
		struct ptx_cfg *cfg = ptx_cfg_build(c->func);
		struct defs d = find_defs(c->func);
		g_autofree uint32_t *from = g_new0(uint32_t, c->func->reg_count + 1);

		changed = find_copies(cfg, &d, from);
		dcc_rewrite_begin(c);
		for (uint32_t n = 0; n < c->func->inst_count; n++) {
			struct ptx_inst i = c->func->insts[n];

			dcc_rewrite_at(c, n);
			if (is_useless(c, &d, &i) || is_idle_branch(&i, n)) {
				changed = true;
				continue;
			}
			replace_all(c, &i, from);
			multiply_by_shift(c, &i);
			dcc_emit(c, &i);
		}
		dcc_rewrite_end(c);
		free_defs(&d);
		ptx_cfg_free(cfg);
	}
}
