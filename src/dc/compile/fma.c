/* fma.c - fma as a product and a sum, which the paper's arithmetic has (Duality Cache, ISCA'19, Table 1). */
#include "dc/compile/priv.h"

static const struct ptx_operand none;

/* What adds in another type than it multiplies in, or is clamped at zero, has no such pair. */
static bool has_pair(const struct ptx_inst *i)
{
	return ptx_type_is_float(i->type) && !i->mods.relu && (i->type2 == PTX_TYPE_NONE || i->type2 == i->type);
}

bool dcc_split_fma(struct dcc *c, const struct ptx_inst *i)
{
	struct ptx_inst *product, *sum;
	struct ptx_operand t;

	if (!c->o->split_fma || !has_pair(i))
		return false;
	t = dcc_reg(dcc_reg_new(c, ptx_type_bytes(i->type) < 4 ? PTX_B16 : i->type));
	product = dcc_op(c, PTX_OP_MUL, i->type, t, i->src[0], i->src[1], none);
	product->mods = i->mods;
	product->mods.sat = 0;
	product->has_guard = false;
	sum = dcc_op(c, PTX_OP_ADD, i->type, i->dst, t, i->src[2], none);
	sum->mods = i->mods;
	return true;
}
