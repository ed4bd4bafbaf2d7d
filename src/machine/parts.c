/* parts.c - the parts of the shipped machines. */
#include "machine/parts.h"

#include "base/check.h"
#include "device/launches.h"
#include "gpu/device.h"
#include "machine/channel.h"
#include "machine/cpu.h"
#include "machine/csp.h"
#include "machine/gpu_profile.h"
#include "machine/duality.h"
#include "machine/gpu_result.h"
#include "machine/hdl.h"
#include "machine/json.h"
#include "machine/memories.h"
#include "machine/timeline.h"

#include <glib.h>
#include <string.h>

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

static void gpu_check(const struct machine_config *c, struct base_diag_list *diag)
{
	gpu_config_check(machine_gpu_config(c), diag);
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
	(void)m;
	(void)stats;
	(void)units;
	put_text(fields, "mechanism", ndp_mechanism_name((uint32_t)machine_ndp_site(c).ndp->choice.mechanism));
}

const struct machine_part machine_ndp_part = {.name = "ndp",
					      .config_bytes = sizeof(struct ndp_config),
					      .groups = ndp_groups,
					      .belongs_to = &machine_gpu_part,
					      .stats = ndp_stats,
					      .explain = ndp_explain_rows,
					      .check = ndp_check,
					      .result = ndp_result};

/* ---- energy, host, run ---- */

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

static void host_groups(struct machine_config *c, struct sim_param_groups *out)
{
	host_params_groups(machine_config_at(c, &machine_host_part), out);
}

const struct machine_part machine_host_part = {
    .name = "host", .config_bytes = sizeof(struct host_params), .groups = host_groups};

static void run_groups(struct machine_config *c, struct sim_param_groups *out)
{
	run_params_groups(machine_config_at(c, &machine_run_part), out);
}

void machine_timing_check(const struct machine_config *c, const char *what, struct base_diag_list *diag)
{
	if (machine_run_params(c)->mode == RUN_FUNCTIONAL)
		base_diag_error(diag, (struct base_place){0},
				"run.mode = functional, as strata check has it: %s have no mode without timing", what);
	if (machine_run_params(c)->mode == RUN_SAMPLED)
		base_diag_error(diag, (struct base_place){0},
				"run.mode = sampled: %s have no mode without timing for what is not sampled", what);
	if (*machine_run_params(c)->fast_forward)
		base_diag_error(diag, (struct base_place){0},
				"run.fast_forward: %s have no mode without timing for what is skipped", what);
	if (*machine_run_params(c)->checkpoint)
		base_diag_error(diag, (struct base_place){0},
				"run.checkpoint: %s have no mode without timing for what is before it", what);
	if (*machine_run_params(c)->only)
		base_diag_error(diag, (struct base_place){0},
				"run.only: %s have no mode without timing for what is left out", what);
	if (machine_run_params(c)->instruction_limit_count)
		base_diag_error(diag, (struct base_place){0},
				"run.instruction_limit_count: %s have no mode without timing for the rest; "
				"run.timeout_simulated_ps ends a program",
				what);
}

static void refuse_account(const struct machine_config *c, struct base_diag_list *diag)
{
	g_autoptr(GString) who = g_string_new(NULL);

	for (uint32_t i = 0; c->parts[i]; i++)
		if (c->parts[i]->account)
			g_string_append_printf(who, "%s%s", who->len ? ", " : "", c->parts[i]->account);
	base_diag_error(diag, (struct base_place){0},
			"run.account, as strata why has it, is an account of these: %s; this machine has none of them",
			who->str);
}

/* What would be taken for the name of a kernel, and none has such a name. */
static void colon_check(const char *key, const char *text, bool has_ranges, struct base_diag_list *diag)
{
	static const char *const ways[] = {"range"};
	const char *colon = has_ranges && device_launches_range(text) ? NULL : device_launches_colon(text);
	g_autofree char *way = colon ? g_strndup(text, (size_t)(colon - text)) : NULL;
	const char *nearest = way && has_ranges ? base_nearest_name(way, ways, G_N_ELEMENTS(ways)) : NULL;

	if (nearest)
		base_diag_error(diag, base_diag_place(diag, key), "%s = %s: unknown way '%s:'; did you mean '%s%s'?",
				key, text, way, nearest, colon);
	else if (colon)
		base_diag_error(diag, base_diag_place(diag, key), "%s = %s: no kernel's name has a single ':'%s", key,
				text, has_ranges ? "; a range is range:NAME" : "");
}

/* Numbers of launches that are none: no launch is of them, and no kernel has such a name. */
static void launches_check(const struct run_params *run, struct base_diag_list *diag)
{
	uint64_t first, last, count;

	if (device_launches_are_numbers(run->only) && !device_launches_read(run->only, &first, &last))
		base_diag_error(diag, base_diag_place(diag, "run.only"),
				"run.only = %s: expected a launch N, or launches N-M with 1 <= N <= M, or a kernel's "
				"name, or profiler, or range:NAME",
				run->only);
	if (device_launches_range(run->only) && !*device_launches_range(run->only))
		base_diag_error(diag, base_diag_place(diag, "run.only"),
				"run.only = %s: expected the name of a range behind it", run->only);
	colon_check("run.only", run->only, true, diag);
	colon_check("run.fast_forward", run->fast_forward, false, diag);
	if (device_launches_are_numbers(run->fast_forward) && !device_launches_count(run->fast_forward, &count))
		base_diag_error(diag, base_diag_place(diag, "run.fast_forward"),
				"run.fast_forward = %s: expected a number of launches, or a kernel's name",
				run->fast_forward);
}

