/* comparison.c - the table of machines by workloads, and its means. */
#include "report/demangle.h"
#include "report/explain.h"
#include "report/fit.h"
#include "report/report.h"
#include "report/rows.h"

#include <glib.h>
#include <math.h>
#include <string.h>

enum { PARTS_SHOWN = 2 };

#define MARK REPORT_FIT_COLUMN

static const double ps_per_us = 1e6, bytes_per_mb = 1e6, pj_per_mj = 1e9;
static const double no_change = 0.01; /* less is neither gained nor lost */

/* What a row is measured against, and what the means are made of. */
struct machine_mean {
	const char *machine;
	double speedup_log, program_log, energy_log;
	uint32_t count, energy_count;
	bool is_of_scopes; /* some energies are not of the same parts */
};

static const char *text_of(const json_t *run, const char *key)
{
	return json_string_value(json_object_get(run, key));
}

/* Of the column: the machines' names are the longest texts that users choose. */
static int machine_width(const json_t *runs)
{
	size_t width = 13, i;
	json_t *run;

	json_array_foreach(runs, i, run) width = MAX(width, strlen(text_of(run, "machine")));
	return (int)MIN(width, 40);
}

/* What moved, and in the place of what units waited for most: as a part of the machine names it, or by the links. */
enum { COLUMNS_MOVED = 3 };

static const struct sim_explain_column *columns_of(const json_t *run)
{
	static const struct sim_explain_column links[] = {{"TX MB", "traffic.tx / 1e6"},
							  {"RX MB", "traffic.rx / 1e6"},
							  {"stacks MB", "traffic.stack_to_stack / 1e6"},
							  {NULL, NULL}};
	struct machine_explain rows;

	report_rows_of(run, &rows);
	for (uint32_t i = 0; i < rows.count; i++)
		if (rows.items[i]->columns->title)
			return rows.items[i]->columns;
	return links;
}

/* Those of all runs, or of links if they have not all the same. */
static const struct sim_explain_column *columns_of_all(const json_t *runs)
{
	const struct sim_explain_column *all = NULL, *links = columns_of(NULL);
	size_t i;
	json_t *run;

	json_array_foreach(runs, i, run) {
		if (!report_has_run(run))
			continue;
		all = !all || all == columns_of(run) ? columns_of(run) : links;
	}
	return all ? all : links;
}

/* Has some run a time that is estimated (run.mode = sampled)? */
static bool are_sampled(const json_t *runs)
{
	size_t i;
	json_t *run;

	json_array_foreach(runs, i, run) if (report_has(run, "time_ps_error", NULL)) return true;
	return false;
}

static void print_header(FILE *out, int width, const struct sim_explain_column *c, bool is_sampled)
{
	fprintf(out, "%-11s %-*s %11s%s %8s%s", "workload", width, "machine", "time us",
		is_sampled ? "     \302\261 us" : "", "speed-up", is_sampled ? "       \302\261" : "");
	fprintf(out, MARK " %8s" MARK " %8s" MARK " %9s" MARK " %9s" MARK " %9s" MARK " %9s" MARK " %10s" MARK " %7s ",
		"program", "IPC", c[0].title, c[1].title, c[2].title, "DRAM MB", "energy mJ", "ratio");
	fprintf(out, MARK " %s\n",
		c[COLUMNS_MOVED].title ? c[COLUMNS_MOVED].title : "main stall");
}

static void print_ratio(FILE *out, int width, double a, double b)
{
	if (a > 0 && b > 0)
		fprintf(out, " %*.2fx", width - 1, a / b);
	else
		fprintf(out, " %*s", width, "-");
}

/* Of a time, in us; nothing where no run of the table is sampled. */
static void print_time_error(FILE *out, const json_t *run, bool is_sampled)
{
	if (!is_sampled)
		return;
	fputc(' ', out);
	report_put(out, 9, 3, report_has(run, "time_ps_error", NULL),
		   report_number(run, "time_ps_error", NULL) / ps_per_us);
}

