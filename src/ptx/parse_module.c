/* parse_module.c - directives of the module and those that may stand anywhere. */
#include <stdio.h>
#include <string.h>

#include "ptx/priv.h"

/* "MAJOR.MINOR", which the lexer sees as a decimal number. */
static bool parse_version(struct ptx_parser *p)
{
	char text[16];
	unsigned major, minor;
	int used = 0;

	if (p->tok.length >= sizeof(text))
		return ptx_parse_unexpected(p, "a PTX version such as 7.8");
	memcpy(text, p->tok.text, p->tok.length);
	text[p->tok.length] = 0;
	if (sscanf(text, "%3u.%3u%n", &major, &minor, &used) != 2 || (uint32_t)used != p->tok.length)
		return ptx_parse_unexpected(p, "a PTX version such as 7.8");
	if (major < 1 || major > 9)
		return ptx_parse_error_tok(p, &p->tok, "PTX version %u.%u; expected 1.0 to 9.x", major, minor);
	p->m->pub.version_major = major;
	p->m->pub.version_minor = minor;
	ptx_parse_next(p);
	return true;
}

static bool parse_target(struct ptx_parser *p)
{
	do {
		if (p->tok.kind != PTX_TOK_IDENT)
			return ptx_parse_unexpected(p, "a target such as sm_70");
		if (!p->m->pub.target)
			p->m->pub.target = ptx_parse_name(p, &p->tok);
		ptx_parse_next(p);
	} while (ptx_parse_take(p, ','));
	return true;
}

static bool parse_address_size(struct ptx_parser *p)
{
	if (p->tok.kind != PTX_TOK_INT || (p->tok.bits != 32 && p->tok.bits != 64))
		return ptx_parse_unexpected(p, "32 or 64");
	p->m->pub.address_bits = (uint32_t)p->tok.bits;
	ptx_parse_next(p);
	return true;
}

/* .file N "name" [, time, size] */
static bool parse_file(struct ptx_parser *p)
{
	uint64_t number;

	if (p->tok.kind != PTX_TOK_INT)
		return ptx_parse_unexpected(p, "a file number");
	if (p->tok.bits >= PTX_FILES_MAX)
		return ptx_parse_error_tok(p, &p->tok, "file number %llu; at most %d is accepted",
					   (unsigned long long)p->tok.bits, PTX_FILES_MAX - 1);
	number = p->tok.bits;
	ptx_parse_next(p);
	if (p->tok.kind != PTX_TOK_STRING)
		return ptx_parse_unexpected(p, "a file name in quotes");
	while (p->files.count <= number)
		(void)PTX_VECTOR_ADD(&p->files);
	p->files.at[number] = ptx_parse_name(p, &p->tok);
	ptx_parse_next(p);
	while (ptx_parse_take(p, ',')) {
		if (p->tok.kind != PTX_TOK_INT)
			return ptx_parse_unexpected(p, "a number");
		ptx_parse_next(p);
	}
	return true;
}

static bool take_number(struct ptx_parser *p, uint32_t *out)
{
	if (p->tok.kind != PTX_TOK_INT)
		return ptx_parse_unexpected(p, "a number");
	if (p->tok.bits > UINT32_MAX)
		return ptx_parse_error_tok(p, &p->tok, "number does not fit in 32 bits");
	*out = (uint32_t)p->tok.bits;
	ptx_parse_next(p);
	return true;
}

/* .loc FILE LINE COL [, function_name LABEL [+ N], inlined_at FILE LINE COL] */
static bool parse_loc(struct ptx_parser *p)
{
	struct ptx_loc loc = {0};
	uint32_t number;

	if (!take_number(p, &loc.file) || !take_number(p, &loc.line) ||
	    (p->tok.kind == PTX_TOK_INT && !take_number(p, &loc.col)))
		return false;
	while (ptx_parse_take(p, ',')) {
		if (p->tok.kind != PTX_TOK_IDENT)
			return ptx_parse_unexpected(p, "function_name or inlined_at");
		while (p->tok.kind == PTX_TOK_IDENT)
			ptx_parse_next(p);
		if (ptx_parse_take(p, '+') && !take_number(p, &number))
			return false;
		while (p->tok.kind == PTX_TOK_INT)
			ptx_parse_next(p);
	}
	*PTX_VECTOR_ADD(&p->locs) = loc;
	p->loc = p->locs.count - 1;
	return true;
}

/* .section NAME { debugging data }, which nothing here reads. */
static bool parse_section(struct ptx_parser *p)
{
	if (p->tok.kind != PTX_TOK_DOT && p->tok.kind != PTX_TOK_IDENT)
		return ptx_parse_unexpected(p, "a section name");
	ptx_parse_next(p);
	if (!ptx_parse_is(p, '{'))
		return ptx_parse_unexpected(p, "'{' of a section");
	return ptx_parse_skip_braces(p);
}

