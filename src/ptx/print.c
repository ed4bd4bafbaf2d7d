/* print.c - the IR as PTX. */
#include "ptx/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "ptx/tables.h"

static void print_operand(FILE *out, const struct ptx_func *f, const struct ptx_operand *o, const char *label);

static void print_imm(FILE *out, const struct ptx_operand *o)
{
	enum ptx_type t = o->type;
	uint32_t bytes = ptx_type_bytes(t);

	if (o->is_float_literal) {
		if (bytes == 4)
			fprintf(out, "0f%08" PRIX64, o->imm);
		else
			fprintf(out, "0d%016" PRIX64, o->imm);
	} else if (ptx_type_is_signed(t) && bytes < 8) {
		int64_t v = (int64_t)(o->imm << (64 - bytes * 8)) >> (64 - bytes * 8);

		fprintf(out, "%" PRId64, v);
	} else if (o->imm < 1u << 16) {
		fprintf(out, "%" PRIu64, o->imm);
	} else {
		fprintf(out, "0x%" PRIX64, o->imm);
	}
}

static void print_offset(FILE *out, int64_t offset, bool alone)
{
	if (alone)
		fprintf(out, "%" PRId64, offset);
	else if (offset)
		fprintf(out, "+%" PRId64, offset);
}

static void print_elems(FILE *out, const struct ptx_func *f, const struct ptx_operand *o, const char *label)
{
	for (uint32_t k = 0; k < o->elem_count; k++) {
		fputs(k ? ", " : "", out);
		print_operand(out, f, &o->elems[k], label);
	}
}

static void print_suffix(FILE *out, const struct ptx_operand *o)
{
	static const char *const sels[] = {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};

	if (o->component)
		fprintf(out, ".%c", "xyzw"[o->component - 1]);
	fputs(sels[o->sel], out);
	if (o->part_count)
		fputs(o->is_halves ? ".h" : ".b", out);
	for (uint32_t k = o->part_count; k--;)
		fputc('0' + (o->parts >> 4 * k & 7), out);
}

static void print_sreg(FILE *out, const struct ptx_operand *o)
{
	if (o->sreg == PTX_SREG_PM64)
		fprintf(out, "%%pm%" PRId64 "_64", o->offset);
	else
		fputs(ptx_sreg_name(o->sreg), out);
	if (o->sreg == PTX_SREG_ENVREG || o->sreg == PTX_SREG_PM)
		fprintf(out, "%" PRId64, o->offset);
	print_suffix(out, o);
}

static void print_reg(FILE *out, const struct ptx_func *f, const struct ptx_operand *o)
{
	const struct ptx_reg *r = &f->regs[o->reg];

	if (o->negate)
		fputc(r->type == PTX_PRED ? '!' : '-', out);
	fputs(r->name, out);
	print_suffix(out, o);
}

static void print_address(FILE *out, const struct ptx_func *f, const struct ptx_operand *o)
{
	fputc('[', out);
	if (o->reg != UINT32_MAX) {
		fputs(f->regs[o->reg].name, out);
		print_suffix(out, o);
	} else if (o->var) {
		fputs(o->var->name, out);
	}
	print_offset(out, o->offset, o->reg == UINT32_MAX && !o->var);
	fputc(']', out);
}

static void print_operand(FILE *out, const struct ptx_func *f, const struct ptx_operand *o, const char *label)
{
	switch ((enum ptx_operand_kind)o->kind) {
	case PTX_OPND_NONE:
		return;
	case PTX_OPND_REG:
		print_reg(out, f, o);
		return;
	case PTX_OPND_IMM:
		print_imm(out, o);
		return;
	case PTX_OPND_SREG:
		print_sreg(out, o);
		return;
	case PTX_OPND_ADDR:
		print_address(out, f, o);
		return;
	case PTX_OPND_VAR:
		fputs(o->var->name, out);
		print_offset(out, o->offset, false);
		return;
	case PTX_OPND_LABEL:
		fprintf(out, "%s%u", label, o->label);
		return;
	case PTX_OPND_FUNC:
		fputs(o->func->name, out);
		return;
	case PTX_OPND_VEC:
		fputc('{', out);
		print_elems(out, f, o, label);
		fputc('}', out);
		return;
	case PTX_OPND_SINK:
		fputc('_', out);
		return;
	case PTX_OPND_LIST:
		fputc('(', out);
		print_elems(out, f, o, label);
		fputc(')', out);
		return;
	}
}

static const char *mod_text(enum ptx_class class_id, uint8_t value)
{
	for (uint32_t k = 0; k < ptx_mods_count; k++)
		if (ptx_mods_table[k].class_id == class_id && ptx_mods_table[k].value == value)
			return ptx_mods_table[k].text;
	UNREACHABLE("every value of a modifier comes from a row of the table");
}

static void print_class(FILE *out, const struct ptx_inst *i, enum ptx_class c)
{
	const struct ptx_form *form = &ptx_forms[i->op];
	uint8_t value = *((const uint8_t *)&i->mods + ptx_classes[c].field_offset);

	if (!(form->allowed >> c & 1) || (!value && c != PTX_CLASS_BFORM))
		return;
	if (c == PTX_CLASS_SPACE && (value == PTX_PARAM_ENTRY || value == PTX_PARAM_CALL) && i->src[0].var)
		fputs(".param", out);
	else if (c == PTX_CLASS_BAR && value == PTX_BAR_WARP_SYNC)
		fputs(".warp.sync", out);
	else
		fprintf(out, ".%s", mod_text(c, value));
}