/* Of the quotient of two times, whose errors have nothing to do with each other. */
static void print_ratio_error(FILE *out, const json_t *run, const json_t *base, bool is_sampled)
{
	const double time = report_number(run, "time_ps", NULL), base_time = report_number(base, "time_ps", NULL);
	const bool is_known = base && base != run && time > 0 && base_time > 0;
	const double part = is_known ? report_number(run, "time_ps_error", NULL) / time : 0;
	const double base_part = is_known ? report_number(base, "time_ps_error", NULL) / base_time : 0;

	if (!is_sampled)
		return;
	fputc(' ', out);
	report_put(out, 8, 2, is_known, is_known ? base_time / time * sqrt(part * part + base_part * base_part) : 0);
}

static void print_last(FILE *out, const json_t *run)
{
	const struct sim_explain_column *own = &columns_of(run)[COLUMNS_MOVED];
	struct report_wait wait;

	if (own->title)
		fprintf(out, " %.3f", report_rows_value(run, own->number));
	else if (report_top_waits(run, &wait, 1, NULL))
		fprintf(out, " %s %.0f %%", wait.name, 100 * wait.share);
	else
		fputs(" -", out);
}

static void print_moved(FILE *out, const json_t *run)
{
	const struct sim_explain_column *columns = columns_of(run);
	double dram;
	const bool has_dram = report_dram_bytes(run, &dram);

	for (uint32_t i = 0; i < COLUMNS_MOVED; i++) {
		const double mbytes = report_rows_value(run, columns[i].number);

		fputs(MARK " ", out);
		report_put(out, 9, 3, !isnan(mbytes), mbytes);
	}
	fputs(MARK " ", out);
	report_put(out, 9, 3, has_dram, dram / bytes_per_mb);
}

static bool is_verified(const json_t *run)
{
	return json_is_true(json_object_get(run, "verified"));
}

/* base NULL: there is nothing to measure against, or nothing that may be. */
static void print_row(FILE *out, int width, const json_t *run, const json_t *base, bool is_first,
		      bool is_sampled)
{
	g_autofree char *mark = report_mark(run);
	const char *reason = text_of(run, "not_verified");
	const double process = report_number(run, "process", NULL);
	g_autofree char *name = process > 1 ? g_strdup_printf("%s #%.0f", text_of(run, "workload"), process)
					    : g_strdup(text_of(run, "workload"));

	fprintf(out, "%-11s %-*s", is_first ? name : "", width, text_of(run, "machine"));
	if (!report_has_run(run)) {
		fprintf(out, "  no results (exit status %.0f): %s\n", report_number(run, "exit_status", NULL),
			reason ? reason : "");
		return;
	}
	report_put(out, 12, 3, report_has(run, "time_ps", NULL), report_number(run, "time_ps", NULL) / ps_per_us);
	print_time_error(out, run, is_sampled);
	print_ratio(out, 8, report_number(base, "time_ps", NULL), report_number(run, "time_ps", NULL));
	print_ratio_error(out, run, base, is_sampled);
	fputs(MARK, out);
	print_ratio(out, 8, report_number(base, "total_time_ps", NULL), report_number(run, "total_time_ps", NULL));
	fputs(MARK " ", out);
	report_put(out, 8, 2, report_has(run, "ipc", NULL), report_number(run, "ipc", NULL));
	print_moved(out, run);
	fputs(MARK " ", out);
	report_put(out, 10, 4, report_has(run, "energy_total_pj", NULL),
		   report_number(run, "energy_total_pj", NULL) / pj_per_mj);
	fputs(MARK, out);
	print_ratio(out, 7, report_number(run, "energy_total_pj", NULL), report_number(base, "energy_total_pj", NULL));
	fputs(base && !report_is_same_energy(run, base) ? "*" MARK : " " MARK, out);
	print_last(out, run);
	if (!is_verified(run))
		fprintf(out, "  NOT VERIFIED: %s", reason ? reason : "");
	fprintf(out, "%s%s\n", *mark ? "  " : "", mark);
}

