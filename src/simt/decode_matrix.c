/* decode_matrix.c - matrix instructions, asynchronous copies and barrier objects into their execution records. */
#include "base/check.h"
#include "simt/build.h"

enum { MATRIX_ALIGN_MAX = 16 }; /* lines of a matrix begin at multiples of it (PTX ISA, wmma.load) */

static void decode_registers(struct simt_build *b, struct simt_ref *refs, const struct ptx_operand *o)
{
	const uint32_t count = o->kind == PTX_OPND_VEC ? o->elem_count : 1;

	CHECK(count <= SIMT_ELEMS);
	for (uint32_t k = 0; k < count; k++)
		refs[k] = simt_operand_ref(b, o->kind == PTX_OPND_VEC ? &o->elems[k] : o, 8);
}

static struct simt_matrix_op *new_op(struct simt_build *b, struct simt_exec *e)
{
	struct simt_matrix_op *op = simt_own(b->p, sizeof(*op));

	e->matrix = op;
	return op;
}

static void decode_product(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	struct simt_matrix_op *op = new_op(b, e);
	const struct ptx_inst *i = b->i;

	CHECK(simt_tensor_find(i, &op->form));
	inst->unit = inst->step_unit = SIMT_UNIT_TENSOR;
	inst->issue_slots = simt_tensor_slots(&op->form);
	decode_registers(b, op->d, &i->dst);
	decode_registers(b, op->a, &i->src[0]);
	decode_registers(b, op->b, &i->src[1]);
	decode_registers(b, op->c, &i->src[2]);
	e->run = simt_run_mma;
}

/* The matrix in memory is cut into 32 equal parts, one a lane; each is within a line of it. */
static void decode_wmma_access(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	struct simt_matrix_op *op = new_op(b, e);
	const struct ptx_inst *i = b->i;
	const bool is_store = i->mods.wmma == PTX_WMMA_STORE;

	CHECK(simt_tensor_find(i, &op->form));
	op->which = i->mods.matrix;
	op->layout = i->mods.a_layout;
	op->is_store = is_store;
	const struct ptx_mma *m = &op->form.mma;
	const struct ptx_fragment *of[] = {&m->a, &m->b, &m->c, &m->d};
	const struct ptx_fragment *f = of[op->which - PTX_MATRIX_A];

	op->mem.bytes = 1;
	op->mem.vec = 1;
	op->mem.align = (uint8_t)((uint32_t)f->outer * f->inner * f->bits / 8 / SIMT_LANES);
	op->mem.natural = op->mem.align < MATRIX_ALIGN_MAX ? op->mem.align : MATRIX_ALIGN_MAX;
	inst->unit = SIMT_UNIT_LDST;
	inst->flags |= SIMT_MATRIX | (is_store ? SIMT_STORE : SIMT_LOAD);
	inst->access_bytes = op->mem.align;
	inst->vec = 1;
	if (!simt_decode_place(b, inst, &op->mem, i->mods.space, &i->src[0]))
		return;
	decode_registers(b, is_store ? op->a : op->d, is_store ? &i->src[1] : &i->dst);
	op->stride = simt_operand_ref(b, &i->src[is_store ? 2 : 1], 4);
	e->run = simt_run_wmma_access;
}

static void decode_8x8(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	struct simt_matrix_op *op = new_op(b, e);
	const struct ptx_inst *i = b->i;

	op->is_store = i->op == PTX_OP_STMATRIX;
	op->num = i->mods.num;
	op->is_transposed = i->mods.variant == PTX_VARIANT_TRANS;
	op->mem.bytes = op->mem.vec = 1;
	op->mem.align = op->mem.natural = 16; /* a row: eight elements of 16 bits */
	inst->unit = SIMT_UNIT_LDST;
	inst->flags |= SIMT_MATRIX | (op->is_store ? SIMT_STORE : SIMT_LOAD);
	inst->access_bytes = op->mem.align;
	inst->vec = 1;
	if (!simt_decode_place(b, inst, &op->mem, i->mods.space, &i->src[0]))
		return;
	decode_registers(b, op->is_store ? op->a : op->d, op->is_store ? &i->src[1] : &i->dst);
	e->run = op->is_store ? simt_run_stmatrix : simt_run_ldmatrix;
}

static void decode_movmatrix(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	struct simt_matrix_op *op = new_op(b, e);

	inst->unit = SIMT_UNIT_LDST;
	inst->flags |= SIMT_SHUFFLE;
	decode_registers(b, op->d, &b->i->dst);
	decode_registers(b, op->a, &b->i->src[0]);
	e->run = simt_run_movmatrix;
}

/* ---- asynchronous copies ---- */

static void decode_copy(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	struct simt_copy_op *op = simt_own(b->p, sizeof(*op));
	const struct ptx_inst *i = b->i;
	const uint8_t bytes = (uint8_t)i->src[2].imm;

	e->copy = op;
	op->from.bytes = op->to.bytes = bytes;
	op->from.vec = op->to.vec = 1;
	op->from.align = op->from.natural = op->to.align = op->to.natural = bytes;
	inst->unit = SIMT_UNIT_LDST;
	inst->flags |= SIMT_COPY | SIMT_LOAD;
	inst->access_bytes = bytes;
	inst->vec = 1;
	if (!simt_decode_place(b, inst, &op->to, PTX_SHARED, &i->src[0]) ||
	    !simt_decode_place(b, inst, &op->from, PTX_GLOBAL, &i->src[1]))
		return;
	if (simt_is_pred(b, &i->src[3])) {
		op->may_ignore = true;
		e->pred_src = simt_pred_operand(b, &i->src[3]);
	} else {
		op->from_bytes = simt_operand_ref(b, &i->src[3], 4);
	}
	e->run = simt_run_copy;
}

