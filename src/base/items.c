/* items.c - YAML events to items, with the place of each. */
#include "base/items.h"

#include "base/check.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

/* Far above what a description has; they bound the time for a text that is none. */
enum { DEPTH_MAX = 64, ITEMS_MAX = 4096 };

struct reader {
	const char *path;
	const struct base_item_words *words;
	yaml_parser_t parser;
	struct base_diag_list *diag;
	GArray *items;
	uint32_t depth; /* of lists and mappings around the next event */
};

static struct base_place place_of(const struct reader *r, yaml_mark_t mark)
{
	return (struct base_place){r->path, (uint32_t)mark.line + 1, (uint32_t)mark.column + 1};
}

/* Does the event lie too deep? Then it is gone, after a message. The parser's time for a text grows with its
 * depth. */
static bool is_deep(struct reader *r, yaml_event_t *e)
{
	const struct base_place at = place_of(r, e->start_mark);

	r->depth += e->type == YAML_MAPPING_START_EVENT || e->type == YAML_SEQUENCE_START_EVENT;
	r->depth -= e->type == YAML_MAPPING_END_EVENT || e->type == YAML_SEQUENCE_END_EVENT;
	if (r->depth <= DEPTH_MAX)
		return false;
	base_diag_error(r->diag, at, "more than %d lists and mappings in each other: not a %s description",
			DEPTH_MAX, r->words->thing);
	yaml_event_delete(e);
	return true;
}

/* The next event, or false after a syntax error (reported). */
static bool next(struct reader *r, yaml_event_t *e)
{
	if (yaml_parser_parse(&r->parser, e))
		return !is_deep(r, e);

	const char *problem = r->parser.problem ? r->parser.problem : "not YAML";
	const char *context = r->parser.context;

	if (r->parser.error == YAML_READER_ERROR)
		base_diag_error(r->diag, (struct base_place){r->path, 0, 0}, "not text in UTF-8: %s at byte %zu",
				problem, r->parser.problem_offset);
	else
		base_diag_error(r->diag, place_of(r, r->parser.problem_mark), "%s%s%s", problem, context ? " " : "",
				context ? context : "");
	return false;
}

/* Reads on to the end of the value that e begins, which nobody wants. Consumes e. */
static bool skip(struct reader *r, yaml_event_t *e)
{
	uint32_t depth = 0;

	for (;;) {
		bool is_begin = e->type == YAML_MAPPING_START_EVENT || e->type == YAML_SEQUENCE_START_EVENT;
		bool is_end = e->type == YAML_MAPPING_END_EVENT || e->type == YAML_SEQUENCE_END_EVENT;

		yaml_event_delete(e);
		depth += is_begin;
		depth -= is_end;
		if (!depth)
			return true;
		if (!next(r, e))
			return false;
	}
}

/* A scalar without anchor and tag; else reports what stands there. */
static bool is_plain(struct reader *r, const yaml_event_t *e, const char *expected)
{
	struct base_place at = place_of(r, e->start_mark);

	if (e->type == YAML_ALIAS_EVENT)
		base_diag_error(r->diag, at, "expected %s, found the alias *%s: %s files have no anchors",
				expected, e->data.alias.anchor, r->words->thing);
	else if (e->type == YAML_SEQUENCE_START_EVENT)
		base_diag_error(r->diag, at, "expected %s, found a list", expected);
	else if (e->type == YAML_MAPPING_START_EVENT)
		base_diag_error(r->diag, at, "expected %s, found a mapping", expected);
	else if (e->data.scalar.anchor)
		base_diag_error(r->diag, at, "expected %s, found the anchor &%s: %s files have no anchors",
				expected, e->data.scalar.anchor, r->words->thing);
	else if (e->data.scalar.tag)
		base_diag_error(r->diag, at, "expected %s, found the tag %s: %s files have no tags", expected,
				e->data.scalar.tag, r->words->thing);
	else if (strlen((const char *)e->data.scalar.value) != e->data.scalar.length)
		base_diag_error(r->diag, at, "expected %s, found text with a NUL character", expected);
	else
		return true;
	return false;
}

static void check_twice(struct reader *r, const struct base_item *item)
{
	for (uint32_t i = 0; i < r->items->len; i++) {
		const struct base_item *other = &g_array_index(r->items, struct base_item, i);

		if (g_strcmp0(other->group, item->group) || strcmp(other->name, item->name))
			continue;
		base_diag_error(r->diag, item->name_at, "'%s' is given twice; the first is in line %u", item->name,
				other->name_at.line);
		return;
	}
}

/* A group that stands twice is a mistake, even where its values do not clash: the second is overlooked. */
static void check_group_twice(struct reader *r, const char *group, struct base_place at)
{
	g_autofree char *inner = g_strconcat(group, ".", NULL);

	for (uint32_t i = 0; i < r->items->len; i++) {
		const struct base_item *other = &g_array_index(r->items, struct base_item, i);

		if (!other->group || (strcmp(other->group, group) && !g_str_has_prefix(other->group, inner)))
			continue;
		base_diag_error(r->diag, at, "'%s' is given twice; the first has a value in line %u", group,
				other->name_at.line);
		return;
	}
}

static void add_item(struct reader *r, const char *group, struct base_place group_at, const char *name,
		     struct base_place name_at, const yaml_event_t *value)
{
	struct base_item item = {
	    .group = g_strdup(group),
	    .name = g_strdup(name),
	    .value = g_strdup((const char *)value->data.scalar.value),
	    .group_at = group_at,
	    .name_at = name_at,
	    .value_at = place_of(r, value->start_mark),
	};

