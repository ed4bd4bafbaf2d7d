/* evaluation.c - which runs of a paper's evaluation are kept and still right; the others as a batch. */
#include "cli/evaluation.h"

#include "cli/batch.h"
#include "cli/options.h"
#include "cli/provenance.h"
#include "cli/scratch.h"
#include "cli/workloads.h"
#include "reproduce/described.h"
#include "report/check.h"
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* One run of the matrix that is to be done. */
struct wanted {
	uint32_t index; /* in data->runs */
	char *key, *path;
};

struct work {
	struct cli_evaluation *evaluation;
	struct reproduce_data *data;
	GPtrArray *targets;               /* [config * workload_count + workload] struct cli_target * */
	struct machine_session *machines; /* the same */
	bool *are_absent;		  /* the same: their program is not built, another of the same workload is */
	struct cli_models models;
	GPtrArray *wanted; /* struct wanted *, in the order of the batch's jobs */
	struct cli_batch batch;
	bool is_kept;
};

static void wanted_free(gpointer data)
{
	struct wanted *w = data;

	g_free(w->key);
	g_free(w->path);
	g_free(w);
}

/* The job of one cell of the matrix, not prepared yet. */
static struct cli_job job_of(const struct work *w, uint32_t index)
{
	return (struct cli_job){.target = w->targets->pdata[index],
				.machine = &w->machines[index],
				.is_captured = true};
}

/* The folder of the runs' files. */
static char *runs_dir(const struct work *w)
{
	g_autofree char *name = g_strconcat("runs", reproduce_size_suffix(w->evaluation->size), NULL);

	return g_build_filename(w->evaluation->dir, name, NULL);
}

/* "ctrl+tmap, 4x warps" -> "ctrl+tmap-4x-warps" */
static char *run_path(const struct work *w, uint32_t config, uint32_t workload)
{
	const struct reproduce_paper *paper = w->data->paper;
	g_auto(GStrv) words = g_strsplit_set(paper->configs[config].name, ", ", -1);
	GString *name = g_string_new(NULL);

	for (char **word = words; *word; word++)
		if (**word)
			g_string_append_printf(name, "%s%s", name->len ? "-" : "", *word);
	g_string_append_printf(name, "-%s.json", paper->workloads[workload]);

	g_autofree char *dir = runs_dir(w);
	char *path = g_build_filename(dir, name->str, NULL);

	g_string_free(name, TRUE);
	return path;
}

/* The run that the file keeps, when it was made with this key and is right; else NULL, and it runs again. One that is
 * no result that anybody has written is said to be so: none of its numbers is taken. */
static json_t *kept_run(const char *path, const char *key)
{
	json_error_t error;
	json_t *file = json_load_file(path, 0, &error);
	const char *of = json_string_value(json_object_get(file, "key"));
	json_t *run = json_object_get(file, "run");
	bool is_it = of && !strcmp(of, key) && json_is_true(json_object_get(run, "verified"));
	g_autofree char *wrong = is_it ? report_check(run) : NULL;
	json_t *kept = is_it && !wrong ? json_incref(run) : NULL;

	if (wrong)
		cli_error("reproduce: %s: run/%s; it runs again", path, wrong);
	json_decref(file);
	return kept;
}

static void keep_run(void *ctx, struct cli_job *job)
{
	struct work *w = ctx;
	const struct wanted *wanted = w->wanted->pdata[job - w->batch.jobs];
	json_t *file = json_pack("{s:s, s:O}", "key", wanted->key, "run", job->result);

	if (!report_json_write(wanted->path, file)) {
		cli_error("cannot keep %s: %s", wanted->path, strerror(errno));
		w->is_kept = false;
	} else {
		w->evaluation->run_count++;
	}
	json_decref(file);
	w->data->runs[wanted->index] = json_incref(job->result);
}

/* Runs that nobody would find are not made. */
static bool can_be_kept(void *ctx, struct cli_job *job)
{
	const struct work *w = ctx;

	(void)job;
	return w->is_kept;
}

/* Looks for every run of the matrix, with derived machines or without; what is not there is wanted. */
static bool look(struct work *w, bool is_derived)
{
	const struct reproduce_paper *paper = w->data->paper;

	for (uint32_t i = 0; i < paper->config_count * paper->workload_count; i++) {
		uint32_t config = i / paper->workload_count, workload = i % paper->workload_count;

		if (!*w->machines[i].machine ||
		    reproduce_described_follows(paper, config, workload) != is_derived)
			continue;

		const struct cli_job job = job_of(w, i);
		char *key = cli_run_key(&job, &w->models);
		char *path = run_path(w, config, workload);

		if (!key) {
			cli_error("cannot read %s, or the library that machine '%s' is modelled by: %s",
				  cli_target_file(job.target), job.machine->machine, strerror(errno));
			g_free(path);
			return false;
		}
		w->data->runs[i] = kept_run(path, key);
		if (w->data->runs[i]) {
			w->evaluation->had_count++;
			g_free(key);
			g_free(path);
			continue;
		}

		struct wanted *wanted = g_new(struct wanted, 1);

		*wanted = (struct wanted){i, key, path};
		g_ptr_array_add(w->wanted, wanted);
	}
	return true;
}

