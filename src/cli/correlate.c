/* correlate.c - strata correlate: a user's own measurements beside what a machine's runs took.
 */
#include "cli/command.h"

#include "cli/batch.h"
#include "cli/input.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/scratch.h"
#include "cli/timeout.h"
#include "machine/parts.h"
#include "report/correlate.h"
#include "report/measured.h"
#include "report/report.h"
#include "report/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS = 80, COLUMNS_MOST = 160 };

static const struct cli_about about = {
    .name = "correlate",
    .usage = "strata correlate FILE --machine M [--json F] [WORKLOAD | -- PROGRAM [ARGS]]",
    .summary =
	"Prints measured times of kernels, programs or figures beside modelled ones: the error of each, the worst\n"
	"first, their mean (MAPE), a plot, and what `strata why` says first of the worst. FILE is a table of yours\n"
	"(kernel,time_us or program,time_ms), what Nsight Systems (cuda_gpu_kern_sum, cuda_gpu_trace), Nsight Compute\n"
	"(--csv) or perf (stat -x,) writes, or what bench/hardware prints. The modelled side is a run of the program,\n"
	"or without one the newest run on M in the store; of a table of programs the newest of each.",
    .examples = "  strata correlate kernels.csv --machine gtx480 -- ./program 1000\n"
		"  strata correlate programs.csv --machine channel-xeon --json correlated.json",
};

struct correlate_options {
	const char *machine, *json, *size, *timeout;
	GPtrArray *sets;
	struct cli_verify verify;
};

struct correlate {
	const struct correlate_options *options;
	const char *file;
	json_t *measured;
	struct machine_session *session;
};

/* The columns of the terminal; of a file or a pipe as many as a page has. */
static uint32_t columns(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return COLUMNS;
	return MIN(size.ws_col, COLUMNS_MOST);
}

static const char *text(const json_t *o, const char *key)
{
	const char *value = json_string_value(json_object_get(o, key));

	return value ? value : "";
}

static void print_head(const json_t *correlated)
{
	const json_t *run;
	size_t i;

	printf("measured: %s (%s)\n", text(correlated, "file"), text(correlated, "format"));
	json_array_foreach(json_object_get(correlated, "runs"), i, run) {
		g_autofree char *mark = report_mark(run);

		printf("modelled: %s on %s", text(run, "workload"), text(run, "machine"));
		if (json_object_get(run, "id"))
			printf(", run %.0f of the store", report_number(run, "id", NULL));
		fputs(json_is_true(json_object_get(run, "verified")) ? "" : ", NOT VERIFIED", stdout);
		printf("%s%s\n", *mark ? ", " : "", mark);
	}
	putchar('\n');
}

/* Nothing on one side is on the other: which names there are. CLI_USAGE. */
static int nothing_common(const struct correlate *c, const json_t *correlated)
{
	const json_t *measured = json_array_get(json_object_get(c->measured, "rows"), 0),
		     *modelled = json_array_get(json_object_get(correlated, "only_modelled"), 0);
	const json_t *run = json_array_get(json_object_get(correlated, "runs"), 0);
	const char *kind = text(c->measured, "kind"), *program = text(run, "workload");
	struct base_diag_list diag;
	const struct base_place at = {c->file, (uint32_t)report_number(measured, "line", NULL), 1};

	base_diag_init(&diag);
	if (modelled)
		base_diag_error(&diag, at, "none of these %s was modelled: '%s' is the first here, '%s' of %s on %s",
				kind, text(measured, "name"), text(modelled, "name"), program, c->session->machine);
	else
		base_diag_error(&diag, at, "none of these %s was modelled: the run of %s on %s has none with a time",
				kind, program, c->session->machine);
	cli_diag_print(&diag);
	base_diag_free(&diag);
	return CLI_USAGE;
}

static int report(const struct correlate *c, const json_t *runs)
{
	json_t *correlated = report_correlate(c->measured, runs);
	int exit_status = CLI_OK;

	json_object_set_new(correlated, "file", json_string(c->file));
	json_object_set_new(correlated, "machine", json_string(c->session->machine));
	if (!json_array_size(json_object_get(correlated, "rows"))) {
		exit_status = nothing_common(c, correlated);
	} else {
		print_head(correlated);
		report_correlate_print(stdout, correlated, columns());
		if (!cli_json_keep(c->options->json, correlated))
			exit_status = CLI_UNABLE;
	}
	json_decref(correlated);
	return exit_status;
}

/* ---- runs of the store ---- */

/* False after a message. */
static bool newest_add(const struct correlate *c, const char *program, json_t *runs)
{
	g_autofree char *name = program && *program ? g_path_get_basename(program) : NULL;
	char *message;
	json_t *newest = report_runs_newest(cli_store_path(), c->session->machine, name, &message);

	if (!newest) {
		cli_error("correlate: %s", message);
		g_free(message);
		return false;
	}
	json_array_extend(runs, newest);
	json_decref(newest);
	return true;
}

static int of_store(const struct correlate *c)
{
	const bool is_of_programs = !strcmp(text(c->measured, "kind"), "programs");
	const json_t *row;
	json_t *runs = json_array();
	int exit_status = CLI_OK;
	size_t i;

	json_array_foreach(json_object_get(c->measured, "rows"), i, row) {
		if ((is_of_programs || !i) && exit_status == CLI_OK &&
		    !newest_add(c, is_of_programs ? text(row, "name") : NULL, runs))
			exit_status = CLI_UNABLE;
	}
	if (exit_status == CLI_OK && !json_array_size(runs)) {
		cli_error("correlate: %s has no run%s on %s: `-- PROGRAM` runs one", cli_store_path(),
			  is_of_programs ? " of these programs" : "", c->session->machine);
		exit_status = CLI_USAGE;
	}
	if (exit_status == CLI_OK)
		exit_status = report(c, runs);
	json_decref(runs);
	return exit_status;
}

