/* bench.c - rows of a family of programs: times, energy of the parts that all count, bytes by wire, and the reason. */
#include "report/bench.h"

#include "report/fit.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/why.h"

#include <glib.h>
#include <math.h>
#include <string.h>

static const double ps_per_us = 1e6, ps_per_s = 1e12, bytes_per_mb = 1e6, bytes_per_gb = 1e9,
		    pj_per_mj = 1e9;
static const char pj_key[] = "energy_scope_pj", static_key[] = "energy_static_pj";

static json_t *real_or_null(bool is_there, double value)
{
	return is_there ? json_real(value) : json_null();
}

/* ---- a row ---- */

static bool has_gpu(const json_t *run)
{
	json_t *name;
	size_t i;

	json_array_foreach(json_object_get(run, "parts"), i, name)
		if (!g_strcmp0(json_string_value(name), "gpu"))
			return true;
	return false;
}

/* The time of its kernels is what a program of threads has measured between its threads' begin and end: the machine has
 * measured from main on. */
static double kernels_ps(const json_t *run, const char *measure)
{
	const double value = measure ? report_number(run, "measures", measure) : 0;
	g_autofree char *key = g_strconcat("measures.", measure ? measure : "", NULL);
	const char *unit = json_string_value(json_object_get(json_object_get(run, "units"), key));

	if (value <= 0)
		return report_number(run, "time_ps", NULL);
	return value * (g_strcmp0(unit, "us") ? ps_per_s : ps_per_us);
}

/* Of a GPU also those over the host's wires, whose time is in the program's: elsewhere a copy moves nothing that the
 * others are not spared. */
static json_t *bytes_of(const json_t *run)
{
	static const char traffic[] = "traffic_bytes";
	static const char *const wires[] = {"tx", "rx", "stack_to_stack", "link"};
	json_t *out = json_object();
	double dram;
	const bool has_dram = report_dram_bytes(run, &dram);

	for (size_t i = 0; i < G_N_ELEMENTS(wires); i++)
		json_object_set_new(out, wires[i], real_or_null(report_has(run, traffic, wires[i]),
								report_number(run, traffic, wires[i])));
	json_object_set_new(out, "dram", real_or_null(has_dram, dram));
	json_object_set_new(out, "host",
			    real_or_null(has_gpu(run), report_number(run, "copy_bytes_to_device", NULL) +
							   report_number(run, "copy_bytes_to_host", NULL)));
	return out;
}

/* What DRAM could have moved in the time of the kernels: their time for each unit of its bandwidth. */
static json_t *could_of(const json_t *run, double kernels)
{
	return real_or_null(report_has(run, "peak_bytes_per_s", "dram"),
			    report_number(run, "peak_bytes_per_s", "dram") * kernels / ps_per_s);
}

/* What a source states of the area; parts without one, such as a GPU's SMs, have none. */
static void put_area(json_t *row, const json_t *run)
{
	const double gbytes_per_s = report_number(run, "peak_bytes_per_s", "dram") / bytes_per_gb;
	const char *label = NULL;
	unsigned nm = 0;
	double mm2 = 0;
	const bool is_stated = run && report_area(run, &mm2, &nm, &label);

	json_object_set_new(row, "area_mm2", real_or_null(is_stated, mm2));
	json_object_set_new(row, "area_nm", is_stated ? json_integer(nm) : json_null());
	json_object_set_new(row, "area_of", is_stated ? json_string(label) : json_null());
	json_object_set_new(row, "area_mm2_per_tbyte_s",
			    real_or_null(is_stated && gbytes_per_s > 0, 1e3 * mm2 / gbytes_per_s));
}

static void put_measured(json_t *row, const struct report_bench_pair *pair)
{
	const json_t *run = pair->run;
	g_autofree char *why = report_why_sentence(run);

	json_object_set_new(row, "time_ps", json_real(kernels_ps(run, pair->time)));
	json_object_set_new(row, "program_ps", json_real(report_number(run, "total_time_ps", NULL)));
	json_object_set_new(row, "energy_pj", json_null());
	json_object_set_new(row, "bytes", bytes_of(run));
	json_object_set_new(row, "peak_dram_bytes_per_s",
			    real_or_null(report_has(run, "peak_bytes_per_s", "dram"),
					 report_number(run, "peak_bytes_per_s", "dram")));
	json_object_set_new(row, "dram_could_bytes", could_of(run, kernels_ps(run, pair->time)));
	json_object_set_new(row, "why", why ? json_string(why) : json_null());
}

