/* origin.c - follows addresses back to kernel parameters. */
#include "nsu/origin.h"

struct trace {
	const struct nsu_facts *f;
	GPtrArray *const *defs;
	bool *seen;	/* [inst_count]: followed already */
	uint16_t origin; /* NSU_NO_ORIGIN: none found yet */
};

static bool follow_inst(struct trace *t, uint32_t k);

/* The definition in the same basic block if there is one, else every definition in the function. False: not known. */
static bool follow_read(struct trace *t, const struct nsu_read *read)
{
	const GPtrArray *defs = t->defs[read->reg];

	if (ptx_type_bytes(t->f->func->regs[read->reg].type) < 8)
		return true;
	if (read->def != NSU_NO_INST)
		return follow_inst(t, read->def);
	for (guint n = 0; n < (defs ? defs->len : 0); n++)
		if (!follow_inst(t, GPOINTER_TO_UINT(defs->pdata[n])))
			return false;
	return defs != NULL;
}

static bool take_param(struct trace *t, const struct ptx_inst *i)
{
	const uint64_t at = i->src[0].var->offset_bytes + (uint64_t)i->src[0].offset;

	if (i->mods.space != PTX_PARAM_ENTRY || i->mods.vec > 1 || at % 8 || at / 8 >= NSU_ORIGIN_MAX)
		return false;
	if (t->origin != NSU_NO_ORIGIN && t->origin != at / 8)
		return false;
	t->origin = (uint16_t)(at / 8);
	return true;
}

/* Arithmetic on registers and immediates; a pair of narrower registers may be a pointer taken apart. */
static bool is_plain(const struct ptx_inst *i)
{
	for (uint32_t s = 0; s < i->src_count; s++)
		if (i->src[s].kind != PTX_OPND_REG && i->src[s].kind != PTX_OPND_IMM)
			return false;
	return i->op != PTX_OP_CVTA || i->mods.space == PTX_GLOBAL;
}

static bool follow_inst(struct trace *t, uint32_t k)
{
	const struct nsu_facts *f = t->f;
	const struct ptx_inst *i = &f->func->insts[k];

	if (t->seen[k])
		return true;
	t->seen[k] = true;
	if (nsu_is_fixed(i)) {
		if (ptx_type_bytes(i->type) == 8 && !take_param(t, i))
			return false;
	} else if (f->class_of[k] != NSU_CLASS_ALU || !is_plain(i)) {
		return false;
	}
	for (uint32_t r = f->first_read[k]; r < f->first_read[k + 1]; r++)
		if (f->reads[r].use != NSU_USE_GUARD && !follow_read(t, &f->reads[r]))
			return false;
	return true;
}

uint16_t nsu_origin_of(const struct nsu_facts *f, GPtrArray *const *defs, uint32_t k)
{
	const struct ptx_operand *o = &f->func->insts[k].src[0];
	g_autofree bool *seen = g_new0(bool, f->func->inst_count + 1);
	struct trace t = {f, defs, seen, NSU_NO_ORIGIN};

	if (o->kind != PTX_OPND_ADDR || o->var || o->reg == UINT32_MAX)
		return NSU_NO_ORIGIN;
	for (uint32_t r = f->first_read[k]; r < f->first_read[k + 1]; r++)
		if (f->reads[r].use == NSU_USE_ADDRESS && f->reads[r].reg == o->reg && !follow_read(&t, &f->reads[r]))
			return NSU_NO_ORIGIN;
	return t.origin;
}
