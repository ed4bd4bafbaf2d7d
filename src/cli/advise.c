/* advise.c - strata advise: which level of near-data processing would serve a program, from one run without timing. */
#include "cli/command.h"

#include "cli/batch.h"
#include "cli/input.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/scratch.h"
#include "cli/timeout.h"
#include "machine/parts.h"
#include "report/advise.h"
#include "report/report.h"

#include <inttypes.h>

static const struct cli_about about = {
    .name = "advise",
    .usage = "strata advise [--machine M] [--set K=V] [--json FILE] WORKLOAD | -- PROGRAM [ARGS]",
    .summary = "Runs a program once without timing and predicts from what its kernels do (reuse, intensity,\n"
	       "divergence, where lines lie) which level of near-data processing would serve it best: none, blocks of\n"
	       "loops, instructions, or CTAs.",
    .examples = "  strata advise kmeans\n"
		"  strata advise --json advice.json bfs",
};

struct advise_options {
	const char *machine, *json, *size, *timeout;
	GPtrArray *sets;
};

static int advise(const struct cli_paths *paths, const struct cli_target *target, struct machine_session *session,
		  const char *json_path)
{
	char *scratch = cli_scratch_make(), *input;
	struct cli_job job = {.target = target, .machine = session, .is_captured = true};
	struct cli_batch batch = {.paths = paths, .jobs = &job, .job_count = 1, .slots = 1};
	int exit_status = CLI_UNABLE;

	if (!scratch)
		return CLI_UNABLE;
	input = target->is_self_checking ? NULL : cli_input_copy(scratch);
	job.input_path = input;
	if ((target->is_self_checking || input) && cli_job_prepare(&job, scratch, 0)) {
		cli_batch_run(&batch);
		exit_status = batch.is_interrupted ? CLI_INTERRUPTED : batch.exit_status;
	}
	if (exit_status == CLI_OK &&
	    (!cli_job_is_finished(&job) || !json_array_size(json_object_get(job.result, "profile")))) {
		cli_error("advise: the program has run no kernel to its end: there is nothing to go by");
		exit_status = CLI_FAILED;
	}
	if (exit_status == CLI_OK) {
		json_t *advice = report_advise(job.result);

		report_advise_print(stdout, advice);
		json_object_set(advice, "kernels", json_object_get(job.result, "profile"));
		if (!cli_json_keep(json_path, advice))
			exit_status = CLI_UNABLE;
		json_decref(advice);
	}
	cli_job_free(&job);
	g_free(input);
	cli_scratch_remove(scratch);
	return exit_status;
}

/* False after a message: nothing would be left of the GPU beside what is put into the stacks. */
static bool is_large_enough(const struct machine_config *config)
{
	const struct gpu_config *c = machine_config_has_gpu(config) ? machine_gpu_config(config) : NULL;
	uint64_t replaced;

	if (!c)
		return true;
	replaced = report_advise_sms_replaced(c->gpu.stack_count, c->gpu.stack_sm_count, c->nsu.is_present);
	if (c->gpu.sm_count > replaced)
		return true;
	cli_error("advise: a core in each of the %" PRIu64 " stacks is in the place of an SM: gpu.sm_count = %" PRIu64
		  " must be more than that",
		  replaced, c->gpu.sm_count);
	return false;
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	struct advise_options *o = ctx;
	static char profile[] = "run.profile=true", functional[] = "run.mode=functional";
	GPtrArray *targets = g_ptr_array_new();
	g_autofree struct machine_session *session = g_new0(struct machine_session, 1);
	int exit_status = CLI_USAGE;

	if (!words->program && words->words->len > 1) {
		cli_error("advise: one workload at a time");
		return CLI_USAGE;
	}
	g_ptr_array_add(o->sets, functional);
	g_ptr_array_add(o->sets, profile);
	if (cli_output_check(about.name, "json", o->json) && cli_timeout_add(about.name, o->timeout, o->sets) &&
	    cli_targets_resolve(paths, about.name, words->words, words->program, o->size, targets) &&
	    cli_machine_load(paths, o->machine ? o->machine : "bench-baseline", o->sets, session) &&
	    is_large_enough(&session->config))
		exit_status = advise(paths, targets->pdata[0], session, o->json);
	cli_targets_free(targets);
	return exit_status;
}

int cli_advise(int argc, char **argv)
{
	struct advise_options o = {0};
	const struct cli_option options[] = {
	    {"machine", CLI_TEXT, &o.machine, "M", "a machine with a GPU (default bench-baseline)", 0},
	    {"set", CLI_LIST, &o.sets, "K=V", "override one parameter; may be given several times", 0},
	    {"size", CLI_TEXT, &o.size, "S", "a workload's input size: small (default) or paper", 0},
	    CLI_TIMEOUT_OPTION(&o.timeout),
	    {"json", CLI_TEXT, &o.json, "FILE", "write it there, with the profile", 0},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &o);
}
