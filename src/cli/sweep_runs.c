/* sweep_runs.c - the runs of a sweep, each a file when it has ended. */
#include "cli/sweep_runs.h"

#include "cli/batch.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/provenance.h"
#include "cli/scratch.h"
#include "report/check.h"
#include "report/report.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The run that the file lists; NULL: it lists none. */
static const struct sweep_run *listed(const struct cli_sweep *s, uint32_t run)
{
	return s->plan->runs->len ? s->plan->runs->pdata[run] : NULL;
}

const char *cli_sweep_name(const struct cli_sweep *s, uint32_t run)
{
	return listed(s, run) ? listed(s, run)->name : NULL;
}

uint32_t cli_sweep_count(const struct cli_sweep *s)
{
	if (s->plan->runs->len)
		return s->plan->runs->len;
	return s->plan->points->len * s->plan->programs->len * s->plan->machines->len;
}

uint32_t cli_sweep_point(const struct cli_sweep *s, uint32_t run)
{
	return listed(s, run) ? listed(s, run)->point : run / (s->plan->programs->len * s->plan->machines->len);
}

const char *cli_sweep_machine(const struct cli_sweep *s, uint32_t run)
{
	return s->plan->machines->pdata[listed(s, run) ? listed(s, run)->machine : run % s->plan->machines->len];
}

const struct cli_target *cli_sweep_target(const struct cli_sweep *s, uint32_t run)
{
	const struct sweep_run *of = listed(s, run);

	return s->targets->pdata[of ? of->program : run / s->plan->machines->len % s->plan->programs->len];
}

/* "a=1 b=2" */
static char *point_text(const struct cli_sweep *s, uint32_t point)
{
	return g_strjoinv(" ", s->plan->points->pdata[point]);
}

static bool machine_load(struct cli_sweep *s, uint32_t run, struct machine_session *out)
{
	char **point = s->plan->points->pdata[cli_sweep_point(s, run)];
	g_autoptr(GPtrArray) sets = g_ptr_array_new();

	for (uint32_t i = 0; i < s->sets->len; i++)
		g_ptr_array_add(sets, s->sets->pdata[i]);
	for (; *point; point++)
		g_ptr_array_add(sets, *point);

	g_autoptr(GPtrArray) read = cli_shared_of(&s->shared, s->paths, cli_sweep_machine(s, run), sets);

	return cli_machine_load(s->paths, cli_sweep_machine(s, run), read, out);
}

/* ---- files ---- */

static char *path_of(const struct cli_sweep *s, uint32_t run)
{
	return g_strdup_printf("%s/%s.json", s->dir, (const char *)s->keys->pdata[run]);
}

static json_t *file_read(const struct cli_sweep *s, uint32_t run)
{
	json_error_t error;
	g_autofree char *path = path_of(s, run);

	return json_load_file(path, 0, &error);
}

static bool file_write(const struct cli_sweep *s, uint32_t run, json_t *results, bool is_stored)
{
	g_autofree char *path = path_of(s, run);
	json_t *file = json_pack("{s:b, s:O}", "stored", is_stored, "results", results);
	const bool is_written = report_json_write(path, file);

	if (!is_written)
		cli_error("cannot keep %s: %s", path, strerror(errno));
	json_decref(file);
	return is_written;
}

bool cli_sweep_is_done(const struct cli_sweep *s, uint32_t run)
{
	g_autofree char *path = s->keys->pdata[run] ? path_of(s, run) : NULL;

	return path && g_file_test(path, G_FILE_TEST_EXISTS);
}

/* NULL, or what is wrong with the file of a run. */
static char *file_check(const struct cli_sweep *s, uint32_t run)
{
	json_error_t error;
	g_autofree char *path = path_of(s, run);
	json_t *file = json_load_file(path, 0, &error), *results = json_object_get(file, "results"), *one;
	g_autofree char *wrong = NULL;
	size_t i;

	if (!file)
		wrong = g_strdup(error.text);
	else if (!json_array_size(results))
		wrong = g_strdup("results is no array of results");
	json_array_foreach(results, i, one)
		wrong = wrong ? g_steal_pointer(&wrong) : report_check(one);
	json_decref(file);
	return wrong ? g_strdup_printf("%s: %s; without that file it runs again", path, wrong) : NULL;
}

