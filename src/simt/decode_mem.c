/* decode_mem.c - loads, stores, atomics and texture instructions into their execution records. */
#include "base/check.h"
#include "simt/build.h"
#include "simt/lanes.h"

static bool decode_area(struct simt_build *b, struct simt_inst *inst, struct simt_mem_op *op, enum ptx_space space,
			const struct ptx_operand *addr)
{
	switch (space) {
	case PTX_GLOBAL:
		op->area = SIMT_AREA_GLOBAL;
		inst->space = SIMT_MEM_GLOBAL;
		return true;
	case PTX_CONST:
		op->area = SIMT_AREA_GLOBAL;
		inst->space = SIMT_MEM_CONST;
		return true;
	case PTX_SHARED:
		op->area = SIMT_AREA_SHARED;
		inst->space = SIMT_MEM_SHARED;
		return true;
	case PTX_LOCAL:
		op->area = SIMT_AREA_LOCAL;
		inst->space = SIMT_MEM_LOCAL;
		return true;
	case PTX_PARAM_ENTRY:
	case PTX_PARAM_CALL:
		inst->space = SIMT_MEM_PARAM;
		/* Kernel parameters are read from the launch's block; everything else is in the frame's rows. */
		op->area = SIMT_AREA_FRAME;
		if (addr->var ? addr->var->space == PTX_PARAM_ENTRY : b->func_index == 0) {
			op->area = SIMT_AREA_PARAM;
			inst->flags |= SIMT_KERNEL_PARAM;
		}
		return true;
	case PTX_SPACE_NONE:
		op->area = SIMT_AREA_GENERIC;
		inst->space = SIMT_MEM_GENERIC;
		return true;
	default:
		simt_build_error(b, "state space of this access is not supported");
		return false;
	}
}

/* A named variable is addressed in its own space; a generic access to it goes through its generic address. */
static uint64_t generic_window(const struct simt_mem_op *op, const struct ptx_var *v)
{
	if (op->area != SIMT_AREA_GENERIC)
		return 0;
	return v->space == PTX_SHARED ? SIMT_SHARED_WINDOW : v->space == PTX_LOCAL ? SIMT_LOCAL_WINDOW : 0;
}

static void decode_address(struct simt_build *b, struct simt_mem_op *op, const struct ptx_operand *o)
{
	op->offset = o->offset;
	if (o->kind == PTX_OPND_REG || (o->kind == PTX_OPND_ADDR && o->reg != UINT32_MAX && !o->var)) {
		op->addr = simt_reg_ref(b, o->reg, 0);
		return;
	}
	if (o->var) {
		op->offset += (int64_t)(simt_var_offset(b, o->var) + generic_window(op, o->var));
		op->is_frame_local = simt_is_frame_local(b, o->var);
	} else if (o->kind == PTX_OPND_IMM) {
		op->offset += (int64_t)o->imm;
	}
}

bool simt_decode_place(struct simt_build *b, struct simt_inst *inst, struct simt_mem_op *op, uint8_t space,
		       const struct ptx_operand *o)
{
	if (!decode_area(b, inst, op, (enum ptx_space)space, o))
		return false;
	decode_address(b, op, o);
	return true;
}

static void decode_elements(struct simt_build *b, const struct simt_mem_op *op, struct simt_ref *refs,
			    const struct ptx_operand *o)
{
	uint32_t count = o->kind == PTX_OPND_VEC ? o->elem_count : 1;

	if (count != op->vec || count > SIMT_ELEMS) {
		simt_build_error(b, "expected %u elements, found %u", op->vec, count);
		return;
	}
	for (uint32_t k = 0; k < count; k++)
		refs[k] = simt_operand_ref(b, o->kind == PTX_OPND_VEC ? &o->elems[k] : o, op->bytes);
}

static struct simt_mem_op *new_op(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;
	struct simt_mem_op *op = simt_own(b->p, sizeof(*op));

	e->mem = op;
	op->bytes = (uint8_t)ptx_type_bytes(i->type);
	op->vec = i->mods.vec ? i->mods.vec : 1;
	op->align = op->natural = (uint8_t)(op->bytes * op->vec);
	inst->unit = SIMT_UNIT_LDST;
	inst->access_bytes = op->bytes;
	inst->vec = op->vec;
	return op;
}

