/* measured_kind.c - measurements of profilers: read, and correlated with a run of the same names. */
#include "base/check.h"
#include "mutants.h"
#include "report/correlate.h"
#include "report/measured.h"
#include "report/report.h"

/* A run that has taken twice as long, of whatever kind. */
static json_t *run_of(const json_t *measured)
{
	json_t *run = json_pack("{s:s, s:s, s:f, s:[], s:{}, s:{}}", "workload", "program", "machine", "m",
				"total_time_ps", 1e9, "kernel_sums", "measures", "units"),
	       *row;
	size_t i;

	json_array_foreach(json_object_get(measured, "rows"), i, row) {
		const char *name = json_string_value(json_object_get(row, "name"));
		const double count = report_number(row, "count", NULL), sum_ps = report_number(row, "sum_ps", NULL);

		CHECK(name && count > 0 && sum_ps > 0);
		json_array_append_new(
		    json_object_get(run, "kernel_sums"),
		    json_pack("{s:s, s:f, s:f}", "name", name, "launches", count, "time_ps", 2 * sum_ps));
	}
	return run;
}

static bool read_measured(const char *text, size_t bytes)
{
	static FILE *out;
	struct base_diag_list diag;
	json_t *measured, *runs, *correlated;

	if (!out)
		out = fopen("/dev/null", "w");
	base_diag_init(&diag);
	measured = report_measured_read("mutant", text, bytes, &diag);
	CHECK((measured != NULL) == !diag.error_count);
	base_diag_free(&diag);
	if (!measured)
		return false;
	runs = json_pack("[o]", run_of(measured));
	correlated = report_correlate(measured, runs);
	report_correlate_print(out, correlated, (uint32_t)(bytes % 200)); /* of any width */
	json_decref(correlated);
	json_decref(runs);
	json_decref(measured);
	return true;
}

const struct mutants_kind mutants_kind = {.name = "measured", .part_count = 1, .read = read_measured};
