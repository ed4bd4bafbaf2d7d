/* parse_check.c - operands as written against the opcode's shape; see ptx_forms.def for the letters. */
#include <stdio.h>
#include <string.h>

#include "ptx/priv.h"

bool ptx_check_fail(struct ptx_parser *p, const struct ptx_inst *i, const struct ptx_operand *o, const char *expected)
{
	char found[128];

	return ptx_parse_error(p, o->line, o->col, "'%s': found %s, expected %s", ptx_op_name(i->op),
			       ptx_operand_describe(p, o, found, sizeof(found)), expected);
}

bool ptx_check_count(struct ptx_parser *p, const struct ptx_inst *i, const struct ptx_written *w, uint32_t min,
		     uint32_t max)
{
	if (w->count >= min && w->count <= max && !w->has_second)
		return true;
	return ptx_parse_error(p, i->line, i->col, "'%s' takes %u%s operands, found %u", ptx_op_name(i->op), min,
			       min == max ? "" : " or more", w->count);
}

static enum ptx_type letter_type(const struct ptx_inst *i, char letter)
{
	switch (letter) {
	case '1':
		return i->type;
	case '2':
		return i->type2;
	case '3':
		return i->type3;
	case 'n':
		return i->type2 ? i->type2 : i->type;
	case 'w':
		return i->mods.part == PTX_WIDE ? ptx_type_twice(i->type) : i->type;
	case 'p':
		return PTX_PRED;
	default:
		return PTX_U32;
	}
}

/* A register as value of type t. PTX ISA, section on operand size: ld, st and cvt take wider registers too. */
static bool check_reg(struct ptx_parser *p, const struct ptx_inst *i, const struct ptx_operand *o, enum ptx_type t,
		      bool relaxed)
{
	const struct ptx_reg *r = &p->regs.at[o->reg];
	uint32_t want = ptx_type_bytes(t), have = ptx_type_bytes(r->type);
	char expected[64];

	if ((r->type == PTX_PRED) != (t == PTX_PRED) || (relaxed ? have < want : have != want)) {
		if (t == PTX_PRED)
			snprintf(expected, sizeof(expected), "a predicate register");
		else
			snprintf(expected, sizeof(expected), "a register of %u bits%s for .%s", want * 8,
				 relaxed ? " or more" : "", ptx_type_name(t));
		return ptx_check_fail(p, i, o, expected);
	}
	if (r->vec > 1 && !o->component)
		return ptx_check_fail(p, i, o, "one component (.x .y .z .w) of the vector register");
	return true;
}

static bool check_value(struct ptx_parser *p, struct ptx_inst *i, struct ptx_operand *o, enum ptx_type t, bool relaxed,
			bool is_dst)
{
	if (o->kind == PTX_OPND_REG)
		return check_reg(p, i, o, t, relaxed);
	if (is_dst)
		return ptx_check_fail(p, i, o, "a register to write");
	if (o->kind == PTX_OPND_SREG)
		return true;
	if (o->kind >= PTX_RAW_INT)
		return ptx_operand_settle(p, o, t);
	return ptx_check_fail(p, i, o, t == PTX_PRED ? "a predicate" : "a register or constant");
}

static bool check_vector(struct ptx_parser *p, struct ptx_inst *i, struct ptx_operand *o, enum ptx_type t, bool relaxed,
			 bool is_dst)
{
	char expected[64];

	snprintf(expected, sizeof(expected), "a vector of %u, {a, b...}", i->mods.vec);
	if (o->kind == PTX_OPND_REG && p->regs.at[o->reg].vec == i->mods.vec && !o->component)
		ptx_operand_spread(p, o);
	if (o->kind != PTX_OPND_VEC || o->elem_count != i->mods.vec)
		return ptx_check_fail(p, i, o, expected);
	for (uint32_t k = 0; k < o->elem_count; k++) {
		if (o->elems[k].kind == PTX_OPND_SINK && is_dst)
			continue;
		if (!check_value(p, i, &o->elems[k], t, relaxed, is_dst))
			return false;
	}
	return true;
}

