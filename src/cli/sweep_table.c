/* sweep_table.c - the runs of a sweep as one object, its Pareto front, its table. */
#include "cli/sweep_table.h"

#include "cli/options.h"
#include "cli/sweep_rows.h"
#include "report/fit.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

enum { ROWS_MAX = 100 };

/* The number at a path as "traffic_bytes.tx" or "stats.sm.issued_cycles"; NULL: there is none. */
static json_t *number_at(const json_t *result, const char *path)
{
	json_t *value = json_object_get(result, path);
	const char *dot = strchr(path, '.');

	if (!value && dot) {
		g_autofree char *outer = g_strndup(path, (size_t)(dot - path));

		value = json_object_get(json_object_get(result, outer), dot + 1);
	}
	return json_is_number(value) ? value : NULL;
}

static const char *field_of(const char *objective)
{
	return objective + (*objective == '-');
}

json_t *cli_sweep_settings(char **point)
{
	json_t *settings = json_object();

	for (; *point; point++) {
		const char *equals = strchr(*point, '=');
		g_autofree char *key = g_strndup(*point, (size_t)(equals - *point));

		json_object_set_new(settings, key, json_string(equals + 1));
	}
	return settings;
}

/* The settings as the machine had them: numbers, truths and names; null where it has not run. */
static json_t *values_of(char **point, const json_t *result)
{
	const json_t *params = json_object_get(result, "params");
	json_t *settings = cli_sweep_settings(point), *values = json_object(), *text;
	const char *key;

	json_object_foreach(settings, key, text) {
		json_t *value = json_object_get(params, key);

		json_object_set_new(values, key, value ? json_incref(value) : json_null());
	}
	json_decref(settings);
	return values;
}

static json_t *args_of(const struct cli_target *target)
{
	json_t *args = json_array();

	for (char **arg = cli_target_arguments(target); *arg; arg++) {
		g_autofree char *shown = g_utf8_make_valid(*arg, -1);

		json_array_append_new(args, json_string(shown));
	}
	return args;
}

/* Every single value, and the traffic. */
static json_t *short_of(const json_t *result)
{
	json_t *out = json_object(), *value;
	const char *name;

	json_object_foreach((json_t *)result, name, value) {
		if ((!json_is_object(value) && !json_is_array(value)) || !strcmp(name, "traffic_bytes") ||
		    !strcmp(name, "channels"))
			json_object_set(out, name, value);
	}
	json_object_del(out, "machine_text");
	return out;
}

/* Of a run that skipped all its launches (run.only, run.fast_forward) no time and no energy was counted. */
static bool is_uncounted(const json_t *result, const char *field)
{
	return (g_str_has_suffix(field, "_ps") || g_str_has_suffix(field, "_pj")) &&
	       report_number(result, "time_ps", NULL) <= 0 &&
	       report_number(result, "sampling", "launches_skipped") > 0;
}

json_t *cli_sweep_objectives(const struct sweep_plan *plan, const json_t *result)
{
	json_t *objectives = json_object();

	for (uint32_t i = 0; i < plan->objectives->len; i++) {
		const char *field = field_of(plan->objectives->pdata[i]);
		json_t *value = is_uncounted(result, field) ? NULL : number_at(result, field);

		json_object_set_new(objectives, field, value ? json_incref(value) : json_null());
	}
	return objectives;
}

static json_t *run_json(const struct cli_sweep *s, uint32_t run)
{
	const struct cli_target *target = cli_sweep_target(s, run);
	const uint32_t point = cli_sweep_point(s, run);
	json_t *results = cli_sweep_results(s, run), *result = json_array_get(results, 0);
	g_autofree char *mark = report_mark(result), *part = report_part(result);
	json_t *o = json_pack("{s:i, s:o, s:s, s:s, s:o, s:b, s:b, s:s, s:s}", "point", (int)point, "settings",
			      cli_sweep_settings(s->plan->points->pdata[point]), "machine", cli_sweep_machine(s, run),
			      "workload", target->name, "args", args_of(target), "done", result != NULL, "verified",
			      json_is_true(json_object_get(result, "verified")), "mark", mark,
			      "part", part);

	json_object_set_new(o, "values", values_of(s->plan->points->pdata[point], result));
	if (cli_sweep_name(s, run))
		json_object_set_new(o, "run", json_string(cli_sweep_name(s, run)));
	if (s->reasons->pdata[run])
		json_object_set_new(o, "left_out", json_string(s->reasons->pdata[run]));
	json_object_set_new(o, "objectives", cli_sweep_objectives(s->plan, result));
	json_object_set_new(o, "result", result ? short_of(result) : json_null());
	json_decref(results);
	return o;
}

