/* rewrite.c - making a PTX function from another one. */
#include "dc/compile/priv.h"

#include <stdarg.h>
#include <string.h>

void dcc_refuse(struct dcc *c, const struct ptx_inst *i, const char *fmt, ...)
{
	struct base_place at = {c->entry->module->name, i ? i->line : c->entry->line, i ? i->col : 1};
	g_autofree char *text = NULL;
	va_list args;

	if (c->failed)
		return;
	va_start(args, fmt);
	text = g_strdup_vprintf(fmt, args);
	va_end(args);
	base_diag_error(c->diag, at, "kernel %s cannot run in the cache: %s%s%s", c->entry->name, text,
			i && i->text ? ": " : "", i && i->text ? i->text : "");
	c->failed = true;
}

void dcc_rewrite_begin(struct dcc *c)
{
	c->insts = g_array_new(FALSE, TRUE, sizeof(struct ptx_inst));
	c->map = g_new0(uint32_t, c->func->inst_count + 1);
}

void dcc_rewrite_at(struct dcc *c, uint32_t old_index)
{
	c->map[old_index] = c->insts->len;
	c->at = old_index < c->func->inst_count ? &c->func->insts[old_index] : NULL;
}

static void fix_label(const struct dcc *c, struct ptx_operand *o)
{
	if (o->kind == PTX_OPND_LABEL)
		o->label = c->map[o->label];
}

void dcc_rewrite_end(struct dcc *c)
{
	const uint32_t count = c->insts->len;
	struct ptx_inst *insts = ptx_arena_copy(c->arena, c->insts->data, count * sizeof(*insts));

	dcc_rewrite_at(c, c->func->inst_count);
	for (uint32_t n = 0; n < count; n++)
		if (insts[n].op == PTX_OP_BRA)
			fix_label(c, &insts[n].src[0]);
	c->func->insts = insts;
	c->func->inst_count = count;
	g_array_free(c->insts, TRUE);
	g_free(c->map);
	c->insts = NULL;
	c->map = NULL;
}

void dcc_rewrite_undo(struct dcc *c, const struct ptx_func *before)
{
	CHECK(!c->insts && before->reg_count <= c->func->reg_count);
	c->func->insts = before->insts;
	c->func->inst_count = before->inst_count;
	c->func->reg_count = before->reg_count;
}

uint32_t dcc_reg_new(struct dcc *c, enum ptx_type type)
{
	struct ptx_func *f = c->func;

	if (f->reg_count == c->reg_cap) {
		struct ptx_reg *regs = ptx_arena_array(c->arena, 2 * (size_t)c->reg_cap + 64, sizeof(*regs));

		memcpy(regs, f->regs, f->reg_count * sizeof(*regs));
		f->regs = regs;
		c->reg_cap = 2 * c->reg_cap + 64;
	}
	f->regs[f->reg_count] =
	    (struct ptx_reg){.name = ptx_arena_printf(c->arena, "%%t%u", f->reg_count), .type = type, .vec = 1};
	return f->reg_count++;
}

struct ptx_inst *dcc_emit(struct dcc *c, const struct ptx_inst *i)
{
	g_array_append_val(c->insts, *i);
	return &g_array_index(c->insts, struct ptx_inst, c->insts->len - 1);
}

void dcc_branch_around(struct dcc *c, const struct ptx_inst *i, uint32_t label)
{
	struct ptx_inst bra = {.op = PTX_OP_BRA,
			       .src_count = 1,
			       .line = i->line,
			       .col = i->col,
			       .text = i->text,
			       .has_guard = true,
			       .guard_reg = i->guard_reg,
			       .guard_negate = !i->guard_negate};

	bra.src[0] = (struct ptx_operand){.kind = PTX_OPND_LABEL, .reg = UINT32_MAX, .label = label};
	dcc_emit(c, &bra);
}

struct ptx_operand dcc_reg(uint32_t reg)
{
	return (struct ptx_operand){.kind = PTX_OPND_REG, .reg = reg};
}

struct ptx_operand dcc_imm(uint64_t value, enum ptx_type type)
{
	return (struct ptx_operand){.kind = PTX_OPND_IMM, .imm = value, .type = (uint8_t)type, .reg = UINT32_MAX};
}

struct ptx_inst *dcc_op(struct dcc *c, enum ptx_op op, enum ptx_type type, struct ptx_operand d, struct ptx_operand a,
			struct ptx_operand b, struct ptx_operand e)
{
	const struct ptx_operand all[3] = {a, b, e};
	struct ptx_inst i = {.op = op,
			     .type = type,
			     .dst = d,
			     .line = c->at->line,
			     .col = c->at->col,
			     .loc = c->at->loc,
			     .text = c->at->text,
			     .has_guard = c->at->has_guard,
			     .guard_negate = c->at->guard_negate,
			     .guard_reg = c->at->guard_reg};

	while (i.src_count < 3 && all[i.src_count].kind != PTX_OPND_NONE) {
		i.src[i.src_count] = all[i.src_count];
		i.src_count++;
	}
	return dcc_emit(c, &i);
}

static const struct ptx_operand none;

struct ptx_operand dcc_temp(struct dcc *c, enum ptx_op op, enum ptx_type type, struct ptx_operand a,
			    struct ptx_operand b)
{
	struct ptx_operand d = dcc_reg(dcc_reg_new(c, type));

	dcc_op(c, op, type, d, a, b, none)->has_guard = false;
	return d;
}

struct ptx_operand dcc_temp_cvt(struct dcc *c, enum ptx_type to, enum ptx_type from, struct ptx_operand a)
{
	struct ptx_operand d = dcc_reg(dcc_reg_new(c, ptx_type_bytes(to) < 4 ? PTX_B32 : to));
	struct ptx_inst *i = dcc_op(c, PTX_OP_CVT, to, d, a, none, none);

	i->type2 = from;
	i->has_guard = false;
	return d;
}

struct ptx_operand dcc_temp_setp(struct dcc *c, enum ptx_cmp cmp, enum ptx_type type, struct ptx_operand a,
				 struct ptx_operand b)
{
	struct ptx_operand d = dcc_reg(dcc_reg_new(c, PTX_PRED));
	struct ptx_inst *i = dcc_op(c, PTX_OP_SETP, type, d, a, b, none);

	i->mods.cmp = (uint8_t)cmp;
	i->has_guard = false;
	return d;
}

struct ptx_operand dcc_temp_selp(struct dcc *c, enum ptx_type type, struct ptx_operand a, struct ptx_operand b,
				 struct ptx_operand p)
{
	struct ptx_operand d = dcc_reg(dcc_reg_new(c, type));

	dcc_op(c, PTX_OP_SELP, type, d, a, b, p)->has_guard = false;
	return d;
}

void dcc_mov(struct dcc *c, enum ptx_type type, struct ptx_operand d, struct ptx_operand a)
{
	dcc_op(c, PTX_OP_MOV, type, d, a, none, none);
}
