/* summary.c - what `strata run` prints of one run. */
#include "report/kernels.h"
#include "report/report.h"
#include "report/rows.h"

#include "report/demangle.h"

#include <glib.h>
#include <signal.h>
#include <string.h>

static const double ps_per_s = 1e12, ps_per_us = 1e6, ps_per_ns = 1e3, bytes_per_gb = 1e9, bytes_per_mb = 1e6,
		    pj_per_mj = 1e9;

enum { WAITS_SHOWN = 4, EXIT_OWN_FAILURE = 125, EXIT_BY_SIGNAL = 128, EXIT_BY_INTERRUPT = 130 };

static double per_second(const json_t *run, double bytes)
{
	double time_ps = report_number(run, "time_ps", NULL);

	return time_ps > 0 ? bytes / (time_ps / ps_per_s) : 0;
}

static double ratio_percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static const char *verdict(const json_t *run)
{
	const char *by = json_string_value(json_object_get(run, "verified_by"));

	if (report_number(run, "exit_status", NULL) == EXIT_BY_INTERRUPT)
		return "INTERRUPTED, these are the results so far";
	if (!json_is_true(json_object_get(run, "verified")))
		return "NOT VERIFIED";
	if (!g_strcmp0(by, "command"))
		return "verified by the check command";
	if (!g_strcmp0(by, "text"))
		return "verified by the expected text";
	return g_strcmp0(by, "exit") ? "verified" : "verified by exit status";
}

static void print_head(FILE *out, const json_t *run)
{
	g_autofree char *mark = report_mark(run);
	const char *mechanism = json_string_value(json_object_get(run, "mechanism"));
	const char *reason = json_string_value(json_object_get(run, "not_verified"));
	const bool has_mechanism = mechanism && strcmp(mechanism, "none");
	const double process = report_number(run, "process", NULL);
	g_autofree char *number = process > 1 ? g_strdup_printf(" #%.0f", process) : g_strdup("");

	fprintf(out, "\n%s%s on %s%s%s%s: %s%s%s%s%s\n", json_string_value(json_object_get(run, "workload")), number,
		json_string_value(json_object_get(run, "machine")), has_mechanism ? " (" : "",
		has_mechanism ? mechanism : "", has_mechanism ? ")" : "", verdict(run), reason ? ": " : "",
		reason ? reason : "", *mark ? "; " : "", mark);

	const char *text = json_string_value(json_object_get(run, "fault"));
	g_autofree char *fault = text ? report_demangle(text) : NULL;

	if (fault)
		fprintf(out, "  fault          %s\n", fault);
}

/* Whose cycles they are, as the machine's part has named their unit: "SM cycles". */
static char *cycles_text(const json_t *run)
{
	static const char in_kernels[] = " in kernels";
	const char *unit = json_string_value(json_object_get(json_object_get(run, "units"), "cycles"));

	if (!unit)
		return g_strdup("cycles");
	return g_str_has_suffix(unit, in_kernels) ? g_strndup(unit, strlen(unit) - strlen(in_kernels)) : g_strdup(unit);
}

/* What run.mode = sampled and run.fast_forward have left of the run. */
static void print_sampling(FILE *out, const json_t *run)
{
	const json_t *s = json_object_get(run, "sampling");
	const double skipped = report_number(s, "launches_skipped", NULL);

	if (!s)
		return;
	fputs("  sampled        ", out);
	if (report_has(s, "detailed_ratio", NULL))
		fprintf(out, "%.1f %% of the warp instructions%s in detail",
			100 * report_number(s, "detailed_ratio", NULL),
			skipped > 0 ? " that were not skipped" : "");
	else
		fputs("nothing in detail", out);
	fprintf(out, "; of %.0f launches %.0f in windows, %.0f estimated from others, %.0f skipped\n",
		report_number(run, "launches", NULL), report_number(s, "launches_in_windows", NULL),
		report_number(s, "launches_estimated", NULL), skipped);
	if (json_is_true(json_object_get(s, "stats_are_estimates")))
		fputs("                 counts below are scaled, and so is energy\n", out);
}

/* Where launches were skipped because another run has executed them, or for it. */
static void print_checkpoint(FILE *out, const json_t *run)
{
	const json_t *c = json_object_get(run, "checkpoint");
	const char *file = json_string_value(json_object_get(c, "file"));
	const bool is_read = !json_object_get(c, "is_written");

	if (file && (is_read || json_is_true(json_object_get(c, "is_written"))))
		fprintf(out, "  checkpoint     %.0f launches %s %s\n", report_number(c, "launches", NULL),
			is_read ? "from" : "to", file);
}

/* What ran for its values only, and how. */
static void print_functional(FILE *out, const json_t *run)
{
	const json_t *f = json_object_get(run, "functional"), *list = json_object_get(f, "interpreted");
	const double all = report_number(f, "warp_instructions", NULL);

	if (!f)
		return;
	fprintf(out,
		"  values only    %.0f warp instructions, %.1f %% of them compiled; kernels: %.0f compiled, %.0f "
		"interpreted",
		all, 100 * report_number(f, "compiled_warp_instructions", NULL) / all,
		report_number(f, "kernel_compiled_count", NULL), report_number(f, "kernel_interpreted_count", NULL));
	if (json_array_size(list))
		fprintf(out, " (%s: %s%s)", json_string_value(json_object_get(json_array_get(list, 0), "kernel")),
			json_string_value(json_object_get(json_array_get(list, 0), "reason")),
			json_array_size(list) > 1 ? "; ..." : "");
	fputc('\n', out);
}

