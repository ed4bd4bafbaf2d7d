/* placed.c - kernels in the arrays of caches, functions and designs on NDPs, with what that cost and saved. */
#include "report/placed.h"

#include "report/demangle.h"
#include "report/parts.h"
#include "report/report.h"
#include "report/rows.h"

#include <glib.h>
#include <string.h>

enum { SHOWN = 5 };

static const double ps_per_us = 1e6, bytes_per_kb = 1e3;

static double number(const json_t *o, const char *key)
{
	return report_number(o, key, NULL);
}

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* ---- order ---- */

static double excess_ps(const json_t *row)
{
	return number(row, "here_ps") > 0 ? number(row, "there_ps") - number(row, "here_ps") : 0;
}

static bool is_worse(const json_t *a, const json_t *b)
{
	const double refused[] = {number(a, "offered") - number(a, "taken"), number(b, "offered") - number(b, "taken")};
	const double net[] = {number(a, "spent_bytes") - number(a, "saved_bytes"),
			      number(b, "spent_bytes") - number(b, "saved_bytes")};

	if (refused[0] != refused[1])
		return refused[0] > refused[1];
	if (excess_ps(a) != excess_ps(b))
		return excess_ps(a) > excess_ps(b);
	if (net[0] != net[1])
		return net[0] > net[1];
	return number(a, "there_ps") > number(b, "there_ps");
}

static void insert(json_t *rows, json_t *row)
{
	size_t at = 0;

	while (at < json_array_size(rows) && !is_worse(row, json_array_get(rows, at)))
		at++;
	json_array_insert_new(rows, at, row);
}

static void add_other(GString *text, const json_t *row, const char *who)
{
	const double here = number(row, "here_ps"), there = number(row, "there_ps");

	if (here > 0)
		g_string_append_printf(text, "; on the other machine %s %.3f us, that is %.2f times as long", who,
				       here / ps_per_us, there / here);
}

/* ---- kernels in arrays ---- */

static double kernel_there(const json_t *other, const char *name)
{
	json_t *sum;
	size_t i;

	json_array_foreach(json_object_get(other, "kernel_sums"), i, sum)
		if (!g_strcmp0(json_string_value(json_object_get(sum, "name")), name))
			return number(sum, "time_ps");
	return 0;
}

static char *kernel_finding(const json_t *k, const json_t *row)
{
	const double blocks = number(k, "active_block_cycles"), offered = number(k, "offered"),
		     taken = number(k, "taken");
	const char *why = json_string_value(json_object_get(k, "why"));
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, "kernel %s:", json_string_value(json_object_get(row, "name")));
	if (taken < offered)
		g_string_append_printf(text, " %.0f of %.0f launches refused by the arrays: %s", offered - taken,
				       offered, why ? why : "their results do not say why");
	if (taken > 0)
		g_string_append_printf(
		    text,
		    "%s %.0f launches take %.3f us in the arrays; blocks compute in %.1f %% of their cycles, %.1f %% "
		    "go to accesses, %.1f %% to waiting for words, %.1f %% for their wave; memory %.1f kB read, "
		    "%.1f kB written, %.0f of %.0f accesses are spills",
		    taken < offered ? ";" : "", taken, number(k, "time_ps") / ps_per_us,
		    percent(number(k, "compute_cycles"), blocks), percent(number(k, "memory_cycles"), blocks),
		    percent(number(k, "feed_wait_cycles"), blocks), percent(number(k, "wave_wait_cycles"), blocks),
		    number(k, "read_bytes") / bytes_per_kb, number(k, "write_bytes") / bytes_per_kb,
		    number(k, "spill_accesses"), number(k, "accesses"));
	add_other(text, row, "they take");
	return g_string_free(text, FALSE);
}

static void add_kernels(const json_t *run, const json_t *other, json_t *rows)
{
	json_t *kernel;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(run, "duality"), "kernels"), i, kernel) {
		const char *name = json_string_value(json_object_get(kernel, "name"));
		json_t *row = json_copy(kernel);
		g_autofree char *finding = NULL;

		json_object_set_new(row, "name", report_title(kernel));
		json_object_set_new(row, "what", json_string("kernel"));
		json_object_set_new(row, "there_ps", json_real(number(kernel, "time_ps")));
		json_object_set_new(row, "here_ps", json_real(kernel_there(other, name)));
		finding = kernel_finding(kernel, row);
		json_object_set_new(row, "finding", json_string(finding));
		insert(rows, row);
	}
}