/* .param is the kernel's parameter block or the call frame, as the variable says; a register base follows the function.
 */
static void settle_param_space(struct ptx_parser *p, struct ptx_inst *i, const struct ptx_operand *o)
{
	if (o->var)
		i->mods.space = (uint8_t)o->var->space;
	else if (p->func->is_entry && i->op == PTX_OP_LD)
		i->mods.space = PTX_PARAM_ENTRY;
}

static bool check_space(struct ptx_parser *p, struct ptx_inst *i, const struct ptx_operand *o)
{
	bool is_param = i->mods.space == PTX_PARAM_CALL || i->mods.space == PTX_PARAM_ENTRY;

	if (o->var && i->mods.space) {
		bool var_param = o->var->space == PTX_PARAM_CALL || o->var->space == PTX_PARAM_ENTRY;

		if (is_param != var_param || (!is_param && o->var->space != i->mods.space))
			return ptx_parse_error(p, o->line, o->col,
					       "variable '%s' is in %s, but the instruction accesses %s", o->var->name,
					       ptx_space_name(o->var->space), ptx_space_name(i->mods.space));
	}
	if (is_param)
		settle_param_space(p, i, o);
	return true;
}

static bool check_address(struct ptx_parser *p, struct ptx_inst *i, struct ptx_operand *o)
{
	if (o->kind != PTX_OPND_ADDR || o->elem_count)
		return ptx_check_fail(p, i, o, "an address in brackets, such as [%rd1+8]");
	if (o->reg != PTX_NO_REG) {
		const struct ptx_reg *r = &p->regs.at[o->reg];

		if (r->type == PTX_PRED || ptx_type_bytes(r->type) < 4 || (r->vec > 1 && !o->component))
			return ptx_check_fail(p, i, o, "an address register of 32 or 64 bits");
	}
	return check_space(p, i, o);
}

/* The value of an address: cvta, isspacep. */
static bool check_pointer(struct ptx_parser *p, struct ptx_inst *i, struct ptx_operand *o)
{
	if (o->kind == PTX_OPND_VAR || o->kind == PTX_OPND_FUNC)
		return true;
	if (o->kind >= PTX_RAW_INT)
		return ptx_operand_settle(p, o, i->type ? i->type : PTX_U64);
	if (o->kind != PTX_OPND_REG)
		return ptx_check_fail(p, i, o, "a register or variable");
	const struct ptx_reg *r = &p->regs.at[o->reg];
	if (r->type == PTX_PRED || ptx_type_bytes(r->type) < 4 ||
	    (i->type && ptx_type_bytes(r->type) != ptx_type_bytes(i->type)))
		return ptx_check_fail(p, i, o, "an address register of the instruction's width");
	return true;
}

static bool check_any(struct ptx_parser *p, struct ptx_inst *i, struct ptx_operand *o)
{
	if (o->kind == PTX_OPND_REG)
		return true;
	if (o->kind >= PTX_RAW_INT)
		return ptx_operand_settle(p, o, i->type2 && ptx_type_is_float(i->type2) ? i->type2 : PTX_U32);
	if (o->kind != PTX_OPND_VEC || o->elem_count > 4)
		return ptx_check_fail(p, i, o, "a register, constant or vector of at most 4");
	for (uint32_t k = 0; k < o->elem_count; k++) {
		struct ptx_operand *e = &o->elems[k];

		if (e->kind == PTX_OPND_VEC || !check_any(p, i, e))
			return e->kind == PTX_OPND_VEC ? ptx_check_fail(p, i, e, "a register or constant") : false;
	}
	return true;
}

