/* cpu.c - the part "cpu": processors on the channels of a memory. */
#include "machine/cpu.h"

#include "base/units.h"
#include "cpu/energy.h"
#include "machine/cpu_account.h"
#include "machine/cpu_over_time.h"
#include "machine/json.h"
#include "machine/memories.h"
#include "machine/over_time.h"
#include "machine/parts.h"
#include "machine/traffic.h"
#include "mem/dram.h"

static const struct cpu_params *params(const struct machine_config *c)
{
	return machine_config_of(c, &machine_cpu_part);
}

const struct cpu_params *machine_cpu_params(const struct machine_config *c)
{
	return machine_config_has(c, &machine_cpu_part) ? params(c) : NULL;
}

struct cpu_system *machine_cpu(const struct machine *m)
{
	return machine_built(m, &machine_cpu_part);
}

static bool is_present(const struct machine_config *c)
{
	return params(c)->core_count;
}

static void stats_of(const struct machine_config *c, struct sim_stat_tables *out)
{
	(void)c;
	sim_stat_tables_add(out, &cpu_stat_table);
}

static const struct sim_explain *explain(const char *mechanism)
{
	(void)mechanism;
	return &cpu_explain;
}

static const struct sim_param_when whens[] = {
    {"rob_entries", "cpu.core_model", "out_of_order"},
    {"load_queue_entries", "cpu.core_model", "out_of_order"},
    {"store_queue_entries", "cpu.core_model", "out_of_order"},
    {"load_port_count", "cpu.core_model", "out_of_order"},
    {"fill_cycles", "cpu.core_model", "out_of_order"},
    {"l2_fill_cycles", "cpu.core_model", "out_of_order"},
    {"l2_miss_count", "cpu.core_model", "out_of_order"},
    {"branch_predictor", "cpu.core_model", "out_of_order"},
    {"branch_counter_count", "cpu.core_model", "out_of_order"},
    {"branch_history_bits", "cpu.core_model", "out_of_order"},
    {"mispredict_cycles", "cpu.core_model", "out_of_order"},
    {"smt_division", "cpu.core_model", "out_of_order"},
    {"branch_counter_count", "cpu.branch_predictor", "!perfect"},
    {"branch_history_bits", "cpu.branch_predictor", "!perfect|bimodal"},
    {0},
};

static void groups(struct machine_config *c, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "cpu", cpu_param_rows, cpu_param_row_count, machine_config_at(c, &machine_cpu_part));
	sim_param_groups_when(out, whens);
}

static void check(const struct machine_config *c, struct base_diag_list *diag)
{
	const struct machine_memories *all = machine_memories_of(c);

	if (!machine_cpu_params(c)) {
		const struct cpu_params *p = params(c);
		const struct machine_over_time set = {p->sample_ps, p->span_count, p->dram_log_ps};

		machine_over_time_refuse("cpu", "processors that run programs", &set, diag);
		return;
	}
	machine_timing_check(c, "processors", diag);
	if (all->count)
		cpu_params_check(params(c), &all->items[0].memory, diag);
	else
		base_diag_error(diag, (struct base_place){0},
				"cpu.core_count = %llu: processors need a memory; `memories:` names one",
				(unsigned long long)params(c)->core_count);
}

static bool clocks(const struct machine_config *c, struct sim_engine *e)
{
	return cpu_clock_add(params(c), e);
}

static void *build(struct machine *m)
{
	const struct cpu_params *p = params(m->config);
	struct mem_memory *memory = machine_memory_built(m, 0);
	struct cpu_system *s =
	    cpu_system_new(&m->ctx, p, memory, machine_memories_of(m->config)->items[0].memory.capacity_bytes);
	const struct machine_memory_user user = {cpu_memory_done, cpu_memory_room, s};

	machine_memory_connect(m, 0, &user);
	if (machine_run_params(m->config)->account)
		cpu_system_account(s, machine_cpu_account_units(m->config));
	machine_cpu_keep(m, s);
	return s;
}

static void unbuild(void *built)
{
	cpu_system_free(built);
}

/* A statistic of the processors' memory. */
static uint64_t memory_stat(const struct machine_config *c, const struct sim_stats *stats, const char *name)
{
	g_autofree char *key = g_strconcat(machine_memories_of(c)->items[0].name, ".", name, NULL);
	uint64_t value = 0;

	sim_stats_value(stats, key, &value);
	return value;
}

static double channels_per_s(const struct cpu_params *p, uint64_t mbytes_per_s)
{
	return (double)(p->channel_count * mbytes_per_s) * BASE_BYTES_PER_MBYTE;
}

/* The fields that machines with a GPU have as well: to the memory, from it, and in it. A memory that is a rate counts
 * its bytes without a difference between reads and writes. */