static void decode_mbarrier(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e);

/* A bulk copy issues once for each part that 32 lanes could copy, see simt_run_bulk. Groups are of stores, which are
 * done with their warp's others. */
static void decode_bulk(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	struct simt_copy_op *op = simt_own(b->p, sizeof(*op));
	const struct ptx_inst *i = b->i;
	const bool is_store = i->mods.complete == PTX_COMPLETE_GROUP;

	if (i->mods.cp_op != PTX_CP_COPY) {
		if (i->mods.cp_op == PTX_CP_WAIT_GROUP && i->mods.complete != PTX_COMPLETE_READ)
			inst->flags |= SIMT_FENCE;
		return;
	}
	e->copy = op;
	op->from.bytes = op->to.bytes = SIMT_BULK_BYTES;
	op->from.vec = op->to.vec = op->object.vec = 1;
	op->from.align = op->from.natural = op->to.align = op->to.natural = SIMT_BULK_BYTES;
	op->object.bytes = op->object.align = op->object.natural = 8;
	inst->unit = SIMT_UNIT_LDST;
	inst->flags |= is_store ? SIMT_STORE | SIMT_FROM_SHARED : SIMT_COPY | SIMT_LOAD;
	inst->access_bytes = SIMT_BULK_BYTES;
	inst->vec = 1;
	if ((!is_store && !simt_decode_place(b, inst, &op->object, PTX_SHARED, &i->src[3])) ||
	    !simt_decode_place(b, inst, is_store ? &op->from : &op->to, PTX_SHARED, &i->src[is_store]) ||
	    !simt_decode_place(b, inst, is_store ? &op->to : &op->from, PTX_GLOBAL, &i->src[!is_store]))
		return;
	op->from_bytes = simt_operand_ref(b, &i->src[2], 4);
	e->run = simt_run_bulk;
}

static void decode_cp(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;

	inst->unit = SIMT_UNIT_CTRL;
	e->run = simt_run_nop;
	if (i->mods.kind == PTX_KIND_BULK) {
		decode_bulk(b, inst, e);
		return;
	}
	switch ((enum ptx_cp)i->mods.cp_op) {
	case PTX_CP_PREFETCH:
		return;
	case PTX_CP_COPY:
		decode_copy(b, inst, e);
		return;
	case PTX_CP_COMMIT:
		inst->flags |= SIMT_COPY_COMMIT;
		return;
	case PTX_CP_WAIT_GROUP:
		inst->flags |= SIMT_COPY_WAIT;
		inst->groups = (uint8_t)(i->src[0].imm < SIMT_GROUPS_NONE ? i->src[0].imm : SIMT_GROUPS_NONE - 1);
		return;
	case PTX_CP_WAIT_ALL:
		inst->flags |= SIMT_COPY_WAIT;
		inst->groups = SIMT_GROUPS_NONE;
		return;
	case PTX_CP_ARRIVE: /* takes effect when the copies are done: the warp waits for them */
		inst->flags |= SIMT_COPY_WAIT;
		inst->groups = SIMT_GROUPS_NONE;
		decode_mbarrier(b, inst, e);
		return;
	}
}

/* ---- barrier objects ---- */

static void decode_mbarrier(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	struct simt_mbar_op *op = simt_own(b->p, sizeof(*op));
	const struct ptx_inst *i = b->i;
	const bool is_test = i->mods.mbar == PTX_MBAR_TEST_WAIT || i->mods.mbar == PTX_MBAR_TRY_WAIT;

	e->mbar = op;
	e->run = simt_run_mbarrier;
	if (i->mods.mbar == PTX_MBAR_PENDING_COUNT) {
		inst->unit = SIMT_UNIT_INT;
		op->state = simt_operand_ref(b, &i->src[0], 8);
		op->dst = simt_operand_ref(b, &i->dst, 4);
		return;
	}
	op->at.bytes = op->at.align = op->at.natural = 8;
	op->at.vec = 1;
	inst->unit = SIMT_UNIT_LDST;
	inst->flags |= is_test ? SIMT_LOAD : SIMT_LOAD | SIMT_STORE | SIMT_ATOMIC;
	inst->access_bytes = 8;
	inst->vec = 1;
	if (!simt_decode_place(b, inst, &op->at, i->mods.space, &i->src[0]))
		return;
	if (is_test) {
		e->polls = SIMT_POLL_STRONG;
		e->pred_dst = simt_pred_dst(b, &i->dst);
		if (i->mods.variant == PTX_VARIANT_PARITY)
			op->count = simt_operand_ref(b, &i->src[1], 4);
		else
			op->state = simt_operand_ref(b, &i->src[1], 8);
		return;
	}
	op->count = simt_operand_ref(b, &i->src[1], 4);
	op->dst = simt_operand_ref(b, &i->dst, 8);
}

bool simt_decode_matrix(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	switch (b->i->op) {
	case PTX_OP_MMA:
		decode_product(b, inst, e);
		return true;
	case PTX_OP_WMMA:
		if (b->i->mods.wmma == PTX_WMMA_MMA)
			decode_product(b, inst, e);
		else
			decode_wmma_access(b, inst, e);
		return true;
	case PTX_OP_LDMATRIX:
	case PTX_OP_STMATRIX:
		decode_8x8(b, inst, e);
		return true;
	case PTX_OP_MOVMATRIX:
		decode_movmatrix(b, inst, e);
		return true;
	case PTX_OP_CP:
		decode_cp(b, inst, e);
		return true;
	case PTX_OP_MBARRIER:
		decode_mbarrier(b, inst, e);
		return true;
	default:
		return false;
	}
}
