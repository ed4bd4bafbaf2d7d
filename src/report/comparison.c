#include "report/report.h"

#include <glib.h>
#include <math.h>
#include <string.h>

static const double ps_per_us = 1e6, bytes_per_mb = 1e6, pj_per_mj = 1e9;

/* What a row is measured against, and what the means are made of. */
struct machine_mean {
	const char *machine;
	double speedup_log, program_log, energy_log;
	uint32_t count;
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

	json_array_foreach(runs, i, run)
		width = MAX(width, strlen(text_of(run, "machine")));
	return (int)MIN(width, 40);
}

static void print_header(FILE *out, int width)
{
	fprintf(out, "%-11s %-*s %11s %8s %8s %8s %9s %9s %9s %9s %10s %7s  %s\n", "workload", width, "machine",
		"time us", "speed-up", "program", "IPC", "TX MB", "RX MB", "stacks MB", "DRAM MB", "energy mJ", "ratio",
		"main stall");
}

static void print_ratio(FILE *out, int width, double a, double b)
{
	if (a > 0 && b > 0)
		fprintf(out, " %*.2fx", width - 1, a / b);
	else
		fprintf(out, " %*s", width, "-");
}

static void print_main_stall(FILE *out, const json_t *run)
{
	struct report_stall stall;

	if (report_top_stalls(run, &stall, 1))
		fprintf(out, "  %s %.0f %%", stall.reason, 100 * stall.share);
	else
		fputs("  -", out);
}

static double dram_bytes(const json_t *run)
{
	return report_number(run, "traffic_bytes", "dram_read") + report_number(run, "traffic_bytes", "dram_write");
}

/* Of a script's processes, each is compared with the one of the same number. */
static bool is_same_work(const json_t *a, const json_t *b)
{
	return !strcmp(text_of(a, "workload"), text_of(b, "workload")) &&
	       report_number(a, "process", NULL) == report_number(b, "process", NULL);
}

static void print_row(FILE *out, int width, const json_t *run, const json_t *base, bool is_first)
{
	const double process = report_number(run, "process", NULL);
	g_autofree char *name = process > 1 ? g_strdup_printf("%s #%.0f", text_of(run, "workload"), process)
					    : g_strdup(text_of(run, "workload"));

	fprintf(out, "%-11s %-*s", is_first ? name : "", width, text_of(run, "machine"));
	if (!report_has_run(run)) {
		fprintf(out, "  no results (exit status %.0f)\n", report_number(run, "exit_status", NULL));
		return;
	}
	fprintf(out, " %11.3f", report_number(run, "time_ps", NULL) / ps_per_us);
	print_ratio(out, 8, report_number(base, "time_ps", NULL), report_number(run, "time_ps", NULL));
	print_ratio(out, 8, report_number(base, "total_time_ps", NULL), report_number(run, "total_time_ps", NULL));
	fprintf(out, " %8.2f %9.3f %9.3f %9.3f %9.3f %10.4f", report_number(run, "ipc", NULL),
		report_number(run, "traffic_bytes", "tx") / bytes_per_mb,
		report_number(run, "traffic_bytes", "rx") / bytes_per_mb,
		report_number(run, "traffic_bytes", "stack_to_stack") / bytes_per_mb, dram_bytes(run) / bytes_per_mb,
		report_number(run, "energy_total_pj", NULL) / pj_per_mj);
	print_ratio(out, 7, report_number(run, "energy_total_pj", NULL), report_number(base, "energy_total_pj", NULL));
	print_main_stall(out, run);
	if (!json_is_true(json_object_get(run, "verified")))
		fputs("  NOT VERIFIED", out);
	fputc('\n', out);
}

static void add_mean(GArray *means, const json_t *run, const json_t *base)
{
	double time = report_number(run, "time_ps", NULL), base_time = report_number(base, "time_ps", NULL);
	double program = report_number(run, "total_time_ps", NULL);
	double base_program = report_number(base, "total_time_ps", NULL);
	double energy = report_number(run, "energy_total_pj", NULL);
	double base_energy = report_number(base, "energy_total_pj", NULL);
	uint32_t i = 0;

	while (i < means->len && strcmp(g_array_index(means, struct machine_mean, i).machine, text_of(run, "machine")))
		i++;
	if (i == means->len) {
		struct machine_mean m = {.machine = text_of(run, "machine")};

		g_array_append_val(means, m);
	}
	if (time <= 0 || base_time <= 0 || program <= 0 || base_program <= 0 || energy <= 0 || base_energy <= 0)
		return;

	struct machine_mean *m = &g_array_index(means, struct machine_mean, i);

	m->speedup_log += log(base_time / time);
	m->program_log += log(base_program / program);
	m->energy_log += log(energy / base_energy);
	m->count++;
}

static void print_means(FILE *out, int width, const GArray *means)
{
	for (uint32_t i = 0; i < means->len; i++) {
		const struct machine_mean *m = &g_array_index(means, struct machine_mean, i);

		fprintf(out, "%-11s %-*s %11s", i ? "" : "geo. mean", width, m->machine, "");
		print_ratio(out, 8, m->count ? exp(m->speedup_log / m->count) : 0, 1);
		print_ratio(out, 8, m->count ? exp(m->program_log / m->count) : 0, 1);
		fprintf(out, "%59s", "");
		print_ratio(out, 7, m->count ? exp(m->energy_log / m->count) : 0, 1);
		fprintf(out, "  of %u workloads\n", m->count);
	}
}

void report_comparison_print(FILE *out, const json_t *runs)
{
	GArray *means = g_array_new(FALSE, FALSE, sizeof(struct machine_mean));
	const json_t *base = NULL;
	uint32_t workload_count = 0;
	const int width = machine_width(runs);
	size_t i;
	json_t *run;

	print_header(out, width);
	json_array_foreach(runs, i, run)
	{
		bool is_first = !base || !is_same_work(run, base);

		if (is_first) {
			base = run;
			workload_count++;
		}
		print_row(out, width, run, base, is_first);
		add_mean(means, run, base);
	}
	if (workload_count > 1)
		print_means(out, width, means);
	g_array_free(means, TRUE);
}
