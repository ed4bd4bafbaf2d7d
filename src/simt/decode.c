/* decode.c - turns one arithmetic or move instruction into its execution record. */
#include <stdlib.h>

#include "base/check.h"
#include "simt/build.h"
#include "simt/check_hooks.h"

static void no_preds(struct simt_exec *e)
{
	e->pred_src = (struct simt_pred_ref){SIMT_NO_PRED, 0};
	e->pred_dst = e->pred_dst2 = SIMT_NO_PRED;
}

static enum simt_fix fix_source(uint32_t have, uint32_t want, enum ptx_type type)
{
	if (have == want)
		return SIMT_FIX_NONE;
	if (have > want)
		return SIMT_FIX_LOW;
	return ptx_type_is_signed(type) ? SIMT_FIX_SIGN : SIMT_FIX_ZERO;
}

static void decode_clock(const struct ptx_operand *o, struct simt_exec *e)
{
	if (o->kind == PTX_OPND_SREG && o->sreg >= PTX_SREG_CLOCK && o->sreg <= PTX_SREG_GLOBALTIMER_HI)
		e->dynamic_sreg = 1;
}

/* The type by which source s is read: cvt, set and slct read some sources by their second type. */
static enum ptx_type source_type(const struct ptx_inst *i, uint32_t s)
{
	if (i->op == PTX_OP_CVT || i->op == PTX_OP_SET)
		return i->type2;
	if (i->op == PTX_OP_SLCT && s == 2)
		return i->type2;
	/* Sums of mixed precision. */
	if (i->type2 && (i->op == PTX_OP_FMA ? s < 2 : (i->op == PTX_OP_ADD || i->op == PTX_OP_SUB) && s == 0))
		return i->type2;
	return i->type;
}

static void decode_sources(struct simt_build *b, const struct simt_alu *alu, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;

	for (uint32_t s = 0; s < i->src_count && s < SIMT_SRC_ROWS; s++) {
		const struct ptx_operand *o = &i->src[s];
		uint32_t want = alu->src_bytes[s] == 8 ? 8 : 4;

		if (alu->src_bytes[s] == 1 || simt_is_pred(b, o)) {
			e->pred_src = simt_pred_operand(b, o);
			continue;
		}
		if (!alu->src_bytes[s])
			continue;
		decode_clock(o, e);
		e->src[s] = simt_operand_ref(b, o, want);
		e->fix_src[s] = (uint8_t)fix_source(e->src[s].bytes, want, source_type(i, s));
		e->src_count = (uint8_t)(s + 1);
	}
}

static bool any_fix(const struct simt_exec *e)
{
	for (uint32_t s = 0; s < e->src_count; s++)
		if (e->fix_src[s])
			return true;
	return e->fix_dst || e->dynamic_sreg;
}

/* lop3 with .and/.or and p|d: the row part is a plain lop3. */
static void decode_lop3(struct simt_build *b, struct simt_exec *e)
{
	e->boolop = b->i->mods.boolop;
	e->pred_src = simt_pred_operand(b, &b->i->src[4]);
	e->run = simt_run_lop3_pred;
}

/* Selectors of a source as bytes: four nibbles, the lowest byte in the lowest. first: what the source means without. */
static uint32_t byte_selectors(const struct ptx_operand *o, uint32_t first)
{
	uint32_t bytes = 0;

	for (uint32_t k = 0; k < 4; k++) {
		const uint32_t part = o->parts >> 4 * (o->is_halves ? k / 2 : k) & 15;
		const uint32_t byte = !o->part_count ? first + k : o->is_halves ? 2 * part + k % 2 : part;

		bytes |= byte << 4 * k;
	}
	return bytes;
}

/* SIMD video instructions: sources may be picked from both registers. */
static void decode_parts(struct simt_build *b, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;

	if (!i->src[0].part_count && !i->src[1].part_count)
		return;
	if (any_fix(e) || !e->dst.bytes) {
		simt_build_error(b, "selectors need 32-bit registers");
		return;
	}
	e->imm = byte_selectors(&i->src[1], 4) << 16 | byte_selectors(&i->src[0], 0);
	e->run = simt_run_video_parts;
}