/* ---- functions on NDPs ---- */

/* What is neither waiting for other threads nor the time in which there is none. */
#define OWN (REPORT_KINDS_ALL & ~(REPORT_KIND(OTHERS) | REPORT_KIND(IDLE)))

static double parts_ps(const json_t *line, const struct machine_explain *rows, uint32_t kinds)
{
	return report_parts_sum(json_object_get(line, "parts"), rows, kinds);
}

static bool is_of(const json_t *line, const char *of)
{
	return !g_strcmp0(json_string_value(json_object_get(line, "of")), of);
}

static double function_there(const json_t *other, const char *name)
{
	struct machine_explain rows;
	json_t *line;
	double sum = 0;
	size_t i;

	report_rows_of(other, &rows);
	json_array_foreach(json_object_get(json_object_get(other, "core_account"), "lines"), i, line) {
		const char *function = json_string_value(json_object_get(line, "function"));
		g_autofree char *title = function ? report_demangle(function) : NULL;

		if (is_of(line, "processors") && !g_strcmp0(title, name))
			sum += parts_ps(line, &rows, OWN);
	}
	return sum;
}

static json_t *row_named(json_t *rows, const char *name)
{
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
		if (!g_strcmp0(json_string_value(json_object_get(row, "name")), name))
			return row;
	row = json_pack("{s:s, s:s, s:f}", "name", name, "what", "function", "there_ps", 0.0);
	json_array_append_new(rows, row);
	return row;
}

static char *function_finding(const json_t *row)
{
	const double local = number(row, "local"), remote = number(row, "remote"), all = number(row, "accesses");
	GString *text = g_string_new(NULL);

	g_string_append_printf(
	    text,
	    "function %s: NDP cores spend %.3f us together there, and %.3f us more on waiting for others; of %.0f "
	    "accesses %.0f leave the core's cache, %.1f %% of these to other channels",
	    json_string_value(json_object_get(row, "name")), number(row, "there_ps") / ps_per_us,
	    number(row, "wait_ps") / ps_per_us, all, local + remote, percent(remote, local + remote));
	if (local + remote > 0)
		g_string_append_printf(text,
				       "; at most %.1f kB did not come up a channel, at least %.1f kB went by one",
				       number(row, "saved_bytes") / bytes_per_kb,
				       number(row, "spent_bytes") / bytes_per_kb);
	add_other(text, row, "hardware threads spend");
	return g_string_free(text, FALSE);
}

/* A processor would have had to read, at most, what NDP cores have read beside their channel. A remote access is a
 * message up; one that is no atomic of the NDP-AP brings data down, and one that writes takes them up. Claims and
 * probes on behalf of others are nobody's here: channel.message_bytes has all. */
static void set_bytes(const json_t *run, json_t *row)
{
	const double access = report_reckoned(run, SIM_RECKONED_access_bytes);
	const double message = report_reckoned(run, SIM_RECKONED_message_bytes);
	const double reads = number(row, "remote_reads"), writes = number(row, "remote_writes"),
		     atomics = number(row, "remote_atomics");

	json_object_set_new(row, "remote", json_real(reads + writes + atomics));
	json_object_set_new(row, "saved_bytes", json_real(number(row, "local") * access));
	json_object_set_new(row, "spent_bytes",
			    json_real((reads + writes + atomics) * message + (reads + 2 * writes) * access));
}

