/* gpu.c - the parts of a GPU: itself, the units that its stacks may have, its energy, its mechanism. */
#include "base/check.h"
#include "gpu/device.h"
#include "machine/gpu_profile.h"
#include "machine/gpu_result.h"
#include "machine/json.h"
#include "machine/memories.h"
#include "machine/parts.h"

/* ---- gpu, and the units that its stacks may have ---- */

static struct gpu_config *gpu_at(struct machine_config *c)
{
	return machine_config_at(c, &machine_gpu_part);
}

static void gpu_groups(struct machine_config *c, struct sim_param_groups *out)
{
	gpu_config_groups(gpu_at(c), out);
}

static void gpu_defaults(struct machine_config *c)
{
	gpu_config_defaults(gpu_at(c));
}

/* What keeps every cycle cannot be estimated from some of them; and the auditors follow what caches hold. */
static void check_run(const struct machine_config *c, struct base_diag_list *diag)
{
	const struct gpu_config *gpu = machine_gpu_config(c);

	machine_sampled_check(c, gpu->gpu.sample_ps, "gpu.sample_ps", diag);
	machine_sampled_check(c, gpu->gpu.span_count, "gpu.span_count", diag);
	machine_sampled_check(c, gpu->gpu.dram_log_ps, "gpu.dram_log_ps", diag);
	if (machine_run_params(c)->audit && (gpu->l1d.is_perfect || gpu->l2.is_perfect))
		base_diag_error(diag, (struct base_place){0},
				"run.audit follows what stores leave in caches: not in a perfect one (l1d.is_perfect, "
				"l2.is_perfect)");
}

static void gpu_check(const struct machine_config *c, struct base_diag_list *diag)
{
	gpu_config_check(machine_gpu_config(c), diag);
	check_run(c, diag);
}

static bool gpu_clocks(const struct machine_config *c, struct sim_engine *e)
{
	return gpu_clocks_add(machine_gpu_config(c), e);
}

static void gpu_stats(const struct machine_config *c, struct sim_stat_tables *out)
{
	const struct gpu_config *gpu = c ? machine_gpu_config(c) : NULL;

	gpu_stat_tables(gpu, out);
	carry_stat_tables(gpu, out);
}

static const struct sim_explain *gpu_explain_rows(const char *mechanism)
{
	(void)mechanism;
	return &gpu_explain;
}

static void gpu_warn(const struct machine_config *c, struct base_diag_list *diag)
{
	gpu_config_warn(machine_gpu_config(c), diag);
}

static uint64_t gpu_bytes(const struct machine_config *c)
{
	return gpu_host_bytes(machine_gpu_config(c));
}

/* host.memory */
static void host_memory_connect(const struct machine *m, struct gpu *g)
{
	const struct machine_memories *all = machine_memories_of(m->config);
	const struct machine_memory_user user = {gpu_host_memory_done, gpu_host_memory_room, g};
	const uint32_t index = (uint32_t)all->host - 1;

	if (!all->host)
		return;

	const struct gpu_host_memory memory = {.memory = machine_memory_built(m, index),
					       .capacity_bytes = all->items[index].memory.capacity_bytes,
					       .line_bytes = (uint32_t)all->items[index].memory.line_bytes};

	machine_memory_connect(m, index, &user);
	gpu_host_memory_set(g, &memory);
}

static void *gpu_build(struct machine *m)
{
	struct ndp_site site = machine_ndp_site(m->config);
	struct base_diag_list diag;
	void *policy_ctx;
	struct gpu *g;

	site.ctx = &m->ctx;
	base_diag_init(&diag);

	const struct carry_policy *policy = ndp_mechanism_new(&site, &policy_ctx, &diag);
	const struct gpu_ext_list carriers = carry_new(site.gpu, policy, policy_ctx);

	CHECK(diag.error_count == 0); /* the part "ndp" has tried it */
	base_diag_free(&diag);
	g = gpu_new(&m->ctx, site.gpu, machine_run_params(m->config), machine_host_params(m->config), &carriers);
	m->device = gpu_device(g);
	host_memory_connect(m, g);
	return g;
}

