/* balance.c - chains of one associative operator become trees (section 3.4): ((a + b) + c) + d to (a + b) + (c + d), so
 * that arrays can work on them at the same time. Sums of floats change by it, and are left alone unless asked for. */
#include "dc/compile/priv.h"

enum { LEAVES_MAX = 64 };

static bool is_associative(const struct dcc *c, const struct ptx_inst *i)
{
	const bool is_float = ptx_type_is_float(i->type);

	if (i->has_guard || i->dst.kind != PTX_OPND_REG || i->type == PTX_PRED || i->mods.cc || i->mods.sat ||
	    (is_float && (!c->o->balance_float || (i->type != PTX_F32 && i->type != PTX_F64))))
		return false;
	switch (i->op) {
	case PTX_OP_ADD:
		return true;
	case PTX_OP_MUL:
		return is_float || i->mods.part == PTX_LO_HALF;
	case PTX_OP_AND:
	case PTX_OP_OR:
	case PTX_OP_XOR:
		return true;
	default:
		return false;
	}
}

struct chain {
	struct dcc *c;
	const struct ptx_cfg *cfg;
	uint32_t *defs, *def_at, *reads;
	bool *is_inner; /* [inst_count]: part of the tree of a later instruction */
};

/* The instruction whose result this operand of `reader` is, if it can be taken apart: of the same operator and block,
 * before it there, so that the value is of this round of a loop, and read once. */
static const struct ptx_inst *inner(const struct chain *k, const struct ptx_inst *root, const struct ptx_inst *reader,
				    const struct ptx_operand *o)
{
	const struct ptx_func *f = k->c->func;
	const struct ptx_inst *i;

	if (o->kind != PTX_OPND_REG || o->negate || k->defs[o->reg] != 1 || k->reads[o->reg] != 1)
		return NULL;
	i = &f->insts[k->def_at[o->reg]];
	if (i >= reader || i->op != root->op || ptx_type_bytes(i->type) != ptx_type_bytes(root->type) ||
	    ptx_type_is_float(i->type) != ptx_type_is_float(root->type) || i->mods.round != root->mods.round ||
	    i->mods.ftz != root->mods.ftz || !is_associative(k->c, i) ||
	    k->cfg->block_of[i - f->insts] != k->cfg->block_of[root - f->insts])
		return NULL;
	return i;
}

/* Leaves from left to right. Leaves must still have their values at the root: registers written once. */
static bool gather(const struct chain *k, const struct ptx_inst *root, const struct ptx_inst *i, GArray *leaves,
		   uint32_t depth, uint32_t *deepest)
{
	*deepest = MAX(*deepest, depth);
	for (uint32_t s = 0; s < 2; s++) {
		const struct ptx_inst *in = inner(k, root, i, &i->src[s]);

		if (in) {
			if (!gather(k, root, in, leaves, depth + 1, deepest))
				return false;
			continue;
		}
		if (leaves->len == LEAVES_MAX || i->src[s].negate ||
		    (i->src[s].kind == PTX_OPND_REG && k->defs[i->src[s].reg] != 1))
			return false;
		g_array_append_val(leaves, i->src[s]);
	}
	return true;
}

static void mark(const struct chain *k, const struct ptx_inst *root, const struct ptx_inst *i)
{
	for (uint32_t s = 0; s < 2; s++) {
		const struct ptx_inst *in = inner(k, root, i, &i->src[s]);

		if (in) {
			k->is_inner[in - k->c->func->insts] = true;
			mark(k, root, in);
		}
	}
}

static struct ptx_operand tree(struct dcc *c, const struct ptx_inst *root, const struct ptx_operand *leaves,
			       uint32_t count, bool is_root)
{
	struct ptx_inst i = *root;

	if (count == 1)
		return leaves[0];
	i.src[0] = tree(c, root, leaves, (count + 1) / 2, false);
	i.src[1] = tree(c, root, leaves + (count + 1) / 2, count / 2, false);
	if (!is_root)
		i.dst = dcc_reg(dcc_reg_new(c, c->func->regs[root->dst.reg].type));
	dcc_emit(c, &i);
	return i.dst;
}

static uint32_t log2_up(uint32_t n)
{
	uint32_t bits = 0;

	while (1u << bits < n)
		bits++;
	return bits;
}

/* Trees are found from their roots, which stand behind what they are made of. */
static void find_trees(struct chain *k, GArray **leaves)
{
	for (uint32_t n = k->c->func->inst_count; n-- > 0;) {
		const struct ptx_inst *i = &k->c->func->insts[n];
		uint32_t deepest = 0;
		GArray *found;

		if (k->is_inner[n] || !is_associative(k->c, i) || k->defs[i->dst.reg] != 1)
			continue;
		found = g_array_new(FALSE, TRUE, sizeof(struct ptx_operand));
		if (gather(k, i, i, found, 1, &deepest) && found->len > 2 && deepest > log2_up(found->len)) {
			mark(k, i, i);
			leaves[n] = found;
		} else {
			g_array_free(found, TRUE);
		}
	}
}

void dcc_balance(struct dcc *c)
{
	const struct ptx_func *f = c->func;
	struct ptx_cfg *cfg = ptx_cfg_build(f);
	struct chain k = {c,
			  cfg,
			  g_new0(uint32_t, f->reg_count + 1),
			  g_new0(uint32_t, f->reg_count + 1),
			  g_new0(uint32_t, f->reg_count + 1),
			  g_new0(bool, f->inst_count + 1)};
	GArray **leaves = g_new0(GArray *, f->inst_count + 1);
	struct ptx_reg_use u;

	for (uint32_t n = 0; n < f->inst_count; n++) {
		ptx_inst_regs(&f->insts[n], &u);
		for (uint32_t w = 0; w < u.write_count; w++) {
			k.defs[u.writes[w]]++;
			k.def_at[u.writes[w]] = n;
		}
		for (uint32_t r = 0; r < u.read_count; r++)
			k.reads[u.reads[r]]++;
	}
	find_trees(&k, leaves);
	dcc_rewrite_begin(c);
	for (uint32_t n = 0; n < f->inst_count; n++) {
		dcc_rewrite_at(c, n);
		if (leaves[n]) {
			tree(c, &f->insts[n], (const struct ptx_operand *)(void *)leaves[n]->data, leaves[n]->len,
			     true);
			c->kernel->counts.balanced++;
			g_array_free(leaves[n], TRUE);
		} else if (!k.is_inner[n]) {
			dcc_emit(c, &f->insts[n]);
		}
	}
	dcc_rewrite_end(c);
	g_free(k.defs);
	g_free(k.def_at);
	g_free(k.reads);
	g_free(k.is_inner);
	g_free(leaves);
	ptx_cfg_free(cfg);
}
