/* parse_special.c - instructions whose operands depend on more than a shape: mov, bra, brx, bar, call. */
#include <string.h>

#include "ptx/priv.h"

static enum ptx_type bits_type(uint32_t bytes)
{
	return bytes == 1 ? PTX_B8 : bytes == 2 ? PTX_B16 : bytes == 4 ? PTX_B32 : PTX_B64;
}

/* "mov.b64 {a, b}, c" and the reverse: the parts make up the whole. */
static bool check_parts(struct ptx_parser *p, struct ptx_inst *i, struct ptx_operand *v, bool is_dst)
{
	uint32_t bytes = ptx_type_bytes(i->type);

	if ((v->elem_count != 2 && v->elem_count != 4) || bytes / v->elem_count == 0)
		return ptx_check_fail(p, i, v, "a vector of 2 or 4 parts");
	enum ptx_type part = bits_type(bytes / v->elem_count);
	for (uint32_t k = 0; k < v->elem_count; k++) {
		struct ptx_operand *e = &v->elems[k];

		if (e->kind == PTX_OPND_SINK && is_dst)
			continue;
		if (e->kind == PTX_OPND_REG) {
			if (p->regs.at[e->reg].type == PTX_PRED ||
			    ptx_type_bytes(p->regs.at[e->reg].type) != ptx_type_bytes(part))
				return ptx_check_fail(p, i, e, "a register that is a half or quarter of the whole");
		} else if (is_dst || e->kind < PTX_RAW_INT) {
			return ptx_check_fail(p, i, e, is_dst ? "a register" : "a register or constant");
		} else if (!ptx_operand_settle(p, e, part)) {
			return false;
		}
	}
	return true;
}

static bool check_mov_vector(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w)
{
	if (i->type == PTX_B64 && i->mods.vec == 2 && (w->at[0].elem_count == 4 || w->at[1].elem_count == 4)) {
		i->unsupported = "mov.b128 between a register and four parts";
		return true;
	}
	if (!ptx_check_operand(p, i, &w->at[0], '1', false, true, true) ||
	    !ptx_check_operand(p, i, &w->at[1], '1', false, true, false))
		return false;
	i->dst = w->at[0];
	i->src[i->src_count++] = w->at[1];
	return true;
}

/* "mov.b64 %r, %v2" of GCC: a vector register that is as wide as the whole. */
static void spread_whole(struct ptx_parser *p, const struct ptx_inst *i, struct ptx_operand *o)
{
	const struct ptx_reg *r = o->kind == PTX_OPND_REG && !o->component ? &p->regs.at[o->reg] : NULL;

	if (r && r->vec > 1 && ptx_type_bytes(r->type) * r->vec == ptx_type_bytes(i->type))
		ptx_operand_spread(p, o);
}

static bool check_mov(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w)
{
	struct ptx_operand *d = &w->at[0], *s = &w->at[1];

	if (!ptx_check_count(p, i, w, 2, 2))
		return false;
	if (i->mods.vec > 1)
		return check_mov_vector(p, i, w);
	spread_whole(p, i, d);
	spread_whole(p, i, s);
	if (d->kind == PTX_OPND_VEC && s->kind == PTX_OPND_VEC)
		return ptx_check_fail(p, i, s, "one register: only one side can be a vector");
	if (d->kind == PTX_OPND_VEC ? !check_parts(p, i, d, true)
				    : !ptx_check_operand(p, i, d, '1', false, false, true))
		return false;
	if (s->kind == PTX_OPND_VEC) {
		if (!check_parts(p, i, s, false))
			return false;
	} else if (s->kind == PTX_OPND_VAR || s->kind == PTX_OPND_FUNC) {
		if (ptx_type_bytes(i->type) < 4)
			return ptx_check_fail(p, i, s, "a value: an address needs a type of 32 or 64 bits");
	} else if (!ptx_check_operand(p, i, s, s->negate && i->type == PTX_PRED ? 'p' : '1', false, false, false)) {
		return false;
	}
	i->dst = *d;
	i->src[i->src_count++] = *s;
	return true;
}

