/* memory.c - what a memory gave under a stream: the summary of one run, the table of several. */
#include "report/memory.h"

#include <glib.h>
#include <string.h>

static const double ps_per_us = 1e6, pj_per_uj = 1e6, bits_per_byte = 8, million = 1e6;

static const char *text_of(const json_t *run, const char *key)
{
	return json_string_value(json_object_get(run, key));
}

static double number_of(const json_t *run, const char *key)
{
	return report_number(run, key, NULL);
}

static double percent_of(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static double pj_per_bit(const json_t *run)
{
	const double bits = bits_per_byte * number_of(run, "requests") * number_of(run, "request_bytes");

	return bits > 0 ? number_of(run, "energy_pj") / bits : 0;
}

static void print_load(FILE *out, const json_t *run)
{
	if (json_is_number(json_object_get(run, "rate_gbytes_per_s")))
		fprintf(out, "at %.3f GB/s", number_of(run, "rate_gbytes_per_s"));
	else if (json_is_number(json_object_get(run, "window")))
		fprintf(out, "%.0f under way", number_of(run, "window"));
	else
		fputs("at the trace's times", out);
}

static void print_latency(FILE *out, const json_t *run, const char *label, const char *prefix)
{
	static const char *const names[] = {"p50", "p90", "p95", "p99", "p999", "max"};
	static const char *const shown[] = {"p50", "p90", "p95", "p99", "p99.9", "max"};
	g_autofree char *mean = g_strconcat(prefix, "latency_mean_ns", NULL);

	if (!json_is_number(json_object_get(run, mean)))
		return;
	fprintf(out, "  %-14s mean %.1f ns", label, number_of(run, mean));
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *key = g_strconcat(prefix, "latency_", names[i], "_ns", NULL);

		fprintf(out, ", %s %.1f", shown[i], number_of(run, key));
	}
	fputc('\n', out);
}

static void print_refreshes(FILE *out, const json_t *run)
{
	static const struct {
		const char *key, *name;
	} rows[] = {{"refreshes", "of ranks"}, {"bank_refreshes", "of single banks"}, {"refresh_managements", "RFM"}};
	const char *separator = "";

	fputs("  refreshes      ", out);
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		if (number_of(run, rows[i].key) <= 0)
			continue;
		fprintf(out, "%s%.0f %s", separator, number_of(run, rows[i].key), rows[i].name);
		separator = ", ";
	}
	fputs(*separator ? "\n" : "none\n", out);
}

static void print_power_states(FILE *out, const json_t *run)
{
	const char *name, *separator = "";
	json_t *value;

	fputs("  ranks          ", out);
	json_object_foreach(json_object_get(run, "power_states"), name, value) {
		g_autofree char *shown = g_strdelimit(g_strdup(name), "_", ' ');

		if (json_number_value(value) <= 0)
			continue;
		fprintf(out, "%s%s %.1f %%", separator, shown, 100 * json_number_value(value));
		separator = ", ";
	}
	fputc('\n', out);
}

static void print_energy(FILE *out, const json_t *run)
{
	const json_t *components = json_object_get(run, "energy_components_pj");
	const double total = number_of(run, "energy_pj");
	json_t *value;
	const char *name;

	fprintf(out, "  energy         %.3f uJ, %.2f pJ per bit:", total / pj_per_uj, pj_per_bit(run));

	const char *separator = "";

	json_object_foreach((json_t *)components, name, value) {
		if (json_number_value(value) <= 0)
			continue;
		fprintf(out, "%s %s %.1f %%", separator, name, percent_of(json_number_value(value), total));
		separator = ",";
	}
	fputc('\n', out);
}

static void print_one(FILE *out, const json_t *run)
{
	const bool is_mixed = number_of(run, "reads") > 0 && number_of(run, "writes") > 0;

	fprintf(out, "%s, %s: %.0f requests of %.0f bytes", text_of(run, "memory"), text_of(run, "stream"),
		number_of(run, "requests"), number_of(run, "request_bytes"));
	if (number_of(run, "writes") > 0)
		fprintf(out, " (%.0f writes)", number_of(run, "writes"));
	fputs(", ", out);
	print_load(out, run);
	fputs(json_is_true(json_object_get(run, "interrupted")) ? ": INTERRUPTED\n" : "\n", out);
	if (number_of(run, "requests") <= 0)
		return;
	fprintf(out, "  bandwidth      %.3f GB/s of %.3f (%.1f %%), data buses busy %.1f %%\n",
		number_of(run, "gbytes_per_s"), number_of(run, "peak_gbytes_per_s"),
		percent_of(number_of(run, "gbytes_per_s"), number_of(run, "peak_gbytes_per_s")),
		100 * number_of(run, "bus_utilisation"));
	print_latency(out, run, "latency", "");
	if (is_mixed) {
		print_latency(out, run, "  reads", "read_");
		print_latency(out, run, "  writes", "write_");
	}
	fprintf(out, "  row hits       %.1f %%\n", 100 * number_of(run, "row_hit_ratio"));
	print_refreshes(out, run);
	print_power_states(out, run);
	print_energy(out, run);
	fprintf(out, "  time           %.3f us simulated in %.3f CPU s", number_of(run, "time_ps") / ps_per_us,
		number_of(run, "host_seconds"));
	if (number_of(run, "host_seconds") > 0)
		fprintf(out, ", %.2f million requests per CPU second",
			number_of(run, "requests") / number_of(run, "host_seconds") / million);
	fputc('\n', out);
}

static int width_of(const json_t *runs, const char *key, int width)
{
	const json_t *run;
	size_t i;

	json_array_foreach(runs, i, run) width = MAX(width, (int)MIN(strlen(text_of(run, key)), 40));
	return width;
}

static void print_table(FILE *out, const json_t *runs)
{
	const int memory = width_of(runs, "memory", 6), stream = width_of(runs, "stream", 6);
	const json_t *run;
	size_t i;

	fprintf(out, "%-*s  %-*s %10s %8s %9s %9s %9s %9s %10s %9s %9s\n", memory, "memory", stream, "stream", "GB/s",
		"of peak", "mean ns", "p50 ns", "p99 ns", "p99.9 ns", "max ns", "row hits", "pJ/bit");
	json_array_foreach(runs, i, run) {
		fprintf(out, "%-*s  %-*s %10.3f %6.1f %% %9.1f %9.1f %9.1f %9.1f %10.1f %7.1f %% %9.2f%s\n", memory,
			text_of(run, "memory"), stream, text_of(run, "stream"), number_of(run, "gbytes_per_s"),
			percent_of(number_of(run, "gbytes_per_s"), number_of(run, "peak_gbytes_per_s")),
			number_of(run, "latency_mean_ns"), number_of(run, "latency_p50_ns"),
			number_of(run, "latency_p99_ns"), number_of(run, "latency_p999_ns"),
			number_of(run, "latency_max_ns"), 100 * number_of(run, "row_hit_ratio"), pj_per_bit(run),
			json_is_true(json_object_get(run, "interrupted")) ? "  INTERRUPTED" : "");
	}
}

void report_memory_print(FILE *out, const json_t *runs)
{
	if (json_array_size(runs) == 1)
		print_one(out, json_array_get(runs, 0));
	else if (json_array_size(runs))
		print_table(out, runs);
}