static void print_time(FILE *out, const json_t *run)
{
	g_autofree char *cycles = cycles_text(run);
	g_autofree char *error = NULL;

	if (report_has(run, "time_ps_error", NULL))
		error = g_strdup_printf(" \302\261 %.3f", report_number(run, "time_ps_error", NULL) / ps_per_us);
	if (report_has(run, "time_ps", NULL))
		fprintf(out, "  time           %.3f%s us in kernels (%.0f %s), %.3f%s us the whole program\n",
			report_number(run, "time_ps", NULL) / ps_per_us, error ? error : "",
			report_number(run, "cycles", NULL), cycles,
			report_number(run, "total_time_ps", NULL) / ps_per_us, error ? error : "");
	else
		fputs("  time           -; no launch was timed\n", out);
	print_sampling(out, run);
	print_checkpoint(out, run);
	print_functional(out, run);
	fprintf(out, "  instructions   %.0f thread, %.0f warp", report_number(run, "thread_instructions", NULL),
		report_number(run, "warp_instructions", NULL));
	if (report_has(run, "ipc", NULL))
		fprintf(out, "; IPC %.2f", report_number(run, "ipc", NULL));
	fputc('\n', out);
}

/* "copies to device 8.389 MB in 2099.152 us, 4.0 GB/s (2)", where there were any. */
static void print_copies(FILE *out, const json_t *copies, const char *key, const char *what)
{
	const json_t *c = json_object_get(copies, key);

	if (report_number(c, "count", NULL) > 0)
		fprintf(out, "    %-18s %.3f MB in %.3f us, %.1f GB/s (%.0f)\n", what,
			report_number(c, "bytes", NULL) / bytes_per_mb, report_number(c, "time_ps", NULL) / ps_per_us,
			report_number(c, "bytes_per_s", NULL) / bytes_per_gb, report_number(c, "count", NULL));
}

/* The whole program's time: what of it the device and the host spent on what. */
static void print_program(FILE *out, const json_t *run, const struct machine_explain *rows)
{
	static const char *const copies[][2] = {
	    {"to_device", "copies to device"},
	    {"to_host", "copies to host"},
	    {"on_device", "copies on device"},
	    {"fill", "memsets"},
	};
	const json_t *program = json_object_get(run, "program");
	double time = report_number(program, "time_ps", NULL);

	fprintf(
	    out, "  program        kernels %.1f %% of its time, %.1f %% of theirs beside copies; device idle %.1f %%\n",
	    ratio_percent(report_number(program, "kernel_ps", NULL), time),
	    ratio_percent(report_number(program, "kernel_overlap_ps", NULL), report_number(program, "kernel_ps", NULL)),
	    ratio_percent(report_number(program, "device_idle_ps", NULL), time));
	for (uint32_t i = 0; i < G_N_ELEMENTS(copies); i++)
		print_copies(out, json_object_get(program, "copies"), copies[i][0], copies[i][1]);
	report_lines_print(out, run, rows, SIM_EXPLAIN_PROGRAM);
	fprintf(out, "    %-18s %.0f, busy %.3f us, waiting %.3f us", "host calls",
		report_number(program, "calls", NULL), report_number(program, "host_call_ps", NULL) / ps_per_us,
		report_number(program, "host_wait_ps", NULL) / ps_per_us);
	if (report_number(program, "host_code_ps", NULL) > 0)
		fprintf(out, ", own code %.3f us", report_number(program, "host_code_ps", NULL) / ps_per_us);
	fputc('\n', out);
}

/* What units waited for, where a part has an account of their time. */
static void print_waits(FILE *out, const json_t *run)
{
	struct report_wait waits[WAITS_SHOWN];
	struct report_waiting whose;
	const uint32_t count = report_top_waits(run, waits, WAITS_SHOWN, &whose);

	if (!whose.of)
		return;
	fprintf(out, "  limited by     ");
	for (uint32_t i = 0; i < count; i++)
		fprintf(out, "%s %.1f %%; ", waits[i].name, 100 * waits[i].share);
	fprintf(out, "at work %.1f %% of the %s of %s\n", 100 * whose.used, whose.unit, whose.of);
}

