/* kernels.c - a row for each kernel, with the columns that its machine counts and the terminal has room for. */
#include "report/kernels.h"

#include <glib.h>
#include <string.h>

#include "report/demangle.h"
#include "report/fit.h"
#include "report/report.h"

enum { KERNELS_SHOWN = 10, NAME_WIDTH = 28, NAME_LEAST = 16, INDENT = 4, GAP = 1 };

static const double ps_per_us = 1e6, bytes_per_mb = 1e6, pj_per_mj = 1e9;

/* A column: what of a kernel, in which unit. Of a narrow terminal the last in order of `order` go first. */
struct column {
	const char *heading, *outer, *inner;
	int width, decimals, order;
	double unit; /* 0: a share in percent, of `whole` in the same object, or of the run's time */
	const char *whole;
	bool is_if_any; /* only where some kernel has more than 0 of it */
};

static const struct column columns[] = {
    {"us", "time_ps", NULL, 11, 3, 0, ps_per_us, NULL, false},
    {"time %", "time_ps", NULL, 7, 1, 2, 0, NULL, false},
    {"launches", "launches", NULL, 9, 0, 8, 1, NULL, false},
    {"TX MB", "traffic_bytes", "tx", 9, 3, 5, bytes_per_mb, NULL, false},
    {"RX MB", "traffic_bytes", "rx", 9, 3, 6, bytes_per_mb, NULL, false},
    {"stacks MB", "traffic_bytes", "stack_to_stack", 10, 3, 9, bytes_per_mb, NULL, true},
    {"link MB", "traffic_bytes", "link", 9, 3, 9, bytes_per_mb, NULL, true},
    {"DRAM MB", "traffic_bytes", "dram", 9, 3, 1, bytes_per_mb, NULL, false},
    {"L1 %", "l1", "hits", 6, 1, 7, 0, "accesses", false},
    {"L2 %", "l2", "hits", 6, 1, 4, 0, "accesses", false},
    {"cache %", "cache", "hits", 8, 1, 4, 0, "accesses", false},
    {"mJ", "energy_total_pj", NULL, 9, 3, 3, pj_per_mj, NULL, false},
};

static double in_kernels(const json_t *kernels)
{
	double all = 0;
	const json_t *kernel;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)kernels, i, kernel)
		all += report_number(kernel, "time_ps", NULL);
	return all;
}

static bool is_counted(const json_t *kernels, const struct column *c)
{
	const json_t *kernel;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)kernels, i, kernel)
		if (report_has(kernel, c->outer, c->inner) &&
		    (!c->is_if_any || report_number(kernel, c->outer, c->inner) > 0))
			return true;
	return false;
}

static int width_of(uint32_t shown)
{
	int width = INDENT;

	for (uint32_t i = 0; i < G_N_ELEMENTS(columns); i++)
		width += shown >> i & 1 ? columns[i].width + GAP : 0;
	return width;
}

/* The columns that fit, as bits. */
static uint32_t columns_of(const json_t *kernels, int width)
{
	uint32_t shown = 0;

	for (uint32_t i = 0; i < G_N_ELEMENTS(columns); i++)
		shown |= is_counted(kernels, &columns[i]) ? 1u << i : 0;
	while (width && width_of(shown) + NAME_LEAST > width) {
		uint32_t last = 0;

		for (uint32_t i = 1; i < G_N_ELEMENTS(columns); i++)
			if (shown >> i & 1 && columns[i].order >= columns[last].order)
				last = i;
		if (!last)
			break;
		shown &= ~(1u << last);
	}
	return shown;
}

static void print_value(FILE *out, const struct column *c, const json_t *kernel, double time_ps)
{
	const double value = report_number(kernel, c->outer, c->inner);
	const double whole = c->whole ? report_number(kernel, c->outer, c->whole) : time_ps;
	const bool is_skipped = report_number(kernel, "launches_skipped", NULL) > 0 &&
				report_number(kernel, "launches_skipped", NULL) >=
				    report_number(kernel, "launches", NULL);
	const bool is_there =
	    report_has(kernel, c->outer, c->inner) && (!is_skipped || !strcmp(c->outer, "launches"));

	fputc(' ', out);
	if (c->unit > 0)
		report_put(out, c->width, c->decimals, is_there, value / c->unit);
	else
		report_put(out, c->width, c->decimals, is_there && whole > 0, 100 * value / whole);
}

static void print_row(FILE *out, const json_t *kernel, uint32_t shown, int name_width, double time_ps)
{
	json_t *title = report_title(kernel);
	g_autofree char *name = report_title_cut(json_string_value(title), (size_t)name_width);

	fprintf(out, "%*s%-*s", INDENT, "", name_width, name);
	for (uint32_t i = 0; i < G_N_ELEMENTS(columns); i++)
		if (shown >> i & 1)
			print_value(out, &columns[i], kernel, time_ps);
	fputc('\n', out);
	json_decref(title);
}

void report_kernels_print(FILE *out, const json_t *run)
{
	const json_t *sums = json_object_get(run, "kernel_sums"), *kernel;
	const int width = report_terminal_width(out);
	const uint32_t shown = columns_of(sums, width);
	const int left = width ? width - width_of(shown) : NAME_WIDTH;
	const int name_width = CLAMP(left, NAME_LEAST, 2 * NAME_WIDTH);
	const double time_ps = in_kernels(sums);
	json_t *longest;
	size_t i;

	if (json_array_size(sums) < 2)
		return;
	longest = json_array();
	json_array_foreach((json_t *)(uintptr_t)sums, i, kernel)
		report_insert(longest, "time_ps", json_incref((json_t *)(uintptr_t)kernel));
	fprintf(out, "  %-*s", INDENT - 2 + name_width, "kernels");
	for (i = 0; i < G_N_ELEMENTS(columns); i++)
		if (shown >> i & 1)
			fprintf(out, " %*s", columns[i].width, columns[i].heading);
	fputc('\n', out);
	for (i = 0; i < MIN(json_array_size(longest), KERNELS_SHOWN); i++)
		print_row(out, json_array_get(longest, i), shown, name_width, time_ps);
	if (i < json_array_size(longest))
		fprintf(out, "%*s... and %zu more; --json has all\n", INDENT, "", json_array_size(longest) - i);
	json_decref(longest);
}
