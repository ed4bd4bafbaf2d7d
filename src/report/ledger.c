/* ledger.c - rows of the ledger from the cells of an account. */
#include "report/ledger.h"

#include "report/demangle.h"
#include "report/report.h"
#include "report/rows.h"

#include <glib.h>
#include <math.h>
#include <string.h>

enum { SHOWN = 5 };

static const double ps_per_us = 1e6, bytes_per_kb = 1e3, register_bytes = 4, warp_lanes = 32;

/* A line that is read crosses as a request and an answer, one that is written as a packet and its acknowledgment. */
static double saved_bytes(const json_t *run, const json_t *b)
{
	const double reads = report_number(b, "read_lines", NULL) - report_number(b, "read_hits", NULL);

	return reads * report_reckoned(run, SIM_RECKONED_line_read_bytes) +
	       report_number(b, "write_lines", NULL) * report_reckoned(run, SIM_RECKONED_line_write_bytes);
}

static double mean_ps(const json_t *b, const char *sum, const char *count)
{
	const double n = report_number(b, count, NULL);

	return n > 0 ? report_number(b, sum, NULL) / n : 0;
}

static const char *most_refused(const json_t *refused, double *count)
{
	const char *why, *most = NULL;
	json_t *value;

	*count = 0;
	json_object_foreach((json_t *)refused, why, value)
		if (json_number_value(value) > *count) {
			*count = json_number_value(value);
			most = why;
		}
	return most;
}

/* Messages, or registers with what is beside them, and lines that the GPU's caches have and the block needs there. */
static double spent_bytes(const json_t *run, const json_t *b)
{
	const double messages = report_number(b, "message_bytes", NULL);
	const double registers = report_number(b, "request_bytes", NULL) + report_number(b, "answer_bytes", NULL);

	return (messages > 0 ? messages : registers) +
	       report_number(b, "read_hits", NULL) * report_reckoned(run, SIM_RECKONED_line_hit_bytes);
}

/* Means, as there_ps is one. */
static json_t *there_parts(const json_t *b)
{
	const double count = report_number(b, "there_count", NULL);
	json_t *out = json_object(), *value;
	const char *key;

	json_object_foreach(json_object_get(b, "there_parts_ps"), key, value)
		json_object_set_new(out, key, json_real(json_number_value(value) / count));
	return out;
}

/* "; one takes 1.2 us there, 0.8 us here; there 40 % of it: at the stack, until a warp slot was free" */
static void append_times(GString *text, const json_t *row, const json_t *docs)
{
	const double there = report_number(row, "there_ps", NULL), here = report_number(row, "here_ps", NULL);
	const char *key, *most = NULL;
	double most_ps = 0;
	json_t *value;

	if (there > 0 && here > 0)
		g_string_append_printf(text, "; one takes %.3f us there, %.3f us here", there / ps_per_us,
				       here / ps_per_us);
	json_object_foreach(json_object_get(row, "there_parts"), key, value)
		if (json_number_value(value) > most_ps) {
			most_ps = json_number_value(value);
			most = json_string_value(json_object_get(docs, key));
			most = most ? most : key;
		}
	if (most)
		g_string_append_printf(text, "; %.0f %% of its time there: %s", 100 * most_ps / there, most);
}

/* What it would mean to somebody who reads the program; docs: what parts of the account are. */
static char *finding_of(const json_t *row, const json_t *b, const json_t *docs)
{
	const double taken = report_number(b, "taken", NULL), offered = report_number(b, "offered", NULL);
	const double net = report_number(row, "net_bytes", NULL), hits = report_number(b, "read_hits", NULL);
	const double registers = report_number(b, "request_bytes", NULL) + report_number(b, "answer_bytes", NULL);
	const bool is_ctas = json_is_true(json_object_get(b, "of_ctas"));
	GString *text = g_string_new(NULL);
	double refused;
	const char *why = most_refused(json_object_get(b, "refused"), &refused);

	if (is_ctas)
		g_string_append_printf(text, "CTAs of %s", json_string_value(json_object_get(row, "kernel")));
	else
		g_string_append_printf(text, "block at line %.0f", report_number(row, "line", NULL));
	if (taken == 0) {
		g_string_append_printf(text, " %s: %.0f of %.0f times because: %s",
				       is_ctas ? "never move" : "never leaves", refused, offered,
				       why ? why : "it was not asked");
		return g_string_free(text, FALSE);
	}
	if (net != 0)
		g_string_append_printf(text, " %s %.1f kB", net < 0 ? "loses at least" : "saves at most",
				       fabs(net) / bytes_per_kb);
	if (is_ctas)
		g_string_append_printf(text, ": %.0f moved, with %.0f bytes of context each", taken,
				       registers / taken);
	else
		g_string_append_printf(
		    text, ": it ships %.1f registers for %.1f lines read and %.1f written there, %.0f times",
		    registers / taken / register_bytes / warp_lanes,
		    (report_number(b, "read_lines", NULL) - hits) / taken,
		    report_number(b, "write_lines", NULL) / taken, taken);
	if (!is_ctas && hits > 0)
		g_string_append_printf(text, "; and %.1f lines that the GPU's caches had", hits / taken);
	append_times(text, row, docs);
	if (why && refused > offered / 4)
		g_string_append_printf(text, "; %.0f %% stay because: %s", 100 * refused / offered, why);
	return g_string_free(text, FALSE);
}

