/* single.c - one program from its options to its result. */
#include "cli/single.h"

#include "cli/batch.h"
#include "cli/keep.h"
#include "cli/live.h"
#include "cli/progress.h"
#include "cli/scratch.h"
#include "cli/wait.h"
#include "report/report.h"
#include "report/runs.h"

/* ---- progress ---- */

/* How far the program is. What is left follows from how many instructions it had the last time, on whichever machine.
 */
struct watch {
	const struct cli_job *job;
	const char *dir;
	struct cli_progress progress;
	bool has_looked; /* for that */
	double instructions;
};

static void draw(void *ctx)
{
	struct watch *w = ctx;
	json_t *runs;
	const json_t *run;
	char time[32], rate[32];

	if (!cli_progress_is_due(&w->progress))
		return;
	if (!w->has_looked)
		w->instructions =
		    report_runs_instructions(cli_store_path(), w->job->target->name,
					     cli_target_arguments(w->job->target));
	w->has_looked = true;
	runs = json_array();
	cli_live_read(w->dir, runs);
	run = json_array_get(runs, json_array_size(runs) - 1);
	if (run) {
		const double done = report_number(run, "instructions", NULL);
		g_autofree char *doing = cli_live_doing(run), *spent = cli_live_spent(run);

		const double ps_per_s = report_number(run, "simulated_ps_per_s", NULL);

		cli_progress_draw(&w->progress, w->instructions > done ? done / w->instructions : 0,
				  "%s simulated%s%s%s%s%s%s%s",
				  cli_live_time(report_number(run, "time_ps", NULL), time), ps_per_s > 0 ? ", " : "",
				  ps_per_s > 0 ? cli_live_time(ps_per_s, rate) : "", ps_per_s > 0 ? "/s" : "",
				  *doing ? ", " : "", doing, *spent ? ", " : "", spent);
	}
	json_decref(runs);
}

/* ---- the run ---- */

/* The wait status of the program, or of its check command, which has its own time. */
static int wait_for(struct cli_job *job)
{
	bool is_timed_out;
	int status = cli_wait(job->pid, job->is_checking ? 0 : job->deadline_ns, &is_timed_out);

	job->is_timed_out = job->is_timed_out || is_timed_out;
	return status;
}

static int run_job(const struct cli_single *s, const struct cli_paths *paths, struct cli_job *job)
{
	char *dir = cli_scratch_make();
	struct watch watch = {.job = job, .dir = dir};
	int exit_status = CLI_UNABLE;

	if (!dir)
		return CLI_UNABLE;
	cli_progress_begin(&watch.progress);
	if (watch.progress.is_shown && (!s->is_quiet || !*s->is_quiet))
		cli_wait_tick(draw, &watch);
	cli_wait_begin();
	if (cli_job_prepare(job, dir, 0))
		exit_status = cli_job_start(paths, job);
	if (job->pid) {
		while (!cli_job_step(job, wait_for(job)))
			;
		cli_progress_clear(&watch.progress);
		exit_status = s->report(job, s->ctx);
	}
	cli_job_free(job);
	cli_scratch_remove(dir);
	return exit_status;
}

int cli_single_run(const struct cli_single *s, const struct cli_words *words, const struct cli_paths *paths)
{
	const struct cli_single_options *o = s->options;
	const char *name = s->about->name;
	GPtrArray *targets = g_ptr_array_new();
	struct machine_session session;
	int exit_status = CLI_USAGE;
	struct cli_division division = {.cores = cli_usable_cores(), .slots = 1};

	if (!cli_threads_divide(name, o->threads, &division.threads, &division.slots))
		exit_status = CLI_USAGE;
	else if (!cli_output_check(name, "json", o->json) || !cli_timeout_add(name, o->timeout, o->sets))
		exit_status = CLI_USAGE;
	else if (words->words->len > 1 && !words->program)
		cli_error("%s: one workload at a time; `strata compare` takes several", name);
	else if (cli_targets_resolve(paths, name, words->words, words->program, o->size, targets) &&
		 cli_machine_load(paths, o->machine ? o->machine : cli_target_machine(targets->pdata[0]), o->sets,
				  &session) &&
		 (!s->is_kept || cli_store_check(name))) {
		struct cli_job job = {
		    .target = targets->pdata[0],
		    .machine = &session,
		    .threads = cli_division_begin(&division, 1),
		    .is_checked = s->is_checked,
		    .verify = o->verify,
		};

		exit_status = run_job(s, paths, &job);
	}
	cli_targets_free(targets);
	return exit_status;
}

/* First, so that a --set of the user's own counts. */
static void setting_add(const char *key, const char *value, GPtrArray *sets)
{
	g_autofree char *setting = g_strdup_printf("%s=%s", key, value ? value : "");

	if (value)
		g_ptr_array_insert(sets, 0, (gpointer)g_intern_string(setting));
}

void cli_fast_forward_add(const char *value, GPtrArray *sets)
{
	setting_add("run.fast_forward", value, sets);
}

/* Where it is does not depend on where the program is then. */
void cli_checkpoint_add(const char *key, const char *path, GPtrArray *sets)
{
	g_autofree char *whole = path ? g_canonicalize_filename(path, NULL) : NULL;

	setting_add(key, whole, sets);
}

void cli_only_add(const char *value, GPtrArray *sets)
{
	setting_add("run.only", value, sets);
}
