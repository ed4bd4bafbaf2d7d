/* csp.c - the part "csp": its parameters and rules, and what a run of a program of the coprocessor hands back. */
#include "machine/csp.h"

#include "base/units.h"
#include "csp/power.h"
#include "machine/account.h"
#include "machine/json.h"
#include "machine/parts.h"
#include "machine/traffic.h"

static const struct csp_config *config(const struct machine_config *c)
{
	return machine_config_of(c, &machine_csp_part);
}

const struct csp_config *machine_csp_config(const struct machine_config *c)
{
	return machine_config_has(c, &machine_csp_part) ? config(c) : NULL;
}

struct csp_machine *machine_csp(const struct machine *m)
{
	return machine_csp_config(m->config) ? machine_built(m, &machine_csp_part) : NULL;
}

static bool is_present(const struct machine_config *c)
{
	return config(c)->csp.core_count;
}

static void groups(struct machine_config *c, struct sim_param_groups *out)
{
	csp_config_groups(machine_config_at(c, &machine_csp_part), out);
}

static void stats_of(const struct machine_config *c, struct sim_stat_tables *out)
{
	(void)c;
	csp_stat_tables(out);
}

static const struct sim_explain *explain(const char *mechanism)
{
	(void)mechanism;
	return &csp_explain;
}

static void check(const struct machine_config *c, struct base_diag_list *diag)
{
	if (!config(c)->csp.core_count)
		return;
	csp_config_check(config(c), diag);
	machine_timing_check(c, "coprocessors", diag);
}

static bool clocks(const struct machine_config *c, struct sim_engine *e)
{
	return csp_clock_add(config(c), e);
}

static void *build(struct machine *m)
{
	const uint64_t timeout_ps = machine_run_params(m->config)->timeout_simulated_ps;
	struct csp_machine *csp =
	    csp_machine_new(&m->ctx, config(m->config), machine_run_params(m->config)->account);

	csp_machine_limit(csp, sim_units_of_ps(m->ctx.engine, timeout_ps));
	return csp;
}

static void unbuild(void *built)
{
	csp_machine_free(built);
}

static void energy(const struct machine_config *c, struct energy_list *out)
{
	const struct csp_energy_counts counts = csp_energy_counts(config(c));

	energy_list_add(out, &csp_energy_table, &config(c)->energy, &counts, sizeof(counts));
}

/* ---- results ---- */

static void put_measures(json_t *o, json_t *units, const struct csp_program *p)
{
	json_t *measures = json_object();

	for (uint32_t i = 0; i < p->measure_count; i++) {
		g_autofree char *key = g_strconcat("measures.", p->measures[i].name, NULL);

		put_real(measures, p->measures[i].name, p->measures[i].value);
		put_text(units, key, p->measures[i].name);
	}
	json_object_set_new(o, "measures", measures);
}

static void put_coprocessor(json_t *o, json_t *units, const struct csp_result *r, double area_mm2)
{
	json_t *c = json_object();

	put_real(c, "area_mm2", area_mm2);
	put_int(c, "cores", r->cores);
	put_int(c, "cfmas", r->cfmas);
	put_real(c, "utilisation", r->utilisation);
	put_int(c, "from_memory_bytes", r->from_memory_bytes);
	put_int(c, "to_memory_bytes", r->to_memory_bytes);
	put_int(c, "checks", r->checks);
	put_int(c, "checks_passed", r->checks_passed);
	put_real(c, "worst_error", r->worst_error);
	put_real(c, "simulation_seconds", r->host_seconds);
	json_object_set_new(o, "coprocessor", c);
	put_text(units, "coprocessor.area_mm2", "mm2 at 14 nm, of the cores that have a program, and their links");
	put_text(units, "coprocessor.utilisation",
		 "of the functional units of the cores that have a program, 0 to 1");
	put_text(units, "coprocessor.worst_error", "the largest error of all checks over its bound");
	put_text(units, "coprocessor.simulation_seconds", "CPU seconds of the simulation, without data and checks");
}

static json_t *cores_json(const struct csp_machine *m, const struct csp_program *p)
{
	json_t *list = json_array();

	for (uint32_t core = 0; core < p->core_count; core++) {
		uint64_t sums[CSP_PART_COUNT] = {0};

		if (p->entries[core] == UINT32_MAX)
			continue;
		for (uint32_t k = 0; k < p->instr_count; k++)
			account_add(&csp_account_parts, sums, csp_machine_account(m, core, k));
		json_array_append_new(list, json_pack("{s:i, s:o}", "core", (int)core, "parts",
						      machine_account_json(&csp_account_parts, sums)));
	}
	return list;
}

