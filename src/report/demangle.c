/* demangle.c - titles of kernels, and what of them fits. */
#include "report/demangle.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c)
{
	return g_ascii_isalnum(c) || c == '_' || c == '$' || c == '.';
}

static void add_titles(json_t *list, const char *key)
{
	size_t i;
	json_t *o;

	json_array_foreach(list, i, o) {
		const char *name = json_string_value(json_object_get(o, key));
		g_autofree char *title = name ? report_demangle(name) : NULL;

		if (title)
			json_object_set_new(o, "title", json_string(title));
	}
}

void report_titles_add(json_t *run)
{
	add_titles(json_object_get(run, "kernels"), "name");
	add_titles(json_object_get(run, "kernel_sums"), "name");
	add_titles(json_object_get(run, "timeline"), "name");
	add_titles(json_object_get(run, "refusals"), "kernel");
}

json_t *report_title(const json_t *kernel)
{
	const char *title = json_string_value(json_object_get(kernel, "title"));
	const char *name = json_string_value(json_object_get(kernel, "name"));
	g_autofree char *plain = title ? NULL : report_demangle(name ? name : "?");

	return json_string(title ? title : plain);
}

/* ---- what fits ---- */

/* Where the brackets that end at the end of the text begin; SIZE_MAX: none end there. */
static size_t bracket_begin(const GString *text, char open, char close)
{
	uint32_t depth = 0;

	if (!text->len || text->str[text->len - 1] != close)
		return SIZE_MAX;
	for (size_t i = text->len; i-- > 0;) {
		depth += text->str[i] == close;
		depth -= text->str[i] == open;
		if (!depth)
			return i;
	}
	return SIZE_MAX;
}

/* "f(int, float)" is "f", and is_cut says that there was something in the brackets. */
static void drop_bracket(GString *text, char open, char close, bool *is_cut)
{
	const size_t begin = bracket_begin(text, open, close);

	*is_cut = begin != SIZE_MAX && begin > 0;
	if (*is_cut)
		g_string_truncate(text, begin);
}

/* The type that a template's function returns stands before its name: "void f<int>". */
static void drop_type(GString *text)
{
	uint32_t depth = 0;

	for (size_t i = text->len; i-- > 0;) {
		const char c = text->str[i];

		depth += c == '>' || c == ')';
		depth -= (c == '<' || c == '(') && depth;
		if (c == ' ' && !depth) {
			g_string_erase(text, 0, (gssize)i + 1);
			return;
		}
	}
}

static bool fits(const GString *text, size_t width)
{
	return (size_t)g_utf8_strlen(text->str, -1) <= width;
}

/* Its begin, in whole characters. */
static void cut_end(GString *text, size_t width)
{
	static const char dots[] = "...";
	const size_t kept = width > strlen(dots) ? width - strlen(dots) : 0;

	if (fits(text, width))
		return;
	g_string_truncate(text, (size_t)(g_utf8_offset_to_pointer(text->str, (glong)kept) - text->str));
	g_string_append(text, dots);
}

char *report_title_cut(const char *title, size_t width)
{
	GString *text = g_string_new(NULL);
	g_autofree char *valid = g_utf8_make_valid(title, -1);
	bool has_parameters, has_templates;

	g_string_assign(text, valid);
	if (fits(text, width))
		return g_string_free(text, FALSE);
	drop_bracket(text, '(', ')', &has_parameters);
	if (has_parameters)
		drop_type(text);
	g_string_append(text, has_parameters ? "(...)" : "");
	if (!fits(text, width) && has_parameters) {
		g_string_truncate(text, text->len - strlen("(...)"));
		drop_bracket(text, '<', '>', &has_templates);
		g_string_append(text, has_templates ? "<...>(...)" : "(...)");
	}
	cut_end(text, width);
	return g_string_free(text, FALSE);
}

char *report_title_base(const char *title, bool has_templates)
{
	GString *text = g_string_new(title);
	bool is_cut;

	drop_bracket(text, '(', ')', &is_cut);
	if (is_cut)
		drop_type(text);
	if (!has_templates)
		drop_bracket(text, '<', '>', &is_cut);
	return g_string_free(text, FALSE);
}

