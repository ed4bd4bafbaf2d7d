/* decode_control.c - branches, calls, barriers, fences and warp-wide instructions. */
#include "base/check.h"
#include "simt/build.h"

/* Where lanes that part at instruction k of the current function meet again; SIMT_NO_PC: at its end. */
static uint32_t reconvergence_pc(const struct simt_build *b, uint32_t k)
{
	const struct ptx_cfg *cfg = b->f->cfg;
	uint32_t ipdom = cfg->blocks[cfg->block_of[k]].ipdom;

	return ipdom >= cfg->block_count ? SIMT_NO_PC : b->f->first_pc + cfg->blocks[ipdom].first;
}

static void decode_branch(struct simt_build *b, struct simt_exec *e)
{
	struct simt_branch_op *op = simt_own(b->p, sizeof(*op));
	const struct ptx_inst *i = b->i;

	e->branch = op;
	op->rpc = reconvergence_pc(b, b->pc - b->f->first_pc);
	if (i->op == PTX_OP_BRA) {
		op->target = b->f->first_pc + i->src[0].label;
		e->run = simt_run_bra;
		return;
	}
	op->index = simt_operand_ref(b, &i->src[0], 4);
	op->table_count = i->src[1].elem_count;
	op->table = simt_own(b->p, op->table_count * sizeof(*op->table) + 1);
	for (uint32_t k = 0; k < op->table_count; k++)
		op->table[k] = b->f->first_pc + i->src[1].elems[k].label;
	e->run = simt_run_brx;
}

/* A .param variable of a device function lives in rows; a register parameter in its register. */
static void decode_call(struct simt_build *b, struct simt_exec *e)
{
	struct simt_call_op *op = simt_own(b->p, sizeof(*op));
	const struct ptx_inst *i = b->i;

	op->ptx = i;
	op->func_of_caller = b->func_index;
	e->call = op;
	e->run = simt_run_call;
	op->func = UINT32_MAX;
	if (i->src[0].kind == PTX_OPND_FUNC)
		op->func = b->p->func_of_index[i->src[0].func->index] - 1;
	else
		op->target = simt_operand_ref(b, &i->src[0], 8);
	op->arg_count = i->src[1].elem_count;
	op->ret_count = i->dst.elem_count;
	op->args = simt_own(b->p, (op->arg_count + op->ret_count + 1) * sizeof(*op->args));
	op->rets = op->args + op->arg_count;
	for (uint32_t k = 0; k < op->arg_count + op->ret_count; k++) {
		const struct ptx_operand *o =
		    k < op->arg_count ? &i->src[1].elems[k] : &i->dst.elems[k - op->arg_count];
		struct simt_call_place *at = &op->args[k];

		if (o->kind == PTX_OPND_VAR && o->var->space != PTX_REG) {
			at->is_param = true;
			at->off = (uint32_t)o->var->offset_bytes;
			at->bytes = (uint32_t)o->var->size_bytes;
			continue;
		}
		at->ref = simt_operand_ref(b, o, 8);
		at->bytes = at->ref.bytes;
	}
}

/* Clusters have one CTA. Its barrier is done where threads wait, so that arrival and wait have to stand together:
 * apart, a thread might wait for what another does behind its own wait. */
static bool is_other_half(const struct simt_build *b, const struct ptx_inst *other, uint8_t bar)
{
	const struct ptx_inst *i = b->i, *insts = b->f->ptx->insts;

	if (other < insts || other >= insts + b->f->ptx->inst_count || other->op != PTX_OP_BARRIER ||
	    other->mods.scope != PTX_SCOPE_CLUSTER || other->mods.bar != bar)
		return false;
	return other->has_guard == i->has_guard && other->guard_reg == i->guard_reg &&
	       other->guard_negate == i->guard_negate &&
	       b->f->cfg->block_of[other - insts] == b->f->cfg->block_of[i - insts];
}

static void decode_cluster_barrier(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	const bool is_wait = b->i->mods.bar == PTX_BAR_WAIT;

	if (!is_other_half(b, is_wait ? b->i - 1 : b->i + 1, is_wait ? PTX_BAR_ARRIVE : PTX_BAR_WAIT)) {
		simt_build_error(b, "barrier.cluster.arrive and barrier.cluster.wait do not follow each other");
		return;
	}
	e->run = is_wait ? simt_run_barrier : simt_run_nop;
	inst->flags |= is_wait ? SIMT_BARRIER : 0;
	inst->barrier_id_imm = SIMT_BARRIER_CLUSTER;
}