void cli_sweep_front_mark(const GPtrArray *objectives, json_t *runs, const bool *is_own)
{
	const uint32_t count = objectives->len;
	g_autofree double *values = g_new(double, json_array_size(runs) * count + 1);
	g_autofree bool *is_best = g_new(bool, json_array_size(runs) + 1);
	size_t i;
	json_t *run;

	json_array_foreach(runs, i, run) {
		const bool counts = is_own[i] && json_is_true(json_object_get(run, "verified"));
		const json_t *numbers = json_object_get(run, "objectives");

		for (uint32_t k = 0; k < count; k++) {
			const char *objective = objectives->pdata[k];
			const json_t *value = json_object_get(numbers, field_of(objective));
			const double own = json_is_number(value) ? json_number_value(value) : NAN;

			values[i * count + k] = !counts ? NAN : *objective == '-' ? -own : own;
		}
	}
	sweep_pareto(values, (uint32_t)json_array_size(runs), count, is_best);
	json_array_foreach(runs, i, run) {
		if (is_own[i])
			json_object_set_new(run, "is_pareto", json_boolean(is_best[i]));
	}
}

static bool is_of(const struct cli_sweep *s, uint32_t run, uint32_t program)
{
	return cli_sweep_target(s, run) == s->targets->pdata[program];
}

static const char *part_of(const json_t *runs, uint32_t run)
{
	return json_string_value(json_object_get(json_array_get(runs, run), "part"));
}

/* The runs of a program, each part of it that was timed by itself. */
static void mark_front(const struct cli_sweep *s, json_t *runs, uint32_t program)
{
	g_autofree bool *is_own = g_new(bool, json_array_size(runs) + 1);
	g_autoptr(GHashTable) parts = g_hash_table_new(g_str_hash, g_str_equal);

	for (uint32_t i = 0; i < json_array_size(runs); i++) {
		if (!is_of(s, i, program) || !g_hash_table_add(parts, (char *)(uintptr_t)part_of(runs, i)))
			continue;
		for (uint32_t k = 0; k < json_array_size(runs); k++)
			is_own[k] = is_of(s, k, program) && !strcmp(part_of(runs, k), part_of(runs, i));
		cli_sweep_front_mark(s->plan->objectives, runs, is_own);
	}
}

json_t *cli_sweep_pack(const struct sweep_plan *plan, const char *name, uint32_t done_count, uint32_t left_count,
		       json_t *runs)
{
	json_t *axes = json_array(), *objectives = json_array();

	for (uint32_t i = 0; i < plan->axes->len; i++) {
		const struct sweep_axis *a = plan->axes->pdata[i];

		json_array_append_new(axes, json_string(a->key));
	}
	for (uint32_t i = 0; i < plan->objectives->len; i++)
		json_array_append_new(objectives, json_string(plan->objectives->pdata[i]));
	return json_pack("{s:s, s:o, s:o, s:i, s:i, s:o}", "sweep", name, "axes", axes, "objectives", objectives,
			 "runs_done", (int)done_count, "runs_left_out", (int)left_count, "runs", runs);
}

json_t *cli_sweep_json(const struct cli_sweep *s, const char *name)
{
	json_t *runs = json_array();

	for (uint32_t run = 0; run < cli_sweep_count(s); run++)
		json_array_append_new(runs, run_json(s, run));
	for (uint32_t i = 0; i < s->plan->programs->len; i++)
		mark_front(s, runs, i);
	cli_sweep_speedups_put(runs);
	return cli_sweep_pack(s->plan, name, cli_sweep_done_count(s), s->left_count, runs);
}

bool cli_sweep_fields_check(const struct cli_sweep *s, const json_t *runs)
{
	bool is_ok = true;

	for (uint32_t k = 0; k < s->plan->objectives->len; k++) {
		const char *field = field_of(s->plan->objectives->pdata[k]);
		uint32_t verified = 0, known = 0;
		const json_t *run;
		size_t i;

		json_array_foreach(runs, i, run) {
			verified += json_is_true(json_object_get(run, "verified"));
			known += json_is_number(json_object_get(json_object_get(run, "objectives"), field));
		}
		if (verified && !known) {
			cli_error("sweep: pareto: no run has a number '%s' among its results", field);
			is_ok = false;
		}
	}
	return is_ok;
}

/* ---- the table ---- */

/* What people read: a field's ending says its unit. */
static const struct unit {
	const char *ending, *shown;
	double divisor;
	int decimals;
} units[] = {{"_ps", " us", 1e6, 3}, {"_pj", " mJ", 1e9, 4}};

static const struct unit *unit_of(const char *field)
{
	for (size_t i = 0; i < G_N_ELEMENTS(units); i++)
		if (g_str_has_suffix(field, units[i].ending))
			return &units[i];
	return NULL;
}

/* Of its column; a new text. */
static char *title_of(const json_t *objective)
{
	const char *field = field_of(json_string_value(objective));
	const struct unit *unit = unit_of(field);
	const size_t length = strlen(field) - (unit ? strlen(unit->ending) : 0);

	return g_strdup_printf("%.*s%s", (int)length, field, unit ? unit->shown : "");
}

