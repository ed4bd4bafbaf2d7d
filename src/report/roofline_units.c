/* roofline_units.c - a program of the coprocessor under its roofs: complex multiply-adds. */
#include "report/report.h"
#include "report/roofline_roofs.h"

#include <glib.h>

json_t *report_roofline_units(const json_t *run)
{
	const double hz_per_khz = 1e3;
	const double cores = report_number(run, "coprocessor", "cores"),
		     units = report_number(run, "params", "csp.fu_count"),
		     clock_khz = report_number(run, "params", "csp.clock_khz");
	const struct report_roof roofs[] = {
	    {"functional units", true, {"multiply_adds"}, cores * units * clock_khz * hz_per_khz},
	    {"links, cores to stacks", false, {"tx_bytes"}, report_number(run, "peak_bytes_per_s", "tx")},
	    {"links, stacks to cores", false, {"rx_bytes"}, report_number(run, "peak_bytes_per_s", "rx")},
	    {"DRAM of the cores' vaults",
	     false,
	     {"dram_read_bytes", "dram_write_bytes"},
	     report_number(run, "peak_bytes_per_s", "dram")},
	};
	json_t *program = json_pack("[{s:s, s:{s:f, s:f, s:f, s:f, s:f, s:f}}]", "name", "the program", "uses",
				    "time_ps", report_number(run, "time_ps", NULL), "multiply_adds",
				    report_number(run, "coprocessor", "cfmas"), "tx_bytes",
				    report_number(run, "traffic_bytes", "tx"), "rx_bytes",
				    report_number(run, "traffic_bytes", "rx"), "dram_read_bytes",
				    report_number(run, "traffic_bytes", "dram_read"), "dram_write_bytes",
				    report_number(run, "traffic_bytes", "dram_write"));
	json_t *out =
	    report_roofline_of(program, "complex multiply-adds", "multiply_adds", roofs, G_N_ELEMENTS(roofs));

	json_decref(program);
	return out;
}
