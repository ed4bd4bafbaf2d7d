/* roofline_channels.c - a program on processors, and NDPs on their channels, under its roofs: instructions.
 *
 * Of the program, not of its functions: these run at the same time on different cores, so that none has a time of its
 * own in which the machine's rates were its alone.
 */
#include "report/report.h"
#include "report/roofline_roofs.h"

#include <glib.h>

static const double hz_per_khz = 1e3, bytes_per_mbyte = 1e6;

static double param(const json_t *run, const char *name)
{
	return report_number(run, "params", name);
}

static double stat_of(const json_t *run, const char *name)
{
	return report_number(run, "stats", name);
}

static double bytes_per_s(const json_t *run, const char *name)
{
	return param(run, name) * bytes_per_mbyte;
}

/* Memory as a rate, or its banks; the results of before their peak was the rate's have it among the parameters. */
static double dram_per_s(const json_t *run)
{
	const double rate = bytes_per_s(run, "cpu.dram_mbytes_per_s") * param(run, "cpu.channel_count");

	return rate > 0 ? rate : report_number(run, "peak_bytes_per_s", "dram");
}

static double dram_bytes(const json_t *run)
{
	double bytes;

	return report_dram_bytes(run, &bytes) ? bytes : 0;
}

static json_t *program_of(const json_t *run)
{
	const double processors = stat_of(run, "cpu.instructions"), ndps = stat_of(run, "channel.instructions");

	return json_pack("[{s:s, s:{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}}]", "name", "the program", "uses",
			 "time_ps", report_number(run, "time_ps", NULL), "instructions", processors + ndps,
			 "processors", processors, "ndps", ndps, "slots", stat_of(run, "cpu.slots"), "down_bytes",
			 stat_of(run, "cpu.down_bytes"), "up_bytes", stat_of(run, "cpu.up_bytes"), "dram_bytes",
			 dram_bytes(run), "point_in_bytes", stat_of(run, "channel.point_in_bytes"), "point_out_bytes",
			 stat_of(run, "channel.point_out_bytes"));
}

json_t *report_roofline_channels(const json_t *run)
{
	const double points = param(run, "channel.point_count");
	const struct report_roof roofs[] = {
	    {"issue of the processors",
	     true,
	     {"processors"},
	     param(run, "cpu.core_count") * param(run, "cpu.issue_count") * param(run, "cpu.clock_khz") * hz_per_khz},
	    {"issue of the NDPs",
	     true,
	     {"ndps"},
	     param(run, "channel.ndp_count") * param(run, "channel.core_count") * param(run, "channel.clock_khz") *
		 hz_per_khz},
	    {"snoop buses",
	     true,
	     {"slots"},
	     param(run, "cpu.snoop_bus_count") * param(run, "cpu.bus_khz") * hz_per_khz},
	    {"channels, to the memory", false, {"down_bytes"}, report_number(run, "peak_bytes_per_s", "tx")},
	    {"channels, from the memory", false, {"up_bytes"}, report_number(run, "peak_bytes_per_s", "rx")},
	    {"DRAM of all channels", false, {"dram_bytes"}, dram_per_s(run)},
	    {"NDP-APs, from the bus",
	     false,
	     {"point_in_bytes"},
	     points * bytes_per_s(run, "channel.point_in_mbytes_per_s")},
	    {"NDP-APs, to NDPs",
	     false,
	     {"point_out_bytes"},
	     points * bytes_per_s(run, "channel.point_out_mbytes_per_s")},
	};
	json_t *program = program_of(run);
	json_t *out = report_roofline_of(program, "instructions", "instructions", roofs, G_N_ELEMENTS(roofs));

	json_decref(program);
	return out;
}
