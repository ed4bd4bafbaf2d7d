/* parse_func.c - .entry and .func: header, body, scopes, labels. */
#include <stdlib.h>
#include <string.h>

#include "ptx/priv.h"

static void scope_open(struct ptx_parser *p)
{
	struct ptx_block_scope *s = PTX_VECTOR_ADD(&p->scopes);

	s->parent = p->scope;
	p->scope = p->scopes.count - 1;
}

static bool take_u32(struct ptx_parser *p, const char *what, uint32_t *out)
{
	uint64_t v;

	if (!ptx_expr_parse_count(p, UINT32_MAX, what, &v))
		return false;
	*out = (uint32_t)v;
	return true;
}

static bool take_triple(struct ptx_parser *p, const char *what, uint32_t out[3])
{
	out[1] = out[2] = 1;
	for (int i = 0; i < 3; i++) {
		if (!take_u32(p, what, &out[i]))
			return false;
		if (i < 2 && !ptx_parse_take(p, ','))
			break;
	}
	return true;
}

static void refuse_clusters(struct ptx_func *f, const struct ptx_token *t, const char *why)
{
	f->has_clusters = true;
	f->unsupported = why;
	f->unsupported_line = t->line;
}

/* A performance or calling directive between header and body. */
static bool parse_attribute(struct ptx_parser *p, struct ptx_func *f)
{
	struct ptx_token t = p->tok;
	uint32_t ignored[3];

	ptx_parse_next(p);
	if (ptx_token_is(&t, ".maxntid"))
		return take_triple(p, ".maxntid", f->maxntid);
	if (ptx_token_is(&t, ".reqntid"))
		return take_triple(p, ".reqntid", f->reqntid);
	if (ptx_token_is(&t, ".minnctapersm"))
		return take_u32(p, ".minnctapersm", &f->minnctapersm);
	if (ptx_token_is(&t, ".maxnctapersm")) /* PTX ISA: deprecated, a hint to the assembler */
		return take_u32(p, ".maxnctapersm", &ignored[0]);
	if (ptx_token_is(&t, ".maxnreg"))
		return take_u32(p, ".maxnreg", &f->maxnreg);
	if (ptx_token_is(&t, ".noreturn")) {
		f->is_noreturn = true;
		return true;
	}
	if (ptx_token_is(&t, ".pragma")) {
		while (p->tok.kind == PTX_TOK_STRING || ptx_parse_is(p, ','))
			ptx_parse_next(p);
		return ptx_parse_expect(p, ';', "after .pragma");
	}
	if (ptx_token_is(&t, ".maxclusterrank") || /* clusters of one CTA are no larger */
	    ptx_token_is(&t, ".abi_preserve") || ptx_token_is(&t, ".abi_preserve_control")) /* registers of SASS */
		return take_u32(p, "number", &ignored[0]);
	if (ptx_token_is(&t, ".reqnctapercluster") || ptx_token_is(&t, ".explicitcluster")) {
		f->has_clusters = true;
		if (ptx_token_is(&t, ".explicitcluster"))
			return true;
		if (!take_triple(p, "cluster size", ignored))
			return false;
		if (ignored[0] * ignored[1] * ignored[2] != 1)
			refuse_clusters(f, &t, "thread-block clusters of more than one CTA are outside Strata's scope");
		return true;
	}
	if (ptx_token_is(&t, ".blocksareclusters")) {
		refuse_clusters(f, &t, "grids of thread-block clusters are outside Strata's scope");
		return true;
	}
	return ptx_parse_error_tok(p, &t,
				   "found '%.*s', expected .maxntid, .reqntid, .minnctapersm, .maxnreg, .noreturn, "
				   ".pragma, '{' or ';'",
				   (int)t.length, t.text);
}

/* Where the header is ready: what is left to do with an earlier declaration. Yields the one object of that name. */
static struct ptx_func *bind(struct ptx_parser *p, const struct ptx_token *name, struct ptx_func *f, bool has_body)
{
	struct ptx_symbol *s = ptx_symbol_get(p->m, 0, name->text, name->length);

