/* csv.c - runs as a table for other programs: a line per run, a column per value. */
#include "report/csv_line.h"
#include "report/runs.h"

#include <glib.h>
#include <string.h>

/* Objects whose members are columns. */
static const char *const groups[] = {"traffic_bytes", "energy_pj", "params", "stats"};

static void column_add(GPtrArray *columns, GHashTable *seen, const char *group, const char *name)
{
	char *full = group ? g_strconcat(group, ".", name, NULL) : g_strdup(name);

	if (g_hash_table_contains(seen, full)) {
		g_free(full);
		return;
	}
	g_hash_table_add(seen, full);
	g_ptr_array_add(columns, full);
}

static bool is_single(const json_t *v)
{
	return !json_is_object(v) && !json_is_array(v);
}

/* Names of single values of an object; of histograms, their parts. */
static void columns_of(GPtrArray *columns, GHashTable *seen, const char *group, json_t *object)
{
	const char *name, *part;
	json_t *value, *inner;

	json_object_foreach(object, name, value) {
		if (is_single(value)) {
			column_add(columns, seen, group, name);
			continue;
		}
		if (!group)
			continue;
		json_object_foreach(value, part, inner) {
			g_autofree char *full = g_strconcat(name, ".", part, NULL);

			column_add(columns, seen, group, full);
		}
	}
}

static const json_t *value_at(const json_t *run, const char *column)
{
	for (size_t i = 0; i < G_N_ELEMENTS(groups); i++) {
		const size_t length = strlen(groups[i]);
		const json_t *object = json_object_get(run, groups[i]), *value;
		const char *name = column + length + 1, *dot;

		if (strncmp(column, groups[i], length) || column[length] != '.')
			continue;
		value = json_object_get(object, name);
		dot = strrchr(name, '.');
		if (value || !dot)
			return value;

		g_autofree char *outer = g_strndup(name, (size_t)(dot - name));

		return json_object_get(json_object_get(object, outer), dot + 1);
	}
	return json_object_get(run, column);
}

char *report_runs_csv(const json_t *runs)
{
	g_autoptr(GPtrArray) columns = g_ptr_array_new();
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GString *out = g_string_new("args");
	size_t i;
	json_t *run;

	json_array_foreach(runs, i, run)
		columns_of(columns, seen, NULL, run);
	for (size_t g = 0; g < G_N_ELEMENTS(groups); g++)
		json_array_foreach(runs, i, run)
			columns_of(columns, seen, groups[g], json_object_get(run, groups[g]));
	for (uint32_t c = 0; c < columns->len; c++) {
		g_string_append_c(out, ',');
		report_csv_put(out, columns->pdata[c]);
	}
	g_string_append_c(out, '\n');
	json_array_foreach(runs, i, run) {
		report_csv_put_args(out, json_object_get(run, "args"));
		for (uint32_t c = 0; c < columns->len; c++) {
			g_string_append_c(out, ',');
			report_csv_put_value(out, value_at(run, columns->pdata[c]));
		}
		g_string_append_c(out, '\n');
	}
	return g_string_free(out, FALSE);
}
