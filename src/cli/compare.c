/* compare.c - strata compare: every workload on every machine, side by side on the host's cores, and one table. */
#include "cli/command.h"

#include "cli/batch.h"
#include "cli/input.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/provenance.h"
#include "cli/scratch.h"
#include "cli/single.h"
#include "cli/timeout.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct cli_about about = {
    .name = "compare",
    .usage = "strata compare --machines A,B,... WORKLOAD...  |  strata compare --machines A,B,... -- PROGRAM [ARGS]",
    .summary = "Runs every workload, or one program, on every machine and prints the table: time, speed-up over the\n"
	       "first machine, IPC, traffic, energy. Runs go side by side, as many as the host has cores. Each is in\n"
	       "the run store as soon as it has ended.",
    .examples = "  strata compare --machines tom-baseline,tom-ctrl-tmap kmeans bfs\n"
	"  strata compare --machines bom-stacks,bom --verify 'diff - wanted.txt' --json all.json -- ./program",
};

enum { SLOTS_MAX = 4096 };

struct compare_options {
	const char *machines, *json, *size, *cwd, *jobs, *timeout, *fast_forward, *only, *checkpoint, *threads;
	struct cli_verify verify;
	GPtrArray *sets;
	bool is_resumed;
	uint32_t slots, thread_count;
};

struct comparison {
	const struct compare_options *options;
	GPtrArray *targets; /* struct cli_target * */
	struct machine_session *machines;
	uint32_t machine_count;
	struct cli_batch batch;
	char *dir;      /* scratch */
	char *input;    /* standard input of every program */
	char *cwd_root; /* of the working directories; NULL: all use ours */
	uint32_t reused_count;
	bool is_kept;
};

/* ---- results ---- */

static void keep(void *ctx, struct cli_job *job)
{
	struct comparison *c = ctx;

	if (!cli_runs_keep(job->results))
		c->is_kept = false;
}

/* The results of the finished runs of one workload, by process and then by machine: the first process of a script is
 * compared with the first process on the other machines. A run that was asked to end is left out. */
static void add_workload(const struct comparison *c, uint32_t first, json_t *runs)
{
	const struct cli_job *jobs = c->batch.jobs;
	size_t process_count = 1;

	for (size_t process = 0; process < process_count; process++) {
		for (uint32_t i = first; i < first + c->machine_count; i++) {
			if (!cli_job_is_finished(&jobs[i]))
				continue;
			process_count = MAX(process_count, json_array_size(jobs[i].results));
			json_array_append(runs, json_array_get(jobs[i].results, process));
		}
	}
}

static json_t *results_of(const struct comparison *c)
{
	json_t *runs = json_array();

	for (uint32_t i = 0; i < c->batch.job_count; i += c->machine_count)
		add_workload(c, i, runs);
	return runs;
}

static uint32_t finished_count(const struct cli_batch *b)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < b->job_count; i++)
		count += cli_job_is_finished(&b->jobs[i]);
	return count;
}

static void print_places(const struct comparison *c, const json_t *runs)
{
	const char *json = c->options->json;
	bool is_measured = false;
	size_t i;
	json_t *run;

	json_array_foreach(runs, i, run) is_measured = is_measured || report_has_run(run);
	putchar('\n');
	if (c->is_kept && is_measured)
		printf("full results: %s%s%s\n", cli_store_path(), json ? " and " : "", json ? json : "");
	if (c->cwd_root)
		printf("each run's copy of the working directory: %s\n", c->cwd_root);
}

static int exit_status_of(const struct comparison *c)
{
	const struct cli_batch *b = &c->batch;
	int exit_status = CLI_OK;

	if (b->exit_status != CLI_OK)
		return b->exit_status;
	for (uint32_t i = 0; i < b->job_count; i++) {
		if (b->jobs[i].is_result_lost)
			return CLI_UNABLE;
		if (cli_job_not_verified(&b->jobs[i]))
			exit_status = CLI_FAILED;
	}
	return c->is_kept ? exit_status : CLI_UNABLE;
}

static int finish(struct comparison *c)
{
	json_t *runs = results_of(c);
	const uint32_t count = finished_count(&c->batch);
	const struct report_comparison comparison = {c->machines[0].machine, c->targets->len};

	report_work_compare(runs, comparison.base);
	c->is_kept = (!count || cli_json_keep(c->options->json, runs)) && c->is_kept;
	if (count) {
		report_comparison_print(stdout, runs, &comparison);
		print_places(c, runs);
	}
	fflush(stdout);
	json_decref(runs);
	if (c->reused_count)
		cli_error("%u of %u runs were in the store", c->reused_count, c->batch.job_count);
	if (c->batch.is_interrupted) {
		cli_error("interrupted: %u of %u runs are finished and kept; --resume goes on from there", count,
			  c->batch.job_count);
		return CLI_INTERRUPTED;
	}
	return exit_status_of(c);
}