static void put_nothing(json_t *row)
{
	static const char *const keys[] = {"time_ps",	"program_ps",		 "energy_pj",	     "energy_parts_pj",
					   "power_w",	"bytes",		 "peak_dram_bytes_per_s",
					   "dram_could_bytes", "why"};

	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
		json_object_set_new(row, keys[i], json_null());
}

static void put_copy(json_t *row, const char *key, json_t *value)
{
	json_object_set_new(row, key, value ? json_incref(value) : json_null());
}

json_t *report_bench_row(const struct report_bench_pair *pair)
{
	json_t *row = json_pack("{s:s, s:s, s:s, s:s}", "family", pair->family, "form", pair->form, "machine",
				pair->machine, "level", pair->level);
	const json_t *run = pair->run, *measures = json_object_get(run, "measures");
	g_autofree char *mark = report_mark(run);

	if (run && !pair->not_run && report_has_run(run))
		put_measured(row, pair);
	else
		put_nothing(row);
	put_area(row, pair->not_run ? NULL : run);
	put_copy(row, "workload", json_object_get(run, "workload"));
	put_copy(row, "args", json_object_get(run, "args"));
	put_copy(row, "verified", json_object_get(run, "verified"));
	put_copy(row, "time_ps_error", json_object_get(run, "time_ps_error"));
	json_object_set_new(row, "mark", json_string(mark));
	json_object_set_new(row, "in_full", json_boolean(pair->is_in_full));
	put_copy(row, "input", json_object_get(measures, "input"));
	put_copy(row, "operations", json_object_get(measures, "operations"));
	json_object_set_new(row, "not_run", pair->not_run ? json_string(pair->not_run) : json_null());
	return row;
}

/* ---- what the rows of a family have in common ---- */

static bool is_measured(const json_t *row)
{
	return json_is_number(json_object_get(row, "time_ps"));
}

static bool is_right(const json_t *row)
{
	return is_measured(row) && json_is_true(json_object_get(row, "verified"));
}

/* The fastest of those that are right, but for one (NULL: of all); NULL: there is none. */
static const json_t *fastest_but(const json_t *rows, const json_t *but)
{
	const json_t *row, *best = NULL;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)rows, i, row)
		if (row != but && is_right(row) &&
		    (!best || report_number(row, "time_ps", NULL) < report_number(best, "time_ps", NULL)))
			best = row;
	return best;
}

/* Half of the 95 % interval of a time, as a part of it. */
static double part_unsure(const json_t *row)
{
	return report_number(row, "time_ps_error", NULL) / report_number(row, "time_ps", NULL);
}

static bool has_error(const json_t *row)
{
	return report_has(row, "time_ps_error", NULL);
}

/* How many times the fastest takes. The errors of two runs are independent. */
static void put_times(json_t *rows)
{
	const json_t *best = fastest_but(rows, NULL);
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) {
		const bool is_there = best && is_right(row);
		const double times = is_there ? report_number(row, "time_ps", NULL) /
						    report_number(best, "time_ps", NULL)
					      : 0;
		const bool is_unsure = is_there && row != best && (has_error(row) || has_error(best));

		json_object_set_new(row, "times_fastest", real_or_null(is_there, times));
		json_object_set_new(
		    row, "times_fastest_error",
		    real_or_null(is_unsure, is_unsure ? times * hypot(part_unsure(row), part_unsure(best)) : 0));
	}
}

/* Does no run that was measured have this part of a machine and not count it? What a machine has not takes nothing. */
static bool all_count(const json_t *rows, const json_t *const *runs, const char *scope)
{
	const json_t *row;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)rows, i, row)
		if (is_measured(row) && (json_is_null(json_object_get(json_object_get(runs[i], pj_key), scope)) ||
					 !json_object_get(runs[i], pj_key)))
			return false;
	return true;
}