static struct machine_mean *mean_of(GArray *means, const char *machine)
{
	uint32_t i = 0;

	while (i < means->len && strcmp(g_array_index(means, struct machine_mean, i).machine, machine) != 0)
		i++;
	if (i == means->len) {
		const struct machine_mean m = {.machine = machine};

		g_array_append_val(means, m);
	}
	return &g_array_index(means, struct machine_mean, i);
}

static void add_mean(GArray *means, const json_t *run, const json_t *base)
{
	struct machine_mean *m = mean_of(means, text_of(run, "machine"));
	double time = report_number(run, "time_ps", NULL), base_time = report_number(base, "time_ps", NULL);
	double program = report_number(run, "total_time_ps", NULL);
	double base_program = report_number(base, "total_time_ps", NULL);
	double energy = report_number(run, "energy_total_pj", NULL);
	double base_energy = report_number(base, "energy_total_pj", NULL);

	if (!base || time <= 0 || base_time <= 0 || program <= 0 || base_program <= 0)
		return;
	m->speedup_log += log(base_time / time);
	m->program_log += log(base_program / program);
	m->count++;
	/* A mean of energies is of the same workloads as that of times, or there is none. */
	if (energy > 0 && base_energy > 0) {
		m->energy_log += log(energy / base_energy);
		m->energy_count++;
	}
	m->is_of_scopes = m->is_of_scopes || !report_is_same_energy(run, base);
}

static void print_means(FILE *out, int width, const GArray *means, uint32_t workload_count, bool is_sampled)
{
	for (uint32_t i = 0; i < means->len; i++) {
		const struct machine_mean *m = &g_array_index(means, struct machine_mean, i);

		fprintf(out, "%-11s %-*s %11s", i ? "" : "geo. mean", width, m->machine, "");
		fprintf(out, "%*s", is_sampled ? 10 : 0, "");
		print_ratio(out, 8, m->count ? exp(m->speedup_log / m->count) : 0, 1);
		fprintf(out, "%*s" MARK, is_sampled ? 9 : 0, "");
		print_ratio(out, 8, m->count ? exp(m->program_log / m->count) : 0, 1);
		fprintf(out, MARK "%9s" MARK "%10s" MARK "%10s" MARK "%10s" MARK "%10s" MARK "%10s" MARK,
			"", "", "", "", "", "");
		print_ratio(out, 7, m->count && m->energy_count == m->count ? exp(m->energy_log / m->count) : 0, 1);
		fprintf(out, "%c" MARK " of %u of %u workloads\n", m->is_of_scopes ? '*' : ' ', m->count,
			workload_count);
	}
}

/* The verified run of the same work on the base machine, or NULL. */
static const json_t *base_of(const json_t *runs, const json_t *of, const char *machine)
{
	size_t i;
	json_t *run;

	if (!is_verified(of))
		return NULL;
	json_array_foreach(runs, i, run) {
		if (report_is_same_work(run, of) && !strcmp(text_of(run, "machine"), machine))
			return is_verified(run) ? run : NULL;
	}
	return NULL;
}

/* "drvin: different work: kernel k has 46480 thread instructions on tom-ideal, 66080 on tom-baseline" */
static void print_work(FILE *out, const json_t *run)
{
	size_t i;
	const json_t *d;

	json_array_foreach(json_object_get(run, "work_differs"), i, d) {
		g_autofree char *what = g_strdup(text_of(d, "what"));

		g_autofree char *kernel = report_demangle(text_of(d, "kernel"));

		g_strdelimit(what, "_", ' ');
		fprintf(out, "%s: different work: kernel %s has %.0f %s on %s, %.0f on %s\n", text_of(run, "workload"),
			kernel, report_number(d, "value", NULL), what, text_of(run, "machine"),
			report_number(d, "machine_value", NULL), text_of(d, "machine"));
	}
}

