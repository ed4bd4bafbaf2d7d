/* sweep_rows.c - of the runs of a sweep: speed-ups, and lines of comma-separated values. */
#include "cli/sweep_rows.h"

#include "report/csv_line.h"
#include "report/report.h"

#include <stdlib.h>

/* ---- speed-ups ---- */

/* What runs that are compared have in common, as a text; to be freed with free. */
static char *work_of(const json_t *run, bool has_machines)
{
	json_t *work = json_pack("[O?, O?, O?, O?]", json_object_get(run, "workload"), json_object_get(run, "args"),
				 json_object_get(run, "part"), has_machines ? json_object_get(run, "point") : NULL);
	char *text = json_dumps(work, JSON_COMPACT);

	json_decref(work);
	return text;
}

/* The time of a run that counts, or 0. */
static double time_of(const json_t *run)
{
	const bool counts = json_is_true(json_object_get(run, "verified"));

	return counts ? report_number(json_object_get(run, "result"), "time_ps", NULL) : 0;
}

static bool are_of_machines(const json_t *runs)
{
	const json_t *first = json_object_get(json_array_get(runs, 0), "machine");
	json_t *run;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)runs, i, run)
		if (!json_equal(json_object_get(run, "machine"), first))
			return true;
	return false;
}

void cli_sweep_speedups_put(json_t *runs)
{
	/* The first run of each work. */
	g_autoptr(GHashTable) bases = g_hash_table_new_full(g_str_hash, g_str_equal, free, NULL);
	const bool has_machines = are_of_machines(runs);
	json_t *run;
	size_t i;

	json_array_foreach(runs, i, run) {
		char *work = work_of(run, has_machines);
		const json_t *base = g_hash_table_lookup(bases, work);
		const double own = time_of(run), time = base ? time_of(base) : own;

		if (base)
			free(work);
		else
			g_hash_table_insert(bases, work, run);
		json_object_set_new(run, "speedup", own > 0 && time > 0 ? json_real(time / own) : json_null());
	}
}

/* ---- as a file of comma-separated values ---- */

/* The keys of an object in any of the runs, once each, in their order; values are not of it. */
static json_t *keys_of(const json_t *runs, const char *object)
{
	json_t *keys = json_object(), *run, *value;
	const char *key;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)runs, i, run)
		json_object_foreach(json_object_get(run, object), key, value)
			json_object_set_new(keys, key, json_null());
	return keys;
}

static const char *const first_names[] = {"point", "machine", "workload"};
static const char *const object_names[] = {"values", "objectives"};
static const char *const last_names[] = {"speedup", "done", "verified", "is_pareto", "mark"};

static void head_put(GString *out, json_t *const keys[])
{
	const char *key;
	json_t *none;

	for (size_t k = 0; k < G_N_ELEMENTS(first_names); k++)
		g_string_append_printf(out, "%s,", first_names[k]);
	g_string_append(out, "args");
	for (size_t o = 0; o < G_N_ELEMENTS(object_names); o++)
		json_object_foreach(keys[o], key, none) {
			g_string_append_c(out, ',');
			report_csv_put(out, key);
		}
	for (size_t k = 0; k < G_N_ELEMENTS(last_names); k++)
		g_string_append_printf(out, ",%s", last_names[k]);
	g_string_append_c(out, '\n');
}

static void run_put(GString *out, const json_t *run, json_t *const keys[])
{
	const char *key;
	json_t *none;

	for (size_t k = 0; k < G_N_ELEMENTS(first_names); k++) {
		report_csv_put_value(out, json_object_get(run, first_names[k]));
		g_string_append_c(out, ',');
	}
	report_csv_put_args(out, json_object_get(run, "args"));
	for (size_t o = 0; o < G_N_ELEMENTS(object_names); o++)
		json_object_foreach(keys[o], key, none) {
			g_string_append_c(out, ',');
			report_csv_put_value(out, json_object_get(json_object_get(run, object_names[o]), key));
		}
	for (size_t k = 0; k < G_N_ELEMENTS(last_names); k++) {
		g_string_append_c(out, ',');
		report_csv_put_value(out, json_object_get(run, last_names[k]));
	}
	g_string_append_c(out, '\n');
}

char *cli_sweep_csv(const json_t *sweep)
{
	const json_t *runs = json_object_get(sweep, "runs");
	json_t *keys[] = {keys_of(runs, object_names[0]), keys_of(runs, object_names[1])}, *run;
	GString *out = g_string_new(NULL);
	size_t i;

	head_put(out, keys);
	json_array_foreach((json_t *)(uintptr_t)runs, i, run)
		run_put(out, run, keys);
	json_decref(keys[0]);
	json_decref(keys[1]);
	return g_string_free(out, FALSE);
}