/* Of some of a run's scopes what events take. False: one of them is not counted, or the machine has none of them. */
static bool events_pj(const json_t *run, const char *const *scopes, double *pj)
{
	bool has_any = false;

	*pj = 0;
	for (; *scopes; scopes++) {
		const json_t *all = json_object_get(json_object_get(run, pj_key), *scopes);

		if (all && !json_is_number(all))
			return false;
		if (all)
			*pj += json_number_value(all) - report_number(run, static_key, *scopes);
		has_any = has_any || all;
	}
	return has_any;
}

/* What events take, part by part, and what the scopes of all rows take by time: a part that is not counted is null. */
static json_t *energy_parts(const json_t *run, const json_t *scopes)
{
	static const struct part {
		const char *name, *scopes[3];
	} parts[] = {{"compute", {"cores", "near-data processors"}},
		     {"caches", {"caches"}},
		     {"links", {"links"}},
		     {"dram", {"memory"}}};
	json_t *out = json_object(), *scope;
	double pj;
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(parts); i++) {
		const bool is_counted = events_pj(run, parts[i].scopes, &pj);

		json_object_set_new(out, parts[i].name, real_or_null(is_counted, pj));
	}
	pj = 0;
	json_array_foreach(scopes, i, scope)
		pj += report_number(run, static_key, json_string_value(scope));
	json_object_set_new(out, "static", real_or_null(json_array_size(scopes), pj));
	return out;
}

static void put_energies(json_t *rows, const json_t *const *runs, json_t *scopes)
{
	json_t *row, *scope;
	size_t i, k;

	json_array_foreach(rows, i, row) {
		double pj = 0;

		json_object_set(row, "energy_scope", scopes);
		if (!is_measured(row))
			continue;
		json_array_foreach(scopes, k, scope)
			pj += report_number(runs[i], pj_key, json_string_value(scope));
		json_object_set_new(row, "energy_pj", real_or_null(json_array_size(scopes), pj));
		json_object_set_new(row, "energy_parts_pj", energy_parts(runs[i], scopes));
		/* A program of threads is counted from main on, and not for its kernels only. */
		json_object_set_new(row, "power_w",
				    real_or_null(json_array_size(scopes) && report_number(runs[i], "time_ps", NULL) > 0,
						 pj / report_number(runs[i], "time_ps", NULL)));
	}
}

static bool has_word(const json_t *words, const char *word)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)words, i, one)
		if (!strcmp(json_string_value(one), word))
			return true;
	return false;
}

static void put_common_energy(json_t *rows, const json_t *const *runs)
{
	json_t *scopes = json_array(), *row, *value;
	const char *scope;
	size_t i;

	json_array_foreach(rows, i, row) {
		json_t *own = is_measured(row) ? json_object_get(runs[i], pj_key) : NULL;

		json_object_foreach(own, scope, value)
			if (!has_word(scopes, scope) && all_count(rows, runs, scope))
				json_array_append_new(scopes, json_string(scope));
	}
	put_energies(rows, runs, scopes);
	json_decref(scopes);
}

/* The first row with this number; NULL: there is none. */
static const json_t *row_with(const json_t *rows, const char *key)
{
	const json_t *row;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)rows, i, row)
		if (is_measured(row) && json_is_number(json_object_get(row, key)))
			return row;
	return NULL;
}

/* The input is what its digest says; a program whose data are its own has as many operations on them. */
static char *differs_from(const json_t *rows, const json_t *row)
{
	static const char *const keys[] = {"input", "operations"};

	for (size_t k = 0; k < G_N_ELEMENTS(keys); k++) {
		const json_t *other = row_with(rows, keys[k]);
		const json_t *own = json_object_get(row, keys[k]);

		if (!json_is_number(own) || !other)
			continue;
		if (json_number_value(own) == json_number_value(json_object_get(other, keys[k])))
			return NULL;
		return g_strdup_printf("%s of %s is %.0f, of %s %.0f", keys[k],
				       json_string_value(json_object_get(row, "workload")), json_number_value(own),
				       json_string_value(json_object_get(other, "workload")),
				       report_number(other, keys[k], NULL));
	}
	return g_strdup_printf("%s says neither what its input is nor how many operations it is",
			       json_string_value(json_object_get(row, "workload")));
}

