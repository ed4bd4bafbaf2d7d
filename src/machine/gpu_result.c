/* gpu_result.c - the GPU's fields of the results, and what its energy is of. */
#include "machine/gpu_result.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "gpu/gpu.h"
#include "machine/gpu_account.h"
#include "machine/gpu_timeline.h"
#include "machine/json.h"
#include "machine/parts.h"
#include "machine/traffic.h"
#include "mem/dram.h"
#include "net/network.h"

static const char stall_prefix[] = "stall_"; /* of statistics of the SMs: why a scheduler issued nothing */

/* "sm.stall_lsu" is the reason "lsu". */
static void put_stall(json_t *stalls, const struct sim_stat_desc *row, uint64_t value)
{
	g_autofree char *reason = g_strdup(row->name + strlen(stall_prefix));

	if (g_str_has_suffix(reason, "_cycles"))
		reason[strlen(reason) - strlen("_cycles")] = '\0';
	put_int(stalls, reason, value);
}

static void sink_stall(void *stalls, const char *prefix, const struct sim_stat_desc *row, uint64_t value,
		       const struct sim_hist *hist)
{
	(void)hist;
	if (!strcmp(prefix, "sm") && g_str_has_prefix(row->name, stall_prefix))
		put_stall(stalls, row, value);
}

/* Bytes that crossed each kind of wire, and what the caches of data were asked for. */
const struct machine_sum machine_gpu_sums[] = {
    {"traffic_bytes", "tx", {"link_tx.wire_bytes"}},
    {"traffic_bytes", "rx", {"link_rx.wire_bytes"}},
    {"traffic_bytes", "stack_to_stack", {"mesh.wire_bytes"}},
    {"traffic_bytes", "dram_read", {"vault.read_bytes"}},
    {"traffic_bytes", "dram_write", {"vault.write_bytes"}},
    {"traffic_bytes", "dram", {"vault.read_bytes", "vault.write_bytes"}},
    {"l1", "accesses", {"l1d.reads", "l1d.writes"}},
    {"l1", "hits", {"l1d.read_hits", "l1d.write_hits"}},
    {"l2", "accesses", {"l2.reads", "l2.writes"}},
    {"l2", "hits", {"l2.read_hits", "l2.write_hits"}},
    {NULL, NULL, {NULL}},
};

/* Directed stack-to-stack channels: the stacks are fully connected, unless SIMD units in them have a network. */
static uint32_t mesh_count_of(const struct gpu_config *c)
{
	if (c->nsu.is_present)
		return net_network_link_count((enum net_topology)c->nsu.topology, (uint32_t)c->gpu.stack_count);
	return c->gpu.mesh_is_free ? 0 : (uint32_t)(c->gpu.stack_count * (c->gpu.stack_count - 1));
}

static double bytes_per_s(const struct link_params *link)
{
	return (double)link->bandwidth_mbytes_per_s * BASE_BYTES_PER_MBYTE;
}

/* What the wires could carry at most, all of a kind together. */
static void put_peaks(const struct gpu_config *c, json_t *o)
{
	const double link = (double)c->gpu.stack_count * bytes_per_s(&c->link);
	const double vaults = (double)(c->gpu.stack_count * c->dram.vault_count);

	machine_traffic_peak(o, MACHINE_WAY_TX, link);
	machine_traffic_peak(o, MACHINE_WAY_RX, link);
	machine_traffic_peak(o, MACHINE_WAY_STACK_TO_STACK, mesh_count_of(c) * bytes_per_s(&c->mesh));
	machine_traffic_peak(o, MACHINE_WAY_DRAM, vaults * dram_vault_peak_bytes_per_s(&c->dram));
}

static uint64_t instance_of(const struct sim_stats *stats, const char *key, uint32_t instance)
{
	uint64_t value = 0;

	sim_stats_instance_value(stats, key, instance, &value);
	return value;
}

/* One object per stack: its link and its vaults. Channels and vaults (as one) are added stack by stack. */
static json_t *stacks_json(const struct gpu_config *c, const struct sim_stats *stats)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < c->gpu.stack_count; i++) {
		json_t *o = json_object();

		put_int(o, "tx_bytes", instance_of(stats, "link_tx.wire_bytes", i));
		put_int(o, "rx_bytes", instance_of(stats, "link_rx.wire_bytes", i));
		put_int(o, "dram_read_bytes", instance_of(stats, "vault.read_bytes", i));
		put_int(o, "dram_write_bytes", instance_of(stats, "vault.write_bytes", i));
		json_array_append_new(list, o);
	}
	return list;
}

/* One object per SM: those of the GPU first, then stack by stack. */
static json_t *sms_json(const struct gpu_config *c, const struct sim_stats *stats)
{
	json_t *list = json_array();
	uint32_t count = sim_stats_instance_count(stats, "sm");

	for (uint32_t i = 0; i < count; i++) {
		json_t *o = json_object();

		if (i < c->gpu.sm_count)
			put_text(o, "stack", NULL);
		else
			put_int(o, "stack", (i - c->gpu.sm_count) / c->gpu.stack_sm_count);
		put_int(o, "ctas", instance_of(stats, "sm.ctas_done", i));
		put_int(o, "cta_cycles", instance_of(stats, "sm.cta_cycles", i));
		put_int(o, "stall_memory", instance_of(stats, "sm.stall_memory", i));
		put_int(o, "thread_instructions", instance_of(stats, "sm.thread_instructions", i));
		json_array_append_new(list, o);
	}
	return list;
}