/* Offsets of a fetch are integers, as many as the texture has dimensions; a value to compare with is one float. */
static bool check_fetch_extra(struct ptx_parser *p, struct ptx_inst *i, struct ptx_operand *o)
{
	const bool is_1d = i->mods.geom == PTX_1D || i->mods.geom == PTX_A1D;
	const bool is_float = o->kind == PTX_RAW_F32 || o->kind == PTX_RAW_F64 ||
			      (o->kind == PTX_OPND_REG && p->regs.at[o->reg].type == PTX_F32);

	if (o->kind == PTX_OPND_VEC || (is_1d && !is_float)) {
		const uint32_t count = o->kind == PTX_OPND_VEC ? o->elem_count : 1;

		if (count > 4)
			return ptx_check_fail(p, i, o, "a vector of at most 4 offsets");
		for (uint32_t k = 0; k < count; k++)
			if (!check_value(p, i, o->kind == PTX_OPND_VEC ? &o->elems[k] : o, PTX_S32, false, false))
				return false;
		return true;
	}
	i->unsupported = ptx_arena_printf(p->arena,
					  "%s with a depth comparison: the CUDA driver has no call that sets the "
					  "comparison, so the result is not defined", ptx_op_name(i->op));
	return true;
}

bool ptx_check_operand(struct ptx_parser *p, struct ptx_inst *i, struct ptx_operand *o, char letter, bool relaxed,
		       bool vector, bool is_dst)
{
	if (letter == 'm')
		return check_address(p, i, o);
	if (letter == 'A')
		return check_pointer(p, i, o);
	if (letter == '*')
		return check_any(p, i, o);
	if (letter == 'o')
		return check_fetch_extra(p, i, o);
	if (vector && i->mods.vec < 2 && o->kind == PTX_OPND_VEC && o->elem_count == 1)
		*o = o->elems[0]; /* "{%r}" of surface instructions */
	if (vector && i->mods.vec > 1)
		return check_vector(p, i, o, letter_type(i, letter), relaxed, is_dst);
	/* Compilers write the one element of suld and sust in braces. */
	if (vector && o->kind == PTX_OPND_VEC && o->elem_count == 1) {
		struct ptx_operand only = o->elems[0];

		*o = only;
	}
	/* ptxas warns only; what it makes of it is not written down. */
	if (vector && o->kind == PTX_OPND_VEC && (i->op == PTX_OP_SULD || i->op == PTX_OP_SUST)) {
		i->unsupported = ptx_arena_printf(p->arena, "%s of a vector without .v2 or .v4", ptx_op_name(i->op));
		return true;
	}
	if (o->negate && !is_dst && letter != 'p' && i->op != PTX_OP_VMAD)
		return ptx_check_fail(p, i, o, "an operand without '!' or '-'");
	return check_value(p, i, o, letter_type(i, letter), relaxed, is_dst);
}

/* How many operands give the mipmap level of a tex. */
static uint32_t level_operands(const struct ptx_inst *i)
{
	return i->mods.level == PTX_LEVEL_GRAD ? 2 : i->mods.level == PTX_LEVEL_LEVEL ? 1 : 0;
}

/* "[texture, coordinates]" or "[texture, sampler, coordinates]" becomes sources texture, coordinates, sampler. */
static bool check_texture(struct ptx_parser *p, struct ptx_inst *i, struct ptx_operand *o)
{
	bool has_coords = i->op != PTX_OP_TXQ && i->op != PTX_OP_SUQ;
	bool may_sample = i->op == PTX_OP_TEX || i->op == PTX_OP_TLD4;
	struct ptx_operand handle = *o;

	if (o->kind != PTX_OPND_ADDR || o->offset || (o->var == NULL && o->reg == PTX_NO_REG))
		return ptx_check_fail(p, i, o, "a texture or surface in brackets");
	if (o->elem_count != (has_coords ? 1 : 0) && !(may_sample && o->elem_count == 2))
		return ptx_check_fail(p, i, o, has_coords ? "[texture, coordinates]" : "[texture] or [surface]");
	handle.kind = o->var ? PTX_OPND_VAR : PTX_OPND_REG;
	handle.elems = NULL;
	handle.elem_count = 0;
	if (!o->var && ptx_type_bytes(p->regs.at[o->reg].type) != 8)
		return ptx_check_fail(p, i, &handle, "a 64-bit texture or surface handle");
	i->src[i->src_count++] = handle;
	if (!has_coords)
		return true;
	struct ptx_operand *coords = &o->elems[o->elem_count - 1];
	if (!check_any(p, i, coords))
		return false;
	i->src[i->src_count++] = *coords;
	if (!may_sample)
		return true;
	struct ptx_operand *sampler = &i->src[i->src_count++];
	if (o->elem_count == 2) {
		*sampler = o->elems[0];
		if (sampler->kind != PTX_OPND_VAR && sampler->kind != PTX_OPND_REG)
			return ptx_check_fail(p, i, sampler, "a sampler: a variable or register");
	}
	return true;
}