char *report_bench_finish(json_t *rows, const json_t *const *runs)
{
	char *why = NULL;
	json_t *row;
	size_t i;

	put_common_energy(rows, runs);
	put_times(rows);
	json_array_foreach(rows, i, row)
		if (!why && is_measured(row))
			why = differs_from(rows, row);
	return why;
}

/* ---- as a table ---- */

struct column {
	const char *title, *outer, *inner;
	int width, decimals;
	double unit;
};
/* A table ends at a column without a title. */
static const struct column columns[] = {
    {"kernels us", "time_ps", NULL, 11, 3, ps_per_us},  {"+- us", "time_ps_error", NULL, 9, 3, ps_per_us},
    {"program us", "program_ps", NULL, 11, 3, ps_per_us},
    {"energy mJ", "energy_pj", NULL, 10, 4, pj_per_mj}, {"to MB", "bytes", "tx", 8, 3, bytes_per_mb},
    {"from MB", "bytes", "rx", 8, 3, bytes_per_mb},     {"stacks MB", "bytes", "stack_to_stack", 9, 3, bytes_per_mb},
    {"link MB", "bytes", "link", 8, 3, bytes_per_mb},   {"DRAM MB", "bytes", "dram", 9, 3, bytes_per_mb},
    {"host MB", "bytes", "host", 8, 3, bytes_per_mb},   {0},
};
static const char parts_key[] = "energy_parts_pj";
static const struct column part_columns[] = {
    {"compute mJ", parts_key, "compute", 11, 4, pj_per_mj}, {"caches mJ", parts_key, "caches", 10, 4, pj_per_mj},
    {"links mJ", parts_key, "links", 9, 4, pj_per_mj},      {"DRAM mJ", parts_key, "dram", 9, 4, pj_per_mj},
    {"static mJ", parts_key, "static", 10, 4, pj_per_mj},   {"mean W", "power_w", NULL, 8, 2, 1},
    {"DRAM could MB", "dram_could_bytes", NULL, 13, 3, bytes_per_mb},
    {"area mm2", "area_mm2", NULL, 9, 2, 1},                {"at nm", "area_nm", NULL, 5, 0, 1},
    {"per TB/s", "area_mm2_per_tbyte_s", NULL, 8, 2, 1},    {0},
};

static bool has_any(const json_t *rows, const struct column *c)
{
	const json_t *row;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)rows, i, row)
		if (report_has(row, c->outer, c->inner))
			return true;
	return false;
}

static const char *text(const json_t *row, const char *key)
{
	const char *value = json_string_value(json_object_get(row, key));

	return value ? value : "";
}

static int width_of(const json_t *rows, const char *key)
{
	size_t width = strlen(key), i;
	const json_t *row;

	json_array_foreach((json_t *)(uintptr_t)rows, i, row)
		width = MAX(width, strlen(text(row, key)));
	return (int)MIN(width, 40);
}

static void print_who(FILE *out, const json_t *rows, const char *level, const char *form, const char *machine)
{
	fprintf(out, "%-*s %-*s %-*s", width_of(rows, "level"), level, width_of(rows, "form"), form,
		width_of(rows, "machine"), machine);
}

static void print_row(FILE *out, const json_t *rows, const json_t *row, const struct column *table)
{
	print_who(out, rows, text(row, "level"), text(row, "form"), text(row, "machine"));
	for (const struct column *c = table; c->title; c++) {
		if (!has_any(rows, c))
			continue;
		fputs(REPORT_FIT_COLUMN " ", out);
		report_put(out, c->width, c->decimals, report_has(row, c->outer, c->inner),
			   report_number(row, c->outer, c->inner) / c->unit);
	}
}

static void print_titles(FILE *out, const json_t *rows, const struct column *table)
{
	print_who(out, rows, "level", "form", "machine");
	for (const struct column *c = table; c->title; c++)
		if (has_any(rows, c))
			fprintf(out, REPORT_FIT_COLUMN " %*s", c->width, c->title);
	fputc('\n', out);
}

static const char rest[] = "--json FILE and a wider one have them";