/* ---- one way to write a title ---- */

static bool is_type_word(const char *token)
{
	return is_word(*token) || *token == ':' || *token == '~' || (*token == '(' && token[1]); /* anonymous */
}

/* Words, with their "::", and single signs; no spaces. */
static GPtrArray *tokens_of(const char *title)
{
	static const char unnamed[] = "<unnamed>", anonymous[] = "(anonymous namespace)";
	GPtrArray *tokens = g_ptr_array_new_with_free_func(g_free);

	while (*title) {
		size_t length = 0;
		const bool is_unnamed = g_str_has_prefix(title, unnamed);

		while (is_word(title[length]) || title[length] == ':' || title[length] == '~')
			length++;
		if (is_unnamed || g_str_has_prefix(title, anonymous)) {
			g_ptr_array_add(tokens, g_strdup(anonymous));
			title += strlen(is_unnamed ? unnamed : anonymous);
			continue;
		}
		if (*title != ' ')
			g_ptr_array_add(tokens, g_strndup(title, MAX(length, 1)));
		title += MAX(length, 1);
	}
	return tokens;
}

static const char *token_at(const GPtrArray *tokens, guint i)
{
	return i < tokens->len ? tokens->pdata[i] : "";
}

/* Does a type or an argument of a template begin behind this token? */
static bool is_before_type(const char *token)
{
	return *token == '<' || *token == ',' || (*token == '(' && !token[1]) || !*token;
}

/* Behind the type that begins there: its words and what its templates are made of. */
static guint type_end(const GPtrArray *tokens, guint i)
{
	uint32_t depth = 0;

	for (; i < tokens->len; i++) {
		const char *token = tokens->pdata[i];

		depth += *token == '<';
		if (!depth && !is_type_word(token))
			return i;
		depth -= *token == '>';
	}
	return i;
}

/* "const int *" is "int const *". */
static void const_move(GPtrArray *tokens, guint i)
{
	const guint end = type_end(tokens, i + 1);
	gpointer own = tokens->pdata[i];

	memmove(&tokens->pdata[i], &tokens->pdata[i + 1], (end - i - 1) * sizeof(own));
	tokens->pdata[end - 1] = own;
}

/* "(int)128" and "128u" are "128", "(bool)1" is "true". */
static void cast_drop(GPtrArray *tokens, guint i)
{
	guint end = i + 1;
	const char *number;
	bool is_bool;

	while (is_type_word(token_at(tokens, end)))
		end++;
	number = token_at(tokens, end + 1);
	if (*token_at(tokens, end) != ')' || !(g_ascii_isdigit(*number) || *number == '-'))
		return;
	is_bool = end == i + 2 && !strcmp(token_at(tokens, i + 1), "bool") && *number != '-';
	if (is_bool) {
		char *word = g_strdup(strcmp(number, "0") ? "true" : "false");

		g_free(tokens->pdata[end + 1]);
		tokens->pdata[end + 1] = word;
	}
	g_ptr_array_remove_range(tokens, i, end + 1 - i);
}

static void suffix_drop(char *token)
{
	size_t length = strlen(token);

	while (g_ascii_isdigit(*token) && length > 1 && strchr("uUlL", token[length - 1]))
		token[--length] = '\0';
}

char *report_title_canonical(const char *title)
{
	GPtrArray *tokens = tokens_of(title);
	GString *out = g_string_new(NULL);

	for (guint i = 0; i < tokens->len; i++) {
		const char *before = i ? token_at(tokens, i - 1) : "";

		if (!strcmp(token_at(tokens, i), "const") && is_before_type(before))
			const_move(tokens, i);
		if (!strcmp(token_at(tokens, i), "(") && (*before == '<' || *before == ','))
			cast_drop(tokens, i);
		suffix_drop(tokens->pdata[i]);
		if (i && is_type_word(token_at(tokens, i)) && is_type_word(before) && *token_at(tokens, i) != ':')
			g_string_append_c(out, ' ');
		g_string_append(out, token_at(tokens, i));
	}
	g_ptr_array_unref(tokens);
	return g_string_free(out, FALSE);
}