static enum simt_kind kind_of(enum ptx_op op)
{
	switch (op) {
	case PTX_OP_ADD:
	case PTX_OP_ADDC:
	case PTX_OP_SUB:
	case PTX_OP_SUBC:
		return SIMT_KIND_ADD;
	case PTX_OP_MUL:
	case PTX_OP_MUL24:
		return SIMT_KIND_MUL;
	case PTX_OP_MAD:
	case PTX_OP_MADC:
	case PTX_OP_MAD24:
	case PTX_OP_FMA:
		return SIMT_KIND_MAD;
	case PTX_OP_MIN:
	case PTX_OP_MAX:
		return SIMT_KIND_MINMAX;
	default:
		return SIMT_KIND_MOVE;
	}
}

static bool decode_alu(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;
	struct ptx_inst plain = *i;
	struct simt_alu alu = {0};
	const char *why = NULL;

	if (i->op == PTX_OP_LOP3)
		plain.mods.boolop = 0;
	if (!simt_alu_find(&plain, b->isa, &alu, &why))
		return false;
	inst->unit = (uint8_t)alu.unit;
	inst->kind = (uint8_t)kind_of(i->op);
	inst->issue_slots = alu.issue_slots ? alu.issue_slots : 1;
	inst->step_unit = inst->unit;
	if (alu.unit == SIMT_UNIT_SFU)
		inst->step_unit = alu.dst_bytes == 8 ? SIMT_UNIT_FP64 : SIMT_UNIT_FP32;
	e->alu = alu.fn;
	e->aux = alu.aux;
	e->aux_kind = (uint8_t)alu.aux_kind;
	e->boolop = i->mods.boolop;
	e->writes_carry = i->mods.cc;
	decode_sources(b, &alu, e);
	if (alu.dst_bytes == 4 || alu.dst_bytes == 8) {
		e->dst = simt_operand_ref(b, &i->dst, alu.dst_bytes);
		if (e->dst.bytes)
			e->fix_dst = (uint8_t)fix_source(alu.dst_bytes, e->dst.bytes, i->type);
	} else {
		e->pred_dst = simt_pred_dst(b, &i->dst);
	}
	e->pred_dst2 = simt_pred_dst(b, &i->dst2);
	e->run = any_fix(e) || (alu.dst_bytes >= 4 && !e->dst.bytes) ? simt_run_alu_fixed : simt_run_alu;
	if (i->op == PTX_OP_LOP3 && i->mods.boolop)
		decode_lop3(b, e);
	if (i->op == PTX_OP_SETP && (i->type == PTX_F16X2 || i->type == PTX_BF16X2))
		e->run = simt_run_setp_pair;
	decode_parts(b, e);
	return true;
}

/* ---- mov ---- */

static void decode_pack(struct simt_build *b, struct simt_exec *e, const struct ptx_operand *vec,
			const struct ptx_operand *whole, bool is_dst_vec)
{
	struct simt_pack_op *op = simt_own(b->p, sizeof(*op));
	uint32_t bytes = ptx_type_bytes(b->i->type);

	if (vec->elem_count > SIMT_ELEMS || vec->elem_count < 2 || bytes > 8) {
		simt_build_error(b, "mov packs 2 or 4 parts into at most 64 bits");
		return;
	}
	op->count = (uint8_t)vec->elem_count;
	op->part_bytes = (uint8_t)(bytes / op->count);
	op->whole = simt_operand_ref(b, whole, bytes);
	for (uint32_t k = 0; k < op->count; k++)
		op->part[k] = simt_operand_ref(b, &vec->elems[k], op->part_bytes);
	e->pack = op;
	e->run = is_dst_vec ? simt_run_unpack : simt_run_pack;
}