bool cli_sweep_files_check(const struct cli_sweep *s)
{
	for (uint32_t run = 0; run < s->keys->len; run++) {
		g_autofree char *wrong = cli_sweep_is_done(s, run) ? file_check(s, run) : NULL;

		if (wrong) {
			cli_error("%s: %s", s->command, wrong);
			return false;
		}
	}
	return true;
}

json_t *cli_sweep_results(const struct cli_sweep *s, uint32_t run)
{
	json_t *file = s->keys->pdata[run] ? file_read(s, run) : NULL;
	json_t *results = json_incref(json_object_get(file, "results"));

	json_decref(file);
	return results;
}

static char *results_path(const struct cli_sweep *s, uint32_t run, const char *dir)
{
	return cli_sweep_name(s, run) ? g_strdup_printf("%s/%s.json", dir, cli_sweep_name(s, run))
				      : g_strdup_printf("%s/%u.json", dir, run);
}

bool cli_sweep_results_write(const struct cli_sweep *s, const char *dir)
{
	bool is_written = true;

	for (uint32_t run = 0; is_written && run < s->keys->len; run++) {
		json_t *results = cli_sweep_results(s, run);
		g_autofree char *path = results_path(s, run, dir);

		is_written = !results || cli_json_keep(path, results);
		json_decref(results);
	}
	return is_written;
}

void cli_sweep_forget_unverified(const struct cli_sweep *s)
{
	for (uint32_t run = 0; run < s->keys->len; run++) {
		json_t *results = cli_sweep_results(s, run), *one;
		bool is_verified = !s->keys->pdata[run] || json_array_size(results) > 0;
		size_t i;

		json_array_foreach(results, i, one)
			is_verified = is_verified && json_is_true(json_object_get(one, "verified"));
		if (!is_verified) {
			g_autofree char *path = path_of(s, run);

			unlink(path);
		}
		json_decref(results);
	}
}

uint32_t cli_sweep_done_count(const struct cli_sweep *s)
{
	uint32_t count = 0;

	for (uint32_t run = 0; run < s->keys->len; run++)
		count += cli_sweep_is_done(s, run);
	return count;
}

void cli_sweep_progress_begin(struct cli_sweep_progress *p, const struct cli_sweep *s, bool is_plain)
{
	if (is_plain)
		cli_progress_begin_plain(&p->progress);
	else
		cli_progress_begin(&p->progress);
	p->had_count = cli_sweep_done_count(s);
}

void cli_sweep_progress_draw(struct cli_sweep_progress *p, uint32_t done, uint32_t all, const char *job)
{
	const uint32_t ran = done - MIN(done, p->had_count);
	const double per_min = ran * 60 / cli_progress_s(&p->progress);
	g_autofree char *rate = ran ? g_strdup_printf(", %.*f a minute", per_min < 10, per_min) : g_strdup("");

	if (cli_progress_is_due(&p->progress))
		cli_progress_draw(&p->progress, ran ? (double)ran / (all - p->had_count) : 0,
				  "%u of %u runs done%s%s%s", done, all, job ? ", job " : "", job ? job : "", rate);
}

bool cli_sweep_keep(const struct cli_sweep *s)
{
	bool is_kept = true;

	for (uint32_t run = 0; run < s->keys->len && is_kept; run++) {
		json_t *file = s->keys->pdata[run] ? file_read(s, run) : NULL;
		json_t *results = json_object_get(file, "results");

		if (file && !json_is_true(json_object_get(file, "stored")))
			is_kept = cli_runs_keep(results) && file_write(s, run, results, true);
		json_decref(file);
	}
	return is_kept;
}

/* ---- what there is to run ---- */