static bool check_bra(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w)
{
	if (!ptx_check_count(p, i, w, 1, 2))
		return false;
	if (w->count == 2) { /* PTX ISA: the old indirect branch "bra r, targets", replaced by brx.idx */
		i->unsupported = "branch to an address in a register";
		return true;
	}
	if (w->at[0].kind != PTX_OPND_LABEL)
		return ptx_check_fail(p, i, &w->at[0], "a label");
	i->src[i->src_count++] = w->at[0];
	return true;
}

static bool check_brx(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w)
{
	struct ptx_operand *list = &w->at[1];

	if (!ptx_check_count(p, i, w, 2, 2) || !ptx_check_operand(p, i, &w->at[0], 'u', false, false, false))
		return false;
	if (list->kind == PTX_OPND_VEC) {
		list->kind = PTX_OPND_LIST;
		for (uint32_t k = 0; k < list->elem_count; k++)
			if (list->elems[k].kind != PTX_OPND_LABEL)
				return ptx_check_fail(p, i, &list->elems[k], "a label");
	} else if (list->kind != PTX_OPND_LABEL) {
		return ptx_check_fail(p, i, list, "the name of a .branchtargets list");
	}
	i->src[0] = w->at[0];
	i->src[1] = *list;
	i->src_count = 2;
	return true;
}

/* bar.red d, a, {b,} {!}c: sources a, b or none, c. */
static bool check_bar_red(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w)
{
	if (!i->mods.atom || i->mods.atom == PTX_ATOM_CAS ||
	    (i->mods.atom > PTX_ATOM_OR && i->mods.atom != PTX_ATOM_POPC))
		return ptx_parse_error(p, i->line, i->col, "'%s.red' needs .and, .or or .popc", ptx_op_name(i->op));
	bool is_popc = i->mods.atom == PTX_ATOM_POPC;
	if (i->type == PTX_TYPE_NONE || (i->type == PTX_PRED) == is_popc)
		return ptx_parse_error(p, i->line, i->col, "'%s.red%s' needs the type %s", ptx_op_name(i->op),
				       is_popc ? ".popc" : "", is_popc ? ".u32" : ".pred");
	if (!ptx_check_count(p, i, w, 3, 4))
		return false;
	struct ptx_operand *c = &w->at[w->count - 1];
	if (!ptx_check_operand(p, i, &w->at[0], is_popc ? 'u' : 'p', false, false, true) ||
	    !ptx_check_operand(p, i, &w->at[1], 'u', false, false, false) ||
	    (w->count == 4 && !ptx_check_operand(p, i, &w->at[2], 'u', false, false, false)) ||
	    !ptx_check_operand(p, i, c, 'p', false, false, false))
		return false;
	i->dst = w->at[0];
	i->src[0] = w->at[1];
	if (w->count == 4)
		i->src[1] = w->at[2];
	i->src[2] = *c;
	i->src_count = 3;
	return true;
}

/* barrier.cluster.arrive and .wait take no operands: all threads of the cluster. */
static bool check_cluster_barrier(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w)
{
	if (i->op != PTX_OP_BARRIER || (i->mods.bar != PTX_BAR_ARRIVE && i->mods.bar != PTX_BAR_WAIT))
		return ptx_parse_error(p, i->line, i->col, "expected barrier.cluster.arrive or barrier.cluster.wait");
	return ptx_check_count(p, i, w, 0, 0);
}