static void print_head(FILE *out, const json_t *objectives, bool has_speedups)
{
	size_t i;
	json_t *objective;

	fprintf(out, "%7s  %-20s" REPORT_FIT_COLUMN "  %-16s", "point", "machine", "program");
	json_array_foreach(objectives, i, objective) {
		g_autofree char *title = title_of(objective);

		fprintf(out, REPORT_FIT_COLUMN "  %18s", title);
	}
	fprintf(out, REPORT_FIT_COLUMN "%s  front  settings\n", has_speedups ? "  speed-up" : "");
}

static bool are_of_one_program(const json_t *runs)
{
	const json_t *first = json_object_get(json_array_get(runs, 0), "workload"), *run;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)runs, i, run)
		if (!json_equal(json_object_get(run, "workload"), first))
			return false;
	return true;
}

/* Which columns a narrow terminal loses: the last objectives first, and never the first one. */
static GPtrArray *order_of(const json_t *objectives, const json_t *runs)
{
	GPtrArray *order = g_ptr_array_new_with_free_func(g_free);

	for (size_t i = json_array_size(objectives); i-- > 1;)
		g_ptr_array_add(order, title_of(json_array_get(objectives, i)));
	if (are_of_one_program(runs))
		g_ptr_array_add(order, g_strdup("program"));
	g_ptr_array_add(order, NULL);
	return order;
}

static void print_objective(FILE *out, const char *field, const json_t *value)
{
	const struct unit *unit = unit_of(field);

	if (!json_is_number(value))
		fprintf(out, REPORT_FIT_COLUMN "  %18s", "-");
	else if (unit)
		fprintf(out, REPORT_FIT_COLUMN "  %18.*f", unit->decimals, json_number_value(value) / unit->divisor);
	else
		fprintf(out, REPORT_FIT_COLUMN "  %18.12g", json_number_value(value));
}

static void print_run(FILE *out, const json_t *run, bool has_speedups)
{
	const char *mark = json_string_value(json_object_get(run, "mark"));
	const json_t *speedup = json_object_get(run, "speedup");
	const char *key;
	json_t *value;

	fprintf(out, "%7.0f  %-20s" REPORT_FIT_COLUMN "  %-16s", report_number(run, "point", NULL),
		json_string_value(json_object_get(run, "machine")),
		json_string_value(json_object_get(run, "workload")));
	json_object_foreach(json_object_get(run, "objectives"), key, value)
		print_objective(out, key, value);
	fputs(REPORT_FIT_COLUMN, out);
	if (json_is_number(speedup))
		fprintf(out, "  %7.2fx", json_number_value(speedup));
	else if (has_speedups)
		fprintf(out, "  %8s", "-");
	fprintf(out, "  %-5s ", json_is_true(json_object_get(run, "is_pareto")) ? "*" : "");
	if (json_object_get(run, "run"))
		fprintf(out, " %s:", json_string_value(json_object_get(run, "run")));
	json_object_foreach(json_object_get(run, "settings"), key, value)
		fprintf(out, " %s=%s", key, json_string_value(value));
	if (json_object_get(run, "left_out"))
		fprintf(out, "  left out: %s", json_string_value(json_object_get(run, "left_out")));
	else if (!json_is_true(json_object_get(run, "done")))
		fputs("  NOT DONE", out);
	else if (!json_is_true(json_object_get(run, "verified")))
		fputs("  NOT VERIFIED", out);
	if (mark && *mark) /* designs have none */
		fprintf(out, "  %s", mark);
	fputc('\n', out);
}

void cli_sweep_print(FILE *out, const json_t *sweep)
{
	const json_t *runs = json_object_get(sweep, "runs");
	const bool is_short = json_array_size(runs) > ROWS_MAX;
	g_autoptr(GPtrArray) order = order_of(json_object_get(sweep, "objectives"), runs);
	struct report_fit fit;
	FILE *table = report_fit_begin(&fit);
	bool has_speedups = false; /* designs have none */
	size_t i;
	json_t *run;

	json_array_foreach(runs, i, run)
		has_speedups = has_speedups || json_object_get(run, "speedup");
	print_head(table, json_object_get(sweep, "objectives"), has_speedups);
	json_array_foreach(runs, i, run) {
		if (!is_short || json_is_true(json_object_get(run, "is_pareto")))
			print_run(table, run, has_speedups);
	}
	report_fit_end(&fit, out, (const char *const *)order->pdata,
		       "--json FILE, --csv FILE and a wider one have them");
	fprintf(out, "\n%.0f of %zu runs are done", report_number(sweep, "runs_done", NULL),
		json_array_size(runs) - (size_t)report_number(sweep, "runs_left_out", NULL));
	if (is_short)
		fputs("; shown are those that no other beats, --json FILE has all", out);
	fputc('\n', out);
}