static void decode_barrier(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;

	if (i->mods.bar == PTX_BAR_WARP_SYNC) {
		e->src[0] = simt_operand_ref(b, &i->src[0], 4);
		e->run = simt_run_warp_sync;
		inst->unit = SIMT_UNIT_CTRL;
		return;
	}
	if (i->mods.scope == PTX_SCOPE_CLUSTER) {
		decode_cluster_barrier(b, inst, e);
		return;
	}
	inst->flags |= SIMT_BARRIER;
	e->run = simt_run_barrier;
	for (uint32_t s = 0; s < i->src_count; s++) {
		const struct ptx_operand *o = &i->src[s];

		if (simt_is_pred(b, o) || (i->mods.bar == PTX_BAR_RED && s + 1u == i->src_count))
			e->pred_src = simt_pred_operand(b, o);
		else if (s < 2)
			e->src[s] = simt_operand_ref(b, o, 4);
	}
	if (i->src[0].kind == PTX_OPND_IMM)
		inst->barrier_id_imm = (uint8_t)i->src[0].imm;
	if (i->src[0].kind == PTX_OPND_IMM && i->src[0].imm >= SIMT_BARRIERS)
		simt_build_error(b, "barrier %llu; expected 0 to %u", (unsigned long long)i->src[0].imm,
				 SIMT_BARRIERS - 1);
	e->pred_dst = simt_pred_dst(b, &i->dst);
	if (e->pred_dst == SIMT_NO_PRED)
		e->dst = simt_operand_ref(b, &i->dst, 4);
}

static void decode_warp_wide(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e, simt_run_fn run)
{
	const struct ptx_inst *i = b->i;
	uint32_t wide = ptx_type_bytes(i->type) == 8 ? 8 : 4;

	e->run = run;
	inst->unit = i->op == PTX_OP_SHFL ? SIMT_UNIT_LDST : SIMT_UNIT_CTRL;
	if (i->op == PTX_OP_SHFL)
		inst->flags |= SIMT_SHUFFLE;
	e->pred_dst = simt_pred_dst(b, &i->dst);
	if (e->pred_dst == SIMT_NO_PRED)
		e->dst = simt_operand_ref(b, &i->dst, 4);
	e->pred_dst2 = simt_pred_dst(b, &i->dst2);
	e->src_count = i->src_count < SIMT_SRC_ROWS ? i->src_count : SIMT_SRC_ROWS;
	for (uint32_t s = 0; s < e->src_count; s++) {
		if (i->op == PTX_OP_VOTE && s == 0)
			e->pred_src = simt_pred_operand(b, &i->src[s]);
		else
			e->src[s] = simt_operand_ref(b, &i->src[s], i->op == PTX_OP_MATCH && s == 0 ? wide : 4);
	}
}

bool simt_decode_control(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	inst->unit = SIMT_UNIT_CTRL;
	switch (b->i->op) {
	case PTX_OP_BRA:
	case PTX_OP_BRX:
		inst->flags |= SIMT_BRANCH;
		decode_branch(b, e);
		return true;
	case PTX_OP_CALL:
		inst->flags |= SIMT_BRANCH;
		decode_call(b, e);
		return true;
	case PTX_OP_RET:
		inst->flags |= SIMT_BRANCH | (b->func_index ? 0 : SIMT_EXIT);
		e->run = b->func_index ? simt_run_ret : simt_run_exit;
		return true;
	case PTX_OP_EXIT:
		inst->flags |= SIMT_BRANCH | SIMT_EXIT;
		e->run = simt_run_exit;
		return true;
	case PTX_OP_TRAP:
		inst->flags |= SIMT_BRANCH;
		e->run = simt_run_trap;
		return true;
	case PTX_OP_BAR:
	case PTX_OP_BARRIER:
		decode_barrier(b, inst, e);
		return true;
	case PTX_OP_MEMBAR:
	case PTX_OP_FENCE: /* between proxies there is nothing to order: every access takes effect when it issues */
		inst->flags |= b->i->mods.kind == PTX_KIND_PROXY ? 0 : SIMT_FENCE;
		e->run = simt_run_nop;
		return true;
	case PTX_OP_BRKPT: /* no debugger is attached: execution goes on */
	case PTX_OP_NANOSLEEP:
	case PTX_OP_PMEVENT:
	case PTX_OP_SETMAXNREG: /* the register file is divided when CTAs start */
	case PTX_OP_GRIDDEPCONTROL: /* grids that this one depends on are complete when it starts */
		e->run = simt_run_nop;
		return true;
	case PTX_OP_SHFL:
		decode_warp_wide(b, inst, e, simt_run_shfl);
		return true;
	case PTX_OP_VOTE:
		decode_warp_wide(b, inst, e, simt_run_vote);
		return true;
	case PTX_OP_MATCH:
		decode_warp_wide(b, inst, e, simt_run_match);
		return true;
	case PTX_OP_ACTIVEMASK:
		decode_warp_wide(b, inst, e, simt_run_activemask);
		return true;
	case PTX_OP_ELECT:
		decode_warp_wide(b, inst, e, simt_run_elect);
		return true;
	case PTX_OP_REDUX:
		decode_warp_wide(b, inst, e, simt_run_redux);
		return true;
	default:
		inst->unit = SIMT_UNIT_INT;
		return false;
	}
}