static json_t *instructions_json(const struct csp_machine *m, const struct csp_program *p)
{
	json_t *list = json_array();

	for (uint32_t k = 0; k < p->instr_count; k++) {
		const struct csp_instr *x = &p->instrs[k];
		uint64_t sums[CSP_PART_COUNT] = {0};
		json_t *parts;

		for (uint32_t core = 0; core < p->core_count; core++)
			if (p->entries[core] != UINT32_MAX)
				account_add(&csp_account_parts, sums, csp_machine_account(m, core, k));
		parts = machine_account_json(&csp_account_parts, sums);
		if (json_object_size(parts))
			json_array_append_new(list, json_pack("{s:s, s:i, s:s, s:O}", "file", x->file, "line",
							      (int)x->line, "op", csp_op_name(x->op), "parts", parts));
		json_decref(parts);
	}
	return list;
}

/* Cycles of the functional units of each core that has a program, which add up to the run's. */
static void put_account(json_t *o, json_t *units, const struct csp_machine *m, const struct csp_program *p)
{
	json_t *account = json_object();

	json_object_set_new(account, "cores", cores_json(m, p));
	json_object_set_new(account, "instructions", instructions_json(m, p));
	json_object_set_new(account, "parts", machine_account_docs(&csp_account_parts));
	json_object_set_new(o, "unit_account", account);
	put_text(units, "unit_account", "cycles");
}

static uint64_t stat_of(const struct sim_stats *stats, const char *key)
{
	uint64_t value = 0;

	sim_stats_value(stats, key, &value);
	return value;
}

/* What a program's cores have; p NULL: all cores. */
struct used {
	uint32_t links;
	uint64_t vaults;
};

static struct used used_by(const struct csp_config *c, const struct csp_program *p)
{
	uint64_t stacks = 0, vaults = 0;

	for (uint32_t core = 0; core < c->csp.core_count; core++) {
		uint32_t stack, vault;

		if (p && p->entries[core] == UINT32_MAX)
			continue;
		csp_core_place(&c->csp, (uint32_t)c->dram.vault_count, core, &stack, &vault);
		stacks |= UINT64_C(1) << stack;
		vaults += csp_core_vault_count(&c->csp, core);
	}
	return (struct used){(uint32_t)__builtin_popcountll(stacks), vaults};
}

static void put_peaks(json_t *o, const struct csp_config *c, const struct csp_program *p)
{
	const struct used used = used_by(c, p);
	const double link_per_s = used.links * (double)c->csp.link_mbytes_per_s * BASE_BYTES_PER_MBYTE;

	machine_traffic_peak(o, MACHINE_WAY_TX, link_per_s);
	machine_traffic_peak(o, MACHINE_WAY_RX, link_per_s);
	machine_traffic_peak(o, MACHINE_WAY_DRAM, (double)used.vaults * dram_vault_peak_bytes_per_s(&c->dram));
}

static const struct machine_sum sums[] = {
    {"traffic_bytes", "tx", {"link_tx.wire_bytes"}},
    {"traffic_bytes", "rx", {"link_rx.wire_bytes"}},
    {"traffic_bytes", "dram_read", {"vault.read_bytes"}},
    {"traffic_bytes", "dram_write", {"vault.write_bytes"}},
    {"traffic_bytes", "dram", {"vault.read_bytes", "vault.write_bytes"}},
    {NULL, NULL, {NULL}},
};

static void result(const struct machine_config *c, const struct machine *m, const struct sim_stats *stats,
		   json_t *fields, json_t *units)
{
	const struct csp_machine *csp = m ? machine_csp(m) : NULL;
	const struct csp_program *p = csp ? csp_machine_program(csp) : NULL;
	const struct csp_result *r = csp ? csp_machine_result(csp) : NULL;

	put_text(fields, "mechanism", "none");
	put_peaks(fields, config(c), p);
	if (!r)
		return;
	put_int(fields, "thread_instructions", stat_of(stats, "core.instructions"));
	put_measures(fields, units, p);
	put_coprocessor(fields, units, r, csp_power_area_mm2(config(c), r->cores, used_by(config(c), p).links));
	if (r->is_accounted)
		put_account(fields, units, csp, p);
	if (!p->check_count)
		put_text(fields, "unchecked", "the program checks nothing");
	put_text(units, "thread_instructions", "instructions of the controllers");
	put_text(units, "cycles", "cycles of a core, from the begin to the end of the last one");
	put_text(units, "time_ps", "ps, from the begin to the end of the last core");
}

static const struct machine_files files = {.suffix = ".csp",
					   .program = "a program of the coprocessor",
					   .door = "strata-csp",
					   .built = "src/csprun",
					   .machine = "csp-alpha",
					   .size = "--define NAME=VALUE",
					   .is_self_checking = true,
					   .sources = csp_sources};

const struct machine_part machine_csp_part = {.name = "csp",
					      .config_bytes = sizeof(struct csp_config),
					      .groups = groups,
					      .is_present = is_present,
					      .runs = "programs of the coprocessor",
					      .files = &files,
					      .account = "the coprocessor",
					      .stats = stats_of,
					      .explain = explain,
					      .check = check,
					      .clocks = clocks,
					      .build = build,
					      .free = unbuild,
					      .sums = sums,
					      .energy = energy,
					      .result = result};
