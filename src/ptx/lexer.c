/* lexer.c - tokens of PTX text.
 *
 * A dot glued to a word is one token (".global", ".L2::128B"), so an opcode arrives as a name followed by adjacent dot
 * words. A dot before a digit is a modifier (".2d", ".1d") after a name or another dot word, and a number elsewhere.
 */
#include "ptx/lexer.h"

#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

void ptx_lexer_init(struct ptx_lexer *lx, const char *text, size_t size_bytes)
{
	const char *nul = size_bytes ? memchr(text, 0, size_bytes) : NULL;

	lx->text = lx->at = lx->line_start = text;
	lx->end = nul ? nul : text + size_bytes;
	lx->line = 1;
}

static int char_at(const struct ptx_lexer *lx, size_t k)
{
	return (size_t)(lx->end - lx->at) > k ? (unsigned char)lx->at[k] : -1;
}

static bool is_word(int c)
{
	return c >= 0 && (isalnum(c) || c == '_' || c == '$');
}

static bool is_word_start(int c)
{
	return c >= 0 && (isalpha(c) || c == '_' || c == '$');
}

static void newline(struct ptx_lexer *lx)
{
	lx->line++;
	lx->line_start = lx->at;
}

/* Returns false for a comment without end. */
static bool skip_block_comment(struct ptx_lexer *lx)
{
	lx->at += 2;
	while (lx->at < lx->end) {
		if (lx->at[0] == '*' && char_at(lx, 1) == '/') {
			lx->at += 2;
			return true;
		}
		if (*lx->at++ == '\n')
			newline(lx);
	}
	return false;
}

/* White space, comments and preprocessor line markers ("# 1 file"), which cpp leaves in old PTX. */
static bool skip_space(struct ptx_lexer *lx)
{
	while (lx->at < lx->end) {
		char c = *lx->at;

		if (c == '\n') {
			lx->at++;
			newline(lx);
		} else if (isspace((unsigned char)c)) {
			lx->at++;
		} else if (c == '/' && char_at(lx, 1) == '*') {
			if (!skip_block_comment(lx))
				return false;
		} else if ((c == '/' && char_at(lx, 1) == '/') || (c == '#' && lx->at == lx->line_start)) {
			while (lx->at < lx->end && *lx->at != '\n')
				lx->at++;
		} else {
			break;
		}
	}
	return true;
}

static void lex_word(struct ptx_lexer *lx)
{
	while (is_word(char_at(lx, 0)))
		lx->at++;
}

static void lex_dot_word(struct ptx_lexer *lx)
{
	lx->at++;
	lex_word(lx);
	while (char_at(lx, 0) == ':' && char_at(lx, 1) == ':' && is_word(char_at(lx, 2))) {
		lx->at += 2;
		lex_word(lx);
	}
}

static void bad(struct ptx_token *t, const char *problem)
{
	t->kind = PTX_TOK_BAD;
	t->problem = problem;
}

/* Exactly digits hexadecimal digits after 0f or 0d. */
static void lex_hex_float(struct ptx_lexer *lx, struct ptx_token *t, int digits)
{
	uint64_t bits = 0;
	int n = 0;

	lx->at += 2;
	while (isxdigit(char_at(lx, 0)) && n <= digits) {
		int c = tolower(char_at(lx, 0));

		bits = bits << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
		lx->at++;
		n++;
	}
	t->kind = digits == 8 ? PTX_TOK_F32 : PTX_TOK_F64;
	t->bits = bits;
	if (n != digits || is_word(char_at(lx, 0))) {
		lex_word(lx);
		bad(t, digits == 8 ? "a float literal 0f is followed by exactly 8 hexadecimal digits"
				   : "a double literal 0d is followed by exactly 16 hexadecimal digits");
	}
}

static void lex_integer(struct ptx_lexer *lx, struct ptx_token *t, uint32_t base)
{
	uint64_t value = 0;
	bool overflow = false, any = false;

	for (;; lx->at++) {
		int c = char_at(lx, 0);

		if (c < 0 || !isxdigit(c))
			break;
		uint32_t digit = (uint32_t)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
		if (digit >= base)
			break;
		any = true;
		overflow |= __builtin_mul_overflow(value, (uint64_t)base, &value);
		overflow |= __builtin_add_overflow(value, (uint64_t)digit, &value);
	}
	t->kind = PTX_TOK_INT;
	t->bits = value;
	t->is_unsigned = value > INT64_MAX;
	if (char_at(lx, 0) == 'U' || char_at(lx, 0) == 'u') {
		lx->at++;
		t->is_unsigned = true;
	}
	if (overflow)
		bad(t, "integer literal does not fit in 64 bits");
	if (!any || is_word(char_at(lx, 0))) {
		lex_word(lx);
		bad(t, "malformed number");
	}
}

/* The host program may have set a locale whose decimal point is a comma. */
static locale_t c_locale(void)
{
	static locale_t c;

	if (!c)
		c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	return c;
}