static void add_functions(const json_t *run, const json_t *other, const struct machine_explain *explain, json_t *rows)
{
	static const char *const counts[] = {"accesses", "local", "remote_reads", "remote_writes", "remote_atomics"};
	json_t *functions = json_array(), *line, *row;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(run, "core_account"), "lines"), i, line) {
		const char *name = json_string_value(json_object_get(line, "function"));
		g_autofree char *title = name ? report_demangle(name) : g_strdup("of no name");

		if (!is_of(line, "ndps"))
			continue;
		row = row_named(functions, title);
		report_parts_add_one(row, "there_ps", parts_ps(line, explain, OWN));
		report_parts_add_one(row, "wait_ps", parts_ps(line, explain, REPORT_KIND(OTHERS)));
		for (size_t k = 0; k < G_N_ELEMENTS(counts); k++)
			report_parts_add_one(row, counts[k], number(line, counts[k]));
	}
	json_array_foreach(functions, i, row) {
		g_autofree char *finding = NULL;

		set_bytes(run, row);
		json_object_set_new(
		    row, "here_ps",
		    json_real(function_there(other, json_string_value(json_object_get(row, "name")))));
		finding = function_finding(row);
		json_object_set_new(row, "finding", json_string(finding));
		insert(rows, json_incref(row));
	}
	json_decref(functions);
}

/* ---- accelerators ---- */

static char *accelerator_finding(const json_t *design, const json_t *row, double own_ps, double place_ps)
{
	const double busy = number(row, "there_ps"), local = number(row, "local"), remote = number(row, "remote");

	return g_strdup_printf(
	    "accelerator %s: %.0f messages taken, %.0f sent; it has work for %.3f us: %.1f %% its own, %.1f %% without "
	    "a place for one more access, %.1f %% waiting for answers; %.0f accesses, each %.3f us under way on "
	    "average, %.1f %% of them to other channels; at most %.1f kB did not come up a channel, at least %.1f kB "
	    "went by one",
	    json_string_value(json_object_get(design, "name")), number(design, "messages"), number(design, "replies"),
	    busy / ps_per_us, percent(own_ps, busy), percent(place_ps, busy), percent(busy - own_ps - place_ps, busy),
	    number(row, "accesses"), number(row, "access_ps") / ps_per_us, percent(remote, local + remote),
	    number(row, "saved_bytes") / bytes_per_kb, number(row, "spent_bytes") / bytes_per_kb);
}

/* One that got no message is not there. */
static void add_accelerators(const json_t *run, const struct machine_explain *explain, json_t *rows)
{
	const double time_ps = number(run, "time_ps");
	json_t *design;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(run, "core_account"), "accelerators"), i, design) {
		const double work_ps = time_ps - parts_ps(design, explain, REPORT_KIND(IDLE));
		json_t *row;
		g_autofree char *finding = NULL;

		if (number(design, "messages") == 0)
			continue;
		row = json_copy(design);
		json_object_set_new(row, "what", json_string("accelerator"));
		json_object_set_new(row, "there_ps", json_real(work_ps));
		json_object_set_new(row, "access_ps",
				    json_real(number(design, "accesses") > 0
						  ? report_parts_sum(json_object_get(design, "access_parts"), explain,
								     REPORT_KINDS_ALL) /
							number(design, "accesses")
						  : 0));
		set_bytes(run, row);
		finding = accelerator_finding(design, row, parts_ps(design, explain, REPORT_KIND(WORK)),
					      parts_ps(design, explain, REPORT_KIND(ROOM)));
		json_object_set_new(row, "finding", json_string(finding));
		insert(rows, row);
	}
}

json_t *report_placed(const json_t *run, const json_t *other)
{
	json_t *rows = json_array();
	struct machine_explain explain;

	report_rows_of(run, &explain);
	add_kernels(run, other, rows);
	add_functions(run, other, &explain, rows);
	add_accelerators(run, &explain, rows);
	return rows;
}

void report_placed_print(FILE *out, const json_t *rows)
{
	json_t *row;
	size_t i;

	if (!json_array_size(rows))
		return;
	fprintf(out, "\nthe mechanism's ledger by %s, the worst first\n",
		json_string_value(json_object_get(json_array_get(rows, 0), "what")));
	json_array_foreach(rows, i, row) {
		if (i == SHOWN) {
			fprintf(out, "  ... and %zu more; --json has all\n", json_array_size(rows) - i);
			break;
		}
		fprintf(out, "  - %s\n", json_string_value(json_object_get(row, "finding")));
	}
}