	if (!s) {
		s = ptx_symbol_add(p->m, 0, name->text, name->length, PTX_SYM_FUNC);
		s->line = name->line;
		s->func = f;
		f->index = p->funcs.count;
		*PTX_VECTOR_ADD(&p->funcs) = f;
		return f;
	}
	if (s->kind != PTX_SYM_FUNC || (s->func->has_body && has_body)) {
		ptx_parse_error_tok(p, name, "'%s' is already defined in line %u", s->name, s->line);
		return NULL;
	}
	if (s->func->param_count != f->param_count || s->func->ret_count != f->ret_count ||
	    s->func->is_entry != f->is_entry) {
		ptx_parse_error_tok(p, name,
				    "'%s' differs from its declaration in line %u (%u parameters and %u results there, "
				    "%u and %u here)",
				    s->name, s->line, s->func->param_count, s->func->ret_count, f->param_count,
				    f->ret_count);
		return NULL;
	}
	if (has_body) {
		f->index = s->func->index;
		f->alias = s->func->alias;
		*s->func = *f;
		s->line = name->line;
	}
	return s->func;
}

static void own(struct ptx_func *f)
{
	for (uint32_t i = 0; i < f->param_count; i++)
		f->params[i].owner = f;
	for (uint32_t i = 0; i < f->ret_count; i++)
		f->rets[i].owner = f;
}

static bool parse_header(struct ptx_parser *p, struct ptx_func *f, struct ptx_token *name)
{
	uint64_t *end = f->is_entry ? &f->param_bytes : &f->frame_param_bytes;
	uint64_t entry_ret_end = 0;

	if (!f->is_entry && ptx_parse_is(p, '(') &&
	    !ptx_parse_params(p, PTX_PARAM_CALL, &f->rets, &f->ret_count, f->is_entry ? &entry_ret_end : end))
		return false;
	*name = p->tok;
	if (name->kind != PTX_TOK_IDENT)
		return ptx_parse_unexpected(p, f->is_entry ? "the name of a kernel" : "the name of a function");
	ptx_parse_next(p);
	f->name = ptx_parse_name(p, name);
	f->line = name->line;
	if (ptx_parse_is(p, '(') &&
	    !ptx_parse_params(p, f->is_entry ? PTX_PARAM_ENTRY : PTX_PARAM_CALL, &f->params, &f->param_count, end))
		return false;
	if (!f->is_entry)
		f->param_bytes = f->frame_param_bytes;
	while (p->tok.kind == PTX_TOK_DOT)
		if (!parse_attribute(p, f))
			return false;
	return true;
}

/* name: .branchtargets L1, L2; */
static bool parse_branch_targets(struct ptx_parser *p, const struct ptx_token *name)
{
	struct ptx_symbol *s = ptx_symbol_declare(p, name, PTX_SYM_TARGETS);
	PTX_VECTOR(struct ptx_operand) list = {0};
	bool ok = s;

	while (ok) {
		if (p->tok.kind != PTX_TOK_IDENT) {
			ok = ptx_parse_unexpected(p, "a label");
			break;
		}
		*PTX_VECTOR_ADD(&list) = ptx_label_operand(p, &p->tok);
		ptx_parse_next(p);
		if (!ptx_parse_take(p, ','))
			break;
	}
	if (ok) {
		s->targets = ptx_arena_copy(p->arena, list.at, list.count * sizeof(list.at[0]));
		s->target_count = list.count;
	}
	free(list.at);
	return ok && ptx_parse_expect(p, ';', "after .branchtargets");
}

/* name: .callprototype (rets) _ (params); the names in it mean nothing. */
static bool parse_prototype(struct ptx_parser *p, const struct ptx_token *name)
{
	struct ptx_symbol *s = ptx_symbol_declare(p, name, PTX_SYM_PROTO);
	struct ptx_func *f = ptx_arena_alloc(p->arena, sizeof(*f)), *in = p->func;
	bool ok = s;

	f->is_prototype = true;
	f->name = ptx_parse_name(p, name);
	f->line = name->line;
	f->module = &p->m->pub;
	p->func = NULL; /* so that parameter names are not declared */
	if (ok && ptx_parse_is(p, '('))
		ok = ptx_parse_params(p, PTX_PARAM_CALL, &f->rets, &f->ret_count, &f->frame_param_bytes);
	if (ok && p->tok.kind != PTX_TOK_IDENT)
		ok = ptx_parse_unexpected(p, "the name _ of a prototype");
	else
		ptx_parse_next(p);
	if (ok && ptx_parse_is(p, '('))
		ok = ptx_parse_params(p, PTX_PARAM_CALL, &f->params, &f->param_count, &f->frame_param_bytes);
	f->param_bytes = f->frame_param_bytes;
	while (ok && p->tok.kind == PTX_TOK_DOT)
		ok = parse_attribute(p, f);
	p->func = in;
	if (s)
		s->func = f;
	return ok && ptx_parse_expect(p, ';', "after .callprototype");
}

