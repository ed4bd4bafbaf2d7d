/* expression.c - reads expressions, and the definitions that they name. */
#include "experiment/expression.h"

#include "base/check.h"
#include "experiment/priv.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Lists and brackets within each other. */
enum { DEPTH_MAX = 64 };

struct parser {
	struct experiment_names *names;
	struct base_diag_list *diag;
	const char *text, *p;
	struct base_place at; /* of the text */
	bool is_one_line;     /* so that a column within it is known */
	bool is_wrong;	      /* a message was given */
	uint32_t depth;
};

typedef struct experiment_expression node;

static struct base_place place_of(const struct parser *r, const char *p)
{
	struct base_place at = r->at;

	if (r->is_one_line)
		at.col += (uint32_t)(p - r->text);
	return at;
}

static node *expected(struct parser *r, const char *what)
{
	if (!r->is_wrong) {
		const char *end = r->p;

		while (*end && end - r->p < 16 && *end != '\n')
			end++;
		base_diag_error(r->diag, place_of(r, r->p), "expected %s, found %s%.*s%s", what,
				*r->p ? "'" : "the end", (int)(end - r->p), r->p, *r->p ? "'" : "");
	}
	r->is_wrong = true;
	return NULL;
}

static void node_free(gpointer data)
{
	node *n = data;

	g_free(n->text);
	if (n->parts)
		g_ptr_array_free(n->parts, TRUE);
	g_free(n);
}

static node *node_new(struct parser *r, enum experiment_kind kind, const char *at)
{
	node *n = g_new0(node, 1);

	n->kind = kind;
	n->at = place_of(r, at);
	g_ptr_array_add(r->names->expressions, n);
	return n;
}

static node *node_with(struct parser *r, enum experiment_kind kind, const char *at, node *first)
{
	node *n = node_new(r, kind, at);

	n->parts = g_ptr_array_new();
	if (first)
		g_ptr_array_add(n->parts, first);
	return n;
}

/* ---- words ---- */

static void skip_space(struct parser *r)
{
	r->p += strspn(r->p, " \t\n");
}

static bool take(struct parser *r, const char *what)
{
	const size_t length = strlen(what);

	skip_space(r);
	if (strncmp(r->p, what, length))
		return false;
	r->p += length;
	return true;
}

static bool is_of_name(char c)
{
	return g_ascii_isalnum(c) || c == '_';
}

/* NULL: there is no name. */
static char *take_name(struct parser *r)
{
	const char *begin, *end;

	skip_space(r);
	begin = end = r->p;
	while (g_ascii_isalpha(*begin) && is_of_name(*end))
		end++;
	r->p = end;
	return end > begin ? g_strndup(begin, (size_t)(end - begin)) : NULL;
}

static bool take_word(struct parser *r, const char *word)
{
	const char *before = r->p;
	g_autofree char *name = take_name(r);

	if (name && !strcmp(name, word))
		return true;
	r->p = before;
	return false;
}

/* ---- what an expression is made of ---- */

static node *relation(struct parser *r);

/* What stands between brackets, which are open. */
static bool parts_take(struct parser *r, node *n, const char *close)
{
	if (take(r, close))
		return true;
	do {
		node *part = relation(r);

		if (!part)
			return false;
		g_ptr_array_add(n->parts, part);
	} while (take(r, ","));
	return take(r, close) || expected(r, *close == ')' ? "',' or ')'" : "',' or ']'");
}

static node *text(struct parser *r)
{
	const char *begin = r->p, *end = strchr(begin, '"');
	node *n = node_new(r, NODE_TEXT, begin - 1);

	if (!end)
		return expected(r, "a text and '\"'");
	n->text = g_strndup(begin, (size_t)(end - begin));
	r->p = end + 1;
	return n;
}

static node *number(struct parser *r)
{
	node *n = node_new(r, NODE_NUMBER, r->p);
	char *end;

	errno = 0;
	n->number = g_ascii_strtod(r->p, &end);
	if (errno || !isfinite(n->number) || is_of_name(*end))
		return expected(r, "a number");
	r->p = end;
	return n;
}

static node *name(struct parser *r)
{
	const char *begin = r->p;
	char *called = take_name(r);
	node *n;

	if (!called)
		return expected(r, "a number, a run, a definition, '(' or '['");
	n = node_with(r, NODE_NAME, begin, NULL);
	n->text = called;
	if (!take(r, "("))
		return n;
	n->kind = NODE_CALL;
	return parts_take(r, n, ")") ? n : NULL;
}

