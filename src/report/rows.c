/* rows.c - the parts' rows over the results of one run. */
#include "report/rows.h"

#include "base/check.h"
#include "report/report.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ps_per_us = 1e6, bytes_per_mb = 1e6, bytes_per_gb = 1e9, ps_per_s = 1e12, pj_per_j = 1e12;

/* ---- names ---- */

/* What is at a path, "core_account.accelerators"; NULL: nothing. */
static const json_t *at_path(const json_t *o, const char *path)
{
	g_auto(GStrv) keys = g_strsplit(path, ".", -1);

	for (char **key = keys; *key && o; key++)
		o = json_object_get(o, *key);
	return o;
}

static double number_of(const json_t *value)
{
	if (json_is_boolean(value))
		return json_is_true(value);
	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Of "KEY.VALUE": does the parameter have that choice? */
static double choice(const json_t *run, const char *name)
{
	const char *chosen = strrchr(name, '.');
	g_autofree char *key = g_strndup(name, (size_t)(chosen - name));
	const char *is = json_string_value(json_object_get(json_object_get(run, "params"), key));

	return is ? !strcmp(is, chosen + 1) : NAN;
}

/* "MEMORY.dram.t_cl" is that of the machine's first memory, whatever its name. */
static const json_t *param(const json_t *run, const char *name)
{
	static const char any[] = "MEMORY";
	json_t *params = json_object_get(run, "params"), *is;
	const char *key;

	if (!g_str_has_prefix(name, any))
		return json_object_get(params, name);
	json_object_foreach(params, key, is)
		if (!strcmp(key + strcspn(key, "."), name + strlen(any)))
			return is;
	return NULL;
}

static double value(void *ctx, const char *name)
{
	static const struct {
		const char *prefix, *key;
	} groups[] = {{"traffic.", "traffic_bytes"}, {"peak.", "peak_bytes_per_s"}};
	const json_t *run = ctx;
	double bytes;

	if (!strcmp(name, "time_s"))
		return report_number(run, "time_ps", NULL) / ps_per_s;
	if (!strcmp(name, "energy_j"))
		return number_of(json_object_get(run, "energy_total_pj")) / pj_per_j;
	if (!strcmp(name, "traffic.dram"))
		return report_dram_bytes(run, &bytes) ? bytes : NAN;
	if (g_str_has_prefix(name, "choice."))
		return choice(run, name + strlen("choice."));
	if (g_str_has_prefix(name, "param."))
		return number_of(param(run, name + strlen("param.")));
	if (g_str_has_prefix(name, "stat."))
		return report_number(run, "stats", name + strlen("stat."));
	for (size_t i = 0; i < G_N_ELEMENTS(groups); i++)
		if (g_str_has_prefix(name, groups[i].prefix))
			return number_of(json_object_get(json_object_get(run, groups[i].key),
							 name + strlen(groups[i].prefix)));
	return number_of(at_path(run, name));
}

static size_t count(void *ctx, const char *list)
{
	return json_array_size(at_path(ctx, list));
}

static double own(void *ctx, const char *list, size_t item, const char *name)
{
	return number_of(at_path(json_array_get(at_path(ctx, list), item), name));
}

const json_t *report_rows_list(const json_t *run, const char *path)
{
	const json_t *list = at_path(run, path);

	return json_is_array(list) ? list : NULL;
}

struct base_formula_scope report_rows_scope(const json_t *run)
{
	return (struct base_formula_scope){.value = value, .count = count, .own = own, .ctx = (json_t *)(uintptr_t)run};
}

double report_rows_value(const json_t *run, const char *text)
{
	const struct base_formula_scope scope = report_rows_scope(run);

	return base_formula_value(text, &scope);
}

/* ---- an object in the results, or made of them ---- */

struct object {
	struct base_formula_scope scope; /* of the run */
	const json_t *members;
};

/* Outside most() and total() "own." names what the object has. */
static double object_value(void *ctx, const char *name)
{
	const struct object *o = ctx;

	if (!g_str_has_prefix(name, "own."))
		return o->scope.value(o->scope.ctx, name);
	return number_of(at_path(o->members, name + strlen("own.")));
}

static size_t object_count(void *ctx, const char *list)
{
	const struct object *o = ctx;

	return o->scope.count(o->scope.ctx, list);
}

static double object_own(void *ctx, const char *list, size_t at, const char *name)
{
	const struct object *o = ctx;

	return o->scope.own(o->scope.ctx, list, at, name);
}

double report_rows_object_value(const json_t *run, const json_t *members, const char *text)
{
	struct object object = {.scope = report_rows_scope(run), .members = members};
	const struct base_formula_scope scope = {.value = object_value,
						 .count = object_count,
						 .own = object_own,
						 .ctx = &object,
						 .has_own = members != NULL};

	return base_formula_value(text, &scope);
}

double report_rows_item_value(const json_t *run, const char *list, size_t at, const char *text)
{
	return report_rows_object_value(run, *list ? json_array_get(at_path(run, list), at) : NULL, text);
}

/* ---- parts ---- */

static bool names_part(void *ctx, const char *part)
{
	json_t *name;
	size_t i;

	json_array_foreach(json_object_get(ctx, "parts"), i, name)
		if (!g_strcmp0(json_string_value(name), part))
			return true;
	return false;
}

/* Results of before they named their parts: what they have tells. */
static bool shows_part(void *ctx, const char *part)
{
	static const char *const shown_by[][2] = {{"cpu", "channels"},
						  {"channel", "channels"},
						  {"hdl", "channels"},
						  {"duality", "duality"},
						  {"csp", "coprocessor"}};
	bool is_gpu = true;

	for (size_t i = 0; i < G_N_ELEMENTS(shown_by); i++) {
		const bool is_shown = json_is_object(json_object_get(ctx, shown_by[i][1]));

		is_gpu = is_gpu && !is_shown;
		if (is_shown && !strcmp(shown_by[i][0], part))
			return true;
	}
	return is_gpu && (!strcmp(part, "gpu") || !strcmp(part, "ndp"));
}

void report_rows_of(const json_t *run, struct machine_explain *out)
{
	const bool has_names = json_is_array(json_object_get(run, "parts"));

	machine_explain_of_parts(has_names ? names_part : shows_part, (json_t *)(uintptr_t)run,
				 json_string_value(json_object_get(run, "mechanism")), out);
}

/* ---- area ---- */

bool report_area(const json_t *run, double *mm2, unsigned *nm, const char **label)
{
	struct machine_explain rows;

	report_rows_of(run, &rows);
	*label = NULL;
	*mm2 = 0;
	for (uint32_t i = 0; i < rows.count; i++)
		for (const struct sim_explain_area *a = rows.items[i]->areas; a->label; a++) {
			const double own = report_rows_value(run, a->mm2);

			if (!(own > 0) || (*label && a->nm != *nm))
				continue;
			*label = *label ? *label : a->label;
			*nm = a->nm;
			*mm2 += own;
		}
	return *label;
}

/* ---- bounds ---- */

json_t *report_bounds(const json_t *run, const struct machine_explain *rows)
{
	const double time_ps = report_number(run, "time_ps", NULL);
	json_t *out = json_array();

	for (uint32_t i = 0; i < rows->count; i++)
		for (const struct sim_explain_bound *b = rows->items[i]->bounds; b->label; b++) {
			const double least_ps = report_rows_value(run, b->seconds) * ps_per_s;

			if (least_ps > 0)
				report_insert(out, "least_ps",
					      json_pack("{s:s, s:f, s:f}", "name", b->label, "least_ps", least_ps,
							"share", time_ps > 0 ? least_ps / time_ps : 0));
		}
	return out;
}

bool report_ideal(const json_t *run, const char **label, double *least_ps)
{
	struct machine_explain rows;

	report_rows_of(run, &rows);
	for (uint32_t i = 0; i < rows.count; i++)
		for (const struct sim_explain_bound *b = rows.items[i]->ideals; b->label; b++) {
			const double ps = report_rows_value(run, b->seconds) * ps_per_s;

			if (!(ps > 0))
				continue;
			*label = b->label;
			*least_ps = ps;
			return true;
		}
	return false;
}

void report_bounds_print(FILE *out, const json_t *bounds)
{
	size_t i;
	json_t *bound;

	fputs("\nwhat each resource alone needs, at its full rate, of the time\n", out);
	json_array_foreach((json_t *)(uintptr_t)bounds, i, bound)
		fprintf(out, "  %-44s %14.3f us %7.1f %%\n", json_string_value(json_object_get(bound, "name")),
			report_number(bound, "least_ps", NULL) / ps_per_us, 100 * report_number(bound, "share", NULL));
}

/* ---- the mechanism's ledger ---- */

json_t *report_ledger_sums(const json_t *run, const struct machine_explain *rows)
{
	json_t *out = json_array();

	for (uint32_t i = 0; i < rows->count; i++)
		for (const struct sim_explain_ledger *l = rows->items[i]->ledger; l->label; l++) {
			const double sum = report_number(run, "stats", l->statistic);

			if (sum > 0)
				json_array_append_new(out, json_pack("{s:s, s:s, s:f}", "name", l->label, "statistic",
								     l->statistic, "value", sum));
		}
	return out;
}

void report_ledger_sums_print(FILE *out, const json_t *ledger)
{
	size_t i;
	json_t *row;

	if (json_array_size(ledger))
		fputs("\nthe mechanism's ledger\n", out);
	json_array_foreach((json_t *)(uintptr_t)ledger, i, row)
		fprintf(out, "  %-44s %14.0f\n", json_string_value(json_object_get(row, "name")),
			report_number(row, "value", NULL));
}

/* ---- the account of a time ---- */

uint32_t report_top_waits(const json_t *run, struct report_wait *out, uint32_t max, struct report_waiting *whose)
{
	struct machine_explain rows;
	struct report_waiting ignored;
	uint32_t i = 0, count = 0;
	double whole;

	report_rows_of(run, &rows);
	while (i < rows.count && !rows.items[i]->units->label)
		i++;
	whose = whose ? whose : &ignored;
	*whose = (struct report_waiting){.of = NULL};
	whole = i < rows.count ? report_rows_value(run, rows.items[i]->units->whole) : 0;
	if (!(whole > 0))
		return 0;
	whose->of = rows.items[i]->units->label;
	whose->unit = rows.items[i]->units->unit;
	for (const struct sim_explain_share *s = rows.items[i]->shares; s->label; s++) {
		const double share = report_rows_value(run, s->amount) / whole;
		uint32_t at = count;

		if (s->is_used)
			whose->used += share;
		while (at && out[at - 1].share < share)
			at--;
		if (s->is_used || share <= 0 || at == max)
			continue;
		count += count < max;
		memmove(&out[at + 1], &out[at], (count - 1 - at) * sizeof(out[0]));
		out[at] = (struct report_wait){s->label, share};
	}
	return count;
}

/* The row of that number, if one of these has it. */
static const struct sim_explain_reckoned *reckoned_in(const struct machine_explain *rows, enum sim_reckoned which)
{
	for (uint32_t i = 0; i < rows->count; i++)
		for (const struct sim_explain_reckoned *r = rows->items[i]->reckoned; r->number; r++)
			if (r->which == which)
				return r;
	return NULL;
}

double report_reckoned(const json_t *run, enum sim_reckoned which)
{
	const struct sim_explain_reckoned *row;
	struct machine_explain rows;
	double is;

	report_rows_of(run, &rows);
	row = reckoned_in(&rows, which);
	if (!row) {
		machine_explain_of_mechanisms(&rows);
		row = reckoned_in(&rows, which);
	}
	is = row ? report_rows_value(run, row->number) : 0;
	return isnan(is) ? 0 : is;
}

/* ---- findings ---- */

/* A number as "D", "Dg" or "W.D" has it; "-" where it is missing. */
static void append_number(GString *out, double number, const char *form)
{
	const char *point = memchr(form, '.', strcspn(form, "}"));
	const int width = point ? atoi(form) : 0, digits = atoi(point ? point + 1 : form);

	if (isnan(number))
		g_string_append_printf(out, "%*s", width, "-");
	else if (form[strcspn(form, "}") - 1] == 'g')
		g_string_append_printf(out, "%*.*g", width, digits, number);
	else
		g_string_append_printf(out, "%*.*f", width, digits, number);
}

/* The text that the object has, for "own.NAME:s". */
static const char *text_of(const json_t *members, const char *name)
{
	const char *text = json_string_value(at_path(members, name + strlen("own.")));

	return text ? text : "no reason is known";
}

char *report_rows_sentence(const json_t *run, const json_t *members, const char *text)
{
	GString *out = g_string_new(NULL);

	for (const char *at = text; *at; at++) {
		const char *end = *at == '{' ? strchr(at, ':') : NULL;

		if (!end) {
			g_string_append_c(out, *at);
			continue;
		}

		g_autofree char *inner = g_strndup(at + 1, (size_t)(end - at - 1));

		if (end[1] == 's')
			g_string_append(out, text_of(members, inner));
		else
			append_number(out, report_rows_object_value(run, members, inner), end + 1);
		at = strchr(end, '}');
	}
	return g_string_free(out, FALSE);
}

char *report_finding_sentence(const json_t *run, const struct sim_explain_finding *f)
{
	return report_rows_value(run, f->when) > 0 ? report_rows_sentence(run, NULL, f->text) : NULL;
}

void report_findings_add(const json_t *run, const struct machine_explain *rows, json_t *findings)
{
	for (uint32_t i = 0; i < rows->count; i++)
		for (const struct sim_explain_finding *f = rows->items[i]->findings; f->when; f++) {
			g_autofree char *text = report_finding_sentence(run, f);

			if (text)
				json_array_append_new(findings, json_string(text));
		}
}

/* ---- the summary ---- */

/* Bytes, their rate and the peak of it; "-" of a way that nobody counts. */
static char *way_text(const json_t *run, const char *way)
{
	g_autofree char *traffic = g_strconcat("traffic.", way, NULL), *peak = g_strconcat("peak.", way, NULL);
	const double bytes = report_rows_value(run, traffic), time_s = report_rows_value(run, "time_s");
	const double per_s = time_s > 0 ? bytes / time_s : 0, most = fmax(report_rows_value(run, peak), 0);

	if (isnan(bytes))
		return g_strdup_printf("%12s", "-");
	return g_strdup_printf("%12.3f MB %9.1f GB/s of %7.1f (%.1f %%)", bytes / bytes_per_mb, per_s / bytes_per_gb,
			       most / bytes_per_gb, most > 0 ? 100 * per_s / most : 0);
}

static bool is_said(const json_t *run, const struct sim_explain_line *l)
{
	return !*l->when || report_rows_value(run, l->when) > 0;
}

/* The pieces that follow a line, of those whose condition holds. */
static void print_pieces(FILE *out, const json_t *run, const struct sim_explain_line *line)
{
	bool is_first = true;

	for (const struct sim_explain_line *l = line + 1; l->label && l->place == SIM_EXPLAIN_PIECE; l++) {
		g_autofree char *text = is_said(run, l) ? report_rows_sentence(run, NULL, l->text) : NULL;

		if (!text)
			continue;
		fprintf(out, "%s%s", is_first ? l->label : ", ", text);
		is_first = false;
	}
}

void report_lines_print(FILE *out, const json_t *run, const struct machine_explain *rows, enum sim_explain_place place)
{
	for (uint32_t i = 0; i < rows->count; i++)
		for (const struct sim_explain_line *l = rows->items[i]->summary; l->label; l++) {
			g_autofree char *text = NULL;

			if (l->place != place || !is_said(run, l))
				continue;
			text = l->way ? way_text(run, l->way) : report_rows_sentence(run, NULL, l->text);
			if (place == SIM_EXPLAIN_PROGRAM)
				fprintf(out, "    %-18s %s", l->label, text);
			else
				fprintf(out, "  %-14s %s", l->label, text);
			print_pieces(out, run, l);
			fputc('\n', out);
		}
}