/* One letter of the shape with its flags. */
struct slot {
	char letter;
	bool relaxed, second, optional, vector, sink;
};

static const char *next_slot(const char *shape, struct slot *s)
{
	*s = (struct slot){.letter = *shape++};
	for (;; shape++) {
		if (*shape == '~')
			s->relaxed = true;
		else if (*shape == '|')
			s->second = true;
		else if (*shape == '?')
			s->optional = true;
		else if (*shape == 'v')
			s->vector = true;
		else if (*shape == '_')
			s->sink = true;
		else
			return shape;
	}
}

static void count_slots(const char *shape, uint32_t *min, uint32_t *max)
{
	struct slot s;

	*min = *max = 0;
	while (*shape) {
		if (*shape == ':') {
			shape++;
			continue;
		}
		shape = next_slot(shape, &s);
		++*max;
		*min += !s.optional;
	}
}

static bool check_count(struct ptx_parser *p, const struct ptx_inst *i, const struct ptx_written *w, const char *shape)
{
	uint32_t min, max;

	count_slots(shape, &min, &max);
	if (w->count >= min && w->count <= max)
		return true;
	if (min == max)
		return ptx_parse_error(p, i->line, i->col, "'%s' takes %u operand%s, found %u", ptx_op_name(i->op), min,
				       min == 1 ? "" : "s", w->count);
	return ptx_parse_error(p, i->line, i->col, "'%s' takes %u to %u operands, found %u", ptx_op_name(i->op), min,
			       max, w->count);
}

static bool check_dst(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w, const struct slot *s)
{
	struct ptx_operand *o = &w->at[0];

	if (w->has_second && !s->second)
		return ptx_check_fail(p, i, &w->second, "one destination");
	if (!(s->sink && o->kind == PTX_OPND_SINK) &&
	    !ptx_check_operand(p, i, o, s->letter, s->relaxed, s->vector, true))
		return false;
	i->dst = *o;
	if (w->has_second && w->second.kind != PTX_OPND_SINK &&
	    !ptx_check_operand(p, i, &w->second, 'p', false, false, true))
		return false;
	if (w->has_second)
		i->dst2 = w->second;
	return true;
}

static bool check_sources(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w, const char *shape,
			  uint32_t at)
{
	struct slot s;
	uint32_t levels = level_operands(i);

	if (i->op == PTX_OP_TEX && w->count < 2 + levels)
		return ptx_parse_error(p, i->line, i->col, "'tex' needs its mipmap level: %u operands, found %u",
				       2 + levels, w->count);
	while (*shape && at < w->count) {
		shape = next_slot(shape, &s);
		if (i->op == PTX_OP_TEX && s.letter == '*' && !levels)
			continue; /* no level was asked for: what follows are offsets */
		levels -= i->op == PTX_OP_TEX && s.letter == '*';

		struct ptx_operand *o = &w->at[at++];

		if (i->op == PTX_OP_ATOM && i->mods.policy && at == w->count)
			s = (struct slot){.letter = '*'}; /* the policy, also where there is no value of cas */
		if (s.letter == 't') {
			if (!check_texture(p, i, o))
				return false;
			continue;
		}
		if (!ptx_check_operand(p, i, o, s.letter, s.relaxed, s.vector, false))
			return false;
		i->src[i->src_count++] = *o;
	}
	return true;
}