static node *primary(struct parser *r)
{
	const char *begin;
	node *n;

	skip_space(r);
	begin = r->p;
	if (g_ascii_isdigit(*r->p) || *r->p == '.')
		return number(r);
	if (take(r, "\""))
		return text(r);
	if (take(r, "(")) {
		n = relation(r);
		return !n || take(r, ")") ? n : expected(r, "')'");
	}
	if (!take(r, "["))
		return name(r);
	n = node_with(r, NODE_LIST, begin, NULL);
	return parts_take(r, n, "]") ? n : NULL;
}

static bool is_of_field(char c)
{
	return is_of_name(c) || c == '.' || c == '{' || c == '}' || c == '-';
}

static node *field(struct parser *r)
{
	node *n = primary(r);

	while (n && take(r, "[")) {
		const char *begin, *end;

		skip_space(r);
		begin = end = r->p;
		while (is_of_field(*end))
			end++;
		if (end == begin)
			return expected(r, "a field of the results");
		n = node_with(r, NODE_FIELD, begin, n);
		n->text = g_strndup(begin, (size_t)(end - begin));
		r->p = end;
		if (!take(r, "]"))
			return expected(r, "']'");
	}
	return n;
}

static node *factor(struct parser *r)
{
	const char *begin;
	node *n;

	skip_space(r);
	begin = r->p;
	if (r->depth == DEPTH_MAX)
		return expected(r, "less in each other");
	r->depth++;
	if (take(r, "-")) {
		n = factor(r);
		n = n ? node_with(r, NODE_NEGATE, begin, n) : NULL;
	} else {
		n = field(r);
	}
	r->depth--;
	return n;
}

/* A and B and so on, from left to right. */
static node *chain(struct parser *r, const char *ops, node *(*part)(struct parser *r))
{
	node *n = part(r);

	while (n) {
		const char *at;
		node *right;

		skip_space(r);
		at = r->p;
		if (!*at || !strchr(ops, *at))
			return n;
		r->p++;
		right = part(r);
		n = right ? node_with(r, NODE_COMPUTE, at, n) : NULL;
		if (n) {
			n->op = *at;
			g_ptr_array_add(n->parts, right);
		}
	}
	return NULL;
}

static node *product(struct parser *r)
{
	return chain(r, "*/", factor);
}

static node *sum(struct parser *r)
{
	return chain(r, "+-", product);
}

static enum experiment_relation relation_take(struct parser *r)
{
	return take(r, ">=")  ? EXPERIMENT_AT_LEAST
	       : take(r, "<=") ? EXPERIMENT_AT_MOST
	       : take(r, ">")  ? EXPERIMENT_ABOVE
	       : take(r, "<")  ? EXPERIMENT_BELOW
	       : take(r, "=")  ? EXPERIMENT_NEAR
			       : EXPERIMENT_SHOWN;
}

static node *relation(struct parser *r)
{
	node *left = sum(r), *n, *right;
	enum experiment_relation of;
	const char *at;

	if (!left)
		return NULL;
	skip_space(r);
	at = r->p;
	of = relation_take(r);
	if (of == EXPERIMENT_SHOWN)
		return left;
	n = node_with(r, NODE_RELATION, at, left);
	n->relation = of;
	right = sum(r);
	if (!right)
		return NULL;
	g_ptr_array_add(n->parts, right);
	if (of != EXPERIMENT_NEAR)
		return n;
	if (!take_word(r, "within"))
		return expected(r, "'within' and how far they may be apart");
	right = sum(r);
	if (!right)
		return NULL;
	g_ptr_array_add(n->parts, right);
	return n;
}

static struct parser parser_of(struct experiment_names *names, struct base_yaml *y, const yaml_node_t *n)
{
	const bool is_quoted = n->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
			       n->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
	struct parser r = {.names = names,
			   .diag = y->diag,
			   .at = base_yaml_place(y, n),
			   .is_one_line = n->start_mark.line == n->end_mark.line,
			   .text = (const char *)n->data.scalar.value};

	r.p = r.text;
	r.at.col += is_quoted;
	return r;
}

static node *whole_of(struct parser *r)
{
	node *whole = relation(r);

	skip_space(r);
	return whole && *r->p ? expected(r, "an operator or the end") : whole;
}

struct experiment_expression *experiment_expression_of(struct experiment_names *names, const char *of,
						       struct base_place at, struct base_diag_list *diag)
{
	struct parser r = {.names = names, .diag = diag, .at = at, .text = of, .p = of};

	return whole_of(&r);
}

struct experiment_expression *experiment_expression_read(struct experiment_names *names, struct base_yaml *y,
							 yaml_node_t *n, bool is_quick)
{
	yaml_node_t *value = experiment_value(y, n, is_quick);
	struct parser r;

	if (!value || !base_yaml_text(y, value, "an expression"))
		return NULL;
	r = parser_of(names, y, value);
	return whole_of(&r);
}

