/* parse.c - the parser's frame: tokens, errors, recovery, and the public entry points. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "ptx/priv.h"

void *ptx_vector_grow(void *at, uint32_t *cap, uint32_t count, size_t size_bytes)
{
	if (count == *cap) {
		CHECK(*cap < UINT32_MAX / 2);
		*cap = *cap ? *cap * 2 : 16;
		at = realloc(at, *cap * size_bytes);
		CHECK(at);
	}
	memset((char *)at + count * size_bytes, 0, size_bytes);
	return at;
}

bool ptx_parse_too_many_errors(const struct ptx_parser *p)
{
	return p->diag->error_count >= BASE_DIAG_MAX;
}

bool ptx_parse_error(struct ptx_parser *p, uint32_t line, uint32_t col, const char *fmt, ...)
{
	struct base_place at = {p->m->pub.name, line, col};
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	base_diag_error(p->diag, at, "%s", text);
	return false;
}

bool ptx_parse_error_tok(struct ptx_parser *p, const struct ptx_token *t, const char *fmt, ...)
{
	struct base_place at = {p->m->pub.name, t->line, t->col};
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	base_diag_error(p->diag, at, "%s", text);
	return false;
}

/* A token for a message: at most 40 characters, unprintable bytes as '?'. */
static void token_show(const struct ptx_token *t, char *buf, size_t size_bytes)
{
	char shown[44];
	uint32_t n = 0;

	if (t->kind == PTX_TOK_END) {
		snprintf(buf, size_bytes, "the end of the file");
		return;
	}
	for (; n < t->length && n < 40; n++)
		shown[n] = t->text[n] >= ' ' && t->text[n] < 127 ? t->text[n] : '?';
	shown[n] = 0;
	snprintf(buf, size_bytes, t->kind == PTX_TOK_STRING ? "\"%s%s\"" : "'%s%s'", shown,
		 t->length > 40 ? "..." : "");
}

bool ptx_parse_unexpected(struct ptx_parser *p, const char *expected)
{
	char shown[64];

	token_show(&p->tok, shown, sizeof(shown));
	if (p->tok.kind == PTX_TOK_BAD)
		return ptx_parse_error_tok(p, &p->tok, "%s: %s", shown, p->tok.problem);
	return ptx_parse_error_tok(p, &p->tok, "found %s, expected %s", shown, expected);
}

void ptx_parse_next(struct ptx_parser *p)
{
	p->prev_end = p->tok.text + p->tok.length;
	p->tok = p->ahead;
	p->ahead = ptx_lexer_next(&p->lexer);
}

bool ptx_parse_is(const struct ptx_parser *p, uint32_t punct)
{
	return ptx_token_is_punct(&p->tok, punct);
}

bool ptx_parse_is_dot(const struct ptx_parser *p, const char *word)
{
	return p->tok.kind == PTX_TOK_DOT && ptx_token_is(&p->tok, word);
}

bool ptx_parse_take(struct ptx_parser *p, uint32_t punct)
{
	if (!ptx_parse_is(p, punct))
		return false;
	ptx_parse_next(p);
	return true;
}

bool ptx_parse_take_dot(struct ptx_parser *p, const char *word)
{
	if (!ptx_parse_is_dot(p, word))
		return false;
	ptx_parse_next(p);
	return true;
}

bool ptx_parse_expect(struct ptx_parser *p, uint32_t punct, const char *where)
{
	char expected[96];

	if (ptx_parse_take(p, punct))
		return true;
	snprintf(expected, sizeof(expected), "'%c' %s", (int)punct, where);
	return ptx_parse_unexpected(p, expected);
}

bool ptx_parse_skip_braces(struct ptx_parser *p)
{
	uint32_t depth = 0, line = p->tok.line, col = p->tok.col;

	do {
		if (p->tok.kind == PTX_TOK_END)
			return ptx_parse_error(p, line, col, "'{' is not closed");
		if (ptx_parse_is(p, '{'))
			depth++;
		if (ptx_parse_is(p, '}'))
			depth--;
		ptx_parse_next(p);
	} while (depth);
	return true;
}