/* name: .calltargets f1, f2; all have the same parameters, so the first stands for the prototype. */
static bool parse_call_targets(struct ptx_parser *p, const struct ptx_token *name)
{
	struct ptx_symbol *s = ptx_symbol_declare(p, name, PTX_SYM_PROTO);

	if (!s)
		return false;
	do {
		struct ptx_symbol *f = ptx_symbol_get(p->m, 0, p->tok.text, p->tok.length);

		if (p->tok.kind != PTX_TOK_IDENT || !f || f->kind != PTX_SYM_FUNC)
			return ptx_parse_unexpected(p, "the name of a declared function");
		if (!s->func)
			s->func = f->func;
		ptx_parse_next(p);
	} while (ptx_parse_take(p, ','));
	return ptx_parse_expect(p, ';', "after .calltargets");
}

static bool parse_label(struct ptx_parser *p)
{
	struct ptx_token name = p->tok;

	ptx_parse_next(p);
	ptx_parse_next(p);
	if (ptx_parse_take_dot(p, ".branchtargets"))
		return parse_branch_targets(p, &name);
	if (ptx_parse_take_dot(p, ".callprototype"))
		return parse_prototype(p, &name);
	if (ptx_parse_take_dot(p, ".calltargets"))
		return parse_call_targets(p, &name);
	struct ptx_symbol *s = ptx_symbol_declare(p, &name, PTX_SYM_LABEL);
	if (!s)
		return true; /* reported; what follows is an instruction of its own */
	s->index = p->insts.count;
	p->label_count++;
	p->label_at_end = true;
	return true;
}

static bool parse_local_directive(struct ptx_parser *p)
{
	bool taken;

	if (!ptx_parse_common_directive(p, &taken))
		return false;
	if (taken)
		return true;
	enum ptx_space space = ptx_parse_space_of(&p->tok);
	if (space == PTX_SPACE_NONE || space == PTX_TEX)
		return ptx_parse_unexpected(p, "a directive such as .reg, .local, .shared, .param or .loc");
	ptx_parse_next(p);
	return space == PTX_REG ? ptx_parse_reg_decl(p) : ptx_parse_var_decl(p, space, PTX_LINK_LOCAL);
}

static bool parse_statement(struct ptx_parser *p)
{
	if (p->tok.kind == PTX_TOK_DOT)
		return parse_local_directive(p);
	if (p->tok.kind == PTX_TOK_IDENT && ptx_token_is_punct(&p->ahead, ':'))
		return parse_label(p);
	if (ptx_parse_take(p, ';'))
		return true;
	return ptx_parse_inst(p);
}

/* Call frames of one { } are not needed in the next: their .param space is used again. */
struct block {
	uint32_t scope;
	uint64_t param_bytes;
};

/* Statements up to the '}' that closes the function; '{' is taken. */
static bool parse_body(struct ptx_parser *p)
{
	struct block open[PTX_NESTING_MAX];
	uint32_t depth = 0;
	uint64_t param_max = 0;
	struct ptx_func *f = p->func;

	for (;;) {
		if (ptx_parse_is(p, '{')) {
			if (depth == PTX_NESTING_MAX)
				return ptx_parse_error_tok(p, &p->tok, "blocks are nested deeper than %d",
							   PTX_NESTING_MAX);
			open[depth++] = (struct block){p->scope, f->frame_param_bytes};
			scope_open(p);
			ptx_parse_next(p);
		} else if (ptx_parse_is(p, '}')) {
			param_max = f->frame_param_bytes > param_max ? f->frame_param_bytes : param_max;
			if (!depth) {
				f->frame_param_bytes = param_max;
				return true;
			}
			p->scope = open[--depth].scope;
			f->frame_param_bytes = open[depth].param_bytes;
			ptx_parse_next(p);
		} else if (p->tok.kind == PTX_TOK_END) {
			return ptx_parse_unexpected(p, "'}' at the end of a function");
		} else if (!parse_statement(p)) {
			if (ptx_parse_too_many_errors(p))
				return false;
			ptx_parse_recover(p);
		}
	}
}

/* The end of a body returns, whether or not a ret stands there. */
static void close_body(struct ptx_parser *p)
{
	const struct ptx_inst *last = p->insts.count ? &p->insts.at[p->insts.count - 1] : NULL;

	if (last && !p->label_at_end && !last->has_guard &&
	    (last->op == PTX_OP_RET || last->op == PTX_OP_EXIT || last->op == PTX_OP_BRA || last->op == PTX_OP_TRAP ||
	     last->op == PTX_OP_BRX))
		return;
	struct ptx_inst *i = PTX_VECTOR_ADD(&p->insts);
	i->op = PTX_OP_RET;
	i->line = p->tok.line;
	i->col = p->tok.col;
	i->loc = p->loc;
	i->text = "ret;";
}

