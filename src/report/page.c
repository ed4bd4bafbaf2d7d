/* page.c - puts the runs, the script that draws them and the chart library into one file. */
#include "report/page.h"

#include "base/unmodelled.h"
#include "report/explain.h"
#include "report/over_time.h"
#include "report/report.h"
#include "report/why.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

static const char d3[] =
#include "d3.min.js.h"
    ;
/* They are one function together. */
static const char script[] = "'use strict';\n(() => {\n"
#include "pieces.js.h"
#include "charts.js.h"
#include "time.js.h"
#include "sweeps.js.h"
#include "report.js.h"
			     "})();\n";
static const char style[] =
#include "report.css.h"
    ;

/* JSON inside a script element: nothing in it may end the element. */
static void append_json(GString *page, const json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(15));

	for (const char *c = text; *c; c++)
		if (*c == '<')
			g_string_append(page, "\\u003c");
		else
			g_string_append_c(page, *c);
	free(text);
}

/* The number of the first run of the same work; of those that are verified, or -1. */
static json_int_t first_of(const json_t *runs, const json_t *of, bool is_verified)
{
	const json_t *run;
	size_t i;

	json_array_foreach(runs, i, run) {
		if (report_is_same_work(run, of) && (!is_verified || json_is_true(json_object_get(run, "verified"))))
			return (json_int_t)i;
	}
	return -1;
}

static json_t *ratio_of(double part, double whole)
{
	return part > 0 && whole > 0 ? json_real(part / whole) : json_null();
}

/* Times are divided within one program with the same arguments only, and only where both runs are verified. */
static void put_ratios(json_t *one, const json_t *runs, const json_t *run)
{
	const json_int_t base_index =
	    json_is_true(json_object_get(run, "verified")) ? first_of(runs, run, true) : -1;
	const json_t *base = base_index < 0 ? NULL : json_array_get(runs, (size_t)base_index);
	const double energy = report_number(run, "energy_total_pj", NULL);

	json_object_set_new(one, "work", json_integer(first_of(runs, run, false)));
	json_object_set_new(one, "speedup", ratio_of(report_number(base, "time_ps", NULL),
						     report_number(run, "time_ps", NULL)));
	json_object_set_new(one, "energy_ratio",
			    report_is_same_energy(run, base)
				? ratio_of(energy, report_number(base, "energy_total_pj", NULL))
				: json_null());
}

/* Where the time went. Who has tried (strata why) says what each resource is worth, and the cause. */
static json_t *why_of(const json_t *run, const json_t *tried)
{
	json_t *why = report_why(run, NULL);

	if (json_is_object(why) && json_is_object(tried)) {
		json_object_set(why, "cause", json_object_get(tried, "cause"));
		json_object_set(why, "what_if", json_object_get(tried, "what_if"));
		json_object_set(why, "findings", json_object_get(tried, "findings"));
	}
	return why;
}

/* In words, without an experiment. */
static json_t *waits_of(const json_t *run)
{
	g_autofree char *sentence = report_why_sentence(run);

	return sentence ? json_string(sentence) : json_null();
}

/* By which parts of the time the run differs from the first one of its work. */
static json_t *parts_of(const json_t *runs, const json_t *run)
{
	const json_int_t first = first_of(runs, run, true);
	const json_t *base = first < 0 ? NULL : json_array_get(runs, (size_t)first);

	return base && base != run ? report_time_parts(base, run) : json_array();
}

static json_t *data_of(const struct report_page *what)
{
	json_t *list = json_array(), *run;
	size_t i;

	json_array_foreach(what->runs, i, run) {
		json_t *one = json_object();
		g_autofree char *scope = report_energy_scope(run);

		json_object_set(one, "result", run);
		json_object_set_new(one, "why", why_of(run, json_array_get(what->tried, i)));
		json_object_set_new(one, "waits", waits_of(run));
		json_object_set_new(one, "parts", parts_of(what->runs, run));
		json_object_set_new(one, "series", report_series(run));
		json_object_set_new(one, "maps", report_maps(run));
		json_object_set_new(one, "energy_scope", scope ? json_string(scope) : json_null());
		put_ratios(one, what->runs, run);
		json_array_append_new(list, one);
	}
	return json_pack("{s:s, s:f, s:o, s:O, s:O}", "version", what->version, "unmodelled_marked",
			 BASE_UNMODELLED_MARKED, "runs", list, "sweeps", what->sweeps, "left_out", what->left_out);
}

/* The policy forbids the page to load anything from anywhere. */
static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:\">\n<title>Strata</title>\n<style>\n";

char *report_page(const struct report_page *what, size_t *length)
{
	json_t *data = data_of(what);
	GString *page = g_string_new(head);

	g_string_append(page, style);
	g_string_append(page, "</style>\n</head>\n<body>\n<main></main>\n<noscript>This page is drawn by its own "
			      "script.</noscript>\n<script id=\"data\" type=\"application/json\">");
	append_json(page, data);
	g_string_append(page, "</script>\n<script>/* d3, ISC licence, Mike Bostock */\n");
	g_string_append(page, d3);
	g_string_append(page, "</script>\n<script>\n");
	g_string_append(page, script);
	g_string_append(page, "</script>\n</body>\n</html>\n");
	json_decref(data);
	*length = page->len;
	return g_string_free(page, FALSE);
}
