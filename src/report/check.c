/* check.c - follows the paths of fields.def through a result. */
#include "report/check.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

struct field {
	const char *path, *types;
};
static const struct field fields[] = {
#define FIELD(path, types) {path, types},
#include "report/fields.def"
};
static const struct field sweep_fields[] = {
#define FIELD(path, types) {path, types},
#include "report/sweep_fields.def"
};
static const struct field tried_fields[] = {
#define FIELD(path, types) {path, types},
#include "report/tried_fields.def"
};

/* Where the walk is: what it has come along, and what is wrong. */
struct walk {
	const char *types;
	GString *place;
	char *message;
};

static char type_letter(const json_t *v)
{
	switch (json_typeof(v)) {
	case JSON_STRING:
		return 's';
	case JSON_INTEGER:
	case JSON_REAL:
		return 'n';
	case JSON_TRUE:
	case JSON_FALSE:
		return 'b';
	case JSON_OBJECT:
		return 'o';
	case JSON_ARRAY:
		return 'a';
	default:
		return '0';
	}
}

static const char *type_name(char letter)
{
	static const struct {
		char letter;
		const char *name;
	} names[] = {{'s', "a text"}, {'n', "a number"}, {'b', "true or false"},
		     {'o', "an object"}, {'a', "an array"}, {'0', "null"}};

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		if (names[i].letter == letter)
			return names[i].name;
	return "something else";
}

static char *expected_of(const char *types)
{
	GString *text = g_string_new(NULL);

	for (; *types && *types != '!'; types++)
		g_string_append_printf(text, "%s%s", text->len ? " or " : "", type_name(*types));
	return g_string_free(text, FALSE);
}

/* v NULL: it is not there. */
static void check_leaf(struct walk *w, const json_t *v)
{
	const char *place = w->place->str;
	g_autofree char *expected = NULL;

	if (v ? strchr(w->types, type_letter(v)) != NULL : !strchr(w->types, '!'))
		return;
	expected = expected_of(w->types);
	if (v)
		w->message = g_strdup_printf("%s is %s, expected %s", place, type_name(type_letter(v)), expected);
	else
		w->message = g_strdup_printf("%s is missing, expected %s", place, expected);
}

static void walk(struct walk *w, const char *path, const json_t *in);

/* One step further, to v, and back. */
static void step(struct walk *w, const char *name, const char *rest, const json_t *v)
{
	const size_t length = w->place->len;

	if (w->message)
		return;
	g_string_append_printf(w->place, "%s%s", length ? "/" : "", name);
	if (*rest)
		walk(w, rest + 1, v);
	else
		check_leaf(w, v);
	g_string_truncate(w->place, length);
}

static void walk(struct walk *w, const char *path, const json_t *in)
{
	const size_t length = strcspn(path, "/");
	const char *rest = path + length, *key;
	json_t *v;
	size_t i;

	if (!strncmp(path, "[]", length)) {
		json_array_foreach(in, i, v) {
			char number[32];

			g_snprintf(number, sizeof(number), "%zu", i);
			step(w, number, rest, v);
		}
	} else if (!strncmp(path, "*", length)) {
		json_object_foreach((json_t *)in, key, v)
			step(w, key, rest, v);
	} else if (json_is_object(in)) {
		g_autofree char *name = g_strndup(path, length);

		step(w, name, rest, json_object_get(in, name));
	}
}

static char *check_all(const json_t *of, const struct field *all, size_t count)
{
	struct walk w = {.place = g_string_new(NULL)};

	if (!json_is_object(of))
		w.message = g_strdup("the result is no object");
	for (size_t i = 0; i < count && !w.message; i++) {
		w.types = all[i].types;
		walk(&w, all[i].path, of);
	}
	g_string_free(w.place, TRUE);
	return w.message;
}

char *report_check(const json_t *run)
{
	return check_all(run, fields, G_N_ELEMENTS(fields));
}

char *report_tried_check(const json_t *tried)
{
	return check_all(tried, tried_fields, G_N_ELEMENTS(tried_fields));
}

char *report_sweep_check(const json_t *sweep)
{
	return check_all(sweep, sweep_fields, G_N_ELEMENTS(sweep_fields));
}

json_t *report_result_read(const char *text, char **wrong)
{
	json_error_t error;
	json_t *run = text ? json_loads(text, 0, &error) : NULL;

	if (!text)
		*wrong = g_strdup("it has no results");
	else if (!run)
		*wrong = g_strdup_printf("its result is no JSON: %s", error.text);
	else
		*wrong = report_check(run);
	if (!*wrong)
		return run;
	json_decref(run);
	return NULL;
}
