/* facts.c - what the scheduler reckons with: latencies as ops.def expects them after the optimisations of section 3.1.
 * Only the order of words depends on them; the machine counts what an operation takes. */
#include "dc/compile/priv.h"

#include "dc/ops.h"

enum {
	CORDIC_ITERATIONS = 24,
};

uint32_t dcc_inst_bits(const struct ptx_inst *i)
{
	const enum ptx_type t =
	    i->op == PTX_OP_CVT && ptx_type_bytes(i->type2) > ptx_type_bytes(i->type) ? i->type2 : i->type;

	return t == PTX_PRED || t == PTX_TYPE_NONE ? 1 : 8 * ptx_type_bytes(t);
}

/* All operands but the first are immediates or values of the host. */
static bool is_fixed(const struct dc_kernel *k, const struct ptx_inst *i)
{
	for (uint32_t n = 1; n < i->src_count; n++)
		if (i->src[n].kind != PTX_OPND_IMM &&
		    (i->src[n].kind != PTX_OPND_REG || k->host_of[i->src[n].reg] == UINT32_MAX))
			return false;
	return i->src_count > 1;
}

uint32_t dcc_inst_cycles(const struct dc_kernel *k, const struct ptx_inst *i)
{
	const struct dc_arith arith = {.cordic_iterations = CORDIC_ITERATIONS};
	struct dc_use use;
	const char *why;

	const uint32_t n = dcc_inst_bits(i);
	uint32_t usual;

	if (!dc_use_of(i, is_fixed(k, i), &use, &why))
		return n;
	if (k->has_table_roots)
		dc_use_table_roots(&use);
	dc_use_keep(&use, k->is_kept, k->is_open, i);
	usual = (uint32_t)dc_usual_cycles(&use, &arith);
	/* A factor that is an immediate has as many partial products as bits. */
	if (i->op == PTX_OP_MUL && !ptx_type_is_float(i->type) && i->src[1].kind == PTX_OPND_IMM)
		usual = MIN(usual, n + (uint32_t)__builtin_popcountll(i->src[1].imm) * (n / 2 + 2));
	return usual;
}

uint32_t dcc_inst_scratch_rows(const struct dc_kernel *k, const struct ptx_inst *i)
{
	const struct dc_arith arith = {.cordic_iterations = CORDIC_ITERATIONS};
	struct dc_use use;
	const char *why;

	if (!dc_use_of(i, is_fixed(k, i), &use, &why))
		return 0;
	if (k->has_table_roots)
		dc_use_table_roots(&use);
	dc_use_keep(&use, k->is_kept, k->is_open, i);
	return dc_scratch_rows(&use, &arith);
}

bool dcc_inst_is_control(const struct ptx_inst *i)
{
	return i->op == PTX_OP_BRA || i->op == PTX_OP_RET || i->op == PTX_OP_EXIT;
}

bool dcc_inst_is_barrier(const struct ptx_inst *i)
{
	return i->op == PTX_OP_BAR || i->op == PTX_OP_BARRIER;
}

enum dc_box_kind dcc_box_kind(const struct ptx_inst *i)
{
	switch (i->op) {
	case PTX_OP_SHFL:
	case PTX_OP_VOTE:
	case PTX_OP_MATCH:
	case PTX_OP_REDUX:
	case PTX_OP_ACTIVEMASK:
	case PTX_OP_ELECT:
		return DC_BOX_WARP;
	case PTX_OP_BAR:
	case PTX_OP_BARRIER:
		return DC_BOX_BARRIER;
	case PTX_OP_MEMBAR:
	case PTX_OP_FENCE:
		return DC_BOX_FENCE;
	case PTX_OP_TRAP:
	case PTX_OP_BRKPT:
		return DC_BOX_TRAP;
	case PTX_OP_CALL:
		return DC_BOX_CALL;
	default:
		return DC_BOX_MEMORY;
	}
}

bool dcc_inst_is_box(const struct ptx_inst *i)
{
	switch (i->op) {
	case PTX_OP_LD:
	case PTX_OP_LDU:
	case PTX_OP_ST:
	case PTX_OP_ATOM:
	case PTX_OP_RED:
		return true;
	default:
		return dcc_box_kind(i) != DC_BOX_MEMORY;
	}
}

uint32_t dcc_reg_slots(const struct ptx_func *f, uint32_t reg)
{
	return f->regs[reg].type == PTX_PRED ? 0 : ptx_type_bytes(f->regs[reg].type) == 8 ? 2 : 1;
}
