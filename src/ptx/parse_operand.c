/* parse_operand.c - operands as written, before anybody knows what the instruction wants. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/priv.h"

static bool parse_operand_at(struct ptx_parser *p, struct ptx_operand *o, uint32_t depth);

struct ptx_operand ptx_label_operand(struct ptx_parser *p, const struct ptx_token *name)
{
	struct ptx_operand o = {
	    .kind = PTX_OPND_LABEL, .line = name->line, .col = name->col, .imm = p->label_refs.count};
	struct ptx_label_ref *r = PTX_VECTOR_ADD(&p->label_refs);

	*r = (struct ptx_label_ref){name->text, name->length, p->scope, name->line, name->col};
	return o;
}

/* ".x" and the like after a name; false if the word is none of them. */
static bool suffix(struct ptx_operand *o, const struct ptx_token *t)
{
	static const struct {
		const char *word;
		uint8_t component, sel;
	} words[] = {
	    {".x", 1, 0},           {".y", 2, 0},           {".z", 3, 0},           {".w", 4, 0},
	    {".r", 1, 0},           {".g", 2, 0},           {".b", 3, 0},           {".a", 4, 0},
	    {".b0", 0, PTX_SEL_B0}, {".b1", 0, PTX_SEL_B1}, {".b2", 0, PTX_SEL_B2}, {".b3", 0, PTX_SEL_B3},
	    {".h0", 0, PTX_SEL_H0}, {".h1", 0, PTX_SEL_H1},
	};

	for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (ptx_token_is(t, words[i].word)) {
			o->component = words[i].component;
			o->sel = words[i].sel;
			return true;
		}
	}
	return false;
}

/* ".b3210", ".h10": several parts of a register, for SIMD video instructions. */
static bool parts_suffix(struct ptx_operand *o, const struct ptx_token *t)
{
	const bool is_halves = t->length > 2 && t->text[1] == 'h';

	if (t->length < 4 || t->length > (is_halves ? 4 : 6) || (t->text[1] != 'b' && !is_halves))
		return false;
	for (uint32_t k = 2; k < t->length; k++) {
		if (t->text[k] < '0' || t->text[k] > '7')
			return false;
		o->parts = (uint16_t)(o->parts << 4 | (t->text[k] - '0'));
	}
	o->part_count = (uint8_t)(t->length - 2);
	o->is_halves = is_halves;
	return true;
}

static bool parse_suffix(struct ptx_parser *p, struct ptx_operand *o)
{
	if (p->tok.kind != PTX_TOK_DOT)
		return true;
	if (!suffix(o, &p->tok) && !parts_suffix(o, &p->tok))
		return ptx_parse_unexpected(p, "a component (.x .y .z .w) or a selector (.b0 to .b3, .h0, .h1)");
	if (o->component && o->kind == PTX_OPND_REG &&
	    (p->regs.at[o->reg].vec < 2 || o->component > p->regs.at[o->reg].vec))
		return ptx_parse_error_tok(p, &p->tok, "register '%s' has no component '%.*s'", p->regs.at[o->reg].name,
					   (int)p->tok.length, p->tok.text);
	ptx_parse_next(p);
	return true;
}

/* "+ 4", "+ -4", "- 4" after a base; adds to the offset. */
static bool parse_offset(struct ptx_parser *p, struct ptx_operand *o)
{
	while (ptx_parse_is(p, '+') || ptx_parse_is(p, '-')) {
		struct ptx_token at = p->tok;
		struct ptx_value v;

		if (at.punct == '+')
			ptx_parse_next(p);
		if (!ptx_expr_parse(p, &v))
			return false;
		if (v.kind != PTX_VALUE_INT)
			return ptx_parse_error_tok(p, &at, "an address takes an integer offset");
		o->offset = (int64_t)((uint64_t)o->offset + v.bits);
	}
	return true;
}

/* "name[3]": the address of an element. */
static bool parse_subscript(struct ptx_parser *p, struct ptx_operand *o)
{
	uint64_t index;

	ptx_parse_next(p);
	if (!ptx_expr_parse_count(p, PTX_VAR_BYTES_MAX, "array index", &index) ||
	    !ptx_parse_expect(p, ']', "after an array index"))
		return false;
	o->kind = PTX_OPND_ADDR;
	o->reg = PTX_NO_REG;
	o->offset = (int64_t)(index * ptx_type_bytes(o->var->type) * o->var->vec);
	return true;
}

