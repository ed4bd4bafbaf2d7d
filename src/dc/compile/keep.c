/* keep.c - where floats are converted (section 3.1.1): additions take mantissas in two's complement and make them so. A
 * value that additions alone make and read is kept like this: its conversion to sign and magnitude, and those of its
 * readers' operands, are left out. Each value stays what it is: array/complement.h has where its rows lie. */
#include "dc/compile/priv.h"

#include "dc/ops.h"

/* An addition that array/serial_float.c or serial_fma.c does: rounded to nearest. */
bool dcc_inst_is_addition(const struct dcc *c, const struct ptx_inst *i)
{
	struct dc_use use;
	const char *why;

	return (i->type == PTX_F32 || i->type == PTX_F64) && !i->mods.sat && !i->mods.relu &&
	       (i->mods.round == PTX_ROUND_NONE || i->mods.round == PTX_RN) && dc_use_of(i, false, &use, &why) &&
	       (use.op == DC_OP_FADD || (use.op == DC_OP_FMA && !c->o->open));
}

/* Zero, and in two's complement what has no sign, is the same either way. */
bool dcc_inst_is_same_either_way(const struct dcc *c, const struct ptx_inst *i)
{
	const uint32_t bits = 8 * ptx_type_bytes(i->type);

	return i->op == PTX_OP_MOV && i->src[0].kind == PTX_OPND_IMM && (bits == 32 || bits == 64) &&
	       !(c->o->open ? i->src[0].imm : i->src[0].imm >> (bits - 1) & 1);
}

/* A subtraction turns the sign of its second operand over, and factors are magnitudes. */
bool dcc_inst_takes_kept(const struct dcc *c, const struct ptx_inst *i, uint32_t k)
{
	if (!dcc_inst_is_addition(c, i) || i->src[k].negate)
		return false;
	return i->op == PTX_OP_ADD || (i->op == PTX_OP_SUB ? k == 0 : k == 2);
}

void dcc_keep_count(struct dcc *c)
{
	struct dc_kernel *k = c->kernel;

	k->counts.kept = k->counts.converted = 0;
	for (uint32_t n = 0; n < c->func->inst_count; n++) {
		const struct ptx_inst *i = &c->func->insts[n];
		struct dc_use use;
		const char *why;

		if (i->dst.kind != PTX_OPND_REG || !dc_use_of(i, false, &use, &why) ||
		    k->host_of[i->dst.reg] != UINT32_MAX)
			continue;
		dc_use_keep(&use, k->is_kept, k->is_open, i);
		if (use.op == DC_OP_COMPLEMENT)
			k->counts.converted++;
		else
			k->counts.kept += dc_use_operands_kept(&use) + dc_use_keeps_result(&use);
	}
}

void dcc_keep(struct dcc *c)
{
	const struct ptx_func *f = c->func;
	struct dc_kernel *k = c->kernel;
	g_autofree bool *is_made = g_new0(bool, f->reg_count + 1), *is_other = g_new0(bool, f->reg_count + 1);
	struct ptx_reg_use use;

	k->is_open = c->o->open;
	k->is_kept = ptx_arena_array(c->arena, f->reg_count / 64 + 1, sizeof(uint64_t));
	for (uint32_t n = 0; n < f->inst_count; n++) {
		const struct ptx_inst *i = &f->insts[n];
		const bool makes = dcc_inst_is_addition(c, i);

		ptx_inst_regs(i, &use);
		for (uint32_t w = 0; w < use.write_count; w++) {
			is_made[use.writes[w]] |= makes;
			is_other[use.writes[w]] |= !makes && !dcc_inst_is_same_either_way(c, i);
		}
		for (uint32_t r = 0; r < use.read_count; r++) {
			bool is_taken = false, is_asked = false;

			for (uint32_t s = 0; s < i->src_count; s++) {
				const bool is_it = i->src[s].kind == PTX_OPND_REG && i->src[s].reg == use.reads[r];

				is_taken |= is_it && dcc_inst_takes_kept(c, i, s);
				is_asked |= is_it && !dcc_inst_takes_kept(c, i, s);
			}
			is_other[use.reads[r]] |= is_asked || !is_taken;
		}
	}
	for (uint32_t r = 0; r < f->reg_count && c->o->keep; r++)
		if (is_made[r] && !is_other[r] && k->host_of[r] == UINT32_MAX)
			k->is_kept[r / 64] |= 1ull << r % 64;
	dcc_keep_count(c);
}
