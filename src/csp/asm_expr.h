/* asm_expr.h - the words of a line of a program's text: names, numbers, expressions, operands. Private to the
 * assembler. Each reader moves past what it has read, or appends a message at its place and returns false.
 */
#ifndef STRATA_CSP_ASM_EXPR_H
#define STRATA_CSP_ASM_EXPR_H

#include <glib.h>

#include "base/diag.h"
#include "csp/isa.h"

enum { CSP_VALUE_MAX = 1 << 30 }; /* of numbers in the text and what is computed from them */

struct csp_reader {
	const char *begin, *at; /* of the line; where it reads */
	struct base_place place; /* of the line */
	GHashTable *names;	 /* const char * -> int64_t *: named constants */
	GHashTable *unused;	 /* of them, those of the command line that the text has not named yet */
	struct base_diag_list *diag;
};

void csp_skip_spaces(struct csp_reader *r);
bool csp_is_end(struct csp_reader *r);
/* "expected WHAT, found '...'" at the reader's place. Returns false. */
bool csp_expected(struct csp_reader *r, const char *what);
bool csp_read_word(struct csp_reader *r, char *word, size_t bytes, const char *what);
/* Takes the character if it comes next. */
bool csp_take(struct csp_reader *r, char c);
bool csp_read_char(struct csp_reader *r, char c);
/* i0 to i15. */
bool csp_read_index(struct csp_reader *r, uint8_t *index);
/* A sum of constants and index registers. */
bool csp_read_expr(struct csp_reader *r, struct csp_expr *e);
/* An expression without index registers. */
bool csp_read_constant(struct csp_reader *r, int64_t *value);
/* r[...], s[...], v[...], [...] or zero, with a stride behind a colon. */
bool csp_read_operand(struct csp_reader *r, struct csp_operand *o);

#endif
