/* run_part.c - the parts of every machine: its host, and how a run of it goes. */
#include "base/check.h"
#include "device/launches.h"
#include "machine/parts.h"
#include "machine/timeline.h"

#include <glib.h>
#include <string.h>

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

void machine_sampled_check(const struct machine_config *c, bool is_set, const char *key, struct base_diag_list *diag)
{
	if (is_set && machine_run_params(c)->mode == RUN_SAMPLED)
		base_diag_error(diag, (struct base_place){0},
				"run.mode = sampled: %s needs every cycle: run.mode = timing has them", key);
}

static void mode_check(const struct machine_config *c, struct base_diag_list *diag)
{
	const struct run_params *run = machine_run_params(c);

	if (*run->fast_forward && run->mode == RUN_FUNCTIONAL)
		base_diag_error(diag, (struct base_place){0},
				"run.fast_forward: with run.mode = functional nothing is timed, wherever it begins");
	if (*run->only && run->mode == RUN_FUNCTIONAL)
		base_diag_error(diag, (struct base_place){0},
				"run.only: with run.mode = functional nothing is timed, whichever launches these are");
	machine_sampled_check(c, run->account, "run.account, as strata why has it,", diag);
	machine_sampled_check(c, run->instruction_limit_count, "run.instruction_limit_count", diag);
}

static void profile_check(const struct machine_config *c, struct base_diag_list *diag)
{
	const char *what = NULL;
	bool is_had = false;

	if (!machine_run_params(c)->profile)
		return;
	for (uint32_t i = 0; c->parts[i] && !is_had; i++)
		if (c->parts[i]->profile) {
			what = c->parts[i]->profile;
			is_had = machine_config_has(c, c->parts[i]);
		}
	if (!is_had || machine_run_params(c)->mode != RUN_FUNCTIONAL)
		base_diag_error(diag, (struct base_place){0},
				"run.profile, as strata advise has it: of %s with run.mode = functional",
				what ? what : "nothing that a machine may have");
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
	mode_check(c, diag);
	profile_check(c, diag);
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
};