/* A checkpoint is of the launches before a mark, which is its file's or run.fast_forward's. */
static void checkpoint_check(const struct run_params *run, struct base_diag_list *diag)
{
	if (*run->checkpoint && *run->fast_forward)
		base_diag_error(diag, base_diag_place(diag, "run.checkpoint"),
				"run.checkpoint: its file says how many launches are skipped: not with "
				"run.fast_forward");
	if (*run->checkpoint_write && !*run->fast_forward)
		base_diag_error(diag, base_diag_place(diag, "run.checkpoint_write"),
				"run.checkpoint_write: expected run.fast_forward, too, which says of which launches it "
				"is");
	if (*run->checkpoint && run->mode == RUN_FUNCTIONAL)
		base_diag_error(diag, base_diag_place(diag, "run.checkpoint"),
				"run.checkpoint: with run.mode = functional nothing is timed, wherever it begins");
}

/* What keeps every cycle cannot be estimated from some of them. */
static void sampled_check(const struct machine_config *c, struct base_diag_list *diag)
{
	const struct run_params *run = machine_run_params(c);
	const struct gpu_params *gpu = machine_config_has_gpu(c) ? &machine_gpu_config(c)->gpu : NULL;
	const struct {
		bool is_set;
		const char *key;
	} others[] = {
	    {run->account, "run.account, as strata why has it,"},
	    {run->instruction_limit_count, "run.instruction_limit_count"},
	    {gpu && gpu->sample_ps, "gpu.sample_ps"},
	    {gpu && gpu->span_count, "gpu.span_count"},
	    {gpu && gpu->dram_log_ps, "gpu.dram_log_ps"},
	};

	if (*run->fast_forward && run->mode == RUN_FUNCTIONAL)
		base_diag_error(diag, (struct base_place){0},
				"run.fast_forward: with run.mode = functional nothing is timed, wherever it begins");
	if (*run->only && run->mode == RUN_FUNCTIONAL)
		base_diag_error(diag, (struct base_place){0},
				"run.only: with run.mode = functional nothing is timed, whichever launches these are");
	for (uint32_t i = 0; run->mode == RUN_SAMPLED && i < G_N_ELEMENTS(others); i++)
		if (others[i].is_set)
			base_diag_error(diag, (struct base_place){0},
					"run.mode = sampled: %s needs every cycle: run.mode = timing has them",
					others[i].key);
}

static void run_check(const struct machine_config *c, struct base_diag_list *diag)
{
	const uint64_t bytes = machine_run_params(c)->allocation_bytes;

	if (bytes & (bytes - 1))
		base_diag_error(diag, (struct base_place){0}, "run.allocation_bytes = %llu: must be a power of two",
				(unsigned long long)bytes);
	if (machine_run_params(c)->account && !machine_config_has_account(c))
		refuse_account(c, diag);
	launches_check(machine_run_params(c), diag);
	checkpoint_check(machine_run_params(c), diag);
	sampled_check(c, diag);
	if (machine_run_params(c)->audit && machine_config_has_gpu(c) &&
	    (machine_gpu_config(c)->l1d.is_perfect || machine_gpu_config(c)->l2.is_perfect))
		base_diag_error(diag, (struct base_place){0},
				"run.audit follows what stores leave in caches: not in a perfect one (l1d.is_perfect, "
				"l2.is_perfect)");
	if (machine_run_params(c)->profile &&
	    (!machine_config_has_gpu(c) || machine_run_params(c)->mode != RUN_FUNCTIONAL))
		base_diag_error(diag, (struct base_place){0},
				"run.profile, as strata advise has it: of a GPU's kernels with run.mode = functional");
}

/* What the program does beside kernels: machine/timeline.h. */
static void run_stats(const struct machine_config *c, struct sim_stat_tables *out)
{
	if (c && !machine_config_runs_kernels(c))
		return;
	sim_stat_tables_add(out, &machine_copy_stat_table);
	sim_stat_tables_add(out, &machine_program_stat_table);
}

const struct machine_part machine_run_part = {
    .name = "run",
    .config_bytes = sizeof(struct run_params),
    .groups = run_groups,
    .stats = run_stats,
    .check = run_check,
    .build = machine_gpu_profile_build,
    .free = machine_gpu_profile_free,
    .result = machine_gpu_profile_result,
};

const struct machine_part *machine_part_named(const char *name)
{
	for (const struct machine_part *const *p = machine_parts; *p; p++)
		if (!strcmp((*p)->name, name))
			return *p;
	return NULL;
}

const struct machine_part *machine_part_of_file(const char *path)
{
	for (const struct machine_part *const *p = machine_parts; *p; p++)
		if ((*p)->files && g_str_has_suffix(path, (*p)->files->suffix))
			return *p;
	return NULL;
}

bool machine_config_runs_kernels(const struct machine_config *c)
{
	return machine_config_has_gpu(c) || machine_duality_params(c);
}

bool machine_config_has_gpu(const struct machine_config *c)
{
	return machine_config_has(c, &machine_gpu_part);
}
