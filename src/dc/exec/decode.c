/* decode.c - what a slot's instruction computes, found once. */
#include "dc/exec/priv.h"

#include <glib.h>
#include <string.h>

#include "dc/array/cordic.h"

static enum ptx_type source_type(const struct ptx_inst *i, uint32_t k)
{
	if (i->op == PTX_OP_CVT || i->op == PTX_OP_SET)
		return i->type2;
	return i->op == PTX_OP_SLCT && k == 2 ? i->type2 : i->type;
}

void dc_from_fill(struct dc_from *f, uint64_t value)
{
	uint32_t *words = (uint32_t *)f->row;

	for (uint32_t i = 0; i < DC_ROW_WORDS; i++) {
		if (f->want == 8)
			f->row[i] = value;
		else
			words[i] = (uint32_t)value;
	}
}

static bool refuse(const struct dc_program *p, const struct ptx_inst *i, const char *why, struct base_diag_list *diag)
{
	base_diag_error(diag, (struct base_place){p->kernel->source->module->name, i->line, i->col},
			"%s: %s does not run on Duality Cache: %s", p->kernel->name,
			i->text ? i->text : ptx_op_name(i->op), why);
	return false;
}

static void decode_from(struct dc_from *f, const struct dc_source *s, uint32_t want, enum ptx_type type)
{
	f->kind = s->kind;
	f->want = (uint8_t)want;
	f->is_signed = ptx_type_is_signed(type);
	f->loc = s->loc;
	f->host = s->host;
	if (s->kind == DC_SRC_IMM)
		dc_from_fill(f, s->imm);
}

static bool is_predicate_logic(const struct ptx_inst *i)
{
	return i->type == PTX_PRED && (i->op == PTX_OP_MOV || i->op == PTX_OP_AND || i->op == PTX_OP_OR ||
				       i->op == PTX_OP_XOR || i->op == PTX_OP_NOT);
}

static bool decode_alu(const struct dc_program *p, const struct ptx_inst *i, const struct dc_source *src,
		       uint32_t src_count, enum simt_isa isa, struct dc_exec *e, struct base_diag_list *diag)
{
	struct ptx_inst plain = *i;
	struct simt_alu alu = {0};
	const char *why = NULL;

	if (i->op == PTX_OP_LOP3)
		plain.mods.boolop = 0;
	if (i->src[0].part_count || i->src[1].part_count)
		return refuse(p, i, "parts of its operands are chosen", diag);
	if (!simt_alu_find(&plain, isa, &alu, &why))
		return refuse(p, i, why ? why : "an unknown combination of types and modifiers", diag);
	e->run = i->op == PTX_OP_LOP3 && i->mods.boolop ? DC_RUN_LOP3 : DC_RUN_ALU;
	e->fn = alu.fn;
	e->aux = alu.aux;
	e->aux_kind = (uint8_t)alu.aux_kind;
	e->boolop = i->mods.boolop;
	e->writes_carry = i->mods.cc;
	e->dst_bytes = alu.dst_bytes == 1 ? 0 : alu.dst_bytes; /* 1: q of two halves, a mask */
	for (uint32_t k = 0; k < src_count; k++) {
		const uint32_t bytes = k < DC_ALU_SRCS ? alu.src_bytes[k] : 0;

		if (bytes == 1 || src[k].kind == DC_SRC_PRED)
			e->pred = src[k];
		else if (bytes)
			decode_from(&e->from[k], &src[k], bytes == 8 ? 8 : 4, source_type(i, k));
	}
	e->src_count = (uint8_t)(src_count < DC_ALU_SRCS ? src_count : DC_ALU_SRCS);
	return true;
}

/* Functions of which the arrays have routines. */
static enum dc_own find_own(struct dc_exec *e, const struct ptx_inst *i)
{
	if (i->op == PTX_OP_RSQRT && i->type == PTX_F64 && !i->mods.ftz)
		return DC_OWN_RSQRT64;
	if (i->type != PTX_F32)
		return DC_OWN_NONE;
	switch (i->op) {
	case PTX_OP_SIN: e->function = DC_SIN; return DC_OWN_CORDIC;
	case PTX_OP_COS: e->function = DC_COS; return DC_OWN_CORDIC;
	case PTX_OP_EX2: e->function = DC_EX2; return DC_OWN_CORDIC;
	case PTX_OP_LG2: e->function = DC_LG2; return DC_OWN_CORDIC;
	case PTX_OP_TANH: return DC_OWN_TANH;
	case PTX_OP_RSQRT: return e->use.op == DC_OP_FNEWTON ? DC_OWN_NEWTON32 : DC_OWN_RSQRT32;
	case PTX_OP_SQRT:
		e->function = DC_SQRT;
		return e->use.op == DC_OP_FROOT ? DC_OWN_CORDIC : DC_OWN_NONE;
	default: return DC_OWN_NONE;
	}
}