static void decode_load(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;
	struct simt_mem_op *op = new_op(b, inst, e);

	inst->flags |= SIMT_LOAD;
	if (!decode_area(b, inst, op, (enum ptx_space)i->mods.space, &i->src[0]))
		return;
	decode_address(b, op, &i->src[0]);
	decode_elements(b, op, op->elem, &i->dst);
	op->is_signed = ptx_type_is_signed(i->type);
	if (op->area != SIMT_AREA_PARAM && op->area != SIMT_AREA_FRAME && op->area != SIMT_AREA_LOCAL &&
	    inst->space != SIMT_MEM_CONST && i->mods.cache != PTX_NC)
		e->polls = i->mods.sem == PTX_SEM_WEAK && i->mods.cache != PTX_CV ? SIMT_POLL_WEAK : SIMT_POLL_STRONG;
	e->run = op->area == SIMT_AREA_PARAM   ? simt_run_load_param
		 : op->area == SIMT_AREA_FRAME ? simt_run_load_frame
					       : simt_run_load;
}

static void decode_store(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;
	struct simt_mem_op *op = new_op(b, inst, e);

	inst->flags |= SIMT_STORE;
	if (!decode_area(b, inst, op, (enum ptx_space)i->mods.space, &i->src[0]))
		return;
	if (inst->space == SIMT_MEM_CONST || op->area == SIMT_AREA_PARAM) {
		simt_build_error(b, "a store to this state space is not legal");
		return;
	}
	decode_address(b, op, &i->src[0]);
	decode_elements(b, op, op->elem, &i->src[1]);
	e->run = op->area == SIMT_AREA_FRAME ? simt_run_store_frame : simt_run_store;
}

/* How much an atomic counts as a poll: one waits with what takes a lock or only reads, not with what counts. */
static uint16_t atom_polls(const struct ptx_inst *i)
{
	bool reads_only = i->src[1].kind == PTX_OPND_IMM && !i->src[1].imm;

	if (i->op != PTX_OP_ATOM)
		return 0; /* red brings nothing back */
	if (i->mods.atom == PTX_ATOM_CAS || i->mods.atom == PTX_ATOM_EXCH || reads_only)
		return SIMT_POLL_STRONG;
	return SIMT_POLL_WEAK;
}

static void decode_atomic(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;
	struct simt_mem_op *op = new_op(b, inst, e);

	inst->flags |= SIMT_ATOMIC | SIMT_STORE | (i->op == PTX_OP_ATOM ? SIMT_LOAD : 0);
	if (!decode_area(b, inst, op, (enum ptx_space)i->mods.space, &i->src[0]))
		return;
	op->atom = simt_atom_find((enum ptx_atom)i->mods.atom, i->type);
	if (!op->atom || (op->vec != 1 && (!ptx_type_is_float(i->type) || i->type == PTX_F64))) {
		simt_build_error(b, "this atomic operation is not defined for type .%s%s", ptx_type_name(i->type),
				 op->vec != 1 ? " vectors" : "");
		return;
	}
	if (op->area == SIMT_AREA_PARAM || op->area == SIMT_AREA_FRAME || inst->space == SIMT_MEM_CONST) {
		simt_build_error(b, "an atomic needs .global, .shared or generic memory");
		return;
	}
	decode_address(b, op, &i->src[0]);
	if (i->dst.kind == PTX_OPND_VEC || i->dst.kind == PTX_OPND_REG)
		decode_elements(b, op, op->elem, &i->dst);
	decode_elements(b, op, op->b, &i->src[1]);
	if (i->mods.atom == PTX_ATOM_CAS)
		op->c = simt_operand_ref(b, &i->src[2], op->bytes);
	op->is_signed = ptx_type_is_signed(i->type);
	e->polls = atom_polls(i);
	e->run = simt_run_atom;
}

static void decode_prefetch(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	struct simt_mem_op *op = new_op(b, inst, e);

	op->bytes = op->vec = op->align = op->natural = 1;
	if (!decode_area(b, inst, op, (enum ptx_space)b->i->mods.space, &b->i->src[0]))
		return;
	decode_address(b, op, &b->i->src[0]);
	e->run = simt_run_nop;
}

bool simt_decode_memory(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	switch (b->i->op) {
	case PTX_OP_LD:
	case PTX_OP_LDU:
		decode_load(b, inst, e);
		return true;
	case PTX_OP_ST:
		decode_store(b, inst, e);
		return true;
	case PTX_OP_ATOM:
	case PTX_OP_RED:
		decode_atomic(b, inst, e);
		return true;
	case PTX_OP_PREFETCH: /* hints: they move no data that a program can see */
	case PTX_OP_PREFETCHU:
	case PTX_OP_DISCARD:
	case PTX_OP_APPLYPRIORITY:
		decode_prefetch(b, inst, e);
		return true;
	default:
		return false;
	}
}