/* Of a function it is kept: it says something of what follows it. */
static bool parse_pragma(struct ptx_parser *p)
{
	do {
		if (p->tok.kind != PTX_TOK_STRING)
			return ptx_parse_unexpected(p, "a pragma in quotes");
		if (p->func)
			*PTX_VECTOR_ADD(&p->pragmas) =
			    (struct ptx_pragma){ptx_arena_printf(p->arena, "%.*s", (int)p->tok.length, p->tok.text),
						p->insts.count};
		ptx_parse_next(p);
	} while (ptx_parse_take(p, ','));
	return ptx_parse_expect(p, ';', "after .pragma");
}

bool ptx_parse_common_directive(struct ptx_parser *p, bool *taken)
{
	static const struct {
		const char *word;
		bool (*parse)(struct ptx_parser *p);
	} directives[] = {
	    {".loc", parse_loc}, {".file", parse_file}, {".section", parse_section}, {".pragma", parse_pragma}};

	*taken = false;
	for (uint32_t i = 0; p->tok.kind == PTX_TOK_DOT && i < sizeof(directives) / sizeof(directives[0]); i++) {
		if (ptx_token_is(&p->tok, directives[i].word)) {
			*taken = true;
			ptx_parse_next(p);
			return directives[i].parse(p);
		}
	}
	return true;
}

/* .alias NEW, OLD; both functions are declared before. */
static bool parse_alias(struct ptx_parser *p)
{
	struct ptx_symbol *s[2];

	for (int i = 0; i < 2; i++) {
		if (p->tok.kind != PTX_TOK_IDENT)
			return ptx_parse_unexpected(p, "a function name");
		s[i] = ptx_symbol_get(p->m, 0, p->tok.text, p->tok.length);
		if (!s[i] || s[i]->kind != PTX_SYM_FUNC)
			return ptx_parse_error_tok(p, &p->tok, "'%.*s' is not a declared function", (int)p->tok.length,
						   p->tok.text);
		ptx_parse_next(p);
		if (!i && !ptx_parse_expect(p, ',', "between the names of .alias"))
			return false;
	}
	if (s[0]->func->has_body)
		return ptx_parse_error_tok(p, &p->tok, "'%s' has a body and cannot be an alias", s[0]->name);
	s[0]->func->alias = s[1]->func;
	return ptx_parse_expect(p, ';', "after .alias");
}

void ptx_parse_linkage(struct ptx_parser *p, enum ptx_linkage *linkage)
{
	static const struct {
		const char *word;
		enum ptx_linkage linkage;
	} words[] = {{".visible", PTX_LINK_VISIBLE},
		     {".extern", PTX_LINK_EXTERN},
		     {".weak", PTX_LINK_WEAK},
		     {".common", PTX_LINK_COMMON}};

	*linkage = PTX_LINK_LOCAL;
	for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (ptx_parse_take_dot(p, words[i].word)) {
			*linkage = words[i].linkage;
			return;
		}
	}
}

static bool parse_item(struct ptx_parser *p)
{
	struct ptx_token at = p->tok;
	enum ptx_linkage linkage;
	bool taken;

	if (at.kind != PTX_TOK_DOT)
		return ptx_parse_unexpected(p, "a directive such as .entry, .func or .global");
	if (ptx_parse_take_dot(p, ".version"))
		return parse_version(p);
	if (ptx_parse_take_dot(p, ".target"))
		return parse_target(p);
	if (ptx_parse_take_dot(p, ".address_size"))
		return parse_address_size(p);
	if (ptx_parse_take_dot(p, ".alias"))
		return parse_alias(p);
	if (!ptx_parse_common_directive(p, &taken))
		return false;
	if (taken)
		return true;
	ptx_parse_linkage(p, &linkage);
	if (ptx_parse_take_dot(p, ".entry"))
		return ptx_parse_func(p, linkage, true);
	if (ptx_parse_take_dot(p, ".func"))
		return ptx_parse_func(p, linkage, false);
	enum ptx_space space = ptx_parse_space_of(&p->tok);
	if (space == PTX_REG)
		return ptx_parse_error_tok(p, &p->tok, ".reg outside a function: registers belong to functions");
	if (space == PTX_SPACE_NONE)
		return ptx_parse_unexpected(p, "a directive such as .entry, .func, .global, .const, .shared");
	ptx_parse_next(p);
	return ptx_parse_var_decl(p, space, linkage);
}

bool ptx_parse_module(struct ptx_parser *p)
{
	bool ok = true;

	p->m->pub.address_bits = 64;
	if (!ptx_parse_is_dot(p, ".version"))
		return ptx_parse_unexpected(p, ".version at the beginning of a PTX module");
	while (p->tok.kind != PTX_TOK_END && !ptx_parse_too_many_errors(p)) {
		uint32_t errors = p->diag->error_count;

		if (parse_item(p) || p->diag->error_count == errors)
			continue;
		ok = false;
		p->func = NULL;
		p->scope = 0;
		ptx_parse_recover(p);
		if (ptx_parse_take(p, '}'))
			ptx_parse_take(p, ';');
	}
	if (ok && !p->m->pub.target)
		return ptx_parse_error_tok(p, &p->tok, "the module has no .target");
	return ok;
}