static bool check_bar(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w)
{
	const uint32_t min = i->mods.bar == PTX_BAR_ARRIVE ? 2 : 1, max = i->mods.bar == PTX_BAR_WARP_SYNC ? 1 : 2;

	if (i->mods.scope == PTX_SCOPE_CLUSTER)
		return check_cluster_barrier(p, i, w);
	if (i->mods.bar == PTX_BAR_RED)
		return check_bar_red(p, i, w);
	if (!ptx_check_count(p, i, w, min, max))
		return false;
	for (uint32_t k = 0; k < w->count; k++) {
		if (!ptx_check_operand(p, i, &w->at[k], 'u', false, false, false))
			return false;
		i->src[i->src_count++] = w->at[k];
	}
	return true;
}

/* The value is opaque and nothing depends on it: only the shape is checked. */
static bool check_createpolicy(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w)
{
	const uint8_t kind = i->mods.policy_kind;
	struct ptx_operand *o = &w->at[1];

	if (!ptx_check_count(p, i, w, kind == PTX_POLICY_RANGE ? 4 : kind == PTX_POLICY_CVT ? 2 : 1,
		      kind == PTX_POLICY_RANGE ? 4 : 2) ||
	    !ptx_check_operand(p, i, &w->at[0], '1', false, false, true))
		return false;
	if (kind == PTX_POLICY_RANGE && (!ptx_check_operand(p, i, o, 'm', false, false, false) ||
					 !ptx_check_operand(p, i, &w->at[2], 'u', false, false, false) ||
					 !ptx_check_operand(p, i, &w->at[3], 'u', false, false, false)))
		return false;
	if (kind == PTX_POLICY_CVT && !ptx_check_operand(p, i, o, '1', false, false, false))
		return false;
	if (kind == PTX_POLICY_FRACTIONAL && w->count == 2) {
		if (o->kind < PTX_RAW_INT && o->kind != PTX_OPND_REG)
			return ptx_check_fail(p, i, o, "a fraction");
		if (o->kind >= PTX_RAW_INT && !ptx_operand_settle(p, o, PTX_F32))
			return false;
	}
	i->dst = w->at[0];
	for (uint32_t k = 1; k < w->count; k++)
		i->src[i->src_count++] = w->at[k];
	return true;
}

/* A scope; or .proxy.alias, .proxy.async, that of one space of memory. */
static bool check_fence(struct ptx_parser *p, const struct ptx_inst *i, const struct ptx_written *w)
{
	const struct ptx_mods *m = &i->mods;

	const bool is_alias = m->variant == PTX_VARIANT_ALIAS;

	if (m->variant && !is_alias)
		return ptx_parse_error(p, i->line, i->col, "'fence' takes no such modifier");
	if (m->kind == PTX_KIND_PROXY ? is_alias == m->async || m->scope || m->sem || (m->space && !m->async)
				       : !m->scope || m->kind == PTX_KIND_BULK || is_alias || m->async || m->space)
		return ptx_parse_error(p, i->line, i->col, "'fence': expected a scope, .proxy.alias or .proxy.async");
	return ptx_check_count(p, i, w, 0, 0);
}

bool ptx_check_special(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w)
{
	switch (i->op) {
	case PTX_OP_FENCE:
		return check_fence(p, i, w);
	case PTX_OP_MOV:
		return check_mov(p, i, w);
	case PTX_OP_BRA:
		return check_bra(p, i, w);
	case PTX_OP_BRX:
		return check_brx(p, i, w);
	case PTX_OP_CREATEPOLICY:
		return check_createpolicy(p, i, w);
	case PTX_OP_BAR:
	case PTX_OP_BARRIER:
		return check_bar(p, i, w);
	default:
		return ptx_check_matrix(p, i, w);
	}
}