static bool targets_make(struct cli_sweep *s)
{
	const struct sweep_plan *plan = s->plan;

	s->targets = g_ptr_array_new();
	for (uint32_t i = 0; i < plan->programs->len; i++) {
		char **words = plan->programs->pdata[i];
		const bool is_workload = GPOINTER_TO_INT(plan->is_workload->pdata[i]);
		g_autoptr(GPtrArray) names = g_ptr_array_new();

		if (is_workload)
			g_ptr_array_add(names, words[0]);
		if (!cli_targets_resolve(s->paths, s->command, names, is_workload ? NULL : words,
					 is_workload ? plan->size : NULL, s->targets))
			return false;
		if (is_workload && words[1]) {
			g_autofree char *arguments = g_strjoinv(" ", words + 1);

			cli_target_arguments_add(s->targets->pdata[i], arguments);
		}
	}
	return true;
}

/* Was that said of another point? */
static bool is_said(const struct cli_sweep *s, const char *reason)
{
	for (uint32_t i = 0; i < s->reasons->len; i++)
		if (!g_strcmp0(s->reasons->pdata[i], reason))
			return true;
	return false;
}

/* Takes the reason. False: it is a mistake. */
static bool leave_out(struct cli_sweep *s, char *reason)
{
	g_ptr_array_add(s->keys, NULL);
	g_ptr_array_add(s->reasons, reason);
	s->left_count++;
	return s->leaves_out;
}

/* Why the session's machine cannot be, or cannot run the program, after a message; NULL: it can. */
static char *why_not(struct cli_sweep *s, uint32_t run, const struct cli_job *job,
		     struct machine_session *session)
{
	g_autofree char *text = point_text(s, cli_sweep_point(s, run));
	g_autofree char *what = listed(s, run) ? g_strdup_printf("run %s", cli_sweep_name(s, run))
					       : g_strdup_printf("point %u", cli_sweep_point(s, run));
	char *reason;

	if (!machine_load(s, run, session)) {
		cli_error("%s: %s (%s) is no machine%s", s->command, what, text,
			  s->leaves_out      ? ", left out"
			  : s->may_leave_out ? "; --skip-invalid leaves such points out"
					     : "");
		return g_strdup("its settings are no machine");
	}
	reason = cli_job_why_not(job);
	if (reason && !is_said(s, reason))
		cli_error("%s: %s%s", s->command, reason,
			  s->leaves_out      ? "; left out"
			  : s->may_leave_out ? "; --skip-invalid leaves such pairs out"
					     : "");
	return reason;
}

static bool key_make(struct cli_sweep *s, uint32_t run, const struct cli_models *models)
{
	g_autofree struct machine_session *session = g_new(struct machine_session, 1);
	const struct cli_job job = {
	    .target = cli_sweep_target(s, run), .machine = session, .verify = s->verify, .is_captured = true};
	char *reason = why_not(s, run, &job, session), *key;

	if (reason)
		return leave_out(s, reason);
	key = cli_run_key(&job, models);
	if (!key) {
		cli_error("cannot read %s: %s", cli_target_file(job.target), strerror(errno));
		return false;
	}
	g_ptr_array_add(s->keys, key);
	g_ptr_array_add(s->reasons, NULL);
	return true;
}

bool cli_sweep_prepare(struct cli_sweep *s)
{
	struct cli_models models = cli_models_read(s->paths);
	bool is_ok;

	s->keys = g_ptr_array_new_with_free_func(g_free);
	s->reasons = g_ptr_array_new_with_free_func(g_free);
	cli_shared_init(&s->shared, true);
	is_ok = targets_make(s);
	for (uint32_t run = 0; is_ok && run < cli_sweep_count(s); run++)
		is_ok = key_make(s, run, &models);
	is_ok = is_ok && cli_shared_check(&s->shared, s->command);
	cli_models_free(&models);
	if (!is_ok || !g_mkdir_with_parents(s->dir, 0777))
		return is_ok;
	cli_error("cannot make %s: %s", s->dir, strerror(errno));
	return false;
}

/* ---- running ---- */

struct work {
	struct cli_sweep *sweep;
	struct cli_batch batch;
	GArray *runs; /* by job */
	const char *scratch;
	bool is_kept, is_full; /* is_full: a run could not become a file */
};

static uint32_t job_index(const struct work *w, const struct cli_job *job)
{
	return (uint32_t)(job - w->batch.jobs);
}

