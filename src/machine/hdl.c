/* hdl.c - the part "hdl": a design at each memory channel instead of cores. */
#include "machine/hdl.h"

#include "base/bits.h"
#include "hdl/energy.h"
#include "machine/channel.h"
#include "machine/cpu.h"
#include "machine/parts.h"

static const struct hdl_params *params(const struct machine_config *c)
{
	return machine_config_of(c, &machine_hdl_part);
}

const struct hdl_params *machine_hdl_params(const struct machine_config *c)
{
	return machine_config_has(c, &machine_hdl_part) ? params(c) : NULL;
}

struct hdl_system *machine_hdl(const struct machine *m)
{
	return machine_hdl_params(m->config) ? machine_built(m, &machine_hdl_part) : NULL;
}

static bool is_present(const struct machine_config *c)
{
	return machine_cpu_params(c) && *params(c)->design;
}

static void stats_of(const struct machine_config *c, struct sim_stat_tables *out)
{
	(void)c;
	sim_stat_tables_add(out, &hdl_stat_table);
}

static const struct sim_explain *explain(const char *mechanism)
{
	(void)mechanism;
	return &hdl_explain;
}

static void groups(struct machine_config *c, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "hdl", hdl_param_rows, hdl_param_row_count, machine_config_at(c, &machine_hdl_part));
}

static void check_ports(const struct hdl_params *p, const struct channel_params *near, struct base_diag_list *diag)
{
	const uint64_t parts = p->port_bytes > near->access_bytes ? p->port_bytes / near->access_bytes : 1;
	const char *each = parts == 1 ? "one" : parts == 2 ? "two" : "four";

	if (!base_is_power_of_two(p->port_bytes))
		base_diag_error(diag, (struct base_place){0}, "hdl.port_bytes = %llu: expected 8, 16, 32, 64 or 128",
				(unsigned long long)p->port_bytes);
	else if (near->core_count < p->port_count * parts)
		base_diag_error(diag, (struct base_place){0},
				"hdl.design = %s: channel.core_count = %llu accesses under way; expected %s for each "
				"of its %llu ports at least",
				p->design, (unsigned long long)near->core_count, each,
				(unsigned long long)p->port_count);
}

static void check(const struct machine_config *c, struct base_diag_list *diag)
{
	const struct hdl_params *p = *params(c)->design ? params(c) : NULL;
	const struct channel_params *near = machine_channel_params(c);

	if (!p && *params(c)->wave)
		base_diag_error(diag, (struct base_place){0},
				"hdl.wave = %s: there is no design; hdl.design names one", params(c)->wave);
	if (!p && near && near->coherence == CHANNEL_COHERENCE_SOFTWARE)
		base_diag_error(diag, base_diag_place(diag, "channel.coherence"),
				"channel.coherence = software: is for accelerators; hdl.design names one");
	if (!p)
		return;
	if (!near)
		base_diag_error(diag, (struct base_place){0},
				"hdl.design = %s: a design is the NDP of a channel, and there are none; "
				"channel.ndp_count makes some",
				p->design);
	else if (near->cache_bytes || near->place != CHANNEL_PLACE_CPU)
		base_diag_error(diag, (struct base_place){0},
				"hdl.design = %s: a design has no caches and runs no threads; expected "
				"channel.cache_bytes = 0 and channel.place = cpu",
				p->design);
	else
		check_ports(p, near, diag);
	if (!*p->wave && (p->wave_from_ps || p->wave_to_ps))
		base_diag_error(diag, (struct base_place){0},
				"hdl.wave_from_ps, hdl.wave_to_ps: there is no waveform; hdl.wave names its files");
	if (p->wave_to_ps && p->wave_to_ps <= p->wave_from_ps)
		base_diag_error(diag, (struct base_place){0},
				"hdl.wave_to_ps = %llu: the waveform ends before it begins, at %llu ps",
				(unsigned long long)p->wave_to_ps, (unsigned long long)p->wave_from_ps);
}

static bool clocks(const struct machine_config *c, struct sim_engine *e)
{
	return hdl_clock_add(params(c), e);
}

static void *build(struct machine *m)
{
	const struct hdl_params *p = machine_hdl_params(m->config);

	return hdl_system_new(&m->ctx, p, machine_channel(m), machine_channel_params(m->config),
			      cpu_unit_count(machine_cpu_params(m->config)), cpu_system_account_of(machine_cpu(m)));
}

static void unbuild(void *built)
{
	hdl_system_free(built);
}

static void energy(const struct machine_config *c, struct energy_list *out)
{
	static const uint32_t none;

	energy_list_add(out, &hdl_energy_table, params(c), &none, sizeof(none));
}

static void powers(const struct machine_config *c, struct energy_list *out)
{
	static const uint32_t none;

	energy_list_add(out, &hdl_power_table, params(c), &none, sizeof(none));
}

/* These were of the group "ndp", which now is of the mechanisms of GPUs alone. */
static const struct machine_renamed renamed[] = {
#define RENAMED(was, is) {"ndp." #was, "hdl." #is},
#define PARAM_U64(name, unit, dflt, min, max, source, doc) RENAMED(name, name)
#define PARAM_F64(name, unit, dflt, min, max, source, doc) RENAMED(name, name)
#define PARAM_ENUM(name, choices, dflt, source, doc) RENAMED(name, name)
#define PARAM_TEXT(name, source, doc) RENAMED(name, name)
#include "hdl/hdl_params.def"
#include "sim/param_end.inc"
    RENAMED(hdl, design)
    {NULL, NULL}};

const struct machine_part machine_hdl_part = {.name = "hdl",
					      .config_bytes = sizeof(struct hdl_params),
					      .groups = groups,
					      .renamed = renamed,
					      .is_present = is_present,
					      .belongs_to = &machine_cpu_part,
					      .stats = stats_of,
					      .explain = explain,
					      .check = check,
					      .clocks = clocks,
					      .build = build,
					      .energy = energy,
					      .powers = powers,
					      .free = unbuild};