	check_twice(r, &item);
	if (!item.value[0])
		base_diag_error(r->diag, item.value_at, "'%s' has no value", name);
	g_array_append_val(r->items, item);
}

static bool read_group(struct reader *r, const char *group, struct base_place group_at);

static bool is_nest(const struct reader *r, const char *group)
{
	return r->words->nest && !strcmp(group, r->words->nest);
}

/* One "key: value" of the mapping that is group (NULL: the top). key_event is consumed. False: stop reading. */
static bool read_pair(struct reader *r, const char *group, struct base_place group_at, yaml_event_t *key_event)
{
	if (!is_plain(r, key_event, "a name")) {
		yaml_event_t value;

		return skip(r, key_event) && next(r, &value) && skip(r, &value);
	}

	g_autofree char *key = g_strdup((const char *)key_event->data.scalar.value);
	struct base_place key_at = place_of(r, key_event->start_mark);
	yaml_event_t value;

	yaml_event_delete(key_event);
	if (!next(r, &value))
		return false;
	if (value.type == YAML_MAPPING_START_EVENT && (!group || is_nest(r, group))) {
		g_autofree char *name = group ? g_strconcat(group, ".", key, NULL) : g_strdup(key);

		yaml_event_delete(&value);
		check_group_twice(r, name, key_at);
		return read_group(r, name, key_at);
	}
	if (r->items->len == ITEMS_MAX) {
		base_diag_error(r->diag, key_at, "more than %d values: not a %s description", ITEMS_MAX,
				r->words->thing);
		yaml_event_delete(&value);
		return false;
	}
	if (is_plain(r, &value, group && !is_nest(r, group) ? "one value" : "a value or a group of parameters"))
		add_item(r, group, group_at, key, key_at, &value);
	return skip(r, &value);
}

static bool read_group(struct reader *r, const char *group, struct base_place group_at)
{
	yaml_event_t e;

	for (;;) {
		if (!next(r, &e))
			return false;
		if (e.type == YAML_MAPPING_END_EVENT)
			break;
		if (!read_pair(r, group, group_at, &e))
			return false;
	}
	yaml_event_delete(&e);
	return true;
}

static void read_stream(struct reader *r)
{
	yaml_event_t e;
	uint32_t document_count = 0;

	for (;;) {
		if (!next(r, &e))
			return;

		yaml_event_type_t type = e.type;
		struct base_place at = place_of(r, e.start_mark);

		if (type == YAML_STREAM_END_EVENT) {
			yaml_event_delete(&e);
			break;
		}
		if (type == YAML_DOCUMENT_START_EVENT && document_count++) {
			base_diag_error(r->diag, at, "a second document: a %s file describes one %s", r->words->thing,
					r->words->thing);
			yaml_event_delete(&e);
			return;
		}
		if (type == YAML_SCALAR_EVENT || type == YAML_SEQUENCE_START_EVENT || type == YAML_ALIAS_EVENT) {
			base_diag_error(r->diag, at, "expected groups of parameters such as '%s:', found %s",
					r->words->example, type == YAML_SCALAR_EVENT ? "text" : "a list");
			yaml_event_delete(&e);
			return;
		}
		yaml_event_delete(&e);
		if (type == YAML_MAPPING_START_EVENT && !read_group(r, NULL, at))
			return;
	}
	if (!document_count)
		base_diag_error(r->diag, (struct base_place){r->path, 0, 0},
				"the file is empty: expected groups of parameters such as '%s:'", r->words->example);
}

static bool file_load(const char *path, const char *thing, char **text, size_t *size_bytes, struct base_diag_list *diag)
{
	struct base_place at = {path, 0, 0};
	FILE *f = fopen(path, "rb");

	if (!f) {
		base_diag_error(diag, at, "cannot open the %s description: %s", thing, strerror(errno));
		return false;
	}
	*text = g_malloc(BASE_ITEMS_BYTES_MAX + 1);
	*size_bytes = fread(*text, 1, BASE_ITEMS_BYTES_MAX + 1, f);

	bool is_read = !ferror(f);

	if (!is_read)
		base_diag_error(diag, at, "cannot read the %s description: %s", thing, strerror(errno));
	fclose(f);
	if (is_read && *size_bytes > BASE_ITEMS_BYTES_MAX) {
		base_diag_error(diag, at, "larger than 1 MiB: not a %s description", thing);
		return false;
	}
	return is_read;
}

bool base_items_read(const char *path, const struct base_item_words *words, struct base_items *out,
		     struct base_diag_list *diag)
{
	struct reader r = {.path = path, .words = words, .diag = diag};
	uint32_t errors_before = diag->error_count;
	g_autofree char *text = NULL;
	size_t size_bytes;

	*out = (struct base_items){0};
	if (!file_load(path, words->thing, &text, &size_bytes, diag))
		return false;
	r.items = g_array_new(FALSE, FALSE, sizeof(struct base_item));
	CHECK(yaml_parser_initialize(&r.parser));
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size_bytes);
	read_stream(&r);
	yaml_parser_delete(&r.parser);
	out->count = r.items->len;
	out->items = (struct base_item *)(void *)g_array_free(r.items, FALSE);
	return diag->error_count == errors_before;
}

void base_items_free(struct base_items *items)
{
	for (uint32_t i = 0; i < items->count; i++) {
		g_free(items->items[i].group);
		g_free(items->items[i].name);
		g_free(items->items[i].value);
	}
	g_free(items->items);
	*items = (struct base_items){0};
}
