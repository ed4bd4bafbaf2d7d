/* yaml_tree.c - loads a document of YAML, and reads the values of its nodes. */
#include "base/yaml_tree.h"

#include "base/check.h"

#include <errno.h>
#include <glib.h>
#include <math.h>
#include <string.h>

enum { ENTRIES_MAX = 32 };

yaml_node_t *base_yaml_node(struct base_yaml *y, int index)
{
	return yaml_document_get_node(&y->doc, index);
}

struct base_place base_yaml_place(const struct base_yaml *y, const yaml_node_t *n)
{
	return (struct base_place){y->path, (uint32_t)n->start_mark.line + 1, (uint32_t)n->start_mark.column + 1};
}

const char *base_yaml_words(struct base_yaml *y, const yaml_node_t *n, const char *what)
{
	if (n->type == YAML_SCALAR_NODE && strlen((const char *)n->data.scalar.value) == n->data.scalar.length)
		return (const char *)n->data.scalar.value;
	base_diag_error(y->diag, base_yaml_place(y, n), "expected %s", what);
	return NULL;
}

const char *base_yaml_text(struct base_yaml *y, const yaml_node_t *n, const char *what)
{
	const char *text = base_yaml_words(y, n, what);

	if (!text || *text)
		return text;
	base_diag_error(y->diag, base_yaml_place(y, n), "expected %s", what);
	return NULL;
}

bool base_yaml_number(struct base_yaml *y, const yaml_node_t *n, const char *what, double *out)
{
	const char *text = base_yaml_text(y, n, what);
	char *end;

	if (!text)
		return false;
	errno = 0;
	*out = g_ascii_strtod(text, &end);
	if (!*end && !errno && isfinite(*out))
		return true;
	base_diag_error(y->diag, base_yaml_place(y, n), "'%s' is no number: expected %s", text, what);
	return false;
}

bool base_yaml_count(struct base_yaml *y, const yaml_node_t *n, const char *what, double min, double max,
		     uint32_t *out)
{
	double value;

	if (!base_yaml_number(y, n, what, &value))
		return false;
	if (value >= min && value <= max && value == (double)(uint32_t)value) {
		*out = (uint32_t)value;
		return true;
	}
	base_diag_error(y->diag, base_yaml_place(y, n), "%g: expected a whole number from %.0f to %.0f", value, min,
			max);
	return false;
}

bool base_yaml_is_mapping(struct base_yaml *y, const yaml_node_t *n, const char *what)
{
	if (n->type != YAML_MAPPING_NODE)
		base_diag_error(y->diag, base_yaml_place(y, n), "expected %s", what);
	return n->type == YAML_MAPPING_NODE;
}

bool base_yaml_is_list(struct base_yaml *y, const yaml_node_t *n, const char *what)
{
	if (n->type != YAML_SEQUENCE_NODE)
		base_diag_error(y->diag, base_yaml_place(y, n), "expected %s", what);
	return n->type == YAML_SEQUENCE_NODE;
}

static void take_entry(struct base_yaml *y, const yaml_node_pair_t *pair, const char *thing,
		       const struct base_yaml_entry *entries, uint32_t count)
{
	yaml_node_t *key = base_yaml_node(y, pair->key);
	const char *names[ENTRIES_MAX], *name = base_yaml_text(y, key, "a name"), *nearest;

	for (uint32_t i = 0; name && i < count; i++) {
		names[i] = entries[i].name;
		if (strcmp(name, entries[i].name))
			continue;
		if (*entries[i].value)
			base_diag_error(y->diag, base_yaml_place(y, key), "'%s' is given twice", name);
		*entries[i].value = base_yaml_node(y, pair->value);
		return;
	}
	if (!name)
		return;
	nearest = base_nearest_name(name, names, count);
	base_diag_error(y->diag, base_yaml_place(y, key), "%s has no '%s'%s%s%s", thing, name,
			nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

void base_yaml_entries(struct base_yaml *y, const yaml_node_t *n, const char *thing,
		       const struct base_yaml_entry *entries, uint32_t count)
{
	CHECK(count <= ENTRIES_MAX);
	for (uint32_t i = 0; i < count; i++)
		*entries[i].value = NULL;
	BASE_YAML_EACH_PAIR(n, pair)
		take_entry(y, pair, thing, entries, count);
}

static void parse(struct base_yaml *y, const struct base_yaml_words *words, const char *text, size_t length,
		  void (*take)(void *ctx, struct base_yaml *y, yaml_node_t *root), void *ctx)
{
	const struct base_place whole = {y->path, 0, 0};
	yaml_parser_t parser;
	yaml_node_t *root;

	CHECK(yaml_parser_initialize(&parser));
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
	if (yaml_parser_load(&parser, &y->doc)) {
		root = yaml_document_get_root_node(&y->doc);
		if (root && root->type == YAML_MAPPING_NODE)
			take(ctx, y, root);
		else
			base_diag_error(y->diag, whole, "not %s: expected %s", words->thing, words->example);
		yaml_document_delete(&y->doc);
	} else {
		base_diag_error(y->diag,
				(struct base_place){y->path, (uint32_t)parser.problem_mark.line + 1,
						    (uint32_t)parser.problem_mark.column + 1},
				"%s", parser.problem ? parser.problem : "not YAML");
	}
	yaml_parser_delete(&parser);
}

bool base_yaml_read(const char *path, const struct base_yaml_words *words,
		    void (*take)(void *ctx, struct base_yaml *y, yaml_node_t *root), void *ctx,
		    struct base_diag_list *diag)
{
	struct base_yaml y = {.path = path, .diag = diag};
	const uint32_t before = diag->error_count;
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	size_t length;

	if (!g_file_get_contents(path, &text, &length, &error))
		base_diag_error(diag, (struct base_place){0}, "%s", error->message);
	else if (length > BASE_YAML_BYTES_MAX)
		base_diag_error(diag, (struct base_place){path, 0, 0}, "more than %d bytes: not %s",
				BASE_YAML_BYTES_MAX, words->thing);
	else
		parse(&y, words, text, length, take, ctx);
	return diag->error_count == before;
}