/* What a name stands for; a name nobody declared may still be a label further down. */
static bool resolve_name(struct ptx_parser *p, const struct ptx_token *t, struct ptx_operand *o)
{
	uint32_t number, reg = ptx_symbol_reg(p, t->text, t->length);

	o->line = t->line;
	o->col = t->col;
	if (reg != PTX_NO_REG) {
		o->kind = PTX_OPND_REG;
		o->reg = reg;
		return true;
	}
	const struct ptx_symbol *s = ptx_symbol_find(p, t->text, t->length);
	if (s && s->kind == PTX_SYM_VAR) {
		o->kind = PTX_OPND_VAR;
		o->var = s->var;
		return true;
	}
	if (s && s->kind == PTX_SYM_FUNC) {
		o->kind = PTX_OPND_FUNC;
		o->func = s->func;
		return true;
	}
	enum ptx_sreg sreg = ptx_sreg_find(t->text, t->length, &number);
	if (sreg != PTX_SREG_COUNT && !s) {
		o->kind = PTX_OPND_SREG;
		o->sreg = sreg;
		o->offset = number;
		return true;
	}
	*o = ptx_label_operand(p, t);
	return true;
}

static bool parse_name(struct ptx_parser *p, struct ptx_operand *o)
{
	struct ptx_token t = p->tok;

	ptx_parse_next(p);
	if (ptx_token_is(&t, "_")) {
		*o = (struct ptx_operand){.kind = PTX_OPND_SINK, .line = t.line, .col = t.col};
		return true;
	}
	if (!resolve_name(p, &t, o))
		return false;
	if (o->kind == PTX_OPND_REG || o->kind == PTX_OPND_SREG)
		return parse_suffix(p, o);
	if (o->kind == PTX_OPND_VAR && ptx_parse_is(p, '['))
		return parse_subscript(p, o);
	if (o->kind == PTX_OPND_VAR)
		return parse_offset(p, o);
	return true;
}

static bool parse_constant(struct ptx_parser *p, struct ptx_operand *o)
{
	struct ptx_value v;

	if (!ptx_expr_parse(p, &v))
		return false;
	o->kind = v.kind == PTX_VALUE_INT ? PTX_RAW_INT : v.kind == PTX_VALUE_F32 ? PTX_RAW_F32 : PTX_RAW_F64;
	o->imm = v.bits;
	o->is_float_literal = v.kind != PTX_VALUE_INT;
	return true;
}

static bool parse_list_at(struct ptx_parser *p, uint32_t close, uint32_t max, struct ptx_operand *list, uint32_t depth)
{
	PTX_VECTOR(struct ptx_operand) v = {0};
	bool ok = true;

	if (!ptx_parse_is(p, close)) {
		do {
			if (v.count == max)
				ok = ptx_parse_error_tok(p, &p->tok, "more than %u elements in one list", max);
			else
				ok = parse_operand_at(p, PTX_VECTOR_ADD(&v), depth + 1);
		} while (ok && ptx_parse_take(p, ','));
	}
	list->elems = ptx_arena_copy(p->arena, v.at, v.count * sizeof(v.at[0]));
	list->elem_count = (uint16_t)v.count;
	free(v.at);
	return ok && ptx_parse_expect(p, close, "after a list");
}

bool ptx_parse_list(struct ptx_parser *p, uint32_t close, uint32_t max, struct ptx_operand *list)
{
	return parse_list_at(p, close, max, list, 0);
}

/* "[base + offset]", or "[texture, coordinates ...]": then the parts after the base are elems. */
static bool parse_address(struct ptx_parser *p, struct ptx_operand *o, uint32_t depth)
{
	struct ptx_operand base = {.line = p->tok.line, .col = p->tok.col};

	if (p->tok.kind == PTX_TOK_IDENT && !ptx_token_is(&p->tok, "WARP_SZ")) {
		if (!parse_name(p, &base))
			return false;
	} else if (!parse_constant(p, &base)) {
		return false;
	}
	o->kind = PTX_OPND_ADDR;
	o->reg = PTX_NO_REG;
	switch (base.kind) {
	case PTX_OPND_REG:
		o->reg = base.reg;
		o->component = base.component;
		break;
	case PTX_OPND_VAR:
		o->var = base.var;
		o->offset = base.offset;
		break;
	case PTX_RAW_INT:
		o->offset = (int64_t)base.imm;
		break;
	case PTX_OPND_LABEL:
		return ptx_parse_error(p, base.line, base.col,
				       "'%.*s' is not declared; expected a register or variable",
				       (int)p->label_refs.at[base.imm].length, p->label_refs.at[base.imm].name);
	default:
		return ptx_parse_error(p, base.line, base.col, "expected a register, variable or integer as address");
	}
	if (!parse_offset(p, o))
		return false;
	if (ptx_parse_take(p, ','))
		return parse_list_at(p, ']', 8, o, depth);
	return ptx_parse_expect(p, ']', "after an address");
}