/* ---- runs ---- */

/* A directory of the run's own, right before it starts. */
static bool prepare(void *ctx, struct cli_job *job)
{
	const struct comparison *c = ctx;

	if (!c->cwd_root)
		return true;

	/* The file system limits names to 255 bytes. */
	g_autofree char *name = g_strdup_printf("%u-%.96s@%.96s", (uint32_t)(job - c->batch.jobs), job->target->name,
						job->machine->machine);

	job->work_dir = g_build_filename(c->cwd_root, g_strdelimit(name, "/", '_'), NULL);
	return cli_cwd_copy(job->work_dir);
}

static bool job_make(struct comparison *c, uint32_t index, const struct cli_models *models)
{
	struct cli_job *job = &c->batch.jobs[index];

	job->target = c->targets->pdata[index / c->machine_count];
	job->machine = &c->machines[index % c->machine_count];
	job->is_captured = true;
	job->verify = c->options->verify;
	job->input_path = job->target->is_self_checking ? NULL : c->input;
	job->run_key = cli_run_key(job, models);
	if (c->options->is_resumed && cli_job_reuse(job)) {
		c->reused_count++;
		return true;
	}
	return cli_job_prepare(job, c->dir, index);
}

static bool jobs_make(struct comparison *c, const struct cli_paths *paths)
{
	struct cli_models models = cli_models_read(paths);
	struct cli_batch *b = &c->batch;
	bool is_ok = true;

	b->job_count = c->targets->len * c->machine_count;
	b->jobs = g_new0(struct cli_job, b->job_count);
	for (uint32_t i = 0; is_ok && i < b->job_count; i++)
		is_ok = job_make(c, i, &models);
	cli_models_free(&models);
	return is_ok;
}

static bool jobs_can_run(const struct comparison *c)
{
	bool can = true;

	for (uint32_t i = 0; i < c->batch.job_count; i++)
		can = cli_job_can_run(&c->batch.jobs[i]) && can;
	return can;
}

/* Our workloads read no standard input. */
static bool input_take(struct comparison *c)
{
	const struct cli_target *target = c->targets->pdata[0];

	c->input = target->is_self_checking ? NULL : cli_input_copy(c->dir);
	return target->is_self_checking || c->input;
}

static void cwd_root_name(struct comparison *c)
{
	g_autoptr(GDateTime) now = g_date_time_new_now_utc();
	g_autofree char *date = g_date_time_format(now, "%Y%m%dT%H%M%SZ");
	g_autofree char *name = g_strdup_printf(".strata/cwd/%s-%d", date, (int)getpid());

	if (c->options->cwd && !strcmp(c->options->cwd, "copy"))
		c->cwd_root = g_canonicalize_filename(name, NULL);
}

static int compare(struct comparison *c, const struct cli_paths *paths)
{
	int exit_status = CLI_UNABLE;

	c->batch = (struct cli_batch){
	    .paths = paths,
	    .done = keep,
	    .prepare = prepare,
	    .ctx = c,
	    .slots = c->options->slots,
	    .threads = c->options->thread_count,
	};
	c->is_kept = true;
	c->dir = cli_scratch_make();
	if (!c->dir)
		return CLI_UNABLE;
	cwd_root_name(c);
	if (input_take(c) && jobs_make(c, paths)) {
		exit_status = CLI_USAGE;
		if (jobs_can_run(c)) {
			cli_batch_run(&c->batch);
			exit_status = finish(c);
		}
	}
	for (uint32_t i = 0; i < c->batch.job_count; i++)
		cli_job_free(&c->batch.jobs[i]);
	g_free(c->batch.jobs);
	g_free(c->input);
	g_free(c->cwd_root);
	cli_scratch_remove(c->dir);
	return exit_status;
}

/* ---- the command line ---- */

static bool is_given_twice(const struct machine_session *machines, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++)
		if (!strcmp(machines[i].machine_file, machines[index].machine_file))
			return true;
	return false;
}

/* Two files of one name are two machines: they are called as the user wrote them. The same one twice is a mistake. */
static bool machines_tell_apart(struct machine_session *machines, char **names)
{
	const uint32_t count = g_strv_length(names);
	g_autofree bool *is_shared = g_new0(bool, count);

	for (uint32_t i = 0; i < count; i++) {
		if (is_given_twice(machines, i)) {
			cli_error("compare: the machine '%s' is given twice in --machines", names[i]);
			return false;
		}
		for (uint32_t j = 0; j < count; j++)
			is_shared[i] = is_shared[i] || (i != j && !strcmp(machines[i].machine, machines[j].machine));
	}
	for (uint32_t i = 0; i < count; i++)
		if (is_shared[i]) {
			g_autofree char *shown = cli_name_shown(names[i]);

			g_strlcpy(machines[i].machine, shown, sizeof(machines[i].machine));
		}
	return true;
}