/* How long CTAs took: bucket's lower edge: how many. */
static json_t *cta_times_json(const struct sim_stats *stats, const char *key)
{
	json_t *o = json_object();
	struct sim_hist h = {0};
	char edge[32];

	/* Of a part of the run they say nothing of the rest. */
	if (!sim_stats_is_estimated(stats))
		sim_stats_hist(stats, key, &h);
	for (uint32_t i = 0; i < SIM_HIST_BUCKETS; i++) {
		snprintf(edge, sizeof(edge), "%" PRIu64, sim_hist_edge(i));
		if (h.bucket[i])
			put_int(o, edge, h.bucket[i]);
	}
	return o;
}

/* ---- energy ---- */

void machine_gpu_energy(const struct machine_config *config, struct energy_list *out)
{
	const struct gpu_config *c = machine_gpu_config(config);
	const struct energy_params *p = machine_energy_params(config);
	const uint32_t stacks = (uint32_t)c->gpu.stack_count;
	const struct energy_gpu_counts gpu = {
	    .sm_count = (uint32_t)(c->gpu.sm_count + stacks * c->gpu.stack_sm_count),
	    .l2_count = 1,
	    .link_count = 2 * stacks,
	    .mesh_count = mesh_count_of(c),
	    .link_bits_per_ps = bytes_per_s(&c->link) * BASE_BITS_PER_BYTE / BASE_PS_PER_S,
	    .mesh_bits_per_ps = bytes_per_s(&c->mesh) * BASE_BITS_PER_BYTE / BASE_PS_PER_S,
	};
	const struct sim_period ck = dram_clock_period(&c->dram);
	const struct energy_memory_shape shape = {
	    .stack_count = stacks,
	    .vault_count = c->dram.vault_count,
	    .rank_count = c->dram.rank_count,
	    .bank_count = c->dram.bank_count,
	    .row_bytes = c->dram.row_bytes,
	    .capacity_bytes = machine_run_params(config)->device_memory_bytes,
	    .ck_ps = (double)ck.num_ps / (double)ck.den,
	};
	const struct energy_memory_counts memory = energy_memory_counts(p, &shape);
	const struct energy_nsu_counts nsu =
	    energy_nsu_counts(c->nsu.is_present ? stacks : 0, gpu.mesh_count * gpu.mesh_bits_per_ps);

	energy_list_add(out, &energy_gpu_table, p, &gpu, sizeof(gpu));
	energy_list_add(out, &energy_memory_table, p, &memory, sizeof(memory));
	if (c->nsu.is_present)
		energy_list_add(out, &energy_nsu_table, p, &nsu, sizeof(nsu));
	else
		energy_list_add_absent(out, &energy_nsu_table, p, &nsu, sizeof(nsu));
}

/* ---- the part's fields ---- */

/* What the mechanism recorded: one array per series; a value that is not known is null. */
static json_t *series_json(const struct gpu *gpu, json_t *units)
{
	struct gpu_series items[GPU_SERIES_MAX];
	uint32_t count = gpu ? gpu_series_of(gpu, items, GPU_SERIES_MAX) : 0;
	json_t *o = json_object();

	for (uint32_t i = 0; i < count; i++) {
		json_t *values = json_array();

		for (uint32_t k = 0; k < items[i].count; k++) {
			double value = items[i].values[k];

			json_array_append_new(values, isnan(value) ? json_null() : json_real(value));
		}
		json_object_set_new(o, items[i].name, values);
		put_text(units, items[i].name, items[i].unit);
	}
	return o;
}

static void put_checkpoint(const struct gpu *gpu, json_t *o)
{
	struct gpu_checkpoint c;
	json_t *out;

	if (!gpu || !gpu_checkpoint(gpu, &c))
		return;
	out = json_object();
	put_text(out, "file", c.path);
	put_int(out, "launches", c.launch_count);
	if (!c.is_read) {
		json_object_set_new(out, "is_written", json_boolean(!c.why_not));
		put_text(out, "why_not", c.why_not);
	}
	json_object_set_new(o, "checkpoint", out);
}

static void put_units(json_t *units)
{
	static const char *const rows[][2] = {
	    {"stalls", "scheduler cycles"},
	    {"account", "scheduler cycles"},
	    {"cta_times", "CTAs by SM cycles"},
	    {"cta_stack_times", "CTAs by SM cycles"},
	    {"l1", "accesses"},
	    {"l2", "accesses"},
	};

	for (uint32_t i = 0; i < G_N_ELEMENTS(rows); i++)
		put_text(units, rows[i][0], rows[i][1]);
}

void machine_gpu_result(const struct machine_config *config, const struct machine *m, const struct sim_stats *stats,
			json_t *o, json_t *units)
{
	const struct gpu_config *c = machine_gpu_config(config);
	json_t *stalls = json_object();

	sim_stats_each(stats, sink_stall, stalls);
	json_object_set_new(o, "stalls", stalls);
	put_peaks(c, o);
	json_object_set_new(o, "stacks", stacks_json(c, stats));
	json_object_set_new(o, "sms", sms_json(c, stats));
	json_object_set_new(o, "cta_times", cta_times_json(stats, "gpu.cta_cycles"));
	json_object_set_new(o, "cta_stack_times", cta_times_json(stats, "gpu.cta_stack_cycles"));
	json_object_set_new(o, "account", machine_gpu_account_json(machine_gpu(m)));
	machine_gpu_timeline(config, m, o);
	json_object_set_new(o, "series", series_json(machine_gpu(m), units));
	put_checkpoint(machine_gpu(m), o);
	put_units(units);
}