/* A machine that stands for an ideal may be no upper bound: a line of each of its runs says what is one, and their
 * mean. */
static void print_ideals(FILE *out, const json_t *runs, const char *base_machine)
{
	const char *label = NULL;
	double speedup_log = 0;
	uint32_t count = 0;
	size_t i;
	json_t *run;

	json_array_foreach(runs, i, run) {
		const double base_ps = report_number(base_of(runs, run, base_machine), "time_ps", NULL);
		double least_ps = 0;

		if (!report_ideal(run, &label, &least_ps))
			continue;
		fprintf(out, "%s: %s %.3f us, of %s", text_of(run, "workload"), label,
			least_ps / ps_per_us, text_of(run, "machine"));
		if (base_ps > 0) {
			fprintf(out, ": %.2fx", base_ps / least_ps);
			speedup_log += log(base_ps / least_ps);
			count++;
		}
		fputc('\n', out);
	}
	if (count > 1)
		fprintf(out, "geo. mean of %u runs: %s %.2fx\n", count, label, exp(speedup_log / count));
}

/* One line of all machines of a work, whose runs stand together, that have given the host other bytes. */
static void print_copied(FILE *out, const json_t *runs)
{
	const json_t *first = NULL; /* of the line begun */
	size_t i;
	json_t *run;

	json_array_foreach(runs, i, run) {
		const char *base = text_of(run, "copied_bytes_differ_from");

		if (!base)
			continue;
		if (first && report_is_same_work(run, first)) {
			fprintf(out, ", %s", text_of(run, "machine"));
			continue;
		}
		fprintf(out, "%s%s: other bytes were copied to the host than on %s: on %s", first ? "\n" : "",
			text_of(run, "workload"), base, text_of(run, "machine"));
		first = run;
	}
	if (first)
		fputc('\n', out);
}

/* Workloads check themselves; of other programs the reader must know what "verified" stands for. */
static void print_verified_by(FILE *out, const json_t *runs)
{
	static const char *const ways[][2] = {
	    {"command", "the check command"},
	    {"text", "the expected text"},
	    {"exit", "exit status"},
	};

	for (size_t w = 0; w < G_N_ELEMENTS(ways); w++) {
		uint32_t count = 0;
		size_t i;
		json_t *run;

		json_array_foreach(runs, i, run) count +=
		    is_verified(run) && !g_strcmp0(text_of(run, "verified_by"), ways[w][0]);
		if (count)
			fprintf(out, "%u of %zu runs verified by %s\n", count, json_array_size(runs), ways[w][1]);
	}
}

/* Of what parts the energies are: where those of two machines are of different ones, or something is not counted. */
static void print_energy_scopes(FILE *out, const json_t *runs)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	const json_t *run, *first = json_array_get(runs, 0);
	bool is_shown = false, differs = false;
	size_t i;

	json_array_foreach(runs, i, run) {
		differs = differs || !report_is_same_energy(run, first);
		is_shown = is_shown || json_array_size(json_object_get(run, "energy_not_counted"));
	}
	json_array_foreach(runs, i, run) {
		g_autofree char *scope = report_energy_scope(run);

		if ((is_shown || differs) && scope && g_hash_table_add(seen, (char *)text_of(run, "machine")))
			fprintf(out, "energy of %s: %s\n", text_of(run, "machine"), scope);
	}
	if (differs)
		fputs("* energies of different parts: such a ratio says little\n", out);
}

/* ---- who gained most, who lost most ---- */

static double speedup_of(const json_t *runs, const json_t *run, const char *base_machine)
{
	const json_t *base = base_of(runs, run, base_machine);
	const double own = report_number(run, "time_ps", NULL);

	return base && base != run && is_verified(run) && own > 0 ? report_number(base, "time_ps", NULL) / own : 1;
}