static void put_traffic(const struct machine_config *c, const struct sim_stats *stats, const struct cpu_stats *counts,
			json_t *fields)
{
	const struct cpu_params *p = params(c);
	const struct machine_memory *memory = &machine_memories_of(c)->items[0];
	const uint64_t vaults = memory->memory.channel_count * memory->dram.vault_count;

	machine_traffic_count(fields, MACHINE_WAY_TX, counts->down_bytes);
	machine_traffic_count(fields, MACHINE_WAY_RX, counts->up_bytes);
	machine_traffic_peak(fields, MACHINE_WAY_TX, channels_per_s(p, p->down_mbytes_per_s));
	machine_traffic_peak(fields, MACHINE_WAY_RX, channels_per_s(p, p->up_mbytes_per_s));
	if (p->dram_mbytes_per_s) {
		machine_traffic_count(fields, MACHINE_WAY_DRAM, counts->rated_bytes);
		machine_traffic_peak(fields, MACHINE_WAY_DRAM, channels_per_s(p, p->dram_mbytes_per_s));
		return;
	}
	machine_traffic_count_dram(fields, memory_stat(c, stats, "vault.read_bytes"),
				   memory_stat(c, stats, "vault.write_bytes"));
	machine_traffic_peak(fields, MACHINE_WAY_DRAM, (double)vaults * dram_vault_peak_bytes_per_s(&memory->dram));
}

static void energy(const struct machine_config *c, struct energy_list *out)
{
	const struct cpu_energy_counts counts = cpu_energy_counts(params(c));

	energy_list_add(out, &cpu_energy_table, params(c), &counts, sizeof(counts));
	energy_list_add(out, &cpu_chip_table, params(c), &counts, sizeof(counts));
}

static void powers(const struct machine_config *c, struct energy_list *out)
{
	const struct cpu_energy_counts counts = cpu_energy_counts(params(c));

	energy_list_add(out, &cpu_power_table, params(c), &counts, sizeof(counts));
}

static void watch(const struct machine_config *c, struct machine_memory_watch *out)
{
	out->log_from_ps = params(c)->dram_log_from_ps;
	out->log_ps = params(c)->dram_log_ps;
	out->has_stamps = machine_run_params(c)->account;
}

/* The NDP thesis' section 4.9.3: powers over time, beside what was counted. */
static void put_powers(const struct machine_config *c, const struct sim_stats *stats, uint64_t time_ps,
		       json_t *fields, json_t *units)
{
	struct energy_list list = {.count = 0};
	struct energy_report report;
	json_t *parts = json_object();

	machine_config_powers(c, &list);
	energy_account(&list, stats, time_ps, &report);
	for (uint32_t i = 0; i < report.component_count; i++)
		put_real(parts, report.components[i].name, report.components[i].pj);
	json_object_set_new(fields, "power_model_pj", parts);
	put_real(fields, "power_model_total_pj", report.total_pj);
	put_real(fields, "power_model_w", time_ps ? report.total_pj / (double)time_ps : 0);
	put_text(units, "power_model_pj", "pJ, NDP thesis section 4.9.3: powers over time; not in energy_pj");
	put_text(units, "power_model_total_pj", "pJ");
	put_text(units, "power_model_w", "W, on average");
}

static void result(const struct machine_config *c, const struct machine *m, const struct sim_stats *stats,
		   json_t *fields, json_t *units)
{
	struct cpu_system *s = m ? machine_cpu(m) : NULL;

	if (!s)
		return;

	const struct cpu_stats *counts = cpu_system_stats(s);
	const double time_ps = (double)json_integer_value(json_object_get(fields, "time_ps"));
	const double cycles = (double)json_integer_value(json_object_get(fields, "cycles"));
	json_t *channels = json_object();

	put_int(fields, "total_time_ps", (uint64_t)time_ps);
	put_int(fields, "thread_instructions", counts->instructions);
	put_real(fields, "ipc", cycles > 0 ? (double)counts->instructions / cycles : 0);
	put_int(fields, "accesses", counts->reads + counts->writes + counts->atomics + counts->prefetches);
	put_int(channels, "up_bytes", counts->up_bytes);
	put_int(channels, "down_bytes", counts->down_bytes);
	json_object_set_new(channels, "coherence_bytes", json_null()); /* the part "channel" counts them */
	json_object_set_new(fields, "channels", channels);
	put_traffic(c, stats, counts, fields);
	put_powers(c, stats, (uint64_t)time_ps, fields, units);
	machine_cpu_account(m, fields, units);
	machine_cpu_over_time(m, fields);
	put_text(units, "cycles", "cycles of a core, from main to the end");
	put_text(units, "time_ps", "ps, from main to the end");
	put_text(units, "ipc", "instructions of all cores per cycle of a core");
	put_text(units, "accesses", "accesses to a line");
	put_text(units, "channels", "bytes");
}

const struct machine_part machine_cpu_part = {.name = "cpu",
					      .config_bytes = sizeof(struct cpu_params),
					      .groups = groups,
					      .is_present = is_present,
					      .runs = MACHINE_RUNS_THREADS,
					      .account = "processors",
					      .stats = stats_of,
					      .explain = explain,
					      .check = check,
					      .clocks = clocks,
					      .build = build,
					      .free = unbuild,
					      .energy = energy,
					      .powers = powers,
					      .watch = watch,
					      .result = result};