static json_t *row_of(const json_t *run, const json_t *kernel, const json_t *line)
{
	const json_t *b = json_object_get(line, "ledger");
	const bool is_ctas = json_is_true(json_object_get(b, "of_ctas"));
	const double spent = spent_bytes(run, b);
	const double saved = is_ctas ? 0 : saved_bytes(run, b);
	json_t *row = json_pack("{s:o, s:O, s:O, s:b, s:f, s:O, s:O, s:O, s:f, s:f, s:f, s:f, s:o, s:f}",
				"kernel",
				report_title(kernel), "line", json_object_get(line, "line"), "text",
				json_object_get(line, "text"), "of_ctas", is_ctas, "entries",
				report_number(b, "entries", NULL), "offered", json_object_get(b, "offered"),
				"taken", json_object_get(b, "taken"), "refused", json_object_get(b, "refused"),
				"spent_bytes", spent, "saved_bytes", saved, "net_bytes", is_ctas ? 0.0 : saved - spent,
				"there_ps", mean_ps(b, "there_ps", "there_count"),
				"there_parts", there_parts(b), "here_ps", mean_ps(b, "here_ps", "here_count"));
	g_autofree char *finding = NULL;

	if (json_object_get(line, "source_line")) {
		json_object_set(row, "source_file", json_object_get(line, "source_file"));
		json_object_set(row, "source_line", json_object_get(line, "source_line"));
	}
	finding = finding_of(row, b, json_object_get(json_object_get(run, "account"), "parts"));
	json_object_set_new(row, "finding", json_string(finding));
	return row;
}

/* More is worse. */
static double badness(const json_t *row)
{
	const double here = report_number(row, "here_ps", NULL), there = report_number(row, "there_ps", NULL);

	return here > 0 && there > 0 ? (there - here) * report_number(row, "taken", NULL) : 0;
}

static bool is_worse(const json_t *a, const json_t *b)
{
	const double x = MIN(report_number(a, "net_bytes", NULL), 0), y = MIN(report_number(b, "net_bytes", NULL), 0);

	if (x != y)
		return x < y;
	if (badness(a) != badness(b))
		return badness(a) > badness(b);
	return report_number(a, "offered", NULL) > report_number(b, "offered", NULL);
}

json_t *report_ledger(const json_t *run)
{
	json_t *out = json_array(), *kernel, *line;
	size_t i, k, at;

	json_array_foreach(json_object_get(json_object_get(run, "account"), "kernels"), i, kernel)
		json_array_foreach(json_object_get(kernel, "lines"), k, line) {
			json_t *row;

			if (!json_object_get(line, "ledger"))
				continue;
			row = row_of(run, kernel, line);
			for (at = 0; at < json_array_size(out) && !is_worse(row, json_array_get(out, at)); at++)
				;
			json_array_insert_new(out, at, row);
		}
	return out;
}

void report_ledger_print(FILE *out, const json_t *ledger)
{
	json_t *row;
	size_t i;

	if (!json_array_size(ledger))
		return;
	fputs("\nthe mechanism's ledger by block, the worst first\n", out);
	fprintf(out, "  %-20s %7s %10s %10s %10s %12s %12s %10s %10s\n", "", "line", "entries", "offered", "taken",
		"spent kB", "saved <= kB", "there us", "here us");
	json_array_foreach(ledger, i, row) {
		g_autofree char *kernel = report_title_cut(json_string_value(json_object_get(row, "kernel")), 20);

		if (i == SHOWN) {
			fprintf(out, "  ... and %zu more; --json has all\n", json_array_size(ledger) - i);
			break;
		}
		fprintf(out, "  %-20s %7.0f %10.0f %10.0f %10.0f %12.1f %12.1f %10.3f %10.3f\n", kernel,
			report_number(row, "line", NULL),
			report_number(row, "entries", NULL), report_number(row, "offered", NULL),
			report_number(row, "taken", NULL),
			report_number(row, "spent_bytes", NULL) / bytes_per_kb,
			report_number(row, "saved_bytes", NULL) / bytes_per_kb,
			report_number(row, "there_ps", NULL) / ps_per_us,
			report_number(row, "here_ps", NULL) / ps_per_us);
	}
	json_array_foreach(ledger, i, row)
		if (i < SHOWN)
			fprintf(out, "  - %s\n", json_string_value(json_object_get(row, "finding")));
}
