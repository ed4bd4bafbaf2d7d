/* why.c - a run's time, attributed; the resources that bound it; sentences with their numbers. */
#include "report/why.h"

#include "report/accounts.h"
#include "report/accounts_print.h"
#include "report/cause.h"
#include "report/demangle.h"
#include "report/ledger.h"
#include "report/placed.h"
#include "report/report.h"
#include "report/roofline.h"
#include "report/rows.h"

#include <glib.h>
#include <string.h>

enum { KERNELS_SHOWN = 10 };

static const double ps_per_us = 1e6, large = 0.7;

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* ---- the program ---- */

static json_t *program_of(const json_t *run)
{
	const double kernels = report_number(run, "program", "kernel_ps"),
		     all = report_number(run, "program", "time_ps");
	const double busy = report_number(run, "program", "device_busy_ps");
	const double overlap = report_number(run, "program", "overlap_ps");

	/* The device is busy with kernels and copies; where both go on it is counted as a kernel. */
	return json_pack("{s:f, s:f, s:f, s:f, s:f}", "time_ps", all, "kernels_ps", kernels, "copies_ps",
			 MAX(busy - kernels, 0), "idle_ps", MAX(all - busy, 0), "copies_beside_kernels_ps", overlap);
}

/* ---- kernels ---- */

static int by_time(const void *left, const void *right)
{
	const json_t *const *a = left, *const *b = right;
	const double x = report_number(*a, "time_ps", NULL), y = report_number(*b, "time_ps", NULL);

	return x > y ? -1 : x < y;
}

static json_t *kernels_of(const json_t *run)
{
	const json_t *sums = json_object_get(run, "kernel_sums");
	const size_t count = json_array_size(sums);
	g_autofree json_t **all = g_new(json_t *, count + 1);
	json_t *out = json_array(), *sum;
	double time_ps = 0;
	size_t i;

	json_array_foreach(sums, i, sum) {
		all[i] = sum;
		time_ps += report_number(sum, "time_ps", NULL);
	}
	qsort(all, count, sizeof(all[0]), by_time);
	for (i = 0; i < count; i++) {
		const double own = report_number(all[i], "time_ps", NULL),
			     cycles = report_number(all[i], "cycles", NULL);

		json_array_append_new(out,
				      json_pack("{s:o, s:f, s:f, s:f, s:f}", "name", report_title(all[i]), "launches",
						report_number(all[i], "launches", NULL), "time_ps", own, "share",
						share(own, time_ps), "ipc",
						share(report_number(all[i], "thread_instructions", NULL), cycles)));
	}
	return out;
}

/* ---- findings ---- */

static void add_finding(json_t *out, char *text)
{
	json_array_append_new(out, json_string(text));
	g_free(text);
}

static void find_program(const json_t *run, json_t *out)
{
	const double all = report_number(run, "program", "time_ps"),
		     kernels = report_number(run, "program", "kernel_ps");

	if (all > 0 && kernels < all / 2)
		add_finding(out,
			    g_strdup_printf("kernels are %.1f %% of the program's %.3f us: the rest is copies, host "
					    "calls and waiting, which no machine's kernels can shorten",
					    100 * kernels / all, all / ps_per_us));
}

static void find_bound(const json_t *bounds, json_t *out)
{
	const json_t *first = json_array_get(bounds, 0);
	const double own = report_number(first, "share", NULL);

	if (!first)
		return;
	if (own > large)
		add_finding(out, g_strdup_printf("%s: %.0f %% of the time at its full rate; with this traffic it "
						 "cannot be less than %.3f us",
						 json_string_value(json_object_get(first, "name")), 100 * own,
						 report_number(first, "least_ps", NULL) / ps_per_us));
	else
		add_finding(out, g_strdup_printf("no resource bounds this by its rate: the nearest, %s, needs %.0f %% "
						 "of the time; what is missing is overlap (warps, threads, misses "
						 "under way) or balance",
						 json_string_value(json_object_get(first, "name")), 100 * own));
}

/* What the results have something of. */
static void put_if(json_t *why, const char *key, bool is_there, json_t *value)
{
	if (is_there)
		json_object_set_new(why, key, value);
	else
		json_decref(value);
}

json_t *report_why(const json_t *run, const json_t *any)
{
	const bool has_kernels = json_is_object(json_object_get(run, "program"));
	const bool has_account = json_object_get(run, "account");
	const json_t *other = report_is_same_work(run, any) ? any : NULL;
	json_t *why = json_pack("{s:n}", "cause"), *findings = json_array();
	json_t *accounts = report_accounts(run, true), *behind = report_accounts_behind(run), *bounds;
	struct machine_explain rows;

	report_rows_of(run, &rows);
	bounds = report_bounds(run, &rows);
	if (has_kernels)
		find_program(run, findings);
	report_accounts_find(run, accounts, behind, findings);
	find_bound(bounds, findings);
	report_findings_add(run, &rows, findings);
	json_object_set_new(why, "accounts", accounts);
	json_object_set_new(why, "behind", behind);
	json_object_set_new(why, "placed", report_placed(run, other));
	put_if(why, "blocks", has_account, report_ledger(run));
	json_object_set_new(why, "roofline", report_roofline(run));
	put_if(why, "program", has_kernels, program_of(run));
	put_if(why, "kernels", has_kernels, kernels_of(run));
	json_object_set_new(why, "bounds", bounds);
	json_object_set_new(why, "ledger", report_ledger_sums(run, &rows));
	json_object_set_new(why, "findings", findings);
	return why;
}

