/* cores.c - sums over the units of a core account. */
#include "report/cores.h"

#include "report/report.h"

#include <glib.h>
#include <string.h>

static const double ps_per_us = 1e6, shown = 0.001, large = 0.1;

enum { FINDINGS = 3 };

/* What is of the way of lines, of all parts. */
static bool is_memory(const char *part)
{
	static const char *const others[] = {"compute", "issue", "page_fault", "system", "sync", "none", "ended"};

	for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
		if (!strcmp(part, others[i]))
			return false;
	return true;
}

static bool is_idle(const json_t *unit, double time_ps)
{
	return report_number(unit, "parts", "none") >= time_ps;
}

static void add(json_t *sums, const char *key, double value)
{
	json_object_set_new(sums, key, json_real(report_number(sums, key, NULL) + value));
}

/* The largest first. */
static json_t *sorted(const json_t *sums, const json_t *docs, double all)
{
	json_t *out = json_array(), *value;
	const char *key;

	json_object_foreach((json_t *)sums, key, value) {
		size_t i = 0;

		while (i < json_array_size(out) &&
		       report_number(json_array_get(out, i), "ps", NULL) >= json_number_value(value))
			i++;
		json_array_insert_new(out, i,
				      json_pack("{s:s, s:O, s:f, s:f}", "name", key, "what", json_object_get(docs, key),
						"ps", json_number_value(value), "share",
						all > 0 ? json_number_value(value) / all : 0));
	}
	return out;
}

/* Of the units that ran something. */
static json_t *kind_of(const json_t *account, bool is_ndp, double time_ps, double *left_ps)
{
	json_t *sums = json_object(), *out, *unit, *value;
	double all = 0;
	uint32_t count = 0, used = 0;
	const char *key;
	size_t i;

	json_array_foreach(json_object_get(account, "units"), i, unit) {
		double sum = 0;

		if ((json_object_get(unit, "ndp") != NULL) != is_ndp)
			continue;
		count++;
		json_object_foreach(json_object_get(unit, "parts"), key, value)
			sum += json_number_value(value);
		*left_ps += time_ps - sum;
		if (is_idle(unit, time_ps))
			continue;
		used++;
		all += sum;
		json_object_foreach(json_object_get(unit, "parts"), key, value)
			add(sums, key, json_number_value(value));
	}
	out = json_pack("{s:i, s:i, s:f, s:o}", "units", (int)count, "used", (int)used, "ps", all, "parts",
			sorted(sums, json_object_get(account, "parts"), all));
	json_decref(sums);
	return out;
}

static void find(const json_t *kind, const char *name, json_t *findings)
{
	double memory = 0;
	json_t *part;
	uint32_t said = 0;
	size_t i;

	if (report_number(kind, "used", NULL) <= 0)
		return;
	json_array_foreach(json_object_get(kind, "parts"), i, part)
		if (is_memory(json_string_value(json_object_get(part, "name"))))
			memory += report_number(part, "share", NULL);
	json_array_foreach(json_object_get(kind, "parts"), i, part) {
		g_autofree char *text = NULL;

		if (report_number(part, "share", NULL) < large || said++ == FINDINGS)
			break;
		text = g_strdup_printf("%s spend %.1f %% of their time on: %s", name,
				       100 * report_number(part, "share", NULL),
				       json_string_value(json_object_get(part, "what")));
		json_array_append_new(findings, json_string(text));
	}
	if (memory > 0) {
		g_autofree char *text =
		    g_strdup_printf("lines of the memory, on all of their way, cost %s %.1f %% of their time", name,
				    100 * memory);

		json_array_append_new(findings, json_string(text));
	}
}

json_t *report_cores(const json_t *run)
{
	const json_t *account = json_object_get(run, "core_account");
	const double time_ps = report_number(run, "time_ps", NULL);
	json_t *kinds, *near, *findings;
	double left_ps = 0;

	if (!json_is_object(account))
		return json_null();
	kinds = json_object();
	findings = json_array();
	json_object_set_new(kinds, "processors", kind_of(account, false, time_ps, &left_ps));
	near = kind_of(account, true, time_ps, &left_ps);
	if (report_number(near, "units", NULL) > 0)
		json_object_set(kinds, "ndps", near);
	find(json_object_get(kinds, "processors"), "hardware threads of the processors", findings);
	find(near, "NDP cores", findings);
	json_decref(near);
	return json_pack("{s:o, s:f, s:o}", "kinds", kinds, "unaccounted_ps", left_ps, "findings", findings);
}

/* ---- as text ---- */

static void print_kind(FILE *out, const char *title, const json_t *kind)
{
	json_t *part;
	size_t i;

	if (!json_is_object(kind))
		return;
	fprintf(out, "\n%s: %.0f of %.0f ran something, %.3f us all together\n", title,
		report_number(kind, "used", NULL), report_number(kind, "units", NULL),
		report_number(kind, "ps", NULL) / ps_per_us);
	json_array_foreach(json_object_get(kind, "parts"), i, part)
		if (report_number(part, "share", NULL) >= shown)
			fprintf(out, "  %-64s %14.3f us %7.1f %%\n", json_string_value(json_object_get(part, "what")),
				report_number(part, "ps", NULL) / ps_per_us, 100 * report_number(part, "share", NULL));
}

void report_cores_print(FILE *out, const json_t *cores)
{
	const json_t *kinds = json_object_get(cores, "kinds");

	print_kind(out, "hardware threads of the processors", json_object_get(kinds, "processors"));
	print_kind(out, "NDP cores", json_object_get(kinds, "ndps"));
}