static bool jobs_make(struct work *w, const char *scratch)
{
	w->batch.job_count = w->wanted->len;
	w->batch.jobs = g_new0(struct cli_job, w->wanted->len);
	for (uint32_t i = 0; i < w->wanted->len; i++) {
		const struct wanted *wanted = w->wanted->pdata[i];

		w->batch.jobs[i] = job_of(w, wanted->index);
		w->batch.jobs[i].run_key = g_strdup(wanted->key);
		if (!cli_job_prepare(&w->batch.jobs[i], scratch, i))
			return false;
	}
	return true;
}

/* What is wrong with a run of a paper's file, or what was said of it before, is at this place. */
static void blame(const struct reproduce_paper *paper, uint32_t config, const char *what)
{
	const struct base_place at = reproduce_described_place(paper, config);
	struct base_diag_list diag;

	base_diag_init(&diag);
	base_diag_error(&diag, at, "%s", what);
	cli_diag_print(&diag);
	base_diag_free(&diag);
}

/* Of a sampled evaluation: where the machine has no mode without timing, all of the run is timed. */
static void sampling_add(const struct work *w, const char *machine, GPtrArray *sets)
{
	static char sampled[] = "run.mode=sampled";

	g_ptr_array_add(sets, sampled);
	if (!cli_machine_is_legal(w->evaluation->paths, machine, sets))
		g_ptr_array_set_size(sets, (int)sets->len - 1);
}

static bool machine_make(struct work *w, uint32_t index)
{
	const struct reproduce_paper *paper = w->data->paper;
	const struct reproduce_config *config = &paper->configs[index / paper->workload_count];
	const uint32_t workload = index % paper->workload_count;
	const bool is_derived = reproduce_described_follows(paper, index / paper->workload_count, workload);
	g_autofree char *derived =
	    is_derived ? reproduce_described_sets(w->data, index / paper->workload_count, workload) : g_strdup("");
	GPtrArray *sets;
	bool is_ok;

	if (!derived)
		return true; /* the run that it needs has failed and said so */

	g_autofree char *text = g_strjoin(" ", config->sets, derived, NULL);
	g_auto(GStrv) words = g_strsplit(text, " ", -1);

	sets = g_ptr_array_new();
	for (char **word = words; *word; word++)
		if (**word)
			g_ptr_array_add(sets, *word);
	if (w->evaluation->size == EXPERIMENT_SAMPLED)
		sampling_add(w, config->machine, sets);
	is_ok = cli_machine_load(w->evaluation->paths, config->machine, sets, &w->machines[index]);
	g_ptr_array_free(sets, TRUE);
	if (!is_ok)
		blame(paper, index / paper->workload_count, "this run has no machine");
	return is_ok;
}

static bool machines_make(struct work *w, bool is_derived)
{
	const struct reproduce_paper *paper = w->data->paper;
	bool is_ok = true;

	for (uint32_t i = 0; is_ok && i < paper->config_count * paper->workload_count; i++) {
		const uint32_t config = i / paper->workload_count, workload = i % paper->workload_count;

		if (reproduce_described_follows(paper, config, workload) == is_derived && !w->are_absent[i] &&
		    reproduce_is_run(paper, config, workload))
			is_ok = machine_make(w, i);
	}
	return is_ok;
}

static void jobs_free(struct work *w)
{
	for (uint32_t i = 0; i < w->batch.job_count; i++)
		cli_job_free(&w->batch.jobs[i]);
	g_free(w->batch.jobs);
	w->batch.jobs = NULL;
	w->batch.job_count = 0;
	g_ptr_array_set_size(w->wanted, 0);
}

/* The configurations of one kind: those with derived machines need the results of the others. Each kind has a folder of
 * its own, since jobs name their files by their numbers in the batch. */
static int wave_run(struct work *w, bool is_derived)
{
	char *scratch = cli_scratch_make();
	int exit_status = CLI_UNABLE;

	if (scratch && !machines_make(w, is_derived)) {
		exit_status = CLI_USAGE; /* a machine that cannot be is the user's mistake */
	} else if (scratch && look(w, is_derived) && jobs_make(w, scratch)) {
		cli_batch_run(&w->batch);
		exit_status = w->batch.is_interrupted          ? CLI_INTERRUPTED
			      : w->batch.exit_status != CLI_OK ? w->batch.exit_status
			      : w->is_kept                     ? CLI_OK
							       : CLI_UNABLE;
	}
	jobs_free(w);
	if (scratch)
		cli_scratch_remove(scratch);
	return exit_status;
}