/* Arguments and results: registers, constants (of the parameter's type), .param variables, _ for an unused result. */
static bool check_args(struct ptx_parser *p, struct ptx_inst *i, struct ptx_operand *list, const struct ptx_var *params,
		       uint32_t count, bool is_ret)
{
	for (uint32_t k = 0; k < list->elem_count; k++) {
		struct ptx_operand *e = &list->elems[k];

		if (e->kind == PTX_OPND_REG || (e->kind == PTX_OPND_SINK && is_ret) ||
		    (e->kind == PTX_OPND_VAR && (e->var->space == PTX_PARAM_CALL || e->var->space == PTX_PARAM_ENTRY)))
			continue;
		if (is_ret || e->kind < PTX_RAW_INT)
			return ptx_check_fail(p, i, e,
				    is_ret ? "a register or .param variable"
					   : "a register, constant or .param variable");
		if (!ptx_operand_settle(p, e, k < count ? params[k].type : PTX_B64))
			return false;
	}
	return true;
}

static bool parse_args(struct ptx_parser *p, struct ptx_operand *list)
{
	list->line = p->tok.line;
	list->col = p->tok.col;
	list->kind = PTX_OPND_LIST;
	ptx_parse_next(p);
	return ptx_parse_list(p, ')', PTX_CALL_ARGS_MAX, list);
}

static bool parse_prototype_name(struct ptx_parser *p, struct ptx_inst *i)
{
	struct ptx_token t = p->tok;

	if (t.kind != PTX_TOK_IDENT)
		return ptx_parse_unexpected(p, "the name of a .callprototype or .calltargets");
	const struct ptx_symbol *s = ptx_symbol_find(p, t.text, t.length);
	if (!s || (s->kind != PTX_SYM_PROTO && s->kind != PTX_SYM_FUNC))
		return ptx_parse_error_tok(p, &t, "'%.*s' is not a .callprototype or .calltargets declared before",
					   (int)t.length, t.text);
	i->prototype = s->func;
	ptx_parse_next(p);
	return true;
}

static bool check_signature(struct ptx_parser *p, struct ptx_inst *i)
{
	const struct ptx_func *f = i->src[0].kind == PTX_OPND_FUNC ? i->src[0].func : i->prototype;

	if (i->src[0].kind != PTX_OPND_FUNC && i->src[0].kind != PTX_OPND_REG)
		return ptx_check_fail(p, i, &i->src[0], "a declared function, or a register with its address");
	if (i->src[0].kind == PTX_OPND_REG && ptx_type_bytes(p->regs.at[i->src[0].reg].type) < 4)
		return ptx_check_fail(p, i, &i->src[0], "a register of 32 or 64 bits");
	if (!f)
		return ptx_parse_error(p, i->line, i->col, "an indirect call needs a .callprototype or .calltargets");
	if (f->is_entry)
		return ptx_parse_error(p, i->line, i->col, "'%s' is a kernel (.entry) and cannot be called", f->name);
	if (f->param_count != i->src[1].elem_count || f->ret_count != i->dst.elem_count)
		return ptx_parse_error(p, i->line, i->col,
				       "'%s' takes %u arguments and gives %u results; found %u and %u", f->name,
				       f->param_count, f->ret_count, i->src[1].elem_count, i->dst.elem_count);
	return check_args(p, i, &i->dst, f->rets, f->ret_count, true) &&
	       check_args(p, i, &i->src[1], f->params, f->param_count, false);
}

/* call{.uni} {(results),} function {, (arguments)} {, prototype}; */
bool ptx_parse_call(struct ptx_parser *p, struct ptx_inst *i)
{
	if (ptx_parse_is(p, '(') &&
	    (!parse_args(p, &i->dst) || !ptx_parse_expect(p, ',', "after the results of a call")))
		return false;
	if (!ptx_parse_operand(p, &i->src[0]))
		return false;
	i->src_count = 2;
	i->src[1].kind = PTX_OPND_LIST;
	if (ptx_parse_take(p, ',')) {
		bool args = ptx_parse_is(p, '(');

		if (args && !parse_args(p, &i->src[1]))
			return false;
		if ((!args || ptx_parse_take(p, ',')) && !parse_prototype_name(p, i))
			return false;
	}
	return check_signature(p, i);
}
