/* over_time.c - the parts' rows over what was sampled. */
#include "report/over_time.h"

#include "report/report.h"
#include "report/rows.h"

#include <glib.h>
#include <math.h>
#include <string.h>

static const double ps_per_s = 1e12;

/* A stretch of the samples. */
struct stretch {
	const json_t *run, *samples;
	size_t row;
	double span_s;
};

static double at(const json_t *values, size_t row)
{
	return json_number_value(json_array_get(values, row));
}

/* Is it the count that a row names? "MEMORY.vault.reads" is that of any memory, and of one without a name. */
static bool is_count(const char *key, const char *name)
{
	static const char any[] = "MEMORY.";
	const char *rest = name + strlen(any);

	if (!g_str_has_prefix(name, any))
		return !strcmp(key, name);
	return !strcmp(key, rest) || (g_str_has_suffix(key, rest) && key[strlen(key) - strlen(rest) - 1] == '.');
}

static double grown(const struct stretch *s, const char *name)
{
	double sum = 0;
	json_t *values;
	const char *key;

	json_object_foreach(json_object_get(s->samples, "counters"), key, values)
		if (is_count(key, name))
			sum += at(values, s->row);
	return sum;
}

static double value(void *ctx, const char *name)
{
	static const char counted[] = "stat.", part[] = "part1.", gauge[] = "gauge.";
	const struct stretch *s = ctx;
	const json_t *values;

	if (g_str_has_prefix(name, counted))
		return grown(s, name + strlen(counted));
	if (!strcmp(name, "span_s"))
		return s->span_s;
	if (!strcmp(name, "cycles"))
		return report_number(s->run, "cycles", NULL) * s->span_s /
		       (report_number(s->run, "time_ps", NULL) / ps_per_s);
	if (g_str_has_prefix(name, part)) {
		values = json_object_get(json_object_get(s->samples, "parts"), name + strlen(part));
		return at(json_array_get(json_object_get(values, "values"), 1), s->row);
	}
	if (g_str_has_prefix(name, gauge)) {
		values = json_object_get(json_object_get(s->samples, "gauges"), name + strlen(gauge));
		return values ? at(values, s->row) : NAN;
	}
	return report_rows_scope(s->run).value((json_t *)(uintptr_t)s->run, name);
}

static json_t *values_of(const json_t *run, const char *formula)
{
	struct stretch s = {.run = run, .samples = json_object_get(run, "samples")};
	const struct base_formula_scope scope = {.value = value, .ctx = &s};
	const json_t *start = json_object_get(s.samples, "start_ps"), *end = json_object_get(s.samples, "end_ps");
	json_t *out = json_array();

	for (s.row = 0; s.row < json_array_size(start); s.row++) {
		double number;

		s.span_s = (at(end, s.row) - at(start, s.row)) / ps_per_s;
		number = base_formula_value(formula, &scope);
		json_array_append_new(out, isfinite(number) ? json_real(number) : json_null());
	}
	return out;
}

json_t *report_series(const json_t *run)
{
	json_t *out = json_array();
	struct machine_explain rows;

	if (!json_is_object(json_object_get(run, "samples")))
		return out;
	report_rows_of(run, &rows);
	for (uint32_t i = 0; i < rows.count; i++)
		for (const struct sim_explain_series *s = rows.items[i]->series; s->title; s++)
			json_array_append_new(out, json_pack("{s:s, s:s, s:o}", "title", s->title, "unit", s->unit,
							     "values", values_of(run, s->value)));
	return out;
}

/* The counts of the samples that a map's row names. */
static json_t *counts_of(const json_t *run, const char *names)
{
	const json_t *counters = json_object_get(json_object_get(run, "samples"), "counters");
	g_auto(GStrv) list = g_strsplit(names, " ", -1);
	json_t *out = json_array(), *values;
	const char *key;

	for (char **name = list; *name; name++)
		json_object_foreach((json_t *)(uintptr_t)counters, key, values)
			if (is_count(key, *name))
				json_array_append_new(out, json_string(key));
	return out;
}

json_t *report_maps(const json_t *run)
{
	json_t *out = json_array();
	struct machine_explain rows;

	report_rows_of(run, &rows);
	for (uint32_t i = 0; i < rows.count; i++)
		for (const struct sim_explain_map *m = rows.items[i]->maps; m->title; m++)
			json_array_append_new(out, json_pack("{s:s, s:o}", "title", m->title, "counts",
							     counts_of(run, m->counts)));
	return out;
}
