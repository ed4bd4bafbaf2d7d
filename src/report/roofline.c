/* roofline.c - peaks from the machine's parameters, uses from the account. */
#include "report/roofline.h"

#include "report/demangle.h"
#include "report/report.h"
#include "report/roofline_roofs.h"

#include <glib.h>
#include <string.h>

enum { KERNELS_SHOWN = 5, ROOFS_SHOWN = 4, NAME_SHOWN = 28 };

static const double lanes = 32, hz_per_khz = 1e3, ps_per_s = 1e12, giga = 1e9;

static double param(const json_t *run, const char *name)
{
	return report_number(run, "params", name);
}

/* SMs of the GPU and of the stacks, times what one has. */
static double sm_total(const json_t *run)
{
	return param(run, "gpu.sm_count") + param(run, "gpu.stack_count") * param(run, "gpu.stack_sm_count");
}

static double clock_hz(const json_t *run)
{
	return param(run, "gpu.sm_clock_khz") * hz_per_khz;
}

static double schedulers_hz(const json_t *run)
{
	return sm_total(run) * param(run, "sm.scheduler_count") * clock_hz(run);
}

/* One warp in so many cycles, by a unit of each scheduler. */
static double unit_per_s(const json_t *run, const char *interval)
{
	return schedulers_hz(run) * lanes / param(run, interval);
}

/* One for all schedulers of an SM. */
static double sfu_per_s(const json_t *run)
{
	return sm_total(run) * clock_hz(run) * lanes / param(run, "sm.sfu_interval_cycles");
}

static uint32_t roofs_of(const json_t *run, struct report_roof *out)
{
	const struct report_roof all[] = {
	    {"issue", true, {"issue_slots"}, schedulers_hz(run)},
	    {"integer units", true, {"int_threads"}, unit_per_s(run, "sm.int_interval_cycles")},
	    {"multipliers", true, {"imul_threads"}, unit_per_s(run, "sm.imul_interval_cycles")},
	    {"fp32 units", true, {"fp32_threads"}, unit_per_s(run, "sm.fp32_interval_cycles")},
	    {"fp64 units", true, {"fp64_threads"}, unit_per_s(run, "sm.fp64_interval_cycles")},
	    {"SFUs", true, {"sfu_threads"}, sfu_per_s(run)},
	    {"links, GPU to stacks", false, {"tx_bytes"}, report_number(run, "peak_bytes_per_s", "tx")},
	    {"links, stacks to GPU", false, {"rx_bytes"}, report_number(run, "peak_bytes_per_s", "rx")},
	    {"links between stacks", false, {"mesh_bytes"}, report_number(run, "peak_bytes_per_s", "stack_to_stack")},
	    {"DRAM of the stacks",
	     false,
	     {"dram_read_bytes", "dram_write_bytes"},
	     report_number(run, "peak_bytes_per_s", "dram")},
	};
	uint32_t count = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
		if (all[i].per_s > 0)
			out[count++] = all[i];
	return count;
}

static double use_of(const json_t *uses, const struct report_roof *r)
{
	return report_number(uses, r->uses[0], NULL) + (r->uses[1] ? report_number(uses, r->uses[1], NULL) : 0);
}

/* What the kernel uses nothing of is no roof of it. */
static json_t *kernel_roofs(const json_t *uses, double work, const struct report_roof *roofs, uint32_t count)
{
	json_t *out = json_array();

	for (uint32_t i = 0; i < count; i++) {
		const double use = use_of(uses, &roofs[i]), intensity = use > 0 ? work / use : 0;
		size_t at = 0;

		if (use <= 0 || roofs[i].per_s <= 0)
			continue;
		while (at < json_array_size(out) &&
		       report_number(json_array_get(out, at), "per_s", NULL) <= intensity * roofs[i].per_s)
			at++;
		json_array_insert_new(out, at,
				      json_pack("{s:s, s:f, s:f}", "name", roofs[i].name, "intensity", intensity,
						"per_s", intensity * roofs[i].per_s));
	}
	return out;
}

static json_t *kernel_of(const json_t *kernel, const char *work_key, const struct report_roof *roofs, uint32_t count)
{
	const json_t *uses = json_object_get(kernel, "uses");
	const double work = report_number(uses, work_key, NULL), time_ps = report_number(uses, "time_ps", NULL);
	const double per_s = time_ps > 0 ? work / time_ps * ps_per_s : 0;
	json_t *own = kernel_roofs(uses, work, roofs, count);
	const double lowest = report_number(json_array_get(own, 0), "per_s", NULL);
	json_t *title = report_title(kernel);
	g_autofree char *shown = report_title_cut(json_string_value(title), NAME_SHOWN);

	return json_pack("{s:o, s:s, s:f, s:f, s:f, s:f, s:o}", "name", title, "short", shown, "time_ps", time_ps,
			 "work", work, "per_s", per_s, "share", lowest > 0 ? per_s / lowest : 0, "roofs", own);
}

json_t *report_roofline_of(const json_t *kernels, const char *work, const char *work_key,
			   const struct report_roof *roofs, uint32_t count)
{
	json_t *rows = json_array(), *all = json_array(), *kernel;
	size_t i;

	json_array_foreach((json_t *)kernels, i, kernel)
		report_insert(rows, "time_ps", kernel_of(kernel, work_key, roofs, count));
	for (uint32_t k = 0; k < count; k++)
		if (roofs[k].per_s > 0)
			json_array_append_new(all,
					      json_pack("{s:s, s:s, s:f}", "name", roofs[k].name, "kind",
							roofs[k].is_unit ? "units" : "bytes", "per_s", roofs[k].per_s));
	return json_pack("{s:s, s:o, s:o}", "work", work, "roofs", all, "kernels", rows);
}

static json_t *of_gpu(const json_t *run)
{
	struct report_roof roofs[REPORT_ROOFS_MAX];
	const uint32_t count = roofs_of(run, roofs);
	json_t *out = report_roofline_of(json_object_get(json_object_get(run, "account"), "kernels"),
					 "instructions of threads", "thread_instructions", roofs, count);

	json_object_set_new(out, "lanes", json_real(lanes));
	return out;
}

json_t *report_roofline(const json_t *run)
{
	if (json_is_object(json_object_get(run, "account")))
		return of_gpu(run);
	if (json_is_object(json_object_get(run, "duality")))
		return report_roofline_caches(run);
	if (json_is_object(json_object_get(run, "channels")))
		return report_roofline_channels(run);
	if (json_is_object(json_object_get(run, "coprocessor")))
		return report_roofline_units(run);
	return json_null();
}

void report_roofline_print(FILE *out, const json_t *roofline)
{
	json_t *kernel, *roof;
	size_t i, k;

	if (!json_is_object(roofline))
		return;
	fprintf(out, "\nroofs: G %s a second, measured, and as each roof would allow, the lowest first\n",
		json_string_value(json_object_get(roofline, "work")));
	json_array_foreach(json_object_get(roofline, "kernels"), i, kernel) {
		if (i == KERNELS_SHOWN)
			break;
		fprintf(out, "  %-*s %10.2f %6.1f %% of:", NAME_SHOWN,
			json_string_value(json_object_get(kernel, "short")),
			report_number(kernel, "per_s", NULL) / giga, 100 * report_number(kernel, "share", NULL));
		json_array_foreach(json_object_get(kernel, "roofs"), k, roof) {
			if (k == ROOFS_SHOWN)
				break;
			fprintf(out, "%s %s %.1f", k ? "," : "", json_string_value(json_object_get(roof, "name")),
				report_number(roof, "per_s", NULL) / giga);
		}
		fputc('\n', out);
	}
}
