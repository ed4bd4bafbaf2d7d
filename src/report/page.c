/* page.c - puts the runs, the script that draws them and the chart library into one file. */
#include "report/page.h"

#include "base/unmodelled.h"
#include "report/report.h"
#include "report/why.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

static const char d3[] =
#include "d3.min.js.h"
    ;
static const char script[] =
#include "report.js.h"
    ;
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

static json_t *data_of(const json_t *runs, const char *version)
{
	json_t *list = json_array(), *run;
	size_t i;

	json_array_foreach(runs, i, run) {
		json_t *one = json_object();

		json_object_set(one, "result", run);
		json_object_set_new(one, "why", report_why(run, NULL));
		json_array_append_new(list, one);
	}
	return json_pack("{s:s, s:f, s:o}", "version", version, "unmodelled_marked", BASE_UNMODELLED_MARKED,
			 "runs", list);
}

/* The policy forbids the page to load anything from anywhere. */
static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:\">\n<title>Strata</title>\n<style>\n";

char *report_page(const json_t *runs, const char *version, size_t *length)
{
	json_t *data = data_of(runs, version);
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
