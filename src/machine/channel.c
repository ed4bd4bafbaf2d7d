/* channel.c - the part "channel": near-data processors on the memory channels of processors. */
#include "machine/channel.h"

#include "channel/energy.h"
#include "machine/cpu.h"
#include "machine/json.h"
#include "machine/memories.h"

static const struct channel_params *params(const struct machine_config *c)
{
	return machine_config_of(c, &machine_channel_part);
}

const struct channel_params *machine_channel_params(const struct machine_config *c)
{
	return machine_config_has(c, &machine_channel_part) ? params(c) : NULL;
}

struct channel_system *machine_channel(const struct machine *m)
{
	return machine_channel_params(m->config) ? machine_built(m, &machine_channel_part) : NULL;
}

static bool is_present(const struct machine_config *c)
{
	return machine_cpu_params(c) && params(c)->ndp_count;
}

static void stats_of(const struct machine_config *c, struct sim_stat_tables *out)
{
	(void)c;
	sim_stat_tables_add(out, &channel_stat_table);
}

static const struct sim_explain *explain(const char *mechanism)
{
	(void)mechanism;
	return &channel_explain;
}

static void groups(struct machine_config *c, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "channel", channel_param_rows, channel_param_row_count,
			     machine_config_at(c, &machine_channel_part));
}

static void check(const struct machine_config *c, struct base_diag_list *diag)
{
	if (!params(c)->ndp_count) {
		if (params(c)->place != CHANNEL_PLACE_CPU)
			base_diag_error(diag, (struct base_place){0},
					"channel.place = %s: there are no near-data processors (channel.ndp_count = 0)",
					params(c)->place == CHANNEL_PLACE_FLAT ? "flat" : "nested");
		return;
	}
	if (machine_cpu_params(c))
		channel_params_check(params(c), machine_cpu_params(c), diag);
	else
		base_diag_error(diag, (struct base_place){0},
				"channel.ndp_count = %llu: near-data processors are beside processors; cpu.core_count "
				"makes some",
				(unsigned long long)params(c)->ndp_count);
}

static bool clocks(const struct machine_config *c, struct sim_engine *e)
{
	return channel_clock_add(params(c), e);
}

static void *build(struct machine *m)
{
	const struct channel_params *p = machine_channel_params(m->config);

	return channel_system_new(&m->ctx, p, machine_cpu(m), cpu_unit_count(machine_cpu_params(m->config)));
}

static void unbuild(void *built)
{
	channel_system_free(built);
}

static void energy(const struct machine_config *c, struct energy_list *out)
{
	const struct channel_energy_counts counts = channel_energy_counts(params(c));

	energy_list_add(out, &channel_energy_table, params(c), &counts, sizeof(counts));
}

static void powers(const struct machine_config *c, struct energy_list *out)
{
	const struct channel_energy_counts counts = channel_energy_counts(params(c));

	energy_list_add(out, &channel_power_table, params(c), &counts, sizeof(counts));
}

static void result(const struct machine_config *c, const struct machine *m, const struct sim_stats *stats,
		   json_t *fields, json_t *units)
{
	struct channel_system *s = m ? machine_channel(m) : NULL;
	json_t *channels = json_object_get(fields, "channels"), *dram;

	(void)c;
	(void)stats;
	if (!s)
		return;

	const struct channel_stats *n = channel_system_stats(s);
	const uint64_t accesses = n->reads + n->writes + n->atomics + n->prefetches;
	const uint64_t remote = n->remote_reads + n->remote_writes + n->remote_atomics;

	put_int(fields, "thread_instructions",
		(uint64_t)json_integer_value(json_object_get(fields, "thread_instructions")) + n->instructions);
	put_int(fields, "accesses", (uint64_t)json_integer_value(json_object_get(fields, "accesses")) + accesses);
	put_int(channels, "coherence_bytes", n->message_bytes);
	put_real(fields, "remote_share",
		 n->local + remote ? (double)remote / (double)(n->local + remote) : 0);
	dram = json_object();
	put_int(dram, "cpu", n->processor_bytes);
	put_int(dram, "ndp", n->near_bytes - n->near_write_back_bytes);
	put_int(dram, "remote", n->remote_bytes);
	put_int(dram, "directory", n->directory_bytes);
	put_int(dram, "write_back", n->near_write_back_bytes + n->processor_write_back_bytes);
	json_object_set_new(fields, "dram_bytes_by_requester", dram);
	put_text(units, "dram_bytes_by_requester", "bytes");
	put_text(units, "remote_share", "accesses to other channels of those that left NDP cores' caches");
}

const struct machine_part machine_channel_part = {.name = "channel",
						  .config_bytes = sizeof(struct channel_params),
						  .groups = groups,
						  .is_present = is_present,
						  .belongs_to = &machine_cpu_part,
						  .stats = stats_of,
						  .explain = explain,
						  .check = check,
						  .clocks = clocks,
						  .build = build,
						  .free = unbuild,
						  .energy = energy,
						  .powers = powers,
						  .result = result};