static bool load_each(const struct cli_paths *paths, char **names, const GPtrArray *sets,
		      struct machine_session *machines, struct cli_shared *shared)
{
	for (uint32_t i = 0; names[i]; i++) {
		if (!*names[i]) {
			cli_error("compare: empty name in --machines; write --machines A,B");
			return false;
		}

		g_autoptr(GPtrArray) own = cli_shared_of(shared, paths, names[i], sets);

		/* One is enough: a wrong --set would be told once for every machine. */
		if (!cli_machine_load(paths, names[i], own, &machines[i]))
			return false;
	}
	return cli_shared_check(shared, about.name);
}

static bool load_machines(const struct cli_paths *paths, char **names, const GPtrArray *sets,
			  struct machine_session *machines)
{
	struct cli_shared shared;
	bool is_ok;

	cli_shared_init(&shared, false);
	is_ok = load_each(paths, names, sets, machines, &shared);
	cli_shared_free(&shared);
	return is_ok && machines_tell_apart(machines, names);
}

static bool targets_differ(GPtrArray *words)
{
	for (uint32_t i = 0; i < words->len; i++)
		for (uint32_t j = 0; j < i; j++)
			if (!strcmp(words->pdata[i], words->pdata[j])) {
				cli_error("compare: the workload '%s' is given twice", (const char *)words->pdata[i]);
				return false;
			}
	return true;
}

static bool values_parse(struct compare_options *o)
{
	if (o->cwd && strcmp(o->cwd, "copy") != 0 && strcmp(o->cwd, "share") != 0) {
		cli_error("compare: bad --cwd '%s', expected share or copy", o->cwd);
		return false;
	}
	return cli_number_parse(about.name, "jobs", o->jobs, SLOTS_MAX, &o->slots);
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	struct compare_options *o = ctx;
	g_auto(GStrv) names = g_strsplit(o->machines ? o->machines : "", ",", -1);
	struct comparison c = {.options = o, .targets = g_ptr_array_new(), .machine_count = g_strv_length(names)};
	int exit_status = CLI_USAGE;

	cli_fast_forward_add(o->fast_forward, o->sets);
	cli_only_add(o->only, o->sets);
	cli_checkpoint_add("run.checkpoint", o->checkpoint, o->sets);
	c.machines = g_new0(struct machine_session, c.machine_count + 1);
	if (!o->machines)
		cli_error("compare: expected --machines A,B,...; `strata list machines` prints them");
	else if (values_parse(o) && cli_timeout_add(about.name, o->timeout, o->sets) &&
		 cli_output_check(about.name, "json", o->json) &&
		 cli_targets_resolve(paths, about.name, words->words, words->program, o->size, c.targets) &&
		 cli_threads_divide(about.name, o->threads, &o->thread_count, &o->slots) &&
		 targets_differ(words->words) && load_machines(paths, names, o->sets, c.machines) &&
		 cli_store_check(about.name))
		exit_status = compare(&c, paths);
	cli_targets_free(c.targets);
	g_free(c.machines);
	return exit_status;
}

int cli_compare(int argc, char **argv)
{
	struct compare_options o = {0};
	const struct cli_option options[] = {
	    {"machines", CLI_TEXT, &o.machines, "A,B,...",
	     "the machines; the first is what the others are compared with", 0},
	    {"set", CLI_LIST, &o.sets, "K=V", "override one parameter on all machines; may be given several times", 0},
	    {"size", CLI_TEXT, &o.size, "S", "the workloads' input size: small (default) or paper", 0},
	    CLI_TIMEOUT_OPTION(&o.timeout),
	    CLI_FAST_FORWARD_OPTION(&o.fast_forward),
	    CLI_CHECKPOINT_OPTION(&o.checkpoint),
	    CLI_THREADS_OPTION(&o.threads),
	    CLI_ONLY_OPTION(&o.only),
	    CLI_VERIFY_OPTIONS(o.verify),
	    {"cwd", CLI_TEXT, &o.cwd, "HOW", "share (default): all runs in this directory; copy: each in its own copy",
	     0},
	    {"jobs", CLI_TEXT, &o.jobs, "N", "at most N runs side by side (default: the cores it may use)", 'j'},
	    {"resume", CLI_FLAG, &o.is_resumed, NULL, "take runs from the store that are there, verified", 0},
	    {"json", CLI_TEXT, &o.json, "FILE", "write all results there as a JSON array", 0},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &o);
}
