/* accounts_print.c - tables of where time went. */
#include "report/accounts_print.h"

#include "report/demangle.h"
#include "report/report.h"

#include <glib.h>
#include <string.h>

enum { KERNEL_SHOWN = 20, FUNCTION_SHOWN = 32, PLACE_SHOWN = 44, PLACES_SHOWN = 10 };

static const double ps_per_us = 1e6, shown = 0.001;

static const char *text_of(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

/* ---- a place ---- */

bool report_place_is_named(const json_t *place)
{
	return text_of(place, "function") || text_of(place, "file") || report_number(place, "line", NULL) > 0;
}

/* Behind a blank, unless it is the first. */
static void append_word(GString *out, char *word)
{
	g_string_append_printf(out, "%s%s", out->len ? " " : "", word);
	g_free(word);
}

char *report_place_text(const json_t *place)
{
	const char *kernel = text_of(place, "kernel"), *symbol = text_of(place, "function"),
		   *file = text_of(place, "file"), *op = text_of(place, "op");
	const double line = report_number(place, "line", NULL);
	GString *out = g_string_new(NULL);

	if (kernel)
		append_word(out, report_title_cut(kernel, KERNEL_SHOWN));
	if (symbol) {
		g_autofree char *title = report_demangle(symbol);

		append_word(out, report_title_cut(title, FUNCTION_SHOWN));
	}
	if (file) {
		g_autofree char *name = g_path_get_basename(file);

		append_word(out, g_strdup_printf("%s:%.0f", name, line));
	} else if (line > 0) {
		append_word(out, g_strdup_printf("line %.0f", line));
	}
	if (op)
		append_word(out, g_strdup(op));
	if (!out->len)
		append_word(out, g_strdup("no line of the program"));
	return g_string_free(out, FALSE);
}

/* ---- tables ---- */

static void print_amount(FILE *out, const json_t *row, double amount, const char *unit)
{
	if (strcmp(unit, "ps"))
		fprintf(out, " %14.0f   ", amount);
	else
		fprintf(out, " %14.3f us", amount / ps_per_us);
	fprintf(out, " %7.1f %%", 100 * report_number(row, "share", NULL));
}

static void print_parts(FILE *out, const json_t *parts, const char *unit)
{
	json_t *part;
	size_t i;

	json_array_foreach((json_t *)parts, i, part) {
		if (report_number(part, "share", NULL) < shown)
			continue;
		fprintf(out, "  %-64s", text_of(part, "what"));
		print_amount(out, part, report_number(part, "amount", NULL), unit);
		fputc('\n', out);
	}
}

static void print_places(FILE *out, const json_t *entry, const char *unit)
{
	const json_t *places = json_object_get(entry, "places");
	const double more = report_number(entry, "places_left_out", NULL);
	bool has_text = false, has_source = false;
	json_t *place;
	size_t i;

	if (json_array_size(places))
		fprintf(out, "\n%s: %s\n", text_of(entry, "who"), text_of(entry, "places_title"));
	json_array_foreach(places, i, place) {
		g_autofree char *title = report_place_text(place);
		const char *text = text_of(place, "text"), *source = text_of(place, "source_file");

		if (i == PLACES_SHOWN) {
			fprintf(out, "  ... and %.0f more; --json has %s\n",
				(double)(json_array_size(places) - i) + more, more > 0 ? "the first 100" : "all");
			break;
		}
		fprintf(out, "  %-*.*s", PLACE_SHOWN, PLACE_SHOWN, title);
		print_amount(out, place, report_number(place, "amount", NULL), unit);
		fprintf(out, "  %.0f %% %s", 100 * report_number(place, "most_share", NULL), text_of(place, "most"));
		if (text)
			fprintf(out, "  %s", text);
		if (source)
			fprintf(out, "  (%s:%.0f)", source, report_number(place, "source_line", NULL));
		fputc('\n', out);
		has_text = has_text || text;
		has_source = has_source || source;
	}
	if (has_text && !has_source)
		fputs("  lines are those of the PTX text: nvcc -lineinfo, or clang -gline-directives-only, adds "
		      "those of the source\n", out);
}

static void print_head(FILE *out, const json_t *entry, const char *unit)
{
	const double whole = report_number(entry, "whole", NULL);

	if (!json_object_get(entry, "units")) {
		fprintf(out, "\nthe %s of %s: %.0f\n", unit, text_of(entry, "who"), whole);
		return;
	}
	fprintf(out, "\n%s: %.0f of %.0f ran something, ", text_of(entry, "who"), report_number(entry, "used", NULL),
		report_number(entry, "units", NULL));
	if (strcmp(unit, "ps"))
		fprintf(out, "%.0f %s all together\n", whole, unit);
	else
		fprintf(out, "%.3f us all together\n", whole / ps_per_us);
}

static void print_entry(FILE *out, const json_t *entry)
{
	const char *unit = text_of(entry, "unit");
	json_t *split;
	size_t i;

	print_head(out, entry, unit);
	print_parts(out, json_object_get(entry, "parts"), unit);
	if (report_number(entry, "unaccounted", NULL) > 0)
		fprintf(out, "  %-64s %14.0f\n", "unaccounted", report_number(entry, "unaccounted", NULL));
	json_array_foreach(json_object_get(entry, "splits"), i, split) {
		if (report_number(split, "amount", NULL) <= 0)
			continue;
		fprintf(out, "\n%s, by where what they waited for was: %.0f\n", text_of(split, "title"),
			report_number(split, "amount", NULL));
		print_parts(out, json_object_get(split, "parts"), unit);
	}
	print_places(out, entry, unit);
}

/* A column for each who that waited, in us. */
static void print_behind(FILE *out, const json_t *behind)
{
	const char *name = text_of(behind, "name"), *key;
	const json_t *rows = json_object_get(behind, "rows");
	json_t *row, *amount;
	size_t i;

	fprintf(out, "\n%s\n  %7s", text_of(behind, "title"), name);
	json_object_foreach(json_object_get(json_array_get(rows, 0), "by"), key, amount)
		fprintf(out, " %11s us", key);
	fputc('\n', out);
	json_array_foreach(rows, i, row) {
		const char *what = text_of(row, "what");

		fprintf(out, "  %7.0f", report_number(row, name, NULL));
		json_object_foreach(json_object_get(row, "by"), key, amount)
			fprintf(out, " %14.3f", json_number_value(amount) / ps_per_us);
		if (what)
			fprintf(out, "  %3.0f %% %s", 100 * report_number(row, "most_share", NULL), what);
		fputc('\n', out);
	}
}

void report_accounts_print(FILE *out, const json_t *accounts, const json_t *behind)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)accounts, i, one)
		print_entry(out, one);
	json_array_foreach((json_t *)behind, i, one)
		print_behind(out, one);
}
