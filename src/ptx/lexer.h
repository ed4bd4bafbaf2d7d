/* lexer.h - PTX text to tokens, one at a time, no allocation; the text must outlive the tokens. */
#ifndef STRATA_PTX_LEXER_H
#define STRATA_PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_token_kind {
	PTX_TOK_END,
	PTX_TOK_IDENT,  /* name, %name, $name, _ */
	PTX_TOK_DOT,    /* .word, also .L2::128B; text begins with the dot */
	PTX_TOK_INT,    /* bits; is_unsigned: U suffix or above INT64_MAX */
	PTX_TOK_F32,    /* 0f...: bits of a float */
	PTX_TOK_F64,    /* 0d... or decimal: bits of a double */
	PTX_TOK_STRING, /* text without the quotes */
	PTX_TOK_PUNCT,  /* punct: the character, or two of them as (first << 8 | second) */
	PTX_TOK_BAD,    /* problem says what is wrong */
};

struct ptx_token {
	enum ptx_token_kind kind;
	const char *text;
	uint32_t length;
	uint32_t line, col;
	uint32_t punct;
	bool is_unsigned;
	bool is_adjacent; /* no white space before it */
	uint64_t bits;
	const char *problem;
};

struct ptx_lexer {
	const char *text, *at, *end;
	const char *line_start;
	uint32_t line;
};

void ptx_lexer_init(struct ptx_lexer *lx, const char *text, size_t size_bytes);
/* The next token; END for ever once the text (or a NUL in it) is reached. */
struct ptx_token ptx_lexer_next(struct ptx_lexer *lx);

/* True if the token's text is exactly s. */
bool ptx_token_is(const struct ptx_token *t, const char *s);
bool ptx_token_is_punct(const struct ptx_token *t, uint32_t punct);

#define PTX_PUNCT2(a, b) ((uint32_t)(a) << 8 | (uint32_t)(b))

#endif
