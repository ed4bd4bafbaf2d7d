/* csp_space.c - power, area and design space of the coprocessor, printed. */
#include "cli/csp_space.h"

#include "cli/job.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/provenance.h"
#include "csp/space.h"
#include "machine/csp.h"
#include "machine/json.h"
#include "machine/tables.h"

#include <stdio.h>

static const char *const technologies[] = {[CSP_SRAM] = "SRAM", [CSP_EDRAM] = "eDRAM"};
static const char *const shapes[] = {[CSP_NARROW] = "narrow", [CSP_WIDE] = "wide"};

static void parts_print(const char *name, const struct csp_power *p)
{
	printf("%-15s %7.2f W  (units %.2f, registers %.2f, scalars %.3f, controllers %.2f, network %.2f, links %.2f, "
	       "logic %.2f, DRAM %.2f; memory %.0f %%)\n",
	       name, p->total_w, p->cfma_w, p->registers_w, p->ssrf_w, p->controllers_w, p->network_w, p->links_w,
	       p->logic_w, p->dram_w, 100 * p->memory_share);
	printf("%-15s %7.2f mm2, %u core%s %.1f %% used, %.1f GB/s from and %.1f GB/s to memory, packets whole\n", "",
	       p->area_mm2, p->cores, p->cores == 1 ? "" : "s", 100 * p->utilisation, p->from_memory_bytes_per_s / 1e9,
	       p->to_memory_bytes_per_s / 1e9);
}

static json_t *power_json(const struct csp_power *p)
{
	const struct {
		const char *name;
		double value;
	} rows[] = {
	    {"total_w", p->total_w},
	    {"units_w", p->cfma_w},
	    {"registers_w", p->registers_w},
	    {"scalars_w", p->ssrf_w},
	    {"controllers_w", p->controllers_w},
	    {"network_w", p->network_w},
	    {"links_w", p->links_w},
	    {"logic_w", p->logic_w},
	    {"dram_w", p->dram_w},
	    {"memory_share", p->memory_share},
	    {"from_memory_bytes_per_s", p->from_memory_bytes_per_s},
	    {"to_memory_bytes_per_s", p->to_memory_bytes_per_s},
	    {"functional_units_needed", p->fus},
	    {"utilisation", p->utilisation},
	    {"cores", p->cores},
	    {"links", p->links},
	    {"stacks", p->stacks},
	    {"area_mm2", p->area_mm2},
	    {"gops_per_w", p->gops_per_w},
	    {"gops_per_mm2", p->gops_per_mm2},
	};
	json_t *o = json_object();

	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		put_real(o, rows[i].name, rows[i].value);
	return o;
}

static void points_print(const struct csp_designs *s, bool all)
{
	printf("\n%3s %8s %-6s %-7s %10s %10s %8s %9s %6s  %s\n", "m", "entries", "RF", "shape", "registers", "W",
	       "mm2", "GFLOPS/W", "GB/s", all ? "on the front" : "");
	for (uint32_t i = 0; i < s->count; i++) {
		const struct csp_point *p = &s->points[i];

		if (all || p->is_pareto)
			printf("%3u %8u %-6s %-7s %10u %10.2f %8.2f %9.1f %6.0f  %s\n", p->fu_count,
			       p->ssrf_entry_count, technologies[p->technology], shapes[p->shape], p->register_count,
			       p->power.total_w, p->power.area_mm2, p->power.gops_per_w,
			       p->power.from_memory_bytes_per_s / 1e9, all && p->is_pareto ? "*" : "");
	}
}

static void widths_print(const struct csp_designs *s)
{
	printf("\nof each width, the point of least power^2 * area:\n");
	for (uint32_t m = 4; m <= 64; m *= 2) {
		const struct csp_point *p = csp_space_representative(s, m);

		printf("%3u units, %2u entries, %-5s ", m, p->ssrf_entry_count, technologies[p->technology]);
		parts_print("", &p->power);
	}
}

static json_t *space_json(const struct csp_designs *s)
{
	json_t *points = json_array();

	for (uint32_t i = 0; i < s->count; i++) {
		const struct csp_point *p = &s->points[i];
		json_t *o = power_json(&p->power);

		put_int(o, "fu_count", p->fu_count);
		put_int(o, "ssrf_entry_count", p->ssrf_entry_count);
		put_int(o, "register_count", p->register_count);
		put_text(o, "technology", technologies[p->technology]);
		put_text(o, "shape", shapes[p->shape]);
		json_object_set_new(o, "is_pareto", json_boolean(p->is_pareto));
		json_array_append_new(points, o);
	}
	return points;
}

bool cli_csp_config_load(const struct cli_paths *paths, const char *name, GPtrArray *sets, struct csp_config *out)
{
	g_autofree struct machine_session *session = g_new(struct machine_session, 1);

	if (!cli_machine_load(paths, name, sets, session))
		return false;
	if (!machine_csp_config(&session->config)) {
		cli_error("machine '%s' has no coprocessor; csp-alpha has", session->machine);
		return false;
	}
	*out = *machine_csp_config(&session->config);
	return true;
}

void cli_csp_design_put(json_t *o, const struct csp_config *c, const struct csp_application *a)
{
	struct csp_power correlation, channelization;
	uint32_t transceivers;
	double io_w;

	csp_power_correlation(c, a, &correlation);
	csp_power_channelization(c, a, &channelization);
	io_w = csp_power_io_w(c, a, &transceivers);
	json_object_set_new(o, "correlation", power_json(&correlation));
	json_object_set_new(o, "channelization", power_json(&channelization));
	put_real(o, "io_w", io_w);
	put_real(o, "node_w", correlation.total_w + channelization.total_w + io_w);
}

int cli_csp_space(const char *machine, const struct csp_config *config, int nodes, bool all, const char *json)
{
	const struct csp_application a = csp_application_default();
	struct csp_config c = *config;
	struct sim_param_groups groups = {.count = 0};
	struct csp_power correlation, channelization;
	struct csp_designs s;
	uint32_t transceivers;
	double io_w, total_w;
	json_t *o = json_object(), *units = json_object();
	int exit_status;

	csp_scale(&c, nodes);
	csp_power_correlation(&c, &a, &correlation);
	csp_power_channelization(&c, &a, &channelization);
	csp_space_make(&c, &a, &s);
	io_w = csp_power_io_w(&c, &a, &transceivers);
	total_w = correlation.total_w + channelization.total_w + io_w;
	csp_config_groups(&c, &groups);
	put_text(o, "machine", machine);
	json_object_set_new(o, "nodes_after_14nm", json_integer(nodes));
	cli_csp_design_put(o, &c, &a);
	json_object_set_new(o, "points", space_json(&s));
	json_object_set_new(o, "params", machine_params_json(&groups, units));
	json_object_set_new(o, "units", units);
	cli_provenance_put(o);
	exit_status = cli_json_keep(json, o) ? CLI_OK : CLI_UNABLE;
	json_decref(o);
	parts_print("correlation", &correlation);
	parts_print("channelization", &channelization);
	printf("%-15s %7.2f W  (%u transceivers)\n", "input, output", io_w, transceivers);
	printf("%-15s %7.2f W, %.1f GFLOPS/W\n", "node", total_w,
	       (correlation.ops_per_s + channelization.ops_per_s) / 1e9 / total_w);
	points_print(&s, all);
	widths_print(&s);
	return exit_status;
}