void ptx_parse_recover(struct ptx_parser *p)
{
	uint32_t depth = 0;

	while (p->tok.kind != PTX_TOK_END) {
		if (ptx_parse_is(p, '{'))
			depth++;
		if (ptx_parse_is(p, '}')) {
			if (!depth)
				return;
			depth--;
		}
		if (ptx_parse_is(p, ';') && !depth) {
			ptx_parse_next(p);
			return;
		}
		ptx_parse_next(p);
	}
}

char *ptx_parse_name(struct ptx_parser *p, const struct ptx_token *t)
{
	return ptx_arena_text(p->arena, t->text, t->length);
}

static void free_vectors(struct ptx_parser *p)
{
	free(p->vars.at);
	free(p->funcs.at);
	free(p->locs.at);
	free(p->files.at);
	free(p->scopes.at);
	free(p->regs.at);
	free(p->insts.at);
	free(p->pragmas.at);
	free(p->locals.at);
	free(p->label_refs.at);
}

static void publish(struct ptx_parser *p)
{
	struct ptx_module *m = &p->m->pub;

	m->vars = ptx_arena_copy(p->arena, p->vars.at, p->vars.count * sizeof(p->vars.at[0]));
	m->var_count = p->vars.count;
	m->funcs = ptx_arena_copy(p->arena, p->funcs.at, p->funcs.count * sizeof(p->funcs.at[0]));
	m->func_count = p->funcs.count;
	m->locs = ptx_arena_copy(p->arena, p->locs.at, p->locs.count * sizeof(p->locs.at[0]));
	m->loc_count = p->locs.count;
	m->files = ptx_arena_copy(p->arena, p->files.at, p->files.count * sizeof(p->files.at[0]));
	m->file_count = p->files.count;
}

struct ptx_module *ptx_module_parse(const char *name, const char *text, size_t size_bytes, struct base_diag_list *diag)
{
	struct ptx_module_priv *m = calloc(1, sizeof(*m));
	struct ptx_parser p = {.m = m, .diag = diag};
	uint32_t errors_before = diag->error_count;

	CHECK(m);
	p.arena = &m->arena;
	m->pub.name = ptx_arena_text(&m->arena, name, strlen(name));
	if (size_bytes > PTX_TEXT_BYTES_MAX) {
		base_diag_error(diag, (struct base_place){m->pub.name, 0, 0},
				"PTX text of %zu bytes; at most %llu are accepted", size_bytes, PTX_TEXT_BYTES_MAX);
		ptx_module_free(&m->pub);
		return NULL;
	}
	ptx_lexer_init(&p.lexer, text, size_bytes);
	p.tok = ptx_lexer_next(&p.lexer);
	p.ahead = ptx_lexer_next(&p.lexer);
	(void)PTX_VECTOR_ADD(&p.locs);
	(void)PTX_VECTOR_ADD(&p.scopes);
	ptx_parse_module(&p);
	publish(&p);
	free_vectors(&p);
	if (diag->error_count != errors_before) {
		ptx_module_free(&m->pub);
		return NULL;
	}
	return &m->pub;
}

void ptx_module_free(struct ptx_module *m)
{
	struct ptx_module_priv *mp = (struct ptx_module_priv *)m;

	if (!m)
		return;
	free(mp->buckets);
	ptx_arena_free(&mp->arena);
	free(mp);
}

const struct ptx_func *ptx_module_func(const struct ptx_module *m, const char *name)
{
	const struct ptx_symbol *s = ptx_symbol_get((const struct ptx_module_priv *)m, 0, name, (uint32_t)strlen(name));

	return s && s->kind == PTX_SYM_FUNC ? s->func : NULL;
}

const struct ptx_var *ptx_module_var(const struct ptx_module *m, const char *name)
{
	const struct ptx_symbol *s = ptx_symbol_get((const struct ptx_module_priv *)m, 0, name, (uint32_t)strlen(name));

	return s && s->kind == PTX_SYM_VAR ? s->var : NULL;
}