static bool is_int(enum ptx_type t)
{
	return t != PTX_PRED && !ptx_type_is_float(t);
}

/* PTX ISA, min and max: three values of .f32; .xorsign of two, and only with .abs; .abs alone of three. */
static bool check_extreme(struct ptx_parser *p, const struct ptx_inst *i)
{
	const char *name = ptx_op_name(i->op);

	if (i->src_count == 3 && i->type != PTX_F32)
		return ptx_parse_error(p, i->line, i->col, "'%s' of three values needs the type .f32", name);
	if (i->mods.xorsign ? !i->mods.abs || i->src_count == 3 : i->mods.abs && i->src_count == 2)
		return ptx_parse_error(p, i->line, i->col,
				       "'%s' takes .xorsign.abs with two values, .abs with three", name);
	return true;
}

/* What depends on more than one modifier. */
static bool check_forms(struct ptx_parser *p, struct ptx_inst *i)
{
	const struct ptx_mods *m = &i->mods;

	if ((i->op == PTX_OP_MUL || i->op == PTX_OP_MAD) && is_int(i->type) && !m->part)
		return ptx_parse_error(p, i->line, i->col, "'%s' on integers needs .lo, .hi or .wide",
				       ptx_op_name(i->op));
	if (m->part == PTX_WIDE && ptx_type_bytes(i->type) > 4)
		return ptx_parse_error(p, i->line, i->col, ".wide needs a 16- or 32-bit integer type, found .%s",
				       ptx_type_name(i->type));
	if (m->vec == 8 && !((i->op == PTX_OP_LD || i->op == PTX_OP_ST) && ptx_type_bytes(i->type) <= 4) &&
	    !((i->op == PTX_OP_ATOM || i->op == PTX_OP_RED) && ptx_type_bytes(i->type) == 2))
		return ptx_parse_error(p, i->line, i->col,
				       ".v8 is for ld and st of up to 32 bits, and atomics of .f16 and .bf16");
	if ((i->op == PTX_OP_MIN || i->op == PTX_OP_MAX) && !check_extreme(p, i))
		return false;
	if (i->op == PTX_OP_SETMAXNREG && m->atom != PTX_ATOM_INC && m->atom != PTX_ATOM_DEC)
		return ptx_parse_error(p, i->line, i->col, "'setmaxnreg' needs .inc or .dec");
	if (i->op == PTX_OP_SHF && m->left == m->right)
		return ptx_parse_error(p, i->line, i->col, "'shf' needs one of .l and .r");
	if ((i->op == PTX_OP_SETP || i->op == PTX_OP_SET) && m->boolop && i->src_count != 3)
		return ptx_parse_error(p, i->line, i->col,
				       "'%s' with a boolean operation takes a third source, a predicate",
				       ptx_op_name(i->op));
	if ((i->op == PTX_OP_SETP || i->op == PTX_OP_SET) && !m->boolop && i->src_count == 3)
		return ptx_parse_error(p, i->line, i->col, "'%s' takes a third source only with .and, .or or .xor",
				       ptx_op_name(i->op));
	if (i->op == PTX_OP_ATOM && (m->atom == PTX_ATOM_CAS) != (i->src_count - m->policy == 3))
		return ptx_parse_error(p, i->line, i->col, "'atom%s",
				       m->atom == PTX_ATOM_CAS ? ".cas' takes an address and two values"
							       : "' takes an address and one value");
	if ((i->op == PTX_OP_SHFL || i->op == PTX_OP_VOTE) &&
	    m->sync != (i->src_count == (i->op == PTX_OP_SHFL ? 4 : 2)))
		return ptx_parse_error(p, i->line, i->col, "'%s' takes a member mask with .sync, and only then",
				       ptx_op_name(i->op));
	return true;
}