static void decode_vector_mov(struct simt_build *b, struct simt_exec *e)
{
	const struct ptx_operand *to = &b->i->dst, *from = &b->i->src[0];
	uint32_t bytes = ptx_type_bytes(b->i->type);

	if (to->elem_count != from->elem_count || to->elem_count > SIMT_ELEMS) {
		simt_build_error(b, "mov from a vector of %u to one of %u; expected the same number, at most %u",
				 from->elem_count, to->elem_count, SIMT_ELEMS);
		return;
	}
	struct simt_pack_op *op = simt_own(b->p, sizeof(*op));

	op->count = (uint8_t)to->elem_count;
	op->part_bytes = (uint8_t)bytes;
	for (uint32_t k = 0; k < op->count; k++) {
		op->part[k] = simt_operand_ref(b, &to->elems[k], bytes);
		op->from[k] = simt_operand_ref(b, &from->elems[k], bytes);
		if (!op->from[k].bytes)
			simt_build_error(b, "mov from a vector with _ in it");
	}
	e->pack = op;
	e->run = simt_run_vector_mov;
}

static void decode_mov(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;
	uint32_t bytes = ptx_type_bytes(i->type) == 8 ? 8 : 4;

	inst->unit = SIMT_UNIT_INT;
	if (i->dst.kind == PTX_OPND_VEC && i->src[0].kind == PTX_OPND_VEC) {
		decode_vector_mov(b, e);
		return;
	}
	if (i->dst.kind == PTX_OPND_VEC) {
		decode_pack(b, e, &i->dst, &i->src[0], true);
		return;
	}
	if (i->src[0].kind == PTX_OPND_VEC) {
		decode_pack(b, e, &i->src[0], &i->dst, false);
		return;
	}
	e->dst = simt_operand_ref(b, &i->dst, bytes);
	if (i->src[0].kind == PTX_OPND_VAR && simt_is_frame_local(b, i->src[0].var)) {
		e->imm = simt_var_offset(b, i->src[0].var) + (uint64_t)i->src[0].offset;
		e->run = simt_run_local_addr;
		return;
	}
	decode_clock(&i->src[0], e);
	e->src[0] = simt_operand_ref(b, &i->src[0], bytes);
	e->src_count = 1;
	e->fix_src[0] = (uint8_t)fix_source(e->src[0].bytes, e->dst.bytes, i->type);
	e->run = simt_run_mov;
}

static void decode_cvta(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;
	uint64_t window = i->mods.space == PTX_SHARED  ? SIMT_SHARED_WINDOW
			  : i->mods.space == PTX_LOCAL ? SIMT_LOCAL_WINDOW
						       : 0;

	inst->unit = SIMT_UNIT_INT;
	e->dst = simt_operand_ref(b, &i->dst, 8);
	e->run = simt_run_cvta;
	e->imm = i->mods.to ? -window : window;
	if (i->mods.space == PTX_PARAM_ENTRY || i->mods.space == PTX_PARAM_CALL) {
		/* The parameter block's address is known when the launch begins. */
		e->aux = i->mods.to ? 2 : 1;
		e->imm = 0;
	}
	if (i->src[0].kind == PTX_OPND_VAR && simt_is_frame_local(b, i->src[0].var)) {
		e->imm += simt_var_offset(b, i->src[0].var) + (uint64_t)i->src[0].offset;
		e->aux = 3;
		return;
	}
	e->src[0] = simt_operand_ref(b, &i->src[0], 8);
	e->src_count = 1;
}

static void decode_isspacep(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;

	inst->unit = SIMT_UNIT_INT;
	e->pred_dst = simt_pred_dst(b, &i->dst);
	e->src[0] = simt_operand_ref(b, &i->src[0], 8);
	e->aux = i->mods.space;
	e->run = simt_run_isspacep;
}

