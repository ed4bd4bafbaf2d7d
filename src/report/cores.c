/* cores.c - sums over the units of a core account. */
#include "report/cores.h"

#include "report/core_channels.h"
#include "report/demangle.h"
#include "report/report.h"

#include <glib.h>
#include <string.h>

static const double ps_per_us = 1e6, shown = 0.001, large = 0.1;

enum { FINDINGS = 3, LINES_SHOWN = 10, FUNCTION_SHOWN = 32 };

/* What is of the way of lines, of all parts. */
static bool is_memory(const char *part)
{
	static const char *const others[] = {"compute",	    "issue", "page_fault", "system", "mutex",  "barrier",
					     "thread_join", "work",  "sync",	   "none",   "design", "no_message",
					     "ended"};

	for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
		if (!strcmp(part, others[i]))
			return false;
	return true;
}

static bool is_idle(const json_t *unit, double time_ps)
{
	return report_number(unit, "parts", "none") + report_number(unit, "parts", "no_message") >= time_ps;
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

	json_object_foreach((json_t *)sums, key, value)
		report_insert(out, "ps",
			      json_pack("{s:s, s:o, s:f, s:f}", "name", key, "what", report_doc(docs, key), "ps",
					json_number_value(value), "share",
					all > 0 ? json_number_value(value) / all : 0));
	return out;
}

/* ---- lines of the program ---- */

/* Without the time in which there was no thread. */
static double sum_of(const json_t *parts, const char **most)
{
	double sum = 0, largest = 0;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)parts, key, value) {
		if (!strcmp(key, "none"))
			continue;
		sum += json_number_value(value);
		if (json_number_value(value) > largest) {
			largest = json_number_value(value);
			*most = key;
		}
	}
	return sum;
}

/* Of the processors, or of the NDPs, those with the most time first; what no line has is there as the others. */
static json_t *lines_of(const json_t *account, const char *of, double all)
{
	json_t *out = json_array(), *line;
	size_t i;

	json_array_foreach(json_object_get(account, "lines"), i, line) {
		const json_t *parts = json_object_get(line, "parts");
		const char *most = NULL;
		const double ps = sum_of(parts, &most);
		json_t *row;

		if (g_strcmp0(json_string_value(json_object_get(line, "of")), of) != 0 || ps <= 0)
			continue;
		row = json_copy(line);
		json_object_set_new(row, "ps", json_real(ps));
		json_object_set_new(row, "share", json_real(all > 0 ? ps / all : 0));
		json_object_set_new(row, "most", json_string(most));
		json_object_set_new(row, "most_share", json_real(report_number(parts, most, NULL) / ps));
		json_object_set_new(row, "what", report_doc(json_object_get(account, "parts"), most));
		report_insert(out, "ps", row);
	}
	return out;
}

/* ---- units ---- */

/* Of those of the units that ran something. */
static json_t *kind_of(const json_t *account, const json_t *units, bool is_ndp, double time_ps, double *left_ps)
{
	json_t *sums = json_object(), *out, *unit, *value;
	double all = 0;
	uint32_t count = 0, used = 0;
	const char *key;
	size_t i;

	json_array_foreach((json_t *)units, i, unit) {
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
	out = json_pack("{s:i, s:i, s:f, s:o, s:o}", "units", (int)count, "used", (int)used, "ps", all, "parts",
			sorted(sums, json_object_get(account, "parts"), all), "lines",
			lines_of(account, is_ndp ? "ndps" : "processors", all));
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
	double left_ps = 0;

	if (!json_is_object(account))
		return json_null();
	kinds = json_object();
	findings = json_array();
	json_object_set_new(kinds, "processors", kind_of(account, units, false, time_ps, &left_ps));
	near = kind_of(account, designs ? designs : units, true, time_ps, &left_ps);
	if (report_number(near, "units", NULL) > 0)
		json_object_set(kinds, designs ? "accelerators" : "ndps", near);
	find(json_object_get(kinds, "processors"), "hardware threads of the processors", findings);
	find(near, designs ? "accelerators" : "NDP cores", findings);
	channels = report_core_channels(account,
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

static void print_lines(FILE *out, const char *title, const json_t *kind)
{
	json_t *line;
	size_t i;

	if (!json_array_size(json_object_get(kind, "lines")))
		return;
	fprintf(out, "\n%s: by line of the program, the longest first\n", title);
	json_array_foreach(json_object_get(kind, "lines"), i, line) {
		g_autofree char *place = place_text(line);

		if (i == LINES_SHOWN) {
			fprintf(out, "  ... and %zu more; --json has all\n",
				json_array_size(json_object_get(kind, "lines")) - i);
			break;
		}
		fprintf(out, "  %-44.44s %14.3f us %7.1f %%  %.0f %% %s\n", place,
			report_number(line, "ps", NULL) / ps_per_us, 100 * report_number(line, "share", NULL),
			100 * report_number(line, "most_share", NULL),
			json_string_value(json_object_get(line, "most")));
	}
}

void report_cores_print(FILE *out, const json_t *cores)
{
	const json_t *kinds = json_object_get(cores, "kinds");

	print_kind(out, "hardware threads of the processors", json_object_get(kinds, "processors"));
	print_lines(out, "hardware threads of the processors", json_object_get(kinds, "processors"));
	print_kind(out, "NDP cores", json_object_get(kinds, "ndps"));
	print_lines(out, "NDP cores", json_object_get(kinds, "ndps"));
	print_kind(out, "accelerators", json_object_get(kinds, "accelerators"));
	report_core_channels_print(out, json_object_get(cores, "channels"));
}
