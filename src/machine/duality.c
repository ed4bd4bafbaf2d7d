/* duality.c - the part "duality": caches that compute, in front of the machine's first memory. */
#include "machine/duality.h"

#include <glib.h>
#include <string.h>

#include "base/units.h"
#include "dc/device.h"
#include "dc/energy.h"
#include "machine/cpu.h"
#include "machine/json.h"
#include "machine/memories.h"
#include "machine/over_time.h"
#include "machine/parts.h"
#include "machine/traffic.h"

struct duality {
	struct dc_system *system;
	struct dc_device *device;
};

static const struct dc_params *params(const struct machine_config *c)
{
	return machine_config_of(c, &machine_duality_part);
}

const struct dc_params *machine_duality_params(const struct machine_config *c)
{
	return machine_config_has(c, &machine_duality_part) ? params(c) : NULL;
}

static bool is_present(const struct machine_config *c)
{
	return params(c)->socket_count;
}

/* The processors that run programs of threads are of another machine: these are the host's. */
static bool has_cores(const struct machine_config *c)
{
	return params(c)->host_kernels != DC_HOST_NONE;
}

static struct cpu_params core_params(const struct machine_config *c)
{
	return dc_host_params(params(c), machine_config_of(c, &machine_cpu_part));
}

static void stats_of(const struct machine_config *c, struct sim_stat_tables *out)
{
	sim_stat_tables_add(out, &dc_stat_table);
	if (c && has_cores(c))
		sim_stat_tables_add(out, &cpu_stat_table);
}

static const struct sim_explain *explain(const char *mechanism)
{
	(void)mechanism;
	return &dc_explain;
}

static void groups(struct machine_config *c, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "duality", dc_param_rows, dc_param_row_count,
			     machine_config_at(c, &machine_duality_part));
}

/* The rows of cpu that say what a core of the host is; others would change nothing. */
static bool is_of_core(const char *name)
{
	static const char *const rows[] = {
	    "core_model", "issue_count", "integer_cycles", "multiply_cycles", "divide_cycles", "float_cycles",
	    "float_multiply_cycles", "float_divide_cycles", "branch_cycles", "memory_cycles", "vector_cycles",
	    "lane_integer_cycles", "lane_float_cycles", "lane_divide_cycles", "rob_entries", "load_queue_entries",
	    "store_queue_entries", "load_port_count", "fill_cycles", "l2_fill_cycles", "l2_miss_count",
	    "branch_predictor", "branch_counter_count", "branch_history_bits", "mispredict_cycles", "atomic_cycles",
	    "load_count", "store_count", "stream_count", "stream_depth_count", "stream_degree_count",
	    "stream_line_count", "l1_bytes", "l1_ways_count", "l1_cycles", "l2_bytes", "l2_ways_count", "l2_cycles",
	    "bus_khz", "protocol", "snoop_bus_count", "snoop_latency_ps", "intervention_ps", "page_bytes", "tlb_count",
	    "tlb_ways_count", "walk_cycles", "system_call_ps", "wake_ps", "core_count"};

	for (uint32_t i = 0; i < G_N_ELEMENTS(rows); i++)
		if (!strcmp(rows[i], name))
			return true;
	return false;
}

/* The rows of cpu that are of no core here keep their defaults. */
static void check_cores(const struct machine_config *c, const struct machine_memory *first,
			struct base_diag_list *diag)
{
	const struct cpu_params p = core_params(c);
	struct cpu_params all = *(const struct cpu_params *)machine_config_of(c, &machine_cpu_part);
	const struct sim_param_group set = {"cpu", cpu_param_rows, cpu_param_row_count, &all, NULL};

	for (uint32_t i = 0; i < cpu_param_row_count; i++) {
		const struct sim_param_desc *row = &cpu_param_rows[i];
		g_autofree char *key = g_strconcat("cpu.", row->name, NULL);

		if (!is_of_core(row->name) && sim_param_value(&set, row) != row->dflt)
			base_diag_error(diag, base_diag_place(diag, key),
					"'%s' is not of the cores that run kernels beside caches that compute; their "
					"number, clock and line are duality.host_core_count, duality.host_clock_khz "
					"and duality.line_bytes",
					key);
	}
	if (has_cores(c))
		cpu_params_check(&p, &first->memory, diag);
}