static int work_run(struct work *w)
{
	const struct reproduce_paper *paper = w->data->paper;
	g_autofree char *runs = runs_dir(w);
	int exit_status;

	if (g_mkdir_with_parents(runs, 0777)) {
		cli_error("cannot make %s: %s", runs, strerror(errno));
		return CLI_USAGE;
	}
	w->machines = g_new0(struct machine_session, (size_t)paper->config_count * paper->workload_count);
	exit_status = wave_run(w, false);
	if (exit_status == CLI_OK)
		exit_status = wave_run(w, true);
	if (exit_status == CLI_INTERRUPTED)
		cli_error("interrupted: %u of %u runs are done and kept in %s; the same command goes on from there",
			  w->evaluation->had_count + w->evaluation->run_count, paper->cell_count, runs);
	return exit_status;
}

/* NULL, or why a program is not there for want of its compiler, without which the others are built. */
static const char *why_absent(const struct cli_paths *paths, const GPtrArray *workloads, const char *program)
{
	const struct cli_workload *workload = cli_workload_find(workloads, program);

	return workload && (workload->is_of_threads || workload->is_openacc) ? cli_workload_absent(paths, workload)
									      : NULL;
}

/* The first program that is there; NULL: none is. */
static const char *program_there(const struct work *w, const GPtrArray *workloads)
{
	const struct reproduce_paper *paper = w->data->paper;
	uint32_t i = 0;

	while (i < paper->workload_count && why_absent(w->evaluation->paths, workloads, paper->workloads[i]))
		i++;
	return i < paper->workload_count ? paper->workloads[i] : NULL;
}

/* Runs whose programs are not built are none, which is said once for each reason. Without any program there is nothing
 * to do: then the first is refused. */
static void names_make(struct work *w, GPtrArray *names)
{
	const struct reproduce_paper *paper = w->data->paper;
	GPtrArray *workloads = cli_workloads_read(w->evaluation->paths);
	g_autoptr(GHashTable) said = g_hash_table_new(g_str_hash, g_str_equal);
	const char *there = program_there(w, workloads);

	for (uint32_t i = 0; i < paper->config_count * paper->workload_count; i++) {
		const char *program = paper->workloads[i % paper->workload_count];
		const char *absent = there ? why_absent(w->evaluation->paths, workloads, program) : NULL;

		w->are_absent[i] = absent != NULL;
		g_ptr_array_add(names, (char *)(absent ? there : program));
		if (absent && g_hash_table_add(said, (gpointer)absent))
			cli_error("without the runs of %s and its like, which are not built: %s", program, absent);
	}
	cli_workloads_free(workloads);
}

/* Each run of a paper that a file describes is of a workload. False after messages. */
static bool programs_check(const struct cli_paths *paths, const struct reproduce_paper *paper)
{
	GPtrArray *workloads = cli_workloads_read(paths);
	bool is_ok = true;

	for (uint32_t i = 0; i < paper->workload_count; i++) {
		const char *name = paper->workloads[i];
		g_autofree char *what = cli_workload_unknown(workloads, name);
		uint32_t config = 0;

		if (cli_workload_find(workloads, name))
			continue;
		while (!reproduce_is_run(paper, config, i))
			config++;
		blame(paper, config, what);
		is_ok = false;
	}
	cli_workloads_free(workloads);
	return is_ok;
}

static bool targets_make(struct work *w)
{
	const struct reproduce_paper *paper = w->data->paper;
	GPtrArray *names = g_ptr_array_new();
	bool is_ok;

	names_make(w, names);
	is_ok = cli_targets_resolve(w->evaluation->paths, "reproduce", names, NULL, NULL, w->targets);
	g_ptr_array_free(names, TRUE);
	for (uint32_t i = 0; is_ok && i < w->targets->len; i++) {
		const uint32_t config = i / paper->workload_count, workload = i % paper->workload_count;

		if (reproduce_is_run(paper, config, workload))
			cli_target_arguments_add(w->targets->pdata[i], reproduce_arguments(paper, config, workload));
	}
	return is_ok;
}

static int runs_do(struct cli_evaluation *e, struct reproduce_data *data)
{
	struct work w = {.evaluation = e,
			 .data = data,
			 .targets = g_ptr_array_new(),
			 .wanted = g_ptr_array_new_with_free_func(wanted_free),
			 .is_kept = true};
	int exit_status = CLI_UNABLE;

	w.batch = (struct cli_batch){
	    .paths = e->paths,
	    .done = keep_run,
	    .prepare = can_be_kept,
	    .ctx = &w,
	    .slots = e->slots,
	    .threads = e->threads,
	};
	w.are_absent = g_new0(bool, (size_t)data->paper->config_count * data->paper->workload_count);
	w.models = cli_models_read(e->paths);
	if (targets_make(&w))
		exit_status = work_run(&w);
	g_ptr_array_free(w.wanted, TRUE);
	g_free(w.machines);
	g_free(w.are_absent);
	cli_models_free(&w.models);
	cli_targets_free(w.targets);
	return exit_status;
}

int cli_evaluation_run(struct cli_evaluation *e, struct reproduce_data *data)
{
	if (!programs_check(e->paths, e->paper))
		return CLI_USAGE;
	return runs_do(e, data);
}