/* The address in CTA number src[1] of a cluster of one is the address itself. */
static void decode_mapa(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;
	const uint32_t bytes = ptx_type_bytes(i->type);

	inst->unit = SIMT_UNIT_INT;
	e->dst = simt_operand_ref(b, &i->dst, bytes);
	e->src[0] = simt_operand_ref(b, &i->src[0], bytes);
	e->src[1] = simt_operand_ref(b, &i->src[1], 4);
	e->src_count = 2;
	if (i->src[0].kind == PTX_OPND_VAR && !i->mods.space) /* generic, as mov gives no such address */
		simt_build_error(b, "a generic address of a variable comes from cvta");
	e->run = simt_run_mapa;
}

/* ---- predicates ---- */

static void decode_pred_logic(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;

	inst->unit = SIMT_UNIT_INT;
	e->run = simt_run_pred_logic;
	e->pred_dst = simt_pred_dst(b, &i->dst);
	e->pred_src = simt_pred_operand(b, &i->src[0]);
	e->aux = i->op;
	if (i->src_count < 2)
		return;
	struct simt_pred_ref second = simt_pred_operand(b, &i->src[1]);

	e->imm = (uint64_t)second.index << 32 | second.flip;
}

static bool decode_simple(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;

	switch (i->op) {
	case PTX_OP_MOV:
		if (i->type == PTX_PRED)
			decode_pred_logic(b, inst, e);
		else
			decode_mov(b, inst, e);
		return true;
	case PTX_OP_AND:
	case PTX_OP_OR:
	case PTX_OP_XOR:
	case PTX_OP_NOT:
		if (i->type != PTX_PRED)
			return false;
		decode_pred_logic(b, inst, e);
		return true;
	case PTX_OP_CVTA:
		decode_cvta(b, inst, e);
		return true;
	case PTX_OP_CREATEPOLICY: /* policies are accepted everywhere and change nothing: any value will do */
		inst->unit = SIMT_UNIT_INT;
		e->dst = simt_operand_ref(b, &i->dst, 8);
		e->src[0] = simt_const_row(b, 0, 8);
		e->src_count = 1;
		e->run = simt_run_mov;
		return true;
	case PTX_OP_ISSPACEP:
		decode_isspacep(b, inst, e);
		return true;
	case PTX_OP_GETCTARANK: /* of a cluster of one CTA */
		inst->unit = SIMT_UNIT_INT;
		e->dst = simt_operand_ref(b, &i->dst, 4);
		e->src[0] = simt_const_row(b, 0, 4);
		e->src_count = 1;
		e->run = simt_run_mov;
		return true;
	case PTX_OP_MAPA:
		decode_mapa(b, inst, e);
		return true;
	default:
		return false;
	}
}

void simt_decode(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;

	no_preds(e);
	e->ptx = i;
	e->guard = (struct simt_pred_ref){SIMT_NO_PRED, UINT32_MAX};
	if (i->has_guard)
		e->guard = (struct simt_pred_ref){b->f->alloc->slot[i->guard_reg], i->guard_negate ? UINT32_MAX : 0};
	inst->issue_slots = 1;
	inst->cache = i->mods.cache;
	inst->sem = i->mods.sem;
	if (i->op == PTX_OP_UNSUPPORTED) {
		simt_build_error(b, "%s", i->unsupported ? i->unsupported : "unsupported instruction");
		return;
	}
	if (decode_simple(b, inst, e) || simt_decode_memory(b, inst, e) || simt_decode_texture(b, inst, e) ||
	    simt_decode_matrix(b, inst, e) || simt_decode_control(b, inst, e) || decode_alu(b, inst, e)) {
		if (i->is_spill)
			inst->flags |= SIMT_SPILL; /* not the program's: nothing to check */
		else if (simt_memory_check(b->m->mem) && !b->failed)
			simt_check_decode(inst, e);
		return;
	}
	struct simt_alu alu;
	const char *why = NULL;

	simt_alu_find(i, b->isa, &alu, &why);
	simt_build_error(b, "instruction %s",
			 why ? why : "is not supported in this combination of types and modifiers");
}