/* A machine's description is large: only runs that are under way have one. */
static bool prepare(void *ctx, struct cli_job *job)
{
	struct work *w = ctx;
	const uint32_t run = g_array_index(w->runs, uint32_t, job_index(w, job));
	struct machine_session *session;

	if (w->is_full) {
		cli_error("%s: results cannot be kept: no more runs begin", w->sweep->command);
		return false;
	}
	session = g_new(struct machine_session, 1);
	job->machine = session;
	return machine_load(w->sweep, run, session) && cli_job_prepare(job, w->scratch, job_index(w, job));
}

static void session_drop(struct cli_job *job)
{
	g_free((struct machine_session *)job->machine);
	job->machine = NULL;
}

static void finish(void *ctx, struct cli_job *job)
{
	struct work *w = ctx;
	const uint32_t run = g_array_index(w->runs, uint32_t, job_index(w, job));

	/* A run that has taken hours is not lost for want of room. */
	if (!file_write(w->sweep, run, job->results, false)) {
		cli_unsaved_keep(job->results);
		w->is_full = true;
	}
	if (w->is_full || job->is_result_lost)
		w->is_kept = false;
	session_drop(job);
	json_decref(job->results);
	job->results = job->result = NULL;
}

static void draw_whole(void *ctx)
{
	const struct cli_sweep *s = ((struct work *)ctx)->sweep;

	cli_sweep_progress_draw(s->whole, cli_sweep_done_count(s), s->keys->len - s->left_count, NULL);
}

/* Points that differ only in what is rounded away are one run, of one part: that of the first of them. */
static void jobs_make(struct work *w, uint32_t part, uint32_t part_count)
{
	struct cli_sweep *s = w->sweep;
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (uint32_t run = 0; run < s->keys->len; run++) {
		const bool is_first = s->keys->pdata[run] && g_hash_table_add(seen, s->keys->pdata[run]);

		if (is_first && run % part_count == part && !cli_sweep_is_done(s, run))
			g_array_append_val(w->runs, run);
	}
	w->batch.job_count = w->runs->len;
	w->batch.jobs = g_new0(struct cli_job, w->runs->len + 1);
	for (uint32_t i = 0; i < w->runs->len; i++) {
		const uint32_t run = g_array_index(w->runs, uint32_t, i);

		w->batch.jobs[i] = (struct cli_job){.target = cli_sweep_target(s, run),
						    .verify = s->verify,
						    .is_captured = true,
						    .run_key = g_strdup(s->keys->pdata[run])};
	}
}

static int exit_status_of(const struct work *w)
{
	if (w->batch.is_interrupted)
		return CLI_INTERRUPTED;
	if (w->batch.exit_status != CLI_OK)
		return w->batch.exit_status;
	return w->is_kept ? CLI_OK : CLI_UNABLE;
}

int cli_sweep_run(struct cli_sweep *s, uint32_t part, uint32_t part_count)
{
	char *scratch = cli_scratch_make();
	struct work w = {.sweep = s, .scratch = scratch, .is_kept = true};
	int exit_status;

	if (!scratch)
		return CLI_UNABLE;
	w.runs = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	w.batch = (struct cli_batch){
	    .paths = s->paths,
	    .done = finish,
	    .prepare = prepare,
	    .ctx = &w,
	    .slots = s->slots,
	    .threads = s->threads,
	};
	if (s->whole) {
		w.batch.progress = &s->whole->progress;
		w.batch.draw = draw_whole;
	}
	jobs_make(&w, part, part_count);
	cli_batch_run(&w.batch);
	exit_status = exit_status_of(&w);
	for (uint32_t i = 0; i < w.batch.job_count; i++) {
		session_drop(&w.batch.jobs[i]);
		cli_job_free(&w.batch.jobs[i]);
	}
	g_free(w.batch.jobs);
	g_array_free(w.runs, TRUE);
	cli_scratch_remove(scratch);
	return exit_status;
}

void cli_sweep_free(struct cli_sweep *s)
{
	if (s->targets)
		cli_targets_free(s->targets);
	if (s->keys)
		g_ptr_array_free(s->keys, TRUE);
	if (s->reasons)
		g_ptr_array_free(s->reasons, TRUE);
	if (s->shared.read)
		cli_shared_free(&s->shared);
}
