/* asm_expr.c - expressions by recursive descent; products are of constants. */
#include "csp/asm_expr.h"

#include <ctype.h>
#include <string.h>

enum { DEPTH_MAX = 32, WORD_BYTES = 64 };

void csp_skip_spaces(struct csp_reader *r)
{
	while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')
		r->at++;
}

bool csp_is_end(struct csp_reader *r)
{
	csp_skip_spaces(r);
	return !*r->at;
}

static struct base_place place(const struct csp_reader *r)
{
	struct base_place at = r->place;

	at.col = (uint32_t)(r->at - r->begin) + 1;
	return at;
}

bool csp_expected(struct csp_reader *r, const char *what)
{
	char found[24];

	csp_skip_spaces(r);
	g_strlcpy(found, r->at, sizeof(found));

	g_autofree char *valid = g_utf8_make_valid(found, -1);

	if (*found)
		base_diag_error(r->diag, place(r), "expected %s, found '%s'", what, valid);
	else
		base_diag_error(r->diag, place(r), "expected %s, found the end of the line", what);
	return false;
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

bool csp_read_word(struct csp_reader *r, char *word, size_t bytes, const char *what)
{
	size_t n = 0;

	csp_skip_spaces(r);
	if (!isalpha((unsigned char)*r->at) && *r->at != '_')
		return csp_expected(r, what);
	while (is_word_char(r->at[n]))
		n++;
	if (n >= bytes) {
		base_diag_error(r->diag, place(r), "a name of more than %zu characters", bytes - 1);
		return false;
	}
	memcpy(word, r->at, n);
	word[n] = '\0';
	r->at += n;
	return true;
}

bool csp_take(struct csp_reader *r, char c)
{
	csp_skip_spaces(r);
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

bool csp_read_char(struct csp_reader *r, char c)
{
	const char what[] = {'\'', c, '\'', '\0'};

	return csp_take(r, c) || csp_expected(r, what);
}

/* "i7" as a whole word; 0: it is none. */
static size_t index_length(const char *p, uint8_t *index)
{
	unsigned value = 0;
	size_t n = 1;

	if (*p != 'i' || !isdigit((unsigned char)p[1]))
		return 0;
	for (; isdigit((unsigned char)p[n]) && n < 4; n++)
		value = value * 10 + (unsigned)(p[n] - '0');
	if (is_word_char(p[n]) || value >= CSP_INDEX_COUNT)
		return 0;
	*index = (uint8_t)value;
	return n;
}

bool csp_read_index(struct csp_reader *r, uint8_t *index)
{
	size_t n;

	csp_skip_spaces(r);
	n = index_length(r->at, index);
	if (!n)
		return csp_expected(r, "an index register, i0 to i23");
	r->at += n;
	return true;
}

static bool in_range(struct csp_reader *r, int64_t value)
{
	if (value >= -CSP_VALUE_MAX && value <= CSP_VALUE_MAX)
		return true;
	base_diag_error(r->diag, place(r), "the value leaves -2^30 to 2^30");
	return false;
}

static bool read_number(struct csp_reader *r, int64_t *value)
{
	const char *p = r->at;

	*value = 0;
	for (; isdigit((unsigned char)*p); p++) {
		*value = *value * 10 + (*p - '0');
		if (!in_range(r, *value))
			return false;
	}
	if (is_word_char(*p))
		return csp_expected(r, "a number");
	r->at = p;
	return true;
}

static bool read_sum(struct csp_reader *r, struct csp_expr *e, uint32_t depth);

static bool read_name(struct csp_reader *r, int64_t *value)
{
	char word[WORD_BYTES];
	const char *begin = r->at;
	const int64_t *known;

	if (!csp_read_word(r, word, sizeof(word), "a number, a name or an index register"))
		return false;
	known = g_hash_table_lookup(r->names, word);
	if (known) {
		g_hash_table_remove(r->unused, word);
		*value = *known;
		return true;
	}

	GHashTableIter iter;
	gpointer key;
	const char *names[256], *nearest;
	uint32_t count = 0;

	g_hash_table_iter_init(&iter, r->names);
	while (count < G_N_ELEMENTS(names) && g_hash_table_iter_next(&iter, &key, NULL))
		names[count++] = key;
	nearest = base_nearest_name(word, names, count);
	r->at = begin;
	if (nearest)
		base_diag_error(r->diag, place(r), "unknown name '%s'; did you mean '%s'?", word, nearest);
	else
		base_diag_error(r->diag, place(r), "unknown name '%s'", word);
	return false;
}

static bool read_factor(struct csp_reader *r, struct csp_expr *e, uint32_t depth)
{
	size_t n;
	uint8_t index;

	*e = (struct csp_expr){0};
	csp_skip_spaces(r);
	if (depth > DEPTH_MAX) {
		base_diag_error(r->diag, place(r), "parentheses more than %d deep", DEPTH_MAX);
		return false;
	}
	if (csp_take(r, '('))
		return read_sum(r, e, depth + 1) && csp_read_char(r, ')');
	if (isdigit((unsigned char)*r->at))
		return read_number(r, &e->constant);
	n = index_length(r->at, &index);
	if (!n)
		return read_name(r, &e->constant);
	r->at += n;
	e->index[0] = index;
	e->index_count = 1;
	return true;
}

static bool apply(struct csp_reader *r, char op, struct csp_expr *e, const struct csp_expr *by)
{
	if (e->index_count || by->index_count) {
		base_diag_error(r->diag, place(r),
				"'%c' with an index register: an expression adds them only; see mul, div and mod", op);
		return false;
	}
	if (op != '*' && !by->constant) {
		base_diag_error(r->diag, place(r), "division by zero");
		return false;
	}
	e->constant = op == '*'	  ? e->constant * by->constant
		      : op == '/' ? e->constant / by->constant
				  : e->constant % by->constant;
	return in_range(r, e->constant);
}

static bool read_product(struct csp_reader *r, struct csp_expr *e, uint32_t depth)
{
	if (!read_factor(r, e, depth))
		return false;
	for (;;) {
		struct csp_expr by;
		char op;

		csp_skip_spaces(r);
		op = *r->at;
		if (op != '*' && op != '/' && op != '%')
			return true;
		r->at++;
		if (!read_factor(r, &by, depth) || !apply(r, op, e, &by))
			return false;
	}
}

static bool add(struct csp_reader *r, struct csp_expr *e, const struct csp_expr *by, bool is_minus)
{
	if (is_minus && by->index_count) {
		base_diag_error(r->diag, place(r), "an index register cannot be taken away, only added");
		return false;
	}
	if (e->index_count + by->index_count > CSP_TERMS_MAX) {
		base_diag_error(r->diag, place(r), "more than %d index registers in one expression", CSP_TERMS_MAX);
		return false;
	}
	e->constant += is_minus ? -by->constant : by->constant;
	for (uint32_t i = 0; i < by->index_count; i++)
		e->index[e->index_count++] = by->index[i];
	return in_range(r, e->constant);
}

static bool read_sum(struct csp_reader *r, struct csp_expr *e, uint32_t depth)
{
	bool is_minus = csp_take(r, '-');
	struct csp_expr by;

	*e = (struct csp_expr){0};
	do {
		if (!read_product(r, &by, depth) || !add(r, e, &by, is_minus))
			return false;
		is_minus = csp_take(r, '-');
	} while (is_minus || csp_take(r, '+'));
	return true;
}

bool csp_read_expr(struct csp_reader *r, struct csp_expr *e)
{
	return read_sum(r, e, 0);
}

bool csp_read_constant(struct csp_reader *r, int64_t *value)
{
	struct csp_expr e;

	csp_skip_spaces(r);

	const char *begin = r->at;

	if (!csp_read_expr(r, &e))
		return false;
	*value = e.constant;
	if (!e.index_count)
		return true;
	r->at = begin;
	return csp_expected(r, "a constant");
}

static bool read_subscript(struct csp_reader *r, struct csp_operand *o)
{
	if (!csp_read_char(r, '[') || !csp_read_expr(r, &o->base))
		return false;
	if (csp_take(r, ':') && !csp_read_expr(r, &o->stride))
		return false;
	return csp_read_char(r, ']');
}

bool csp_read_operand(struct csp_reader *r, struct csp_operand *o)
{
	static const struct {
		char name;
		enum csp_space space;
	} files[] = {{'r', CSP_REGISTERS}, {'s', CSP_SCALARS}, {'v', CSP_VECTORS}};

	*o = (struct csp_operand){.space = CSP_LINES, .stride = {.constant = 1}};
	csp_skip_spaces(r);
	if (*r->at == '[')
		return read_subscript(r, o);
	for (uint32_t i = 0; i < G_N_ELEMENTS(files); i++)
		if (*r->at == files[i].name && r->at[1] == '[') {
			o->space = files[i].space;
			r->at++;
			return read_subscript(r, o);
		}
	if (!strncmp(r->at, "zero", 4) && !is_word_char(r->at[4])) {
		r->at += 4;
		o->space = CSP_ZERO;
		return true;
	}
	return csp_expected(r, "r[...], s[...], v[...], [...] or zero");
}