/* ".b7610", ".h32": all parts of a source of a SIMD video instruction; ".b20", ".h1": those of the result that are
 * written. One part of a scalar one is in sel. */
static bool check_parts(struct ptx_parser *p, const struct ptx_inst *i, struct ptx_operand *o, bool is_dst)
{
	const char *name = ptx_op_name(i->op);
	const uint32_t parts = name[0] != 'v' || i->op == PTX_OP_VOTE ? 0 : name[strlen(name) - 1] == '4'   ? 4
									    : name[strlen(name) - 1] == '2' ? 2
													    : 0;
	const uint32_t limit = is_dst ? parts : 2 * parts;

	if (!parts && o->part_count)
		return ptx_check_fail(p, i, o, "one byte or half (.b0 to .b3, .h0, .h1)");
	if (!parts || (!o->sel && !o->part_count))
		return true;
	if (o->sel) { /* one part is a mask here */
		o->part_count = 1;
		o->is_halves = o->sel >= PTX_SEL_H0;
		o->parts = (uint16_t)(o->sel - (o->is_halves ? PTX_SEL_H0 : PTX_SEL_B0));
		o->sel = PTX_SEL_NONE;
	}
	if (o->is_halves != (parts == 2) || (!is_dst && o->part_count != parts) || o->part_count > parts)
		return ptx_check_fail(p, i, o,
			     is_dst ? "a mask of the instruction's parts" : "as many selectors as it has parts");
	for (uint32_t k = 0; k < o->part_count; k++)
		if ((o->parts >> 4 * k & 15) >= limit)
			return ptx_check_fail(p, i, o, "selectors of parts that there are");
	return true;
}

static bool check_all_parts(struct ptx_parser *p, struct ptx_inst *i)
{
	if (!check_parts(p, i, &i->dst, true))
		return false;
	for (uint32_t k = 0; k < i->src_count; k++) {
		if (k == 2 && i->src[k].part_count)
			return ptx_check_fail(p, i, &i->src[k], "no selector");
		if (!check_parts(p, i, &i->src[k], false))
			return false;
	}
	return true;
}

/* Selectors of video operands stand in one place too, and the SIMD forms work on all their lanes. */
static void gather_selectors(struct ptx_inst *i)
{
	const char *name = ptx_op_name(i->op);
	char lanes = name[strlen(name) - 1];

	if (name[0] != 'v' || i->op == PTX_OP_VOTE)
		return;
	i->mods.vsel[0] = i->dst.sel;
	for (uint32_t k = 0; k < i->src_count && k < 3; k++)
		i->mods.vsel[k + 1] = i->src[k].sel;
	i->mods.vmask = lanes == '4' ? 0xF : lanes == '2' ? 0x3 : 0;
	if (i->mods.vmask && i->dst.part_count)
		for (i->mods.vmask = 0, lanes = 0; lanes < i->dst.part_count; lanes++)
			i->mods.vmask |= (uint8_t)(1u << (i->dst.parts >> 4 * lanes & 7));
}

bool ptx_check_inst(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w)
{
	const char *shape = ptx_forms[i->op].shape;
	struct slot s;

	if (shape[0] == '?')
		return ptx_check_special(p, i, w);
	if (!check_count(p, i, w, shape))
		return false;
	if (*shape != ':') {
		shape = next_slot(shape, &s);
		if (!check_dst(p, i, w, &s) || !check_sources(p, i, w, shape + 1, 1))
			return false;
	} else {
		if (w->has_second)
			return ptx_check_fail(p, i, &w->second, "no destination");
		if (!check_sources(p, i, w, shape + 1, 0))
			return false;
	}
	if (!check_all_parts(p, i))
		return false;
	gather_selectors(i);
	return i->unsupported || check_forms(p, i);
}