static bool parse_negated(struct ptx_parser *p, struct ptx_operand *o)
{
	struct ptx_token at = p->tok;

	ptx_parse_next(p);
	if (!parse_name(p, o))
		return false;
	if (o->kind != PTX_OPND_REG)
		return ptx_parse_error_tok(p, &at, "'%c' is followed by '%.*s'; expected a register", (int)at.punct,
					   (int)(p->prev_end - at.text - 1), at.text + 1);
	o->negate = true;
	return true;
}

static bool parse_operand_at(struct ptx_parser *p, struct ptx_operand *o, uint32_t depth)
{
	struct ptx_token t = p->tok;

	o->line = t.line;
	o->col = t.col;
	if (depth > 2)
		return ptx_parse_error_tok(p, &t, "lists are nested too deep in an operand");
	if (ptx_parse_take(p, '{')) {
		o->kind = PTX_OPND_VEC;
		return parse_list_at(p, '}', PTX_OPERANDS_MAX, o, depth);
	}
	if (ptx_parse_take(p, '[')) {
		if (!parse_address(p, o, depth))
			return false;
		/* PTX ISA, ld: the place is the same on all devices, which one device fulfils. */
		ptx_parse_take_dot(p, ".unified");
		return true;
	}
	bool is_const = ptx_token_is(&t, "WARP_SZ") || ptx_token_is(&p->ahead, "WARP_SZ");
	if ((ptx_parse_is(p, '!') || ptx_parse_is(p, '-')) && p->ahead.kind == PTX_TOK_IDENT && !is_const)
		return parse_negated(p, o);
	if (t.kind == PTX_TOK_IDENT && !ptx_token_is(&t, "WARP_SZ"))
		return parse_name(p, o);
	if (ptx_expr_starts(p))
		return parse_constant(p, o);
	return ptx_parse_unexpected(p, "an operand");
}

bool ptx_parse_operand(struct ptx_parser *p, struct ptx_operand *o)
{
	memset(o, 0, sizeof(*o));
	return parse_operand_at(p, o, 0);
}

void ptx_operand_spread(struct ptx_parser *p, struct ptx_operand *o)
{
	uint8_t count = p->regs.at[o->reg].vec;
	struct ptx_operand *elems = ptx_arena_array(p->arena, count, sizeof(*elems));

	for (uint8_t k = 0; k < count; k++) {
		elems[k] = *o;
		elems[k].component = (uint8_t)(k + 1);
	}
	*o = (struct ptx_operand){
	    .kind = PTX_OPND_VEC, .elem_count = count, .elems = elems, .line = o->line, .col = o->col};
}

bool ptx_operand_settle(struct ptx_parser *p, struct ptx_operand *o, enum ptx_type t)
{
	struct ptx_value v = {.bits = o->imm};

	v.kind = o->kind == PTX_RAW_INT ? PTX_VALUE_INT : o->kind == PTX_RAW_F32 ? PTX_VALUE_F32 : PTX_VALUE_F64;
	if (v.kind == PTX_VALUE_INT && ptx_type_is_float(t))
		return ptx_parse_error(p, o->line, o->col,
				       "integer constant where .%s is expected; write 0f%s or a decimal "
				       "point",
				       ptx_type_name(t), "........");
	if (!ptx_value_to(&v, t, &o->imm))
		return ptx_parse_error(p, o->line, o->col, "floating-point constant where .%s is expected",
				       ptx_type_name(t));
	o->kind = PTX_OPND_IMM;
	o->type = (uint8_t)t;
	return true;
}

const char *ptx_operand_describe(const struct ptx_parser *p, const struct ptx_operand *o, char *buf, size_t size_bytes)
{
	switch (o->kind) {
	case PTX_OPND_REG:
		snprintf(buf, size_bytes, "register '%.60s' of type .%s", p->regs.at[o->reg].name,
			 ptx_type_name(p->regs.at[o->reg].type));
		break;
	case PTX_OPND_VAR:
		snprintf(buf, size_bytes, "variable '%.60s'", o->var->name);
		break;
	case PTX_OPND_FUNC:
		snprintf(buf, size_bytes, "function '%.60s'", o->func->name);
		break;
	case PTX_OPND_LABEL:
		snprintf(buf, size_bytes, "'%.*s', which is not declared",
			 (int)(p->label_refs.at[o->imm].length > 60 ? 60 : p->label_refs.at[o->imm].length),
			 p->label_refs.at[o->imm].name);
		break;
	case PTX_OPND_SREG:
		snprintf(buf, size_bytes, "a special register");
		break;
	case PTX_OPND_ADDR:
		snprintf(buf, size_bytes, "an address in brackets");
		break;
	case PTX_OPND_VEC:
		snprintf(buf, size_bytes, "a vector of %u", o->elem_count);
		break;
	case PTX_OPND_SINK:
		snprintf(buf, size_bytes, "'_'");
		break;
	default:
		snprintf(buf, size_bytes, "a constant");
		break;
	}
	return buf;
}
