/* parse_var.c - declarations of variables, registers and parameters. */
#include <string.h>

#include "ptx/priv.h"

/* What stands between the state space and the name. */
struct decl {
	enum ptx_space space;
	enum ptx_type type;
	uint8_t vec;
	uint32_t align_bytes; /* 0: not given */
	bool is_ptr, is_managed;
	enum ptx_space ptr_space;
	uint32_t ptr_align_bytes;
};

enum ptx_space ptx_parse_space_of(const struct ptx_token *t)
{
	static const struct {
		const char *word;
		enum ptx_space space;
	} spaces[] = {{".global", PTX_GLOBAL},    {".shared", PTX_SHARED}, {".const", PTX_CONST}, {".local", PTX_LOCAL},
		      {".param", PTX_PARAM_CALL}, {".reg", PTX_REG},       {".tex", PTX_TEX}};

	if (t->kind == PTX_TOK_DOT)
		for (uint32_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
			if (ptx_token_is(t, spaces[i].word))
				return spaces[i].space;
	return PTX_SPACE_NONE;
}

static bool parse_align(struct ptx_parser *p, uint32_t *align_bytes)
{
	struct ptx_token at = p->tok;
	uint64_t v;

	if (!ptx_expr_parse_count(p, 1 << 20, "alignment", &v))
		return false;
	if (!v || (v & (v - 1)))
		return ptx_parse_error_tok(p, &at, "alignment is %llu; expected a power of two", (unsigned long long)v);
	*align_bytes = (uint32_t)v;
	return true;
}

/* ".ptr .space .align N" of a kernel parameter. */
static bool parse_ptr(struct ptx_parser *p, struct decl *d)
{
	d->is_ptr = true;
	d->ptr_align_bytes = 4; /* PTX ISA, .ptr: default alignment of the pointed-to data */
	enum ptx_space s = ptx_parse_space_of(&p->tok);
	if (s == PTX_GLOBAL || s == PTX_SHARED || s == PTX_CONST || s == PTX_LOCAL) {
		d->ptr_space = s;
		ptx_parse_next(p);
	}
	return !ptx_parse_take_dot(p, ".align") || parse_align(p, &d->ptr_align_bytes);
}

/* ".attribute(.managed, .unified(a, b))": .unified is an identity across devices, of which Strata has one. */
static bool parse_attributes(struct ptx_parser *p, struct decl *d)
{
	uint64_t id;

	if (!ptx_parse_expect(p, '(', "after .attribute"))
		return false;
	do {
		if (ptx_parse_take_dot(p, ".managed")) {
			d->is_managed = true;
		} else if (!ptx_parse_take_dot(p, ".unified")) {
			return ptx_parse_unexpected(p, "the attribute .managed or .unified");
		} else if (!ptx_parse_expect(p, '(', "after .unified") ||
			   !ptx_expr_parse_count(p, UINT64_MAX, "identity", &id) ||
			   !ptx_parse_expect(p, ',', "in .unified") ||
			   !ptx_expr_parse_count(p, UINT64_MAX, "identity", &id) ||
			   !ptx_parse_expect(p, ')', "after .unified")) {
			return false;
		}
	} while (ptx_parse_take(p, ','));
	return ptx_parse_expect(p, ')', "after attributes");
}

static bool parse_decl_word(struct ptx_parser *p, struct decl *d)
{
	struct ptx_token t = p->tok;
	enum ptx_type type = ptx_type_find(t.text + 1, t.length - 1);

	ptx_parse_next(p);
	if (ptx_token_is(&t, ".align"))
		return parse_align(p, &d->align_bytes);
	if (ptx_token_is(&t, ".v2") || ptx_token_is(&t, ".v4")) {
		d->vec = t.text[2] == '2' ? 2 : 4;
		return true;
	}
	if (ptx_token_is(&t, ".attribute"))
		return parse_attributes(p, d);
	if (ptx_token_is(&t, ".ptr"))
		return parse_ptr(p, d);
	if (d->type != PTX_TYPE_NONE && type != PTX_TYPE_NONE)
		return ptx_parse_error_tok(p, &t, "second type '%.*s' in one declaration", (int)t.length, t.text);
	if (type == PTX_B128 && d->vec < 2) { /* two of 64 bits, aligned as one */
		d->type = PTX_B64;
		d->vec = 2;
		return true;
	}
	if (type != PTX_TYPE_NONE && type != PTX_B128) {
		d->type = type;
		return true;
	}
	return ptx_parse_error_tok(p, &t, "found '%.*s', expected a type such as .u32, .align N, .v2 or .v4",
				   (int)t.length, t.text);
}

static bool parse_decl_words(struct ptx_parser *p, struct decl *d)
{
	while (p->tok.kind == PTX_TOK_DOT)
		if (!parse_decl_word(p, d))
			return false;
	if (d->space == PTX_TEX) /* PTX ISA: ".tex .u32 t" is the old way to write ".global .texref t" */
		d->type = PTX_TEXREF;
	if (d->type == PTX_TYPE_NONE)
		return ptx_parse_unexpected(p, "a type such as .u32");
	return true;
}

/* "[4][N]" or "[]": the product, 1 without brackets. */
static bool parse_dimensions(struct ptx_parser *p, uint64_t *count, bool *is_unsized)
{
	*count = 1;
	*is_unsized = false;
	for (bool first = true; ptx_parse_take(p, '['); first = false) {
		struct ptx_token at = p->tok;
		uint64_t n;

		if (ptx_parse_take(p, ']')) {
			if (!first)
				return ptx_parse_error_tok(p, &at, "only the first dimension may be left open");
			*is_unsized = true;
			continue;
		}
		if (!ptx_expr_parse_count(p, PTX_VAR_BYTES_MAX, "array size", &n) ||
		    !ptx_parse_expect(p, ']', "after an array size"))
			return false;
		if (__builtin_mul_overflow(*count, n, count) || *count > PTX_VAR_BYTES_MAX)
			return ptx_parse_error_tok(p, &at,
						   "array has more than %llu elements, the largest size accepted",
						   (unsigned long long)PTX_VAR_BYTES_MAX);
	}
	return true;
}

static void fill_var(struct ptx_var *v, const struct decl *d)
{
	v->space = d->space;
	v->type = d->type;
	v->vec = d->vec ? d->vec : 1;
	v->align_bytes = d->align_bytes ? d->align_bytes : ptx_type_bytes(d->type) * v->vec;
	v->is_ptr = d->is_ptr;
	v->is_managed = d->is_managed;
	v->ptr_space = d->ptr_space;
	v->ptr_align_bytes = d->ptr_align_bytes;
}

static bool set_size(struct ptx_parser *p, const struct ptx_token *at, struct ptx_var *v, uint64_t count)
{
	uint64_t size;

	if (__builtin_mul_overflow(count, (uint64_t)ptx_type_bytes(v->type) * v->vec, &size) ||
	    size > PTX_VAR_BYTES_MAX)
		return ptx_parse_error_tok(p, at, "variable '%s' is larger than %llu bytes, the largest size accepted",
					   v->name, (unsigned long long)PTX_VAR_BYTES_MAX);
	v->size_bytes = size;
	return true;
}

static uint64_t place(uint64_t *end_bytes, const struct ptx_var *v)
{
	uint64_t at = (*end_bytes + v->align_bytes - 1) & ~((uint64_t)v->align_bytes - 1);

	*end_bytes = at + v->size_bytes;
	return at;
}

/* Gives a function-scope variable its place in the frame of its space. */
static void place_local(struct ptx_parser *p, struct ptx_var *v)
{
	v->owner = p->func;
	if (v->space == PTX_LOCAL)
		v->offset_bytes = place(&p->func->frame_local_bytes, v);
	else if (v->space == PTX_SHARED)
		v->offset_bytes = place(&p->func->static_shared_bytes, v);
	else if (v->space == PTX_PARAM_CALL)
		v->offset_bytes = place(&p->func->frame_param_bytes, v);
	*PTX_VECTOR_ADD(&p->locals) = v;
}

static bool declare_local(struct ptx_parser *p, const struct ptx_token *name, struct ptx_var *v)
{
	struct ptx_symbol *s = ptx_symbol_declare(p, name, PTX_SYM_VAR);

	if (!s)
		return false;
	s->var = v;
	v->name = ptx_symbol_unique(p, name->text, name->length);
	place_local(p, v);
	return true;
}

/* At module scope .extern and a definition of the same name are one variable. */
static bool declare_global(struct ptx_parser *p, const struct ptx_token *name, struct ptx_var *v)
{
	struct ptx_symbol *s = ptx_symbol_get(p->m, 0, name->text, name->length);

	if (s && s->kind == PTX_SYM_VAR && (s->var->linkage == PTX_LINK_EXTERN || v->linkage == PTX_LINK_EXTERN)) {
		if (s->var->space != v->space)
			return ptx_parse_error_tok(p, name, "'%s' was declared in %s in line %u, now in %s", v->name,
						   ptx_space_name(s->var->space), s->var->line,
						   ptx_space_name(v->space));
		if (s->var->linkage == PTX_LINK_EXTERN) {
			v->index = s->var->index;
			*s->var = *v;
		}
		return true;
	}
	s = ptx_symbol_declare(p, name, PTX_SYM_VAR);
	if (!s)
		return false;
	v->index = p->vars.count;
	s->var = v;
	*PTX_VECTOR_ADD(&p->vars) = v;
	return true;
}

/* "name<3>": name0, name1, name2; the '<' is the current token. */
static bool parse_range_count(struct ptx_parser *p, uint32_t max, const char *what, uint32_t *count)
{
	ptx_parse_next(p);
	/* Not an expression: its '>' would be taken for an operator. */
	if (p->tok.kind != PTX_TOK_INT)
		return ptx_parse_unexpected(p, "a number");
	if (p->tok.bits > max)
		return ptx_parse_error_tok(p, &p->tok, "%llu %s; at most %u are accepted in one range",
					   (unsigned long long)p->tok.bits, what, max);
	*count = (uint32_t)p->tok.bits;
	ptx_parse_next(p);
	return ptx_parse_expect(p, '>', "after the number of a range");
}

static bool parse_var_range(struct ptx_parser *p, const struct decl *d, enum ptx_linkage linkage,
			    const struct ptx_token *stem)
{
	uint32_t count = 0;

	if (!parse_range_count(p, PTX_VAR_RANGE_MAX, "variables", &count))
		return false;
	for (uint32_t k = 0; k < count; k++) {
		struct ptx_var *v = ptx_arena_alloc(p->arena, sizeof(*v));
		struct ptx_token name = *stem;

		v->name = name.text = ptx_arena_printf(p->arena, "%.*s%u", (int)stem->length, stem->text, k);
		name.length = (uint32_t)strlen(v->name);
		v->linkage = linkage;
		v->line = stem->line;
		fill_var(v, d);
		if (!set_size(p, stem, v, 1) || !(p->func ? declare_local(p, &name, v) : declare_global(p, &name, v)))
			return false;
	}
	return true;
}

static bool parse_var(struct ptx_parser *p, const struct decl *d, enum ptx_linkage linkage)
{
	struct ptx_token name = p->tok;
	uint64_t count;

	if (name.kind != PTX_TOK_IDENT)
		return ptx_parse_unexpected(p, "a variable name");
	ptx_parse_next(p);
	if (ptx_parse_is(p, '<'))
		return parse_var_range(p, d, linkage, &name);
	struct ptx_var *v = ptx_arena_alloc(p->arena, sizeof(*v));
	v->name = ptx_parse_name(p, &name);
	v->linkage = linkage;
	v->line = name.line;
	fill_var(v, d);
	if (!parse_dimensions(p, &count, &v->is_unsized) || !set_size(p, &name, v, v->is_unsized ? 0 : count))
		return false;
	if (ptx_parse_take(p, '=')) {
		if (v->space != PTX_GLOBAL && v->space != PTX_CONST && v->space != PTX_TEX)
			return ptx_parse_error_tok(
			    p, &name, "'%s' is in %s; only .global and .const variables take initial values", v->name,
			    ptx_space_name(v->space));
		if (!ptx_parse_init(p, v))
			return false;
	} else if (v->is_unsized && linkage != PTX_LINK_EXTERN) {
		return ptx_parse_error_tok(p, &name, "'%s[]' has no size: expected a size, an initial value or .extern",
					   v->name);
	}
	/* A .param in a function is call space; the function's own name space decides between module and frame. */
	return p->func ? declare_local(p, &name, v) : declare_global(p, &name, v);
}

bool ptx_parse_var_decl(struct ptx_parser *p, enum ptx_space space, enum ptx_linkage linkage)
{
	struct decl d = {.space = space};

	if (!parse_decl_words(p, &d))
		return false;
	if (d.type == PTX_PRED)
		return ptx_parse_error_tok(p, &p->tok, ".pred is for registers; a variable cannot have it");
	do {
		if (!parse_var(p, &d, linkage))
			return false;
	} while (ptx_parse_take(p, ','));
	return ptx_parse_expect(p, ';', "after a variable declaration");
}

static bool parse_reg(struct ptx_parser *p, const struct decl *d)
{
	struct ptx_token name = p->tok;
	uint32_t count = 0;

	if (name.kind != PTX_TOK_IDENT)
		return ptx_parse_unexpected(p, "a register name");
	ptx_parse_next(p);
	bool is_range = ptx_parse_is(p, '<');
	if (is_range && !parse_range_count(p, PTX_REG_RANGE_MAX, "registers", &count))
		return false;
	struct ptx_symbol *s = ptx_symbol_declare(p, &name, is_range ? PTX_SYM_RANGE : PTX_SYM_REG);
	if (!s)
		return false;
	s->type = d->type;
	s->vec = d->vec ? d->vec : 1;
	s->range_count = count;
	if (!is_range)
		s->index = ptx_reg_add(p, name.text, name.length, s->type, s->vec);
	return true;
}

bool ptx_parse_reg_decl(struct ptx_parser *p)
{
	struct decl d = {.space = PTX_REG};

	if (!parse_decl_words(p, &d))
		return false;
	do {
		if (!parse_reg(p, &d))
			return false;
	} while (ptx_parse_take(p, ','));
	return ptx_parse_expect(p, ';', "after a register declaration");
}

static bool parse_param(struct ptx_parser *p, enum ptx_space space, struct ptx_var *v, uint64_t *end_bytes)
{
	struct decl d = {.space = ptx_parse_space_of(&p->tok)};
	struct ptx_token at = p->tok;
	uint64_t count;

	if (d.space != PTX_PARAM_CALL && !(d.space == PTX_REG && space == PTX_PARAM_CALL))
		return ptx_parse_unexpected(p, space == PTX_PARAM_CALL ? "a parameter: .param or .reg"
								       : "a parameter: .param");
	ptx_parse_next(p);
	if (d.space == PTX_PARAM_CALL)
		d.space = space;
	if (!parse_decl_words(p, &d))
		return false;
	struct ptx_token name = p->tok;
	if (name.kind == PTX_TOK_IDENT)
		ptx_parse_next(p);
	fill_var(v, &d);
	v->name = name.kind == PTX_TOK_IDENT ? ptx_parse_name(p, &name) : "_";
	v->line = at.line;
	v->owner = p->func;
	if (!parse_dimensions(p, &count, &v->is_unsized) || !set_size(p, &at, v, v->is_unsized ? 0 : count))
		return false;
	v->offset_bytes = place(end_bytes, v);
	if (strcmp(v->name, "_") == 0 || !p->func)
		return true;
	struct ptx_symbol *s = ptx_symbol_declare(p, &name, d.space == PTX_REG ? PTX_SYM_REG : PTX_SYM_VAR);
	if (!s)
		return false;
	s->var = v;
	if (d.space == PTX_REG) {
		s->index = v->index = ptx_reg_add(p, name.text, name.length, d.type, v->vec);
		v->name = p->regs.at[v->index].name;
	} else {
		v->name = ptx_symbol_unique(p, name.text, name.length);
	}
	return true;
}

/* How many parameters there can be at most, so that the array never moves: names point to its elements. */
static uint32_t count_commas(const struct ptx_parser *p)
{
	uint32_t n = 1;

	for (const char *c = p->tok.text; c < p->lexer.end && *c != ')' && *c != '{' && *c != ';'; c++)
		n += *c == ',';
	return n;
}

bool ptx_parse_params(struct ptx_parser *p, enum ptx_space space, struct ptx_var **params, uint32_t *count,
		      uint64_t *end_bytes)
{
	*count = 0;
	if (!ptx_parse_expect(p, '(', "before parameters"))
		return false;
	if (ptx_parse_take(p, ')'))
		return true;
	uint32_t max = count_commas(p);
	*params = ptx_arena_array(p->arena, max, sizeof(**params));
	do {
		if (*count == max)
			return ptx_parse_unexpected(p, "')' after the parameters");
		if (!parse_param(p, space, &(*params)[*count], end_bytes))
			return false;
		(*count)++;
	} while (ptx_parse_take(p, ','));
	return ptx_parse_expect(p, ')', "after the parameters");
}