static bool class_follows_types(const struct ptx_inst *i, enum ptx_class c)
{
	bool is_video = ptx_op_name(i->op)[0] == 'v' && i->op != PTX_OP_VOTE;

	return c >= PTX_CLASS_PRMT || (is_video && (c == PTX_CLASS_SAT || c == PTX_CLASS_CMP));
}

static void print_opcode(FILE *out, const struct ptx_inst *i)
{
	fputs(ptx_op_name(i->op), out);
	for (uint32_t c = 0; c < PTX_CLASS_COUNT; c++)
		if (!class_follows_types(i, c))
			print_class(out, i, c);
	for (int k = 0; k < 4; k++) {
		enum ptx_type t = k == 0 ? i->type : k == 1 ? i->type2 : k == 2 ? i->type3 : i->type4;

		if (t != PTX_TYPE_NONE)
			fprintf(out, ".%s", ptx_type_name(t));
	}
	for (uint32_t c = 0; c < PTX_CLASS_COUNT; c++)
		if (class_follows_types(i, c))
			print_class(out, i, c);
}

static bool takes_texture(enum ptx_op op)
{
	return op == PTX_OP_TEX || op == PTX_OP_TLD4 || op == PTX_OP_TXQ || op == PTX_OP_SULD || op == PTX_OP_SUST ||
	       op == PTX_OP_SURED || op == PTX_OP_SUQ;
}

/* "[texture, sampler, coordinates]" from its parts; returns how many sources it took. */
static uint32_t print_texture(FILE *out, const struct ptx_func *f, const struct ptx_inst *i, const char *label)
{
	bool has_coords = i->op != PTX_OP_TXQ && i->op != PTX_OP_SUQ;
	bool may_sample = i->op == PTX_OP_TEX || i->op == PTX_OP_TLD4;

	fputc('[', out);
	print_operand(out, f, &i->src[0], label);
	if (may_sample && i->src[2].kind != PTX_OPND_NONE) {
		fputs(", ", out);
		print_operand(out, f, &i->src[2], label);
	}
	if (has_coords) {
		fputs(", ", out);
		print_operand(out, f, &i->src[1], label);
	}
	fputc(']', out);
	return !has_coords ? 1 : may_sample ? 3 : 2;
}

static void print_operands(FILE *out, const struct ptx_func *f, const struct ptx_inst *i, const char *label)
{
	const char *between = " ";
	uint32_t k = 0;

	if (i->dst.kind != PTX_OPND_NONE) {
		fputs(between, out);
		print_operand(out, f, &i->dst, label);
		between = ", ";
		if (i->dst2.kind != PTX_OPND_NONE) {
			fputc('|', out);
			print_operand(out, f, &i->dst2, label);
		}
	}
	if (takes_texture(i->op)) {
		fputs(between, out);
		between = ", ";
		k = print_texture(out, f, i, label);
	}
	for (; k < i->src_count; k++) {
		if (i->src[k].kind == PTX_OPND_NONE)
			continue;
		fputs(between, out);
		print_operand(out, f, &i->src[k], label);
		between = ", ";
	}
}

/* The prototype of a call and the target list of brx stand before it in a block of their own. */
static void print_before(FILE *out, const struct ptx_func *f, const struct ptx_inst *i, const char *label)
{
	if (i->op == PTX_OP_BRX) {
		fprintf(out, "{ %sT: .branchtargets ", label);
		print_elems(out, f, &i->src[1], label);
		fputs("; ", out);
	} else if (i->prototype && i->prototype->is_prototype) {
		fprintf(out, "{ %sP: .callprototype ", label);
		ptx_print_signature(out, i->prototype, "_", false);
		fputs("; ", out);
	} else if (i->prototype) {
		fprintf(out, "{ %sP: .calltargets %s; ", label, i->prototype->name);
	}
}

static void print_call(FILE *out, const struct ptx_func *f, const struct ptx_inst *i, const char *label)
{
	fputs(i->mods.uni ? "call.uni " : "call ", out);
	if (i->dst.kind == PTX_OPND_LIST) {
		print_operand(out, f, &i->dst, label);
		fputs(", ", out);
	}
	print_operand(out, f, &i->src[0], label);
	if (i->src[1].elem_count || i->prototype) {
		fputs(", ", out);
		print_operand(out, f, &i->src[1], label);
	}
	if (i->prototype)
		fprintf(out, ", %sP", label);
}

void ptx_print_inst(FILE *out, const struct ptx_func *f, const struct ptx_inst *i, const char *label)
{
	bool in_block = i->op == PTX_OP_BRX || i->prototype;

	if (i->op == PTX_OP_UNSUPPORTED) {
		fputs(i->text, out);
		return;
	}
	print_before(out, f, i, label);
	if (i->has_guard)
		fprintf(out, "@%s%s ", i->guard_negate ? "!" : "", f->regs[i->guard_reg].name);
	if (i->op == PTX_OP_CALL) {
		print_call(out, f, i, label);
	} else if (i->op == PTX_OP_BRX) {
		print_opcode(out, i);
		fputc(' ', out);
		print_operand(out, f, &i->src[0], label);
		fprintf(out, ", %sT", label);
	} else {
		print_opcode(out, i);
		print_operands(out, f, i, label);
	}
	fputs(in_block ? "; }" : ";", out);
}