/* Those that round by what PTX leaves open, or to nearest: the machine's own way. */
static bool is_truncating(const struct dc_exec *e, const struct ptx_inst *i)
{
	const bool is_op = e->use.op == DC_OP_FADD || e->use.op == DC_OP_FMUL || e->use.op == DC_OP_FMA ||
			   (e->use.op == DC_OP_FDIV && i->op == PTX_OP_DIV);

	return is_op && (i->type == PTX_F32 || i->type == PTX_F64) &&
	       (i->mods.round == PTX_ROUND_NONE || i->mods.round == PTX_RN) && !i->mods.sat;
}

/* The amount of a shift, the place of a field: the same in all lanes, and known when the kernel starts. */
static bool is_fixed(const struct dc_source *src, uint32_t count)
{
	for (uint32_t k = 1; k < count; k++)
		if (src[k].kind != DC_SRC_IMM && src[k].kind != DC_SRC_HOST)
			return false;
	return count > 1;
}

/* Operations whose denormal operands and results become zero, where they do not stay. */
static bool is_flushing(enum dc_op op)
{
	return (op >= DC_OP_FADD && op <= DC_OP_FRSQRT) || op == DC_OP_FLOAT_TO_INT || op == DC_OP_FLOAT_TO_FLOAT ||
	       op == DC_OP_FLOAT_ROUND || op == DC_OP_FROOT || op == DC_OP_FNEWTON;
}

/* Is it a part of a fused multiply-add, of whose text it has a copy? A guard may stand before that. */
static bool is_of_fma(const char *text)
{
	static const char blank[] = " \t";

	if (!text)
		return false;
	if (*text == '@') {
		text += 1 + strspn(text + 1, " \t!");
		text += strcspn(text, blank);
		text += strspn(text, blank);
	}
	return g_str_has_prefix(text, "fma") || g_str_has_prefix(text, "mad");
}

static void set_denormals(struct dc_exec *e, const struct dc_arith *arith)
{
	const bool gradual = dc_use_is_gradual(&e->use, arith), flushes = is_flushing(e->use.op);

	e->is_gradual = dc_sense_cycles(&e->use, arith) != 0;
	e->flushes_operands = flushes && !(gradual && dc_use_takes_denormals(&e->use, arith));
	e->flushes_result = flushes && !(gradual && dc_use_makes_denormals(&e->use, arith));
}

bool dc_decode(const struct dc_program *p, const struct ptx_inst *i, const struct dc_source *src, uint32_t src_count,
	       uint32_t have_bytes, enum simt_isa isa, struct dc_exec *e, struct base_diag_list *diag)
{
	const char *why = NULL;

	memset(e, 0, sizeof(*e));
	e->have_bytes = (uint8_t)have_bytes;
	e->is_dst_signed = ptx_type_is_signed(i->type);
	if (!dc_use_of(i, is_fixed(src, src_count), &e->use, &why))
		return refuse(p, i, why, diag);
	if (p->kernel->has_table_roots)
		dc_use_table_roots(&e->use);
	e->is_half_fma = p->kernel->splits_fma && e->use.op == DC_OP_FMUL && is_of_fma(i->text);
	e->has_facts = dc_has_facts(e->use.op);
	e->base_cycles = dc_base_cycles(&e->use, &p->params.arith);
	dc_use_keep(&e->use, p->kernel->is_kept, p->kernel->is_open, i);
	e->has_facts |= e->use.kept & DC_KEPT_OPEN && !dc_use_keeps_result(&e->use);
	e->fixed_cycles = dc_base_cycles(&e->use, &p->params.arith);
	if (e->use.op == DC_OP_COMPLEMENT)
		e->base_cycles = e->fixed_cycles;
	if (is_predicate_logic(i)) {
		e->run = DC_RUN_PRED;
		e->aux = i->op;
		e->pred = src[0];
		if (src_count > 1)
			e->pred2 = src[1];
		return true;
	}
	if (i->op == PTX_OP_MOV) {
		const uint32_t bytes = ptx_type_bytes(i->type) == 8 ? 8 : 4;

		e->run = src[0].kind == DC_SRC_SREG ? DC_RUN_LANE : DC_RUN_MOVE;
		e->dst_bytes = (uint8_t)bytes;
		e->src_count = 1;
		decode_from(&e->from[0], &src[0], bytes, i->type);
		e->is_exact = p->exact && dc_exact_knows(e, i, p->params.arith.is_truncated);
		return true;
	}
	if (!decode_alu(p, i, src, src_count, isa, e, diag))
		return false;
	e->own = (uint8_t)find_own(e, i);
	e->is_exact = p->exact && dc_exact_knows(e, i, p->params.arith.is_truncated);
	e->is_truncated = p->params.arith.is_truncated && is_truncating(e, i);
	set_denormals(e, &p->params.arith);
	return true;
}