static void check(const struct machine_config *c, struct base_diag_list *diag)
{
	const struct machine_memories *all = machine_memories_of(c);

	if (!params(c)->socket_count) {
		const struct machine_over_time set = {params(c)->sample_ps, params(c)->span_count,
						      params(c)->dram_log_ps};

		machine_over_time_refuse("duality", "caches that compute", &set, diag);
		return;
	}
	machine_timing_check(c, "caches that compute", diag);
	if (all->count) {
		dc_params_check(params(c), &all->items[0].memory, diag);
		check_cores(c, &all->items[0], diag);
	} else {
		base_diag_error(diag, (struct base_place){0},
				"duality.socket_count = %llu: its caches need a memory; `memories:` names one",
				(unsigned long long)params(c)->socket_count);
	}
}

static bool clocks(const struct machine_config *c, struct sim_engine *e)
{
	const struct cpu_params p = core_params(c);

	return !params(c)->socket_count || (dc_clock_add(params(c), e) && (!has_cores(c) || cpu_clock_add(&p, e)));
}

static void *build(struct machine *m)
{
	const struct dc_params *p = params(m->config);
	const uint64_t timeout_ps = machine_run_params(m->config)->timeout_simulated_ps;
	const struct machine_memory *first;
	struct cpu_params cores;
	struct dc_behind behind;
	struct mem_shape shape;
	struct duality *d;
	struct machine_memory_user user = {dc_memory_done, dc_memory_room, NULL};

	if (!p->socket_count)
		return NULL;
	first = &machine_memories_of(m->config)->items[0];
	d = g_new0(struct duality, 1);
	shape = mem_memory_shape(&first->memory, &first->dram);
	behind = (struct dc_behind){.bytes = first->memory.capacity_bytes,
				    .interleave_bytes = shape.interleave_bytes,
				    .channel_count = shape.stack_count * shape.vault_count};
	d->system = dc_system_new(&m->ctx, p, machine_memory_built(m, 0), behind);
	cores = core_params(m->config);
	if (has_cores(m->config))
		dc_system_host(d->system, &cores);
	user.self = d->system;
	machine_memory_connect(m, 0, &user);
	d->device = dc_device_new(
	    d->system, p, &cores,
	    (uint64_t)(mem_memory_peak_bytes_per_s(&first->memory, &first->dram) / BASE_BYTES_PER_MBYTE));
	m->device = dc_device_table(d->device);
	if (timeout_ps)
		dc_system_limit(d->system, sim_units_of_ps(m->ctx.engine, timeout_ps));
	return d;
}

static void unbuild(void *built)
{
	struct duality *d = built;

	if (!d)
		return;
	dc_device_free(d->device);
	dc_system_free(d->system);
	g_free(d);
}

static void energy(const struct machine_config *c, struct energy_list *out)
{
	const struct dc_energy_counts counts = dc_energy_counts(params(c));

	energy_list_add(out, &dc_energy_table, params(c), &counts, sizeof(counts));
}

static void watch(const struct machine_config *c, struct machine_memory_watch *out)
{
	out->log_from_ps = params(c)->dram_log_from_ps;
	out->log_ps = params(c)->dram_log_ps;
}

static void put_over_time(const struct machine *m, const struct dc_system *s, json_t *fields)
{
	const struct sim_span *items;
	const uint32_t count = dc_system_spans(s) ? sim_spans_read(dc_system_spans(s), &items) : 0;

	json_object_set_new(fields, "samples", machine_samples_json(dc_system_sampler(s)));
	json_object_set_new(fields, "spans",
			    dc_system_spans(s)
				? json_pack("{s:o}", "control_blocks", machine_spans_json(items, count))
				: json_null());
	json_object_set_new(fields, "dram_commands", machine_commands_json(machine_memory_log(m)));
}