static void gpu_unbuild(void *built)
{
	gpu_free(built);
}

const struct machine_part machine_gpu_part = {
    .name = "gpu",
    .config_bytes = sizeof(struct gpu_config),
    .groups = gpu_groups,
    .defaults = gpu_defaults,
    .runs = MACHINE_RUNS_KERNELS,
    .account = "the schedulers of a GPU",
    .stats = gpu_stats,
    .explain = gpu_explain_rows,
    .check = gpu_check,
    .warn = gpu_warn,
    .clocks = gpu_clocks,
    .host_bytes = gpu_bytes,
    .build = gpu_build,
    .free = gpu_unbuild,
    .sums = machine_gpu_sums,
    .energy = machine_gpu_energy,
    .result = machine_gpu_result,
};

/* Its parameters are in the GPU's, and so are its rules. */
static void nsu_groups(struct machine_config *c, struct sim_param_groups *out)
{
	gpu_config_unit_groups(gpu_at(c), out);
}

const struct machine_part machine_nsu_part = {
    .name = "nsu", .groups = nsu_groups, .belongs_to = &machine_gpu_part};

struct gpu *machine_gpu(const struct machine *m)
{
	return m ? machine_built(m, &machine_gpu_part) : NULL;
}

bool machine_config_has_gpu(const struct machine_config *c)
{
	return machine_config_has(c, &machine_gpu_part);
}

/* ---- ndp ---- */

struct ndp_site machine_ndp_site(const struct machine_config *c)
{
	return (struct ndp_site){.gpu = machine_gpu_config(c),
				 .ndp = machine_config_of(c, &machine_ndp_part),
				 .seed = machine_run_params(c)->seed};
}

static void ndp_groups(struct machine_config *c, struct sim_param_groups *out)
{
	ndp_config_groups(machine_config_at(c, &machine_ndp_part), out);
}

static void ndp_check(const struct machine_config *c, struct base_diag_list *diag)
{
	const struct ndp_site site = machine_ndp_site(c);

	ndp_mechanism_check(&site, diag);
}

static void ndp_stats(const struct machine_config *c, struct sim_stat_tables *out)
{
	const struct ndp_site site = c ? machine_ndp_site(c) : (struct ndp_site){0};

	ndp_stat_tables(c ? &site : NULL, out);
}

static const struct sim_explain *ndp_explain_rows(const char *mechanism)
{
	return mechanism ? ndp_mechanism_explain(mechanism) : NULL;
}

static void ndp_result(const struct machine_config *c, const struct machine *m, const struct sim_stats *stats,
		       json_t *fields, json_t *units)
{
	(void)stats;
	put_text(fields, "mechanism", ndp_mechanism_name((uint32_t)machine_ndp_site(c).ndp->choice.mechanism));
	if (m)
		machine_gpu_profile_result(machine_built(m, &machine_ndp_part), fields, units);
}

const struct machine_part machine_ndp_part = {.name = "ndp",
					      .config_bytes = sizeof(struct ndp_config),
					      .groups = ndp_groups,
					      .belongs_to = &machine_gpu_part,
					      .stats = ndp_stats,
					      .explain = ndp_explain_rows,
					      .check = ndp_check,
					      .profile = "a GPU's kernels",
					      .build = machine_gpu_profile_build,
					      .free = machine_gpu_profile_free,
					      .result = ndp_result};

/* ---- energy ---- */

static void energy_groups(struct machine_config *c, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "energy", energy_param_rows, energy_param_row_count,
			     machine_config_at(c, &machine_energy_part));
}

const struct machine_part machine_energy_part = {
    .name = "energy",
    .config_bytes = sizeof(struct energy_params),
    .groups = energy_groups,
    .belongs_to = &machine_gpu_part,
};
