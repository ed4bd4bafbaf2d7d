/* ir.c - questions about one instruction that several analyses ask. */
#include "base/check.h"
#include "ptx/ptx.h"

static void use_add(uint32_t *list, uint32_t *count, uint32_t reg)
{
	for (uint32_t k = 0; k < *count; k++)
		if (list[k] == reg)
			return;
	CHECK(*count < PTX_REGS_MAX);
	list[(*count)++] = reg;
}

static void use_read(struct ptx_reg_use *use, const struct ptx_operand *o)
{
	if (o->kind == PTX_OPND_REG || (o->kind == PTX_OPND_ADDR && o->reg != UINT32_MAX))
		use_add(use->reads, &use->read_count, o->reg);
	if (o->kind == PTX_OPND_VEC || o->kind == PTX_OPND_LIST)
		for (uint32_t k = 0; k < o->elem_count; k++)
			use_read(use, &o->elems[k]);
}

static void use_write(struct ptx_reg_use *use, const struct ptx_operand *o)
{
	if (o->kind == PTX_OPND_REG)
		use_add(use->writes, &use->write_count, o->reg);
	if (o->kind == PTX_OPND_VEC || o->kind == PTX_OPND_LIST)
		for (uint32_t k = 0; k < o->elem_count; k++)
			use_write(use, &o->elems[k]);
}

void ptx_inst_regs(const struct ptx_inst *i, struct ptx_reg_use *use)
{
	use->read_count = use->write_count = 0;
	if (i->has_guard)
		use_add(use->reads, &use->read_count, i->guard_reg);
	for (uint32_t k = 0; k < i->src_count; k++)
		use_read(use, &i->src[k]);
	use_write(use, &i->dst);
	use_write(use, &i->dst2);
}

bool ptx_inst_is_load(const struct ptx_inst *i)
{
	if (i->op == PTX_OP_LD)
		return i->mods.space != PTX_PARAM_ENTRY && i->mods.space != PTX_PARAM_CALL &&
		       i->mods.space != PTX_CONST;
	return i->op == PTX_OP_LDU || i->op == PTX_OP_TEX || i->op == PTX_OP_TLD4 || i->op == PTX_OP_SULD;
}

bool ptx_inst_is_store(const struct ptx_inst *i)
{
	return (i->op == PTX_OP_ST && i->mods.space != PTX_PARAM_CALL) || i->op == PTX_OP_SUST;
}

bool ptx_inst_is_branch(const struct ptx_inst *i)
{
	return i->op == PTX_OP_BRA || i->op == PTX_OP_BRX;
}

bool ptx_inst_is_barrier(const struct ptx_inst *i)
{
	return i->op == PTX_OP_BAR || i->op == PTX_OP_BARRIER;
}

bool ptx_inst_is_warp_wide(const struct ptx_inst *i)
{
	return i->op == PTX_OP_SHFL || i->op == PTX_OP_VOTE || i->op == PTX_OP_MATCH || i->op == PTX_OP_REDUX ||
	       i->op == PTX_OP_ACTIVEMASK || i->op == PTX_OP_ELECT;
}

bool ptx_inst_ends_block(const struct ptx_inst *i)
{
	return ptx_inst_is_branch(i) || i->op == PTX_OP_RET || i->op == PTX_OP_EXIT || i->op == PTX_OP_TRAP;
}
