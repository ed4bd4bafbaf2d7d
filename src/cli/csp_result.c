/* csp_result.c - what a run of the coprocessor was of, and what it came to, as a result object. */
#include "cli/csp_result.h"

#include <string.h>

#include "base/check.h"
#include "base/units.h"
#include "cli/options.h"
#include "cli/provenance.h"
#include "machine/json.h"
#include "machine/tables.h"
#include "machine/traffic.h"
#include "mem/dram.h"

static void put_stat(void *ctx, const char *prefix, const struct sim_stat_desc *row, uint64_t value,
		     const struct sim_hist *hist)
{
	g_autofree char *key = g_strconcat(prefix, ".", row->name, NULL);

	if (!hist)
		put_int(ctx, key, value);
}

static const char *why_not_verified(const struct csp_result *r)
{
	if (r->was_stopped)
		return "interrupted";
	if (r->was_limited)
		return "ended by csp.limit_cycles";
	if (!r->checks)
		return "the program checks nothing";
	return r->checks_passed < r->checks ? "a check failed" : NULL;
}

int cli_csp_status(const struct csp_result *r)
{
	if (r->was_stopped)
		return CLI_INTERRUPTED;
	return r->was_limited || r->checks_passed < r->checks ? CLI_FAILED : CLI_OK;
}

/* Of one file, its own; with those that it includes, of all their sums, a line each as sha256sum without names. */
static char *sources_sha256(const struct csp_program *p)
{
	g_autoptr(GString) sums = g_string_new(NULL);

	for (char **file = p->files; *file; file++) {
		g_autofree char *sum = cli_file_sha256(*file);

		if (!sum)
			return NULL;
		if (!p->files[1])
			return g_steal_pointer(&sum);
		g_string_append_printf(sums, "%s\n", sum);
	}
	return g_compute_checksum_for_string(G_CHECKSUM_SHA256, sums->str, -1);
}

/* What the run was of. */
static void put_head(json_t *o, const char *file, const struct csp_program *p, const struct csp_config *c,
		     const struct cli_csp_run *options, const struct csp_result *r)
{
	g_autofree char *name = g_path_get_basename(file), *sum = sources_sha256(p);
	g_autofree char *path = g_canonicalize_filename(file, NULL);
	const char *why = why_not_verified(r);
	json_t *args = json_array();

	for (uint32_t i = 0; i < options->defines->len; i++) {
		json_array_append_new(args, json_string("--define"));
		json_array_append_new(args, json_string(options->defines->pdata[i]));
	}
	put_text(o, "workload", name);
	json_object_set_new(o, "args", args);
	put_text(o, "machine", c->about.name);
	put_text(o, "mechanism", "none");
	json_object_set_new(o, "verified", json_boolean(!why));
	put_text(o, "verified_by", "workload");
	json_object_set_new(o, "not_verified", why ? json_string(why) : json_null());
	put_int(o, "exit_status", (uint64_t)cli_csp_status(r));
	json_object_set_new(o, "interrupted", json_boolean(r->was_stopped));
	put_text(o, "timed_out", r->was_limited ? "simulated" : NULL);
	put_text(o, "program", file);
	put_text(o, "program_path", path);
	put_text(o, "program_sha256", sum);
	put_text(o, "machine_file", c->about.path[0] ? c->about.path : NULL);
}

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

static void put_coprocessor(json_t *o, const struct csp_result *r)
{
	json_t *c = json_object();

	put_int(c, "cores", r->cores);
	put_int(c, "cfmas", r->cfmas);
	put_real(c, "utilisation", r->utilisation);
	put_int(c, "from_memory_bytes", r->from_memory_bytes);
	put_int(c, "to_memory_bytes", r->to_memory_bytes);
	put_int(c, "checks", r->checks);
	put_int(c, "checks_passed", r->checks_passed);
	put_real(c, "worst_error", r->worst_error);
	json_object_set_new(o, "coprocessor", c);
}

/* ---- the account ---- */

static json_t *parts_json(const uint64_t cycles[CSP_PART_COUNT])
{
	json_t *o = json_object();

	for (uint32_t i = 0; i < CSP_PART_COUNT; i++)
		if (cycles[i])
			put_int(o, csp_part_name((enum csp_part)i), cycles[i]);
	return o;
}

/* Of the instructions of one core, or one instruction of all cores. */
static void add_parts(const struct csp_machine *m, uint32_t core, uint32_t instr, uint64_t sums[CSP_PART_COUNT])
{
	for (uint32_t i = 0; i < CSP_PART_COUNT; i++)
		sums[i] += csp_machine_account(m, core, instr, (enum csp_part)i);
}