/* Digits with a point or an exponent. Returns false if it is an integer. */
static bool lex_decimal_float(struct ptx_lexer *lx, struct ptx_token *t)
{
	size_t n = 0;
	bool is_float = false;

	while (isdigit(char_at(lx, n)))
		n++;
	if (char_at(lx, n) == '.') {
		is_float = true;
		for (n++; isdigit(char_at(lx, n)); n++)
			;
	}
	if (char_at(lx, n) == 'e' || char_at(lx, n) == 'E') {
		size_t k = n + 1;

		if (char_at(lx, k) == '+' || char_at(lx, k) == '-')
			k++;
		if (isdigit(char_at(lx, k))) {
			is_float = true;
			for (n = k; isdigit(char_at(lx, n)); n++)
				;
		}
	}
	if (!is_float)
		return false;
	char text[64];
	t->kind = PTX_TOK_F64;
	if (n >= sizeof(text)) {
		bad(t, "decimal floating-point literal longer than 63 characters");
	} else {
		memcpy(text, lx->at, n);
		text[n] = 0;
		double d = strtod_l(text, NULL, c_locale());
		memcpy(&t->bits, &d, sizeof(d));
	}
	lx->at += n;
	if (is_word(char_at(lx, 0))) {
		lex_word(lx);
		bad(t, "malformed number");
	}
	return true;
}

static void lex_number(struct ptx_lexer *lx, struct ptx_token *t)
{
	int c = char_at(lx, 0) == '0' ? tolower(char_at(lx, 1)) : 0;

	if (c == 'f') {
		lex_hex_float(lx, t, 8);
	} else if (c == 'd') {
		lex_hex_float(lx, t, 16);
	} else if (c == 'x') {
		lx->at += 2;
		lex_integer(lx, t, 16);
	} else if (c == 'b') {
		lx->at += 2;
		lex_integer(lx, t, 2);
	} else if (!lex_decimal_float(lx, t)) {
		lex_integer(lx, t, char_at(lx, 0) == '0' ? 8 : 10);
	}
}

static void lex_string(struct ptx_lexer *lx, struct ptx_token *t)
{
	lx->at++;
	t->text = lx->at;
	t->kind = PTX_TOK_STRING;
	while (lx->at < lx->end && *lx->at != '"' && *lx->at != '\n') {
		if (*lx->at == '\\' && char_at(lx, 1) >= 0 && char_at(lx, 1) != '\n')
			lx->at++;
		lx->at++;
	}
	t->length = (uint32_t)(lx->at - t->text);
	if (char_at(lx, 0) == '"')
		lx->at++;
	else
		bad(t, "string without closing quote");
}

static void lex_punct(struct ptx_lexer *lx, struct ptx_token *t)
{
	static const char pairs[][2] = {{'<', '<'}, {'>', '>'}, {'&', '&'}, {'|', '|'},
					{'=', '='}, {'!', '='}, {'<', '='}, {'>', '='}};
	int c = char_at(lx, 0), d = char_at(lx, 1);

	t->kind = PTX_TOK_PUNCT;
	t->punct = (uint32_t)c;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (c == pairs[i][0] && d == pairs[i][1]) {
			t->punct = PTX_PUNCT2(c, d);
			lx->at += 2;
			return;
		}
	}
	lx->at++;
	if (!strchr("(){}[],;:@!+-*/%&|^~?<>=", c))
		bad(t, "character that PTX does not use");
}

struct ptx_token ptx_lexer_next(struct ptx_lexer *lx)
{
	struct ptx_token t = {0};
	const char *before = lx->at;
	bool closed = skip_space(lx);
	int c = char_at(lx, 0), d = char_at(lx, 1);
	bool after_word = lx->at == before && before > lx->text && is_word((unsigned char)before[-1]);

	t.text = lx->at;
	t.line = lx->line;
	t.col = (uint32_t)(lx->at - lx->line_start) + 1;
	t.is_adjacent = lx->at == before;
	if (c < 0) {
		t.kind = PTX_TOK_END;
		if (!closed)
			bad(&t, "comment without closing */");
		return t;
	}
	if (is_word_start(c) || (c == '%' && is_word_start(d))) {
		t.kind = PTX_TOK_IDENT;
		lx->at++;
		lex_word(lx);
	} else if (c == '.' && (is_word_start(d) || (after_word && is_word(d)))) {
		t.kind = PTX_TOK_DOT;
		lex_dot_word(lx);
	} else if (isdigit(c) || (c == '.' && isdigit(d))) {
		lex_number(lx, &t);
	} else if (c == '"') {
		lex_string(lx, &t);
		return t;
	} else {
		lex_punct(lx, &t);
	}
	t.length = (uint32_t)(lx->at - t.text);
	return t;
}

bool ptx_token_is(const struct ptx_token *t, const char *s)
{
	return strlen(s) == t->length && memcmp(s, t->text, t->length) == 0;
}

bool ptx_token_is_punct(const struct ptx_token *t, uint32_t punct)
{
	return t->kind == PTX_TOK_PUNCT && t->punct == punct;
}
