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
/* Shares of the time that are split along the way, and what was summed of each. */
enum { SPLITS_MAX = 8 };
struct splits {
	const struct sim_explain_split *items[SPLITS_MAX];
	json_t *sums[SPLITS_MAX];
	uint32_t count;
};

/* All cycles of an instruction, or of none; adds what it waited, of each kind, to the sums. */
static double cycles_of(const json_t *cells, const struct splits *splits)
{
	double sum = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
		const char *key;
		json_t *value;

		json_object_foreach(json_object_get(cells, places[i]), key, value)
			sum += json_number_value(value);
		for (uint32_t k = 0; k < splits->count; k++)
			report_parts_add(splits->sums[k], json_object_get(json_object_get(cells, places[i]),
									  splits->items[k]->member));
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

/* "memory" and "memory_unaccounted", and so on; "splits" says which there are. */
static void put_splits(json_t *out, const json_t *run, const struct splits *splits)
{
	json_t *list = json_array();

	for (uint32_t k = 0; k < splits->count; k++) {
		const struct sim_explain_split *s = splits->items[k];
		g_autofree char *left_key = g_strconcat(s->share, "_unaccounted", NULL);
		double left = report_share_amount(run, s->share);
		const char *key;
		json_t *value;

		json_object_foreach(splits->sums[k], key, value)
			left -= json_number_value(value);
		json_object_set_new(out, s->share, splits->sums[k]);
		json_object_set_new(out, left_key, json_real(left));
		json_array_append_new(list, json_pack("{s:s, s:s}", "name", s->share, "title", s->title));
	}
	json_object_set_new(out, "splits", list);
}

json_t *report_account(const json_t *run)
{
	const json_t *account = json_object_get(run, "account");
	struct machine_explain rows;
	struct splits splits;
	json_t *lines, *kernel, *line, *out;
	double all;
	size_t i, k;

	if (!json_is_object(account))
		return json_null();
	all = report_shares_whole(run);
	report_rows_of(run, &rows);
	splits.count = report_splits(&rows, splits.items, SPLITS_MAX);
	for (uint32_t s = 0; s < splits.count; s++)
		splits.sums[s] = json_object();
	out = json_object();
	lines = json_array();
	json_array_foreach(json_object_get(account, "kernels"), i, kernel) {
		cycles_of(json_object_get(kernel, "nowhere"), &splits);
		json_array_foreach(json_object_get(kernel, "lines"), k, line)
			keep_line(lines, kernel, line, cycles_of(line, &splits));
	}
	json_array_foreach(lines, i, line)
		json_object_set_new(line, "share", json_real(all > 0 ? report_number(line, "cycles", NULL) / all : 0));
	put_splits(out, run, &splits);
	json_object_set(out, "parts", json_object_get(account, "parts"));
	json_object_set_new(out, "lines", lines);
	return out;
}

/* ---- as text ---- */

static void print_split(FILE *out, const json_t *account, const json_t *split)
{
	const json_t *parts = json_object_get(account, json_string_value(json_object_get(split, "name")));
	const char *key;
	json_t *doc, *value;
	double all = 0;

	json_object_foreach((json_t *)parts, key, value)
		all += json_number_value(value);
	if (all <= 0)
		return;
	fprintf(out, "\n%s, by where what they waited for was: %.0f\n",
		json_string_value(json_object_get(split, "title")), all);
	json_object_foreach(json_object_get(account, "parts"), key, doc) {
		const double own = report_number(parts, key, NULL);

		if (own > 0)
			fprintf(out, "  %-60s %14.0f    %7.1f %%\n", json_string_value(doc), own, 100 * own / all);
	}
}

void report_account_print(FILE *out, const json_t *account)
{
	size_t i;
	json_t *line, *split;

	if (!json_is_object(account))
		return;
	json_array_foreach(json_object_get(account, "splits"), i, split)
		print_split(out, account, split);
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