/* ---- a run ---- */

static int job_report(const struct correlate *c, const struct cli_batch *batch)
{
	const struct cli_job *job = batch->jobs;
	bool is_kept;
	int exit_status;

	if (batch->is_interrupted) {
		cli_error("correlate: interrupted before the program had ended: there is nothing to compare with");
		return CLI_INTERRUPTED;
	}
	if (batch->exit_status != CLI_OK)
		return batch->exit_status;
	is_kept = cli_runs_keep(job->results);
	if (!cli_job_is_finished(job) || !report_has_run(job->result)) {
		cli_error("correlate: the program has no results on this machine: there is nothing to compare with");
		return CLI_FAILED;
	}
	if (report_is_untimed(job->result)) {
		cli_error("correlate: nothing of the program was timed: there is nothing to compare");
		return CLI_USAGE;
	}
	exit_status = report(c, job->results);
	if (exit_status != CLI_OK)
		return exit_status;
	if (!is_kept)
		return CLI_UNABLE;
	return cli_job_not_verified(job) ? CLI_FAILED : CLI_OK;
}

static int of_target(const struct correlate *c, const struct cli_paths *paths, const struct cli_target *target)
{
	char *scratch = cli_scratch_make(), *input;
	struct cli_job job = {
	    .target = target, .machine = c->session, .is_captured = true, .verify = c->options->verify};
	struct cli_batch batch = {.paths = paths, .jobs = &job, .job_count = 1};
	int exit_status = CLI_UNABLE;

	if (!scratch)
		return CLI_UNABLE;
	input = target->is_self_checking ? NULL : cli_input_copy(scratch);
	job.input_path = input;
	if ((target->is_self_checking || input) && cli_job_prepare(&job, scratch, 0)) {
		cli_batch_run(&batch);
		exit_status = job_report(c, &batch);
	}
	cli_job_free(&job);
	g_free(input);
	cli_scratch_remove(scratch);
	return exit_status;
}

/* With the account on, where the machine can have it: for what is said of the worst. False after a message. */
static bool machine_load(const struct correlate *c, const struct cli_paths *paths)
{
	static char on[] = "run.account=true";

	if (machine_config_has_account(&c->session->config))
		g_ptr_array_insert(c->options->sets, 0, on);
	return cli_timeout_add(about.name, c->options->timeout, c->options->sets) &&
	       cli_machine_load(paths, c->options->machine, c->options->sets, c->session);
}

static int of_program(const struct correlate *c, const struct cli_words *words, const struct cli_paths *paths)
{
	const struct correlate_options *o = c->options;
	GPtrArray *targets = g_ptr_array_new(), *names = g_ptr_array_new();
	int exit_status = CLI_USAGE;

	for (guint i = 1; i < words->words->len; i++)
		g_ptr_array_add(names, words->words->pdata[i]);
	if (cli_targets_resolve(paths, about.name, names, words->program, o->size, targets) && machine_load(c, paths) &&
	    cli_store_check(about.name))
		exit_status = of_target(c, paths, targets->pdata[0]);
	cli_targets_free(targets);
	g_ptr_array_unref(names);
	return exit_status;
}

/* ---- the command line ---- */

/* NULL, or what is wrong with the words and options. */
static const char *mistake(const struct correlate_options *o, const struct cli_words *words)
{
	if (!words->words->len)
		return "expected the file of measurements";
	if (!o->machine)
		return "--machine says which machine's times are compared";
	if (words->words->len > 2 || (words->words->len > 1 && words->program))
		return "one file, and one program at a time";
	if (words->words->len == 1 && !words->program &&
	    (o->sets->len || o->timeout || o->size || o->verify.command || o->verify.text))
		return "a run in the store has its settings: without a program only --machine and --json";
	return NULL;
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	struct correlate_options *o = ctx;
	struct correlate c = {.options = o};
	const char *wrong = mistake(o, words);
	g_autofree struct machine_session *session = g_new0(struct machine_session, 1);
	struct base_diag_list diag;
	int exit_status = CLI_USAGE;

	if (wrong) {
		cli_error("correlate: %s", wrong);
		return CLI_USAGE;
	}
	if (!cli_output_check(about.name, "json", o->json) || !cli_machine_load(paths, o->machine, o->sets, session))
		return CLI_USAGE;
	base_diag_init(&diag);
	c.session = session;
	c.file = words->words->pdata[0];
	c.measured = report_measured_file(c.file, &diag);
	cli_diag_print(&diag);
	base_diag_free(&diag);
	if (c.measured)
		exit_status = words->program || words->words->len > 1 ? of_program(&c, words, paths) : of_store(&c);
	json_decref(c.measured);
	return exit_status;
}

int cli_correlate(int argc, char **argv)
{
	struct correlate_options o = {0};
	const struct cli_option options[] = {
	    {"machine", CLI_TEXT, &o.machine, "M", "the machine: a name or a .yaml file", 0},
	    {"set", CLI_LIST, &o.sets, "K=V", "override one parameter; may be given several times", 0},
	    {"size", CLI_TEXT, &o.size, "S", "a workload's input size: small (default) or paper", 0},
	    CLI_TIMEOUT_OPTION(&o.timeout),
	    CLI_VERIFY_OPTIONS(o.verify),
	    {"json", CLI_TEXT, &o.json, "FILE", "write all of it there", 0},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &o);
}