static void print_stacks(FILE *out, const json_t *run)
{
	json_t *stacks = json_object_get(run, "stacks"), *stack;
	double count = (double)json_array_size(stacks);
	size_t i;

	if (!json_array_size(stacks))
		return;
	fprintf(out, "  per stack      GB/s TX, RX (peak %.1f each), DRAM (peak %.1f)\n",
		report_number(run, "peak_bytes_per_s", "tx") / count / bytes_per_gb,
		report_number(run, "peak_bytes_per_s", "dram") / count / bytes_per_gb);
	json_array_foreach(stacks, i, stack) {
		double dram =
		    report_number(stack, "dram_read_bytes", NULL) + report_number(stack, "dram_write_bytes", NULL);

		fprintf(out, "    stack %-6zu %9.1f %9.1f %9.1f\n", i,
			per_second(run, report_number(stack, "tx_bytes", NULL)) / bytes_per_gb,
			per_second(run, report_number(stack, "rx_bytes", NULL)) / bytes_per_gb,
			per_second(run, dram) / bytes_per_gb);
	}
}

/* Percentiles of every latency histogram of the requests as the SMs see them. */
static void print_latency(FILE *out, const json_t *run)
{
	static const char prefix[] = "memory.", suffix[] = "_latency_ps";
	json_t *stats = json_object_get(run, "stats"), *h;
	const char *key;

	json_object_foreach(stats, key, h) {
		if (!json_is_object(h) || !g_str_has_prefix(key, prefix) || !g_str_has_suffix(key, suffix) ||
		    report_number(h, "count", NULL) <= 0)
			continue;

		g_autofree char *name = g_strndup(key + strlen(prefix), strlen(key) - strlen(prefix) - strlen(suffix));

		g_strdelimit(name, "_", ' ');
		fprintf(out, "  latency        %s: p50 %.0f ns, p90 %.0f, p99 %.0f, max %.0f (%.0f requests)\n", name,
			report_number(h, "p50", NULL) / ps_per_ns, report_number(h, "p90", NULL) / ps_per_ns,
			report_number(h, "p99", NULL) / ps_per_ns, report_number(h, "max", NULL) / ps_per_ns,
			report_number(h, "count", NULL));
	}
}

static void print_energy(FILE *out, const json_t *run)
{
	json_t *energy = json_object_get(run, "energy_pj"), *value;
	double total = report_number(run, "energy_total_pj", NULL);
	g_autofree char *scope = report_energy_scope(run);
	const char *name;
	uint32_t column = 0;

	if (!report_has(run, "energy_total_pj", NULL)) {
		fputs("  energy         -\n", out);
		return;
	}
	fprintf(out, "  energy         %.3f mJ", total / pj_per_mj);
	if (scope && json_array_size(json_object_get(run, "energy_not_counted")))
		fprintf(out, " of %s", scope);
	json_object_foreach(energy, name, value) {
		double pj = json_number_value(value);

		if (pj > 0)
			fprintf(out, "%s%s %.1f %%", column++ % 5 ? ", " : "\n    ", name, ratio_percent(pj, total));
	}
	fputc('\n', out);
}

static void print_no_run(FILE *out, const json_t *run)
{
	int status = (int)report_number(run, "exit_status", NULL);

	if (json_is_string(json_object_get(run, "fault")))
		return; /* said already */
	if (status > EXIT_BY_SIGNAL && status < EXIT_BY_SIGNAL + NSIG)
		fprintf(out, "  no results: signal %d (%s) ended the program before it was done with the CUDA driver\n",
			status - EXIT_BY_SIGNAL, g_strsignal(status - EXIT_BY_SIGNAL));
	else if (status == EXIT_OWN_FAILURE)
		fprintf(out, "  no results: the driver could not go on, for the reason that it has given\n");
	else
		fprintf(out, "  no results: the program did not use the CUDA driver, or left by _exit\n");
}

/* Such a run shows who finds a mistake, and nothing of the machine. */
static void print_mistakes(FILE *out, const json_t *run)
{
	const json_t *list = json_object_get(run, "planted_mistakes"), *one;
	size_t i;

	json_array_foreach(list, i, one)
		fprintf(out, "  planted        %s: a mistake of the protocol; these are no results of the machine\n",
			json_string_value(one));
}

/* What the program has measured of itself. */
static void print_measures(FILE *out, const json_t *run)
{
	json_t *measures = json_object_get(run, "measures"), *one;
	const char *name;

	json_object_foreach(measures, name, one) {
		g_autofree char *key = g_strconcat("measures.", name, NULL);
		const char *unit = json_string_value(json_object_get(json_object_get(run, "units"), key));

		/* A digest is for programs to compare. */
		if (g_strcmp0(unit, "digest") != 0)
			fprintf(out, "  measured       %s %.6g %s\n", name, json_number_value(one), unit ? unit : "");
	}
}

void report_summary_print(FILE *out, const json_t *run)
{
	struct machine_explain rows;

	print_head(out, run);
	if (!report_has_run(run)) {
		print_no_run(out, run);
		return;
	}
	report_rows_of(run, &rows);
	if (json_is_object(json_object_get(run, "program"))) {
		print_time(out, run);
		if (report_is_untimed(run)) {
			print_mistakes(out, run);
			print_measures(out, run);
			return;
		}
		print_program(out, run, &rows);
	}
	print_waits(out, run);
	report_kernels_print(out, run);
	report_lines_print(out, run, &rows, SIM_EXPLAIN_LINE);
	print_stacks(out, run);
	print_latency(out, run);
	print_mistakes(out, run);
	print_measures(out, run);
	print_energy(out, run);
}
