/* roofline_caches.c - kernels of a Duality Cache under its roofs: operations of lanes. */
#include "report/report.h"
#include "report/roofline_roofs.h"

#include <glib.h>

static const double hz_per_khz = 1e3, bytes_per_mbyte = 1e6;

static double param(const json_t *run, const char *name)
{
	return report_number(run, "params", name);
}

/* A control block computes in a cycle or it does not; a slice registers lines, and has a transpose unit each way. */
json_t *report_roofline_caches(const json_t *run)
{
	const double hz = param(run, "duality.clock_khz") * hz_per_khz;
	const double slices = param(run, "duality.socket_count") * param(run, "duality.slice_count");
	const double ways = param(run, "duality.way_count") - param(run, "duality.cache_way_count");
	const struct report_roof roofs[] = {
	    {"control blocks", true, {"compute_cycles"}, slices * ways * hz},
	    {"lines of slices", true, {"lines"}, slices * param(run, "duality.mshr_lines_per_cycle") * hz},
	    {"transpose units", true, {"tmu_rows"}, 2 * slices * param(run, "duality.tmu_rows_per_cycle") * hz},
	    {"link between sockets",
	     false,
	     {"link_bytes"},
	     2 * param(run, "duality.link_mbytes_per_s") * bytes_per_mbyte},
	    {"DRAM", false, {"read_bytes", "write_bytes"}, report_number(run, "peak_bytes_per_s", "dram")},
	};
	json_t *kernels = json_array(), *kernel, *out;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(run, "duality"), "kernels"), i, kernel)
		if (report_number(kernel, "taken", NULL) > 0)
			json_array_append_new(
			    kernels, json_pack("{s:O, s:O}", "name", json_object_get(kernel, "name"), "uses", kernel));
	out = report_roofline_of(kernels, "operations of lanes", "lane_operations", roofs, G_N_ELEMENTS(roofs));
	json_decref(kernels);
	return out;
}