/* With the parts of the time that changed most: a reader asks why next. */
static void print_extreme(FILE *out, const char *what, const json_t *runs, const json_t *run, const char *base_machine)
{
	json_t *parts = report_time_parts(base_of(runs, run, base_machine), run);

	fprintf(out, "%s: %s on %s, %.2fx", what, text_of(run, "workload"), text_of(run, "machine"),
		speedup_of(runs, run, base_machine));
	for (size_t i = 0; i < MIN(json_array_size(parts), PARTS_SHOWN); i++)
		fprintf(out, "%s%s %+.3f us", i ? ", " : "; of its time ",
			text_of(json_array_get(parts, i), "name"),
			report_number(json_array_get(parts, i), "change_ps", NULL) / ps_per_us);
	fputc('\n', out);
	json_decref(parts);
}

static void print_extremes(FILE *out, const json_t *runs, const char *base_machine)
{
	const json_t *best = NULL, *worst = NULL;
	double most = 1 + no_change, least = 1 - no_change;
	size_t i;
	json_t *run;

	json_array_foreach(runs, i, run) {
		const double speedup = speedup_of(runs, run, base_machine);

		if (speedup > most) {
			most = speedup;
			best = run;
		}
		if (speedup < least) {
			least = speedup;
			worst = run;
		}
	}
	if (best)
		print_extreme(out, "gained most", runs, best, base_machine);
	if (worst)
		print_extreme(out, "lost most", runs, worst, base_machine);
}

/* Of how many rows the means are: every process of every workload, and the workloads that did not run. */
static uint32_t work_count(const json_t *runs, uint32_t workload_count)
{
	const json_t *before = NULL;
	uint32_t count = 0, seen_count = 0;
	size_t i;
	json_t *run;

	json_array_foreach(runs, i, run) {
		if (before && report_is_same_work(run, before))
			continue;
		count++;
		seen_count += !before || strcmp(text_of(run, "workload"), text_of(before, "workload"));
		before = run;
	}
	return count + workload_count - MIN(seen_count, workload_count);
}

/* The table with its means; on a narrow terminal without those columns that `compare` is least about. */
static void print_table(FILE *out, const json_t *runs, const struct report_comparison *c)
{
	GArray *means = g_array_new(FALSE, FALSE, sizeof(struct machine_mean));
	const struct sim_explain_column *moved = columns_of_all(runs);
	const char *const order[] = {moved[2].title, "IPC", "program", moved[1].title, moved[0].title,
				     "DRAM MB", "ratio", "energy mJ", NULL};
	const uint32_t count = work_count(runs, c->workload_count);
	const int width = machine_width(runs);
	const bool is_sampled = are_sampled(runs);
	const json_t *before = NULL;
	struct report_fit fit;
	FILE *table = report_fit_begin(&fit);
	size_t i;
	json_t *run;

	print_header(table, width, moved, is_sampled);
	json_array_foreach(runs, i, run) {
		const json_t *base = base_of(runs, run, c->base);

		print_row(table, width, run, base, !before || !report_is_same_work(run, before), is_sampled);
		add_mean(means, run, base);
		before = run;
	}
	if (count > 1)
		print_means(table, width, means, count, is_sampled);
	report_fit_end(&fit, out, order, "--json FILE, --csv FILE and a wider one have them");
	g_array_free(means, TRUE);
}

void report_comparison_print(FILE *out, const json_t *runs, const struct report_comparison *c)
{
	size_t i;
	json_t *run;

	print_table(out, runs, c);
	json_array_foreach(runs, i, run) {
		print_work(out, run);
	}
	print_extremes(out, runs, c->base);
	print_energy_scopes(out, runs);
	print_ideals(out, runs, c->base);
	print_copied(out, runs);
	print_verified_by(out, runs);
}
