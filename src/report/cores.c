/* cores.c - sums over the units of a core account. */
#include "report/cores.h"

#include "report/core_channels.h"
#include "report/demangle.h"
#include "report/parts.h"
#include "report/report.h"
#include "report/rows.h"

#include <glib.h>
#include <string.h>

static const double ps_per_us = 1e6, large = 0.1;

enum { FUNCTION_SHOWN = 32, LINE_SHOWN = 44 };

/* Of the processors, or of the NDPs, those with the most time first; what no line has is there as the others. Without
 * the time in which there was no thread. */
static json_t *lines_of(const json_t *account, const struct machine_explain *rows, const char *of, double all)
{
	json_t *out = json_array(), *line;
	size_t i;

	json_array_foreach(json_object_get(account, "lines"), i, line) {
		json_t *row = report_parts_place(line, json_object_get(account, "parts"), rows,
						 REPORT_KINDS_ALL & ~REPORT_KIND(IDLE), "ps", all);

		if (row && !g_strcmp0(json_string_value(json_object_get(line, "of")), of))
			report_insert(out, "ps", row);
		else
			json_decref(row);
	}
	return out;
}

/* ---- units ---- */

/* Of those of the units that ran something. */
static json_t *kind_of(const json_t *account, const struct machine_explain *rows, const json_t *units, bool is_ndp,
		       double time_ps, double *left_ps)
{
	json_t *sums = json_object(), *out, *unit;
	double all = 0;
	uint32_t count = 0, used = 0;
	size_t i;

	json_array_foreach((json_t *)units, i, unit) {
		const json_t *parts = json_object_get(unit, "parts");
		const double sum = report_parts_sum(parts, rows, REPORT_KINDS_ALL);

		if ((json_object_get(unit, "ndp") != NULL) != is_ndp)
			continue;
		count++;
		*left_ps += time_ps - sum;
		if (report_parts_is_idle(unit, rows, time_ps))
			continue;
		used++;
		all += sum;
		report_parts_add(sums, parts);
	}
	out = json_pack("{s:i, s:i, s:f, s:o, s:o}", "units", (int)count, "used", (int)used, "ps", all, "parts",
			report_parts_sorted(sums, json_object_get(account, "parts"), "ps", all), "lines",
			lines_of(account, rows, is_ndp ? "ndps" : "processors", all));
	json_decref(sums);
	return out;
}

/* ---- findings ---- */

static char *place_text(const json_t *line)
{
	const char *symbol = json_string_value(json_object_get(line, "function")),
		   *file = json_string_value(json_object_get(line, "file"));
	g_autofree char *title = symbol ? report_demangle(symbol) : NULL;
	g_autofree char *function = title ? report_title_cut(title, FUNCTION_SHOWN) : NULL;

	if (file)
		return g_strdup_printf("%s %s:%.0f", function ? function : "?", file,
				       report_number(line, "line", NULL));
	return g_strdup(function ? function : "no line of the program");
}

static void find_line(const json_t *lines, const char *name, json_t *findings)
{
	const json_t *first = json_array_get(lines, 0);
	g_autofree char *place = NULL, *text = NULL;

	if (!first || !json_object_get(first, "function") || report_number(first, "share", NULL) < large)
		return;
	place = place_text(first);
	text = g_strdup_printf("%s spend %.1f %% of their time at %s, %.0f %% of that on: %s", name,
			       100 * report_number(first, "share", NULL), place,
			       100 * report_number(first, "most_share", NULL),
			       json_string_value(json_object_get(first, "what")));
	json_array_append_new(findings, json_string(text));
}

/* What of their time is the way of lines, of all parts of the units that ran something. */
static double memory_share(const json_t *parts, const struct machine_explain *rows)
{
	json_t *shares = json_object(), *part;
	double share;
	size_t i;

	json_array_foreach(parts, i, part)
		json_object_set(shares, json_string_value(json_object_get(part, "name")),
				json_object_get(part, "share"));
	share = report_parts_sum(shares, rows, REPORT_KIND(ROOM) | REPORT_KIND(MEMORY));
	json_decref(shares);
	return share;
}

static void find(const json_t *kind, const struct machine_explain *rows, const char *name, json_t *findings)
{
	const json_t *parts = json_object_get(kind, "parts");
	const double memory = memory_share(parts, rows);

	if (report_number(kind, "used", NULL) <= 0)
		return;
	report_parts_find(parts, name, "time", large, findings);
	find_line(json_object_get(kind, "lines"), name, findings);
	if (memory > 0) {
		g_autofree char *text =
		    g_strdup_printf("lines of the memory, on all of their way, cost %s %.1f %% of their time", name,
				    100 * memory);

		json_array_append_new(findings, json_string(text));
	}
}

json_t *report_cores(const json_t *run)
{
	const json_t *account = json_object_get(run, "core_account"), *units = json_object_get(account, "units"),
		     *designs = json_object_get(account, "accelerators");
	const double time_ps = report_number(run, "time_ps", NULL);
	json_t *kinds, *near, *channels, *findings;
	struct machine_explain rows;
	double left_ps = 0;

	if (!json_is_object(account))
		return json_null();
	report_rows_of(run, &rows);
	kinds = json_object();
	findings = json_array();
	json_object_set_new(kinds, "processors", kind_of(account, &rows, units, false, time_ps, &left_ps));
	near = kind_of(account, &rows, designs ? designs : units, true, time_ps, &left_ps);
	if (report_number(near, "units", NULL) > 0)
		json_object_set(kinds, designs ? "accelerators" : "ndps", near);
	find(json_object_get(kinds, "processors"), &rows, "hardware threads of the processors", findings);
	find(near, &rows, designs ? "accelerators" : "NDP cores", findings);
	channels = report_core_channels(account, &rows,
					report_number(json_object_get(kinds, "processors"), "ps", NULL) +
					    report_number(near, "ps", NULL),
					findings);
	json_decref(near);
	return json_pack("{s:o, s:o, s:f, s:o}", "kinds", kinds, "channels", channels, "unaccounted_ps", left_ps,
			 "findings", findings);
}

/* ---- as text ---- */

static void print_kind(FILE *out, const char *title, const json_t *kind)
{
	const json_t *lines = json_object_get(kind, "lines");

	if (!json_is_object(kind))
		return;
	fprintf(out, "\n%s: %.0f of %.0f ran something, %.3f us all together\n", title,
		report_number(kind, "used", NULL), report_number(kind, "units", NULL),
		report_number(kind, "ps", NULL) / ps_per_us);
	report_parts_print(out, json_object_get(kind, "parts"), "ps");
	if (json_array_size(lines))
		fprintf(out, "\n%s: by line of the program, the longest first\n", title);
	report_places_print(out, lines, "ps", LINE_SHOWN, place_text);
}

void report_cores_print(FILE *out, const json_t *cores)
{
	const json_t *kinds = json_object_get(cores, "kinds");

	print_kind(out, "hardware threads of the processors", json_object_get(kinds, "processors"));
	print_kind(out, "NDP cores", json_object_get(kinds, "ndps"));
	print_kind(out, "accelerators", json_object_get(kinds, "accelerators"));
	report_core_channels_print(out, json_object_get(cores, "channels"));
}