struct experiment_sides experiment_expression_sides(const struct experiment_expression *e)
{
	if (e->kind != NODE_RELATION)
		return (struct experiment_sides){.left = e};
	return (struct experiment_sides){
	    .relation = e->relation,
	    .left = e->parts->pdata[0],
	    .right = e->parts->pdata[1],
	    .within = e->parts->len > 2 ? e->parts->pdata[2] : NULL,
	};
}

struct base_place experiment_expression_place(const struct experiment_expression *e)
{
	return e->at;
}

bool experiment_is_same(const struct experiment_expression *a, const struct experiment_expression *b)
{
	const uint32_t count = a->parts ? a->parts->len : 0;

	if (a->kind != b->kind || a->op != b->op || a->relation != b->relation || g_strcmp0(a->text, b->text) ||
	    a->number < b->number || a->number > b->number || count != (b->parts ? b->parts->len : 0) ||
	    (a->kind == NODE_NAME && !strcmp(a->text, "none")))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!experiment_is_same(a->parts->pdata[i], b->parts->pdata[i]))
			return false;
	return true;
}

/* ---- names ---- */

static void definition_free(gpointer data)
{
	struct experiment_definition *d = data;

	g_ptr_array_free(d->parameters, TRUE);
	g_free(d);
}

struct experiment_names *experiment_names_new(const struct experiment *runs, const struct experiment_model *models,
					      const char *dir)
{
	struct experiment_names *names = g_new0(struct experiment_names, 1);

	names->runs = runs;
	names->models = models;
	names->dir = dir;
	names->indices = g_hash_table_new(g_str_hash, g_str_equal);
	names->definitions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, definition_free);
	names->expressions = g_ptr_array_new_with_free_func(node_free);
	for (uint32_t i = 0; i < runs->runs->len; i++) {
		const struct experiment_run *run = runs->runs->pdata[i];

		g_hash_table_insert(names->indices, run->id, GUINT_TO_POINTER(i + 1));
	}
	return names;
}

void experiment_names_free(struct experiment_names *names)
{
	g_hash_table_destroy(names->indices);
	g_hash_table_destroy(names->definitions);
	g_ptr_array_free(names->expressions, TRUE);
	g_free(names);
}

static bool is_parameter(const struct experiment_definition *d, const char *called)
{
	for (uint32_t i = 0; i < d->parameters->len; i++)
		if (!strcmp(d->parameters->pdata[i], called))
			return true;
	return false;
}

/* NAME or NAME(PARAMETER, ...). NULL after a message. */
static char *head_take(struct parser *r, struct experiment_definition *d)
{
	g_autofree char *called = take_name(r);
	bool is_open = called && take(r, "(");

	if (!called)
		expected(r, "NAME or NAME(PARAMETER, ...)");
	while (is_open && !r->is_wrong) {
		char *parameter = take_name(r);

		if (!parameter || is_parameter(d, parameter))
			expected(r, "another parameter's name");
		else
			g_ptr_array_add(d->parameters, g_strdup(parameter));
		g_free(parameter);
		is_open = take(r, ",");
		if (!is_open && !take(r, ")"))
			expected(r, "',' or ')'");
	}
	skip_space(r);
	if (*r->p)
		expected(r, "the end");
	return r->is_wrong ? NULL : g_steal_pointer(&called);
}

static void define(struct experiment_names *names, struct base_yaml *y, yaml_node_t *key, yaml_node_t *value,
		   bool is_quick)
{
	struct experiment_definition *d = g_new0(struct experiment_definition, 1);
	const bool is_text = base_yaml_text(y, key, "NAME or NAME(PARAMETER, ...)");
	struct parser r;
	char *called = NULL;

	d->parameters = g_ptr_array_new_with_free_func(g_free);
	if (is_text) {
		r = parser_of(names, y, key);
		called = head_take(&r, d);
	}
	d->body = experiment_expression_read(names, y, value, is_quick);
	if (!called) {
		definition_free(d);
	} else if (experiment_is_function(names, called) || g_hash_table_contains(names->indices, called) ||
		   g_hash_table_contains(names->definitions, called)) {
		base_diag_error(y->diag, base_yaml_place(y, key), "'%s' is a run, a function or a definition already",
				called);
		definition_free(d);
		g_free(called);
	} else {
		g_hash_table_insert(names->definitions, called, d);
	}
}

void experiment_names_define(struct experiment_names *names, struct base_yaml *y, yaml_node_t *mapping, bool is_quick)
{
	if (!base_yaml_is_mapping(y, mapping, "definitions: {NAME(PARAMETER, ...): EXPRESSION, ...}"))
		return;
	BASE_YAML_EACH_PAIR(mapping, pair)
		define(names, y, base_yaml_node(y, pair->key), base_yaml_node(y, pair->value), is_quick);
}
