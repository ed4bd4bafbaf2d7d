/* diag.c - lists of messages, their printing, and the nearest of several names. */
#include "base/diag.h"

#include <glib.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void base_diag_init(struct base_diag_list *list)
{
	*list = (struct base_diag_list){0};
}

void base_diag_free(struct base_diag_list *list)
{
	struct base_diag *d = list->first;

	while (d) {
		struct base_diag *next = d->next;

		g_free(d->text);
		g_free(d);
		d = next;
	}
	g_clear_pointer((GHashTable **)&list->places, g_hash_table_unref);
	g_clear_pointer((GPtrArray **)&list->sources, g_ptr_array_unref);
	base_diag_init(list);
}

/* ---- places of parameters ---- */

static void place_free(void *place)
{
	g_free((char *)(uintptr_t)((struct base_place *)place)->file);
	g_free(place);
}

static char *full_key(const struct base_diag_list *list, const char *key)
{
	return g_strconcat(list->key_prefix ? list->key_prefix : "", key, NULL);
}

static uint32_t source_of(const struct base_diag_list *list, const char *file)
{
	const GPtrArray *sources = list->sources;

	for (guint i = 0; sources && i < sources->len; i++)
		if (!strcmp(sources->pdata[i], file))
			return i + 1;
	return 0;
}

void base_diag_know(struct base_diag_list *list, const char *key, struct base_place at)
{
	struct base_place *place;

	if (!at.file)
		return;
	if (!list->places) {
		list->places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, place_free);
		list->sources = g_ptr_array_new_with_free_func(g_free);
	}
	if (!source_of(list, at.file))
		g_ptr_array_add(list->sources, g_strdup(at.file));
	place = g_new(struct base_place, 1);
	*place = (struct base_place){g_strdup(at.file), at.line, at.col};
	g_hash_table_replace(list->places, full_key(list, key), place);
}

struct base_place base_diag_place(const struct base_diag_list *list, const char *key)
{
	g_autofree char *full = full_key(list, key);
	const struct base_place *place = list->places ? g_hash_table_lookup(list->places, full) : NULL;

	return place ? *place : (struct base_place){0};
}

uint32_t base_diag_source(const struct base_diag_list *list, const char *key)
{
	const struct base_place at = base_diag_place(list, key);

	return at.file ? source_of(list, at.file) : 0;
}

/* ---- messages ---- */

static void append(struct base_diag_list *list, char *text)
{
	struct base_diag *d = g_new0(struct base_diag, 1);

	d->text = text;
	if (list->last)
		list->last->next = d;
	else
		list->first = d;
	list->last = d;
}

/* A text's begin, up to its kind: "error" or "warning". */
static GString *text_new(const struct base_diag_list *list, struct base_place at, const char *kind)
{
	GString *s = g_string_new(NULL);

	if (at.file && at.line && !at.col)
		g_string_printf(s, "%s:%u: ", at.file, at.line);
	else if (at.file && at.line)
		g_string_printf(s, "%s:%u:%u: ", at.file, at.line, at.col);
	else if (at.file)
		g_string_printf(s, "%s: ", at.file);
	g_string_append_printf(s, "%s: ", kind);
	if (list->about)
		g_string_append_printf(s, "%s: ", list->about);
	return s;
}

void base_diag_error(struct base_diag_list *list, struct base_place at, const char *fmt, ...)
{
	GString *s;
	va_list ap;

	list->error_count++;
	if (list->error_count > BASE_DIAG_MAX)
		return;
	s = text_new(list, at, "error");
	va_start(ap, fmt);
	g_string_append_vprintf(s, fmt, ap);
	va_end(ap);
	append(list, g_string_free(s, FALSE));
}

void base_diag_warn(struct base_diag_list *list, const char *key, const char *value, const char *what)
{
	GString *s = text_new(list, base_diag_place(list, key), "warning");

	g_string_append_printf(s, "%s = %s: %s", key, value, what);
	append(list, g_string_free(s, FALSE));
}

void base_diag_value(struct base_diag_list *list, const char *key, uint64_t value, const char *what)
{
	base_diag_error(list, base_diag_place(list, key), "%s = %llu: %s", key, (unsigned long long)value, what);
}

char *base_diag_join(const struct base_diag_list *list)
{
	GString *s = g_string_new(NULL);

	for (const struct base_diag *d = list->first; d; d = d->next)
		g_string_append_printf(s, "%s%s", s->len ? "\n" : "", d->text);
	if (list->error_count > BASE_DIAG_MAX)
		g_string_append_printf(s, "\n... and %u more errors", list->error_count - BASE_DIAG_MAX);

	char *text = strdup(s->str);

	g_string_free(s, TRUE);
	return text;
}

static uint32_t edit_distance(const char *a, const char *b)
{
	enum { LEN_MAX = 64 };
	uint32_t row[LEN_MAX + 1];
	uint32_t alen = (uint32_t)strlen(a), blen = (uint32_t)strlen(b);

	if (alen > LEN_MAX || blen > LEN_MAX)
		return UINT32_MAX;
	for (uint32_t j = 0; j <= blen; j++)
		row[j] = j;
	for (uint32_t i = 1; i <= alen; i++) {
		uint32_t diagonal = row[0];

		row[0] = i;
		for (uint32_t j = 1; j <= blen; j++) {
			uint32_t substitute = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			row[j] = MIN(MIN(row[j] + 1, row[j - 1] + 1), substitute);
		}
	}
	return row[blen];
}

const char *base_nearest_name(const char *word, const char *const *names, uint32_t count)
{
	uint32_t best = (uint32_t)strlen(word) / 3 + 1;
	const char *nearest = NULL;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t d = edit_distance(word, names[i]);

		if (d <= best && (d < best || !nearest)) {
			best = d;
			nearest = names[i];
		}
	}
	return nearest;
}