static void print_results(FILE *out, const json_t *rows)
{
	static const char *const order[] = {"stacks MB", "link MB", "host MB", "from MB", "to MB",
					    "program us", "DRAM MB", "energy mJ", NULL};
	struct report_fit fit;
	FILE *table = report_fit_begin(&fit);
	const json_t *row;
	size_t i;

	print_titles(table, rows, columns);
	json_array_foreach((json_t *)(uintptr_t)rows, i, row) {
		if (!is_measured(row)) {
			print_who(table, rows, text(row, "level"), text(row, "form"), text(row, "machine"));
			fprintf(table, "  not run: %s\n", text(row, "not_run"));
			continue;
		}
		print_row(table, rows, row, columns);
		fprintf(table, REPORT_FIT_COLUMN "%s%s%s%s\n",
			json_is_true(json_object_get(row, "verified")) ? "" : "  NOT VERIFIED",
			*text(row, "mark") ? "  " : "", text(row, "mark"),
			json_is_true(json_object_get(row, "in_full")) ? "  in full: nothing can be sampled here" : "");
	}
	report_fit_end(&fit, out, order, rest);
}

static void print_scopes(FILE *out, const json_t *rows)
{
	const json_t *scopes = json_object_get(json_array_get(rows, 0), "energy_scope"), *scope;
	size_t i;

	if (json_array_size(scopes))
		fputs("energy of what all rows count:", out);
	json_array_foreach((json_t *)(uintptr_t)scopes, i, scope)
		fprintf(out, "%s %s", i ? "," : "", json_string_value(scope));
	if (json_array_size(scopes))
		fputs("; static is theirs, the parts are each machine's own\n", out);
}

static void print_parts(FILE *out, const json_t *rows)
{
	static const char *const order[] = {"at nm", "area mm2", "per TB/s", "DRAM could MB", "caches mJ",
					    "links mJ", "compute mJ", NULL};
	struct report_fit fit;
	FILE *table = report_fit_begin(&fit);
	const json_t *row;
	size_t i;

	print_titles(table, rows, part_columns);
	json_array_foreach((json_t *)(uintptr_t)rows, i, row) {
		if (!is_measured(row))
			continue;
		print_row(table, rows, row, part_columns);
		fputc('\n', table);
	}
	report_fit_end(&fit, out, order, rest);
}

/* Whose area is in the table. */
static void print_areas(FILE *out, const json_t *rows)
{
	const char *before = "area, as a source states it:";
	const json_t *row;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)rows, i, row) {
		if (!*text(row, "area_of"))
			continue;
		fprintf(out, "%s %s: %s", before, text(row, "machine"), text(row, "area_of"));
		before = ";";
	}
	if (*before == ';')
		fputc('\n', out);
}

static void print_reasons(FILE *out, const json_t *rows)
{
	const json_t *row;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)rows, i, row)
		if (*text(row, "why"))
			fprintf(out, "  %s, %s: %s\n", text(row, "machine"), text(row, "form"), text(row, "why"));
}

static void print_one(FILE *out, const json_t *row)
{
	fprintf(out, "%s (%s, %s)", text(row, "machine"), text(row, "level"), text(row, "form"));
}

/* Which is the fastest, by how much, and how sure that is. */
static void print_fastest(FILE *out, const json_t *rows)
{
	const json_t *best = fastest_but(rows, NULL), *next = best ? fastest_but(rows, best) : NULL;
	const double times = report_number(next, "times_fastest", NULL),
		     error = report_number(next, "times_fastest_error", NULL);

	if (!next)
		return;
	fputs("the fastest is ", out);
	print_one(out, best);
	fputs("; ", out);
	print_one(out, next);
	if (times < 1.005)
		fputs(" takes as long", out);
	else
		fprintf(out, " takes %.2f times as long", times);
	if (error > 0)
		fprintf(out, ", %.2f to %.2f by the errors of what was sampled%s", times - error, times + error,
			times - error > 1 ? "" : ": these two are not told apart");
	fputc('\n', out);
}

void report_bench_print(FILE *out, const json_t *rows)
{
	fprintf(out, "%s\n", text(json_array_get(rows, 0), "family"));
	print_fastest(out, rows);
	print_results(out, rows);
	if (row_with(rows, "time_ps")) {
		print_scopes(out, rows);
		print_parts(out, rows);
		print_areas(out, rows);
	}
	print_reasons(out, rows);
}