static bool resolve_label(struct ptx_parser *p, struct ptx_operand *o)
{
	const struct ptx_label_ref *r = &p->label_refs.at[o->imm];
	struct ptx_symbol *s = ptx_symbol_find_from(p, r->scope, r->name, r->length);

	o->imm = 0;
	if (s && s->kind == PTX_SYM_LABEL) {
		o->label = s->index;
		return true;
	}
	if (s && s->kind == PTX_SYM_TARGETS) {
		o->kind = PTX_OPND_LIST;
		o->elems = ptx_arena_copy(p->arena, s->targets, s->target_count * sizeof(*s->targets));
		o->elem_count = (uint16_t)s->target_count;
		return true;
	}
	return ptx_parse_error(p, r->line, r->col, "label '%.*s' is not defined in this function", (int)r->length,
			       r->name);
}

static void resolve_operand(struct ptx_parser *p, struct ptx_operand *o)
{
	if (o->kind == PTX_OPND_LABEL && !resolve_label(p, o))
		return;
	if (o->kind == PTX_OPND_LIST)
		for (uint32_t k = 0; k < o->elem_count; k++)
			if (o->elems[k].kind == PTX_OPND_LABEL)
				resolve_label(p, &o->elems[k]);
}

static void resolve_labels(struct ptx_parser *p)
{
	for (uint32_t i = 0; i < p->insts.count; i++)
		if (p->insts.at[i].op == PTX_OP_BRA || p->insts.at[i].op == PTX_OP_BRX)
			for (uint32_t k = 0; k < p->insts.at[i].src_count; k++)
				resolve_operand(p, &p->insts.at[i].src[k]);
}

/* Liveness needs a set of registers per block: a function too large for that is refused here, not there. */
static void check_size(struct ptx_parser *p, const struct ptx_func *f)
{
	uint64_t blocks = 1 + p->label_count;

	for (uint32_t n = 0; n < p->insts.count; n++)
		blocks += ptx_inst_ends_block(&p->insts.at[n]);
	if (blocks * p->regs.count > PTX_LIVENESS_BITS_MAX)
		ptx_parse_error(p, f->line, 1,
				"'%s' has %u registers and about %llu blocks; at most %llu for their product", f->name,
				p->regs.count, (unsigned long long)blocks, PTX_LIVENESS_BITS_MAX);
}

static void finish_func(struct ptx_parser *p, struct ptx_func *f)
{
	close_body(p);
	resolve_labels(p);
	check_size(p, f);
	f->regs = ptx_arena_copy(p->arena, p->regs.at, p->regs.count * sizeof(p->regs.at[0]));
	f->reg_count = p->regs.count;
	f->insts = ptx_arena_copy(p->arena, p->insts.at, p->insts.count * sizeof(p->insts.at[0]));
	f->inst_count = p->insts.count;
	f->pragmas = ptx_arena_copy(p->arena, p->pragmas.at, p->pragmas.count * sizeof(p->pragmas.at[0]));
	f->pragma_count = p->pragmas.count;
	f->locals = ptx_arena_copy(p->arena, p->locals.at, p->locals.count * sizeof(p->locals.at[0]));
	f->local_count = p->locals.count;
}

static bool parse_func_in(struct ptx_parser *p, struct ptx_func *f)
{
	struct ptx_token name;

	if (!parse_header(p, f, &name))
		return false;
	bool has_body = ptx_parse_is(p, '{');
	f = bind(p, &name, f, has_body);
	if (!f)
		return false;
	own(f);
	p->func = f;
	if (!has_body)
		return ptx_parse_expect(p, ';', "after a function declaration, or '{' of its body");
	ptx_parse_next(p);
	f->has_body = true;
	if (!parse_body(p))
		return false;
	finish_func(p, f);
	ptx_parse_next(p);
	return true;
}

bool ptx_parse_func(struct ptx_parser *p, enum ptx_linkage linkage, bool is_entry)
{
	struct ptx_func *f = ptx_arena_alloc(p->arena, sizeof(*f));

	f->linkage = linkage;
	f->is_entry = is_entry;
	f->module = &p->m->pub;
	p->func = f;
	p->scope = 0;
	scope_open(p);
	p->func_scope = p->scope;
	p->regs.count = p->insts.count = p->pragmas.count = p->locals.count = p->label_refs.count = 0;
	p->loc = 0;
	p->label_count = 0;
	p->label_at_end = false;
	bool ok = parse_func_in(p, f);
	p->func = NULL;
	p->scope = 0;
	return ok;
}