bool report_why_holds(const json_t *run, const char *when)
{
	return report_rows_value(run, when) > 0;
}

void report_why_try(json_t *why, const json_t *run, const json_t *what_if)
{
	struct machine_explain rows;

	report_rows_of(run, &rows);
	report_findings_try(run, &rows, what_if, json_object_get(why, "findings"));
	if (json_array_size(what_if))
		json_object_set_new(why, "cause", report_cause(run, what_if));
}

/* What the first units with an account spent most of their time on. */
static void say_waiting(GString *out, const json_t *run)
{
	json_t *accounts = report_accounts(run, false);
	const json_t *first = json_array_get(accounts, 0);
	const json_t *most = json_array_get(json_object_get(first, "parts"), 0);

	if (most)
		g_string_append_printf(out, "%s: %.0f %% of it is %s",
				       json_string_value(json_object_get(first, "who")),
				       100 * report_number(most, "share", NULL),
				       json_string_value(json_object_get(most, "what")));
	json_decref(accounts);
}

char *report_why_sentence(const json_t *run)
{
	GString *out = g_string_new(NULL);
	struct machine_explain rows;
	json_t *bounds, *first;

	report_rows_of(run, &rows);
	say_waiting(out, run);
	bounds = report_bounds(run, &rows);
	first = json_array_get(bounds, 0);
	if (first)
		g_string_append_printf(out, "%sthe nearest rate, %s, needs %.0f %% of the time", out->len ? "; " : "",
				       json_string_value(json_object_get(first, "name")),
				       100 * report_number(first, "share", NULL));
	json_decref(bounds);
	return g_string_free(out, !out->len);
}

/* ---- as text ---- */

static void print_program(FILE *out, const json_t *program)
{
	static const char *const parts[][2] = {
	    {"kernels", "kernels_ps"}, {"copies, without kernels beside", "copies_ps"}, {"device idle", "idle_ps"}};
	const double all = report_number(program, "time_ps", NULL);

	fprintf(out, "\nthe program's time: %.3f us\n", all / ps_per_us);
	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
		const double own = report_number(program, parts[i][1], NULL);

		fprintf(out, "  %-44s %14.3f us %7.1f %%\n", parts[i][0], own / ps_per_us, 100 * share(own, all));
	}
}

static void print_kernels(FILE *out, const json_t *kernels)
{
	size_t i;
	json_t *kernel;

	fputs("\nkernels, the longest first\n", out);
	json_array_foreach(kernels, i, kernel) {
		g_autofree char *name = report_title_cut(json_string_value(json_object_get(kernel, "name")), 44);

		if (i == KERNELS_SHOWN) {
			fprintf(out, "  ... and %zu more; --json has all\n", json_array_size(kernels) - i);
			break;
		}
		fprintf(out, "  %-44s %14.3f us %7.1f %%  IPC %.2f, %.0f launches\n", name,
			report_number(kernel, "time_ps", NULL) / ps_per_us, 100 * report_number(kernel, "share", NULL),
			report_number(kernel, "ipc", NULL), report_number(kernel, "launches", NULL));
	}
}

void report_why_print(FILE *out, const json_t *why)
{
	size_t i;
	json_t *finding;

	if (json_object_get(why, "program")) {
		print_program(out, json_object_get(why, "program"));
		print_kernels(out, json_object_get(why, "kernels"));
	}
	report_accounts_print(out, json_object_get(why, "accounts"), json_object_get(why, "behind"));
	report_bounds_print(out, json_object_get(why, "bounds"));
	report_roofline_print(out, json_object_get(why, "roofline"));
	report_ledger_sums_print(out, json_object_get(why, "ledger"));
	report_ledger_print(out, json_object_get(why, "blocks"));
	report_placed_print(out, json_object_get(why, "placed"));
	fputs("\nfindings\n", out);
	json_array_foreach(json_object_get(why, "findings"), i, finding)
		fprintf(out, "  - %s\n", json_string_value(finding));
}

static void print_sentence(FILE *out, const json_t *cause, const char *before)
{
	const char *sentence = json_string_value(json_object_get(cause, "sentence"));

	if (sentence)
		fprintf(out, "%s%c%s.\n", before, *before ? *sentence : g_ascii_toupper(*sentence), sentence + 1);
}

void report_cause_print(FILE *out, const json_t *why)
{
	const json_t *cause = json_object_get(why, "cause"), *other = json_object_get(cause, "other");
	const bool is_of_program = !g_strcmp0(json_string_value(json_object_get(other, "of")), "program");

	print_sentence(out, cause, "");
	print_sentence(out, other, is_of_program ? "Of the whole program " : "Of the kernels ");
	if (json_is_object(cause))
		fputc('\n', out);
}

void report_what_if_print(FILE *out, const json_t *rows)
{
	size_t i;
	json_t *row;

	if (!json_array_size(rows))
		return;
	fputs("\nwhat if: one resource made ideal, the rest as it is; the measured time, and the program's\n", out);
	json_array_foreach(rows, i, row)
		fprintf(out, "  %-21s %-76s %6.2fx %6.2fx%s\n", json_string_value(json_object_get(row, "name")),
			json_string_value(json_object_get(row, "what")), report_number(row, "speedup", NULL),
			report_number(row, "program_speedup", NULL),
			json_is_true(json_object_get(row, "verified")) ? "" : "  NOT VERIFIED");
}