static json_t *cores_json(const struct csp_machine *m, const struct csp_program *p)
{
	json_t *list = json_array();

	for (uint32_t core = 0; core < p->core_count; core++) {
		uint64_t sums[CSP_PART_COUNT] = {0};

		if (p->entries[core] == UINT32_MAX)
			continue;
		for (uint32_t k = 0; k < p->instr_count; k++)
			add_parts(m, core, k, sums);
		json_array_append_new(list, json_pack("{s:i, s:o}", "core", (int)core, "parts", parts_json(sums)));
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
				add_parts(m, core, k, sums);
		parts = parts_json(sums);
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
	json_t *account = json_object(), *docs = json_object();

	for (uint32_t i = 0; i < CSP_PART_COUNT; i++)
		put_text(docs, csp_part_name((enum csp_part)i), csp_part_doc((enum csp_part)i));
	json_object_set_new(account, "cores", cores_json(m, p));
	json_object_set_new(account, "instructions", instructions_json(m, p));
	json_object_set_new(account, "parts", docs);
	json_object_set_new(o, "unit_account", account);
	put_text(units, "unit_account", "cycles");
}

static uint64_t stat_of(const struct sim_stats *stats, const char *key)
{
	uint64_t value = 0;

	sim_stats_value(stats, key, &value);
	return value;
}

/* What the cores with a program have of links and vaults. */
static void put_traffic(json_t *o, json_t *units, const struct csp_config *c, const struct csp_program *p,
			const struct csp_machine *m)
{
	const struct sim_stats *stats = csp_machine_stats(m);
	uint64_t stacks = 0, vaults = 0;
	double link_per_s;

	for (uint32_t core = 0; core < p->core_count; core++) {
		uint32_t stack, vault;

		if (p->entries[core] == UINT32_MAX)
			continue;
		csp_core_place(&c->csp, (uint32_t)c->dram.vault_count, core, &stack, &vault);
		stacks |= UINT64_C(1) << stack;
		vaults += csp_core_vault_count(&c->csp, core);
	}
	link_per_s = (double)__builtin_popcountll(stacks) * (double)c->csp.link_mbytes_per_s * BASE_BYTES_PER_MBYTE;
	machine_traffic_begin(o, units);
	machine_traffic_count(o, MACHINE_WAY_TX, stat_of(stats, "link_tx.wire_bytes"));
	machine_traffic_count(o, MACHINE_WAY_RX, stat_of(stats, "link_rx.wire_bytes"));
	machine_traffic_count_dram(o, stat_of(stats, "vault.read_bytes"), stat_of(stats, "vault.write_bytes"));
	machine_traffic_peak(o, MACHINE_WAY_TX, link_per_s);
	machine_traffic_peak(o, MACHINE_WAY_RX, link_per_s);
	machine_traffic_peak(o, MACHINE_WAY_DRAM, (double)vaults * dram_vault_peak_bytes_per_s(&c->dram));
}

static void put_units(json_t *units)
{
	put_text(units, "time_ps", "ps");
	put_text(units, "energy_pj", "pJ");
	put_text(units, "energy_total_pj", "pJ");
	put_text(units, "coprocessor.utilisation",
		 "of the functional units of the cores that have a program, 0 to 1");
	put_text(units, "coprocessor.worst_error", "the largest error of all checks over its bound");
}

json_t *cli_csp_result(const struct cli_csp_run *options, const char *file, struct csp_config *c,
		       const struct csp_program *p, const struct csp_machine *m, const struct csp_result *r)
{
	json_t *o = json_object(), *stats = json_object(), *units = json_object();
	struct sim_param_groups groups;
	char hash[32];

	csp_config_groups(c, &groups);
	g_snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)csp_machine_hash(m));
	put_head(o, file, p, c, options, r);
	put_int(o, "cycles", r->cycles);
	put_int(o, "time_ps", r->time_ps);
	put_int(o, "total_time_ps", r->time_ps);
	put_measures(o, units, p);
	put_coprocessor(o, r);
	put_traffic(o, units, c, p, m);
	if (r->is_accounted)
		put_account(o, units, m, p);
	machine_energy_put(o, &r->energy);
	sim_stats_each(csp_machine_stats(m), put_stat, stats);
	json_object_set_new(o, "stats", stats);
	put_text(o, "run_hash", hash);
	put_real(o, "host_seconds", r->host_seconds);
	json_object_set_new(o, "params", machine_params_json(&groups, units));
	put_units(units);
	json_object_set_new(o, "units", units);
	cli_provenance_put(o);
	return o;
}