/* By kernel, what arrays took of it, or why they did not, and what that needed. */
static json_t *kernels_json(const struct dc_device *d)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < dc_device_kernel_count(d); i++) {
		const struct dc_kernel_counts *k = dc_device_kernel(d, i);
		json_t *o = json_object();

		put_text(o, "name", k->name);
		put_int(o, "offered", k->offered);
		put_int(o, "taken", k->taken);
		if (*k->why)
			put_text(o, "why", k->why);
		put_int(o, "time_ps", k->time_ps);
		put_int(o, "host_launches", k->host_launches);
		put_int(o, "host_lanes", k->host_lanes);
		put_real(o, "reckoned_arrays_us", k->reckoned_arrays_us);
		put_real(o, "reckoned_host_us", k->reckoned_host_us);
#define X(field) put_int(o, #field, k->field);
		DC_KERNEL_COUNTS(X)
#undef X
		json_array_append_new(list, o);
	}
	return list;
}

/* The link between sockets has both directions. */
static void put_peaks(const struct machine_config *c, json_t *fields)
{
	const struct machine_memory *first = &machine_memories_of(c)->items[0];

	machine_traffic_peak(fields, MACHINE_WAY_DRAM, mem_memory_peak_bytes_per_s(&first->memory, &first->dram));
	machine_traffic_peak(fields, MACHINE_WAY_LINK,
			     2 * (double)params(c)->link_mbytes_per_s * BASE_BYTES_PER_MBYTE);
}

/* Figures 6 and 9: the kernels' time by what the control blocks did in it, and how many were at work. */
static void result(const struct machine_config *c, const struct machine *m, const struct sim_stats *stats,
		   json_t *fields, json_t *units)
{
	struct duality *d = m ? machine_built(m, &machine_duality_part) : NULL;
	const struct dc_stats *s;
	json_t *o;

	(void)stats;
	if (params(c)->socket_count)
		put_peaks(c, fields);
	if (!d)
		return;
	s = dc_system_stats(d->system);
	o = json_object();
	put_real(o, "compute_share",
		 s->active_block_cycles ? (double)s->compute_cycles / (double)s->active_block_cycles : 0);
	put_real(o, "blocks_at_work", s->kernel_cycles ? (double)s->active_block_cycles / (double)s->kernel_cycles : 0);
	put_real(o, "area_mm2", (double)params(c)->socket_count * dc_area_added_mm2(params(c)));
	put_int(o, "spill_accesses", s->spill_accesses);
	put_int(o, "denormals", s->denormals);
	put_int(o, "gradual_operations", s->gradual_operations);
	json_object_set_new(o, "kernels", kernels_json(d->device));
	json_object_set_new(fields, "duality", o);
	put_over_time(m, d->system, fields);
	put_text(units, "cycles", "cycles of the arrays in kernels");
	put_text(units, "ipc", "operations of lanes per cycle of the arrays");
	put_text(units, "cache", "lines that were looked for in ways that are cache");
}

static const struct machine_renamed renamed[] = {
    {"duality.host_line_count", "cpu.load_count"}, {"duality.host_op_pj", "duality.host_mw"},
    {"duality.host_ops_per_cycle", "cpu.issue_count"}, {NULL, NULL}};

static const struct machine_sum sums[] = {
    {"traffic_bytes", "dram_read", {"duality.read_bytes"}},
    {"traffic_bytes", "dram_write", {"duality.write_bytes"}},
    {"traffic_bytes", "dram", {"duality.read_bytes", "duality.write_bytes"}},
    {"traffic_bytes", "link", {"duality.link_bytes"}},
    {"cache", "accesses", {"duality.cache_hits", "duality.cache_misses"}},
    {"cache", "hits", {"duality.cache_hits"}},
    {NULL, NULL, {NULL}},
};

const struct machine_part machine_duality_part = {
    .name = "duality",
    .config_bytes = sizeof(struct dc_params),
    .groups = groups,
    .is_present = is_present,
    .runs = MACHINE_RUNS_KERNELS,
    .reads = &machine_cpu_part,
    .reads_number = "the cores beside caches that compute are duality.host_core_count",
    .renamed = renamed,
    .stats = stats_of,
    .explain = explain,
    .check = check,
    .clocks = clocks,
    .build = build,
    .free = unbuild,
    .sums = sums,
    .energy = energy,
    .watch = watch,
    .result = result,
};
