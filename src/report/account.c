/* account.c - sums over the cells of an account. */
#include "report/account.h"

#include "report/demangle.h"
#include "report/parts.h"
#include "report/report.h"
#include "report/rows.h"

#include <glib.h>
#include <string.h>

enum { LINES_KEPT = 20, LINES_SHOWN = 8 };

static const char *const places[] = {"gpu", "stacks"};
/* Shares of the time that are split along the way. */
static const struct {
	const char *name, *key, *title;
} waits[] = {
    {"memory", "memory_parts", "waiting on memory"},
    {"fetch", "fetch_parts", "waiting for instructions"},
    {"fence", "fence_parts", "waiting at fences"},
    {"offload", "offload_parts", "waiting for blocks that are away"},
};
enum { WAITS = G_N_ELEMENTS(waits) };

/* All cycles of an instruction, or of none; adds what it waited, of each kind, to parts. */
static double cycles_of(const json_t *cells, json_t *const parts[WAITS])
{
	double sum = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
		const char *key;
		json_t *value;

		json_object_foreach(json_object_get(cells, places[i]), key, value)
			sum += json_number_value(value);
		for (size_t w = 0; w < WAITS; w++)
			report_parts_add(parts[w], json_object_get(json_object_get(cells, places[i]), waits[w].key));
	}
	return sum;
}

/* Keeps the costliest, the first of equals first. */
static void keep_line(json_t *lines, const json_t *kernel, const json_t *line, double cycles)
{
	size_t i = json_array_size(lines);
	json_t *row;

	while (i > 0 && report_number(json_array_get(lines, i - 1), "cycles", NULL) < cycles)
		i--;
	if (i >= LINES_KEPT)
		return;
	row = json_pack("{s:o, s:O, s:O, s:f}", "kernel", report_title(kernel), "line",
			json_object_get(line, "line"), "text", json_object_get(line, "text"), "cycles", cycles);
	if (json_object_get(line, "source_line")) {
		json_object_set(row, "source_file", json_object_get(line, "source_file"));
		json_object_set(row, "source_line", json_object_get(line, "source_line"));
	}
	json_array_insert_new(lines, i, row);
	if (json_array_size(lines) > LINES_KEPT)
		json_array_remove(lines, LINES_KEPT);
}

/* "memory" and "memory_unaccounted", and so on. */
static void put_waits(json_t *out, const json_t *run, json_t *const parts[WAITS])
{
	for (size_t w = 0; w < WAITS; w++) {
		g_autofree char *left_key = g_strconcat(waits[w].name, "_unaccounted", NULL);
		double left = report_share_amount(run, waits[w].name);
		const char *key;
		json_t *value;

		json_object_foreach(parts[w], key, value)
			left -= json_number_value(value);
		json_object_set_new(out, waits[w].name, parts[w]);
		json_object_set_new(out, left_key, json_real(left));
	}
}

json_t *report_account(const json_t *run)
{
	const json_t *account = json_object_get(run, "account");
	json_t *parts[WAITS], *lines, *kernel, *line, *out;
	double all;
	size_t i, k;

	if (!json_is_object(account))
		return json_null();
	all = report_shares_whole(run);
	for (size_t w = 0; w < WAITS; w++)
		parts[w] = json_object();
	out = json_object();
	lines = json_array();
	json_array_foreach(json_object_get(account, "kernels"), i, kernel) {
		cycles_of(json_object_get(kernel, "nowhere"), parts);
		json_array_foreach(json_object_get(kernel, "lines"), k, line)
			keep_line(lines, kernel, line, cycles_of(line, parts));
	}
	json_array_foreach(lines, i, line)
		json_object_set_new(line, "share", json_real(all > 0 ? report_number(line, "cycles", NULL) / all : 0));
	put_waits(out, run, parts);
	json_object_set(out, "parts", json_object_get(account, "parts"));
	json_object_set_new(out, "lines", lines);
	return out;
}

/* ---- as text ---- */

static void print_wait(FILE *out, const json_t *account, size_t wait)
{
	const json_t *parts = json_object_get(account, waits[wait].name);
	const char *key;
	json_t *doc, *value;
	double all = 0;

	json_object_foreach((json_t *)parts, key, value)
		all += json_number_value(value);
	if (all <= 0)
		return;
	fprintf(out, "\n%s, by where what they waited for was: %.0f\n", waits[wait].title, all);
	json_object_foreach(json_object_get(account, "parts"), key, doc) {
		const double own = report_number(parts, key, NULL);

		if (own > 0)
			fprintf(out, "  %-60s %14.0f    %7.1f %%\n", json_string_value(doc), own, 100 * own / all);
	}
}

void report_account_print(FILE *out, const json_t *account)
{
	size_t i;
	json_t *line;

	if (!json_is_object(account))
		return;
	for (size_t w = 0; w < WAITS; w++)
		print_wait(out, account, w);
	fputs("\nthe instructions that cost most scheduler cycles, issued or waited there\n", out);
	json_array_foreach(json_object_get(account, "lines"), i, line) {
		const char *source = json_string_value(json_object_get(line, "source_file"));
		const char *text = json_string_value(json_object_get(line, "text"));

		g_autofree char *kernel = report_title_cut(json_string_value(json_object_get(line, "kernel")), 20);

		if (i == LINES_SHOWN)
			break;
		fprintf(out, "  %-20s line %5.0f %14.0f    %7.1f %%  %s", kernel, report_number(line, "line", NULL),
			report_number(line, "cycles", NULL), 100 * report_number(line, "share", NULL),
			text ? text : "");
		if (source)
			fprintf(out, "  (%s:%.0f)", source, report_number(line, "source_line", NULL));
		fputc('\n', out);
	}
}
