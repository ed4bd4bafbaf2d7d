/* sweep.c - strata sweep: many settings of machines, on this machine's cores, on a Slurm cluster, or under mpirun. */
#include "cli/command.h"

#include "cli/batch.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/slurm.h"
#include "cli/sweep_designs.h"
#include "cli/sweep_runs.h"
#include "cli/sweep_rows.h"
#include "cli/sweep_table.h"
#include "cli/timeout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS_MAX = 4096, TASKS_MAX = 100000, RANKS_POLL_US = 200000 };

static const struct cli_about about = {
    .name = "sweep",
    .usage = "strata sweep FILE.yaml [--json F] [--csv F] [--results DIR] [-j N]\n"
	     "       strata sweep FILE.yaml --slurm [--tasks N] [--sbatch ARGS]\n"
	     "       mpirun -np N strata sweep FILE.yaml --mpi\n"
	     "       strata sweep FILE.yaml --so-far [--json F]",
    .summary =
	"Runs every program on every machine with every point's settings, and prints the runs that no other\n"
	"beats. Runs that have ended are files in .strata/sweep/NAME: the same command goes on from there, after\n"
	"Ctrl-C, kill -9 or the loss of a node. The file's form is in the manual: docs/sweep.md.",
    .examples = "  strata sweep sweep.yaml --json all.json\n"
	"  strata sweep sweep.yaml --slurm --tasks 16 --sbatch '--time=2:00:00'\n"
	"  mpirun -np 32 strata sweep sweep.yaml --mpi -j 1",
};

struct sweep_options {
	const char *json, *csv, *results, *jobs, *timeout, *part, *tasks, *sbatch, *threads;
	GPtrArray *sets;
	struct cli_verify verify;
	bool is_slurm, is_mpi, leaves_out, is_again, is_so_far;
	uint32_t task_count, index, count; /* index: of the part, from 0 */
};

/* ---- under mpirun or srun: every process does its part, the first one waits for the others ---- */

/* A number that the launcher gives its processes. */
static bool launcher_number(const char *const *names, uint32_t *out)
{
	for (; *names; names++) {
		const char *text = getenv(*names);

		if (text && *text) {
			*out = (uint32_t)strtoul(text, NULL, 10);
			return true;
		}
	}
	return false;
}

static bool mpi_part(struct sweep_options *o)
{
	static const char *const rank[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", NULL};
	static const char *const size[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", NULL};

	if (launcher_number(rank, &o->index) && launcher_number(size, &o->count) && o->index < o->count)
		return true;
	cli_error("sweep: --mpi: not started by mpirun: neither OMPI_COMM_WORLD_RANK nor PMI_RANK is set");
	return false;
}

/* A program that is one of MPI itself must not find the launcher's variables: it would take itself for our rank. */
static void launcher_forget(void)
{
	static const char *const prefixes[] = {"OMPI_", "PMIX_", "PMI_", "PRTE_", "ORTE_"};
	g_auto(GStrv) names = g_listenv();

	for (char **name = names; *name; name++)
		for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++)
			if (g_str_has_prefix(*name, prefixes[i]))
				g_unsetenv(*name);
}

/* The other processes' runs come as files. One that ends without them ends us by the launcher. */
static int others_wait(const struct cli_sweep *s)
{
	const uint32_t all = s->keys->len - s->left_count;
	uint32_t done;

	while ((done = cli_sweep_done_count(s)) < all && !cli_batch_was_interrupted()) {
		cli_sweep_progress_draw(s->whole, done, all, NULL);
		g_usleep(RANKS_POLL_US);
	}
	cli_progress_clear(&s->whole->progress);
	return done < all ? CLI_INTERRUPTED : CLI_OK;
}

/* ---- the whole ---- */

/* Into the files that were asked for. */
static bool files_keep(const struct cli_sweep *s, const struct sweep_options *o, const json_t *sweep)
{
	g_autofree char *csv = o->csv ? cli_sweep_csv(sweep) : NULL;
	const bool are_written = !o->results || cli_sweep_results_write(s, o->results);
	const bool is_kept = cli_json_keep(o->json, sweep) && are_written;

	return (!csv || cli_text_keep(o->csv, csv, strlen(csv))) && is_kept;
}

static int report(const struct cli_sweep *s, const struct sweep_options *o, const char *name, int exit_status)
{
	json_t *sweep = cli_sweep_json(s, name), *runs = json_object_get(sweep, "runs"), *run;
	const double all = (double)s->keys->len - s->left_count;
	size_t i;

	if (!cli_sweep_keep(s) || !files_keep(s, o, sweep))
		exit_status = CLI_UNABLE;
	cli_sweep_print(stdout, sweep);
	if (exit_status == CLI_INTERRUPTED)
		cli_error("interrupted: what has ended is kept in %s; the same command goes on from there", s->dir);
	if (!cli_sweep_fields_check(s, runs) && exit_status == CLI_OK)
		exit_status = CLI_USAGE;
	json_array_foreach(runs, i, run) {
		if (s->keys->pdata[i] && exit_status == CLI_OK && !json_is_true(json_object_get(run, "verified")))
			exit_status = CLI_FAILED;
	}
	if (exit_status == CLI_FAILED && json_number_value(json_object_get(sweep, "runs_done")) < all)
		exit_status = CLI_UNABLE;
	json_decref(sweep);
	return exit_status;
}

/* What has ended, whoever has run it and whoever still does. */
static int so_far(const struct cli_sweep *s, const struct sweep_options *o, const char *name)
{
	json_t *sweep = cli_sweep_json(s, name);
	const int exit_status = files_keep(s, o, sweep) ? CLI_OK : CLI_UNABLE;

	cli_sweep_print(stdout, sweep);
	json_decref(sweep);
	return exit_status;
}

static int run(struct cli_sweep *s, struct sweep_options *o, const char *path, const char *name)
{
	struct cli_sweep_progress progress;
	int exit_status = CLI_OK;

	if (o->is_so_far)
		return so_far(s, o, name);
	if (o->is_again)
		cli_sweep_forget_unverified(s);
	if (o->is_slurm) {
		const struct cli_slurm slurm = {.sweep = s,
						.path = path,
						.task_count = o->task_count,
						.sbatch = o->sbatch,
						.sets = o->sets,
						.slots = o->jobs,
						.threads = o->threads};

		return report(s, o, name, cli_slurm_run(&slurm));
	}
	if (o->is_mpi)
		launcher_forget();
	if (o->is_mpi && !o->index) {
		cli_sweep_progress_begin(&progress, s, true);
		s->whole = &progress;
	}
	exit_status = cli_sweep_run(s, o->index, o->count);
	if (o->part || (o->is_mpi && o->index))
		return exit_status;
	if (o->is_mpi && exit_status == CLI_OK)
		exit_status = others_wait(s);
	return report(s, o, name, exit_status);
}

/* Designs are closed forms: nothing runs that these could be about. */
static bool designs_fit(const struct sweep_options *o)
{
	if (!o->is_slurm && !o->is_mpi && !o->part && !o->is_again && !o->is_so_far && !o->timeout && !o->jobs &&
	    !o->threads &&
	    !o->verify.command && !o->verify.text && !o->csv && !o->results)
		return true;
	cli_error("sweep: a sweep of designs runs no programs, and takes --set, --skip-invalid and --json only");
	return false;
}

static int sweep_file(const struct cli_paths *paths, struct sweep_options *o, const char *path)
{
	struct base_diag_list diag;
	struct sweep_plan plan;
	int exit_status = CLI_USAGE;
	g_autofree char *name = g_path_get_basename(path);
	g_autofree char *dir = g_build_filename(".strata", "sweep", name, NULL);
	struct cli_sweep s = {.paths = paths,
			      .command = about.name,
			      .may_leave_out = true,
			      .plan = &plan,
			      .sets = o->sets,
			      .verify = o->verify,
			      .dir = dir,
			      .leaves_out = o->leaves_out};

	base_diag_init(&diag);
	if (!sweep_plan_read(path, &plan, &diag))
		cli_diag_print(&diag);
	else if (plan.designs->len)
		exit_status = designs_fit(o) ? cli_sweep_designs(&s, name, o->json) : CLI_USAGE;
	else if (cli_number_parse(about.name, "jobs", o->jobs, SLOTS_MAX, &s.slots) &&
		 cli_threads_divide(about.name, o->threads, &s.threads, &s.slots) && cli_sweep_prepare(&s))
		exit_status = cli_sweep_files_check(&s) ? run(&s, o, path, name) : CLI_UNABLE;
	base_diag_free(&diag);
	cli_sweep_free(&s);
	sweep_plan_free(&plan);
	return exit_status;
}

/* "2/8": the second of eight parts. */
static bool part_parse(struct sweep_options *o)
{
	unsigned part, count;
	char rest;

	o->count = 1;
	if (!o->part)
		return true;
	if (sscanf(o->part, "%u/%u%c", &part, &count, &rest) == 2 && part >= 1 && part <= count) {
		o->index = part - 1;
		o->count = count;
		return true;
	}
	cli_error("sweep: bad --part '%s', expected K/N, the K-th of N parts", o->part);
	return false;
}

/* To be asked before hours of simulation. */
static bool results_folder_make(const char *dir)
{
	if (!dir || !g_mkdir_with_parents(dir, 0777))
		return true;
	cli_error("sweep: --results: cannot make %s: %s", dir, strerror(errno));
	return false;
}

static bool options_fit(struct sweep_options *o)
{
	if (o->is_slurm + o->is_mpi + (o->part != NULL) > 1)
		cli_error("sweep: --slurm, --mpi and --part are three ways: take one");
	else if (o->is_so_far && (o->is_slurm || o->is_mpi || o->part || o->is_again || o->jobs))
		cli_error("sweep: --so-far runs nothing: it goes without --slurm, --mpi, --part, --again and --jobs");
	else if (!o->is_slurm && (o->tasks || o->sbatch))
		cli_error("sweep: --tasks and --sbatch go with --slurm");
	else if (o->is_again && (o->is_mpi || o->part))
		cli_error("sweep: --again goes with one process: run it without --mpi and --part");
	else if (o->part && (o->json || o->csv || o->results))
		cli_error("sweep: --part does a part and prints nothing; --json, --csv and --results go with the "
			  "whole");
	else
		return part_parse(o) && (!o->is_mpi || mpi_part(o)) &&
		       cli_number_parse(about.name, "tasks", o->tasks, TASKS_MAX, &o->task_count) &&
		       cli_timeout_add(about.name, o->timeout, o->sets) &&
		       cli_output_check(about.name, "json", o->json) &&
		       cli_output_check(about.name, "csv", o->csv) && results_folder_make(o->results) &&
		       (o->part || o->is_so_far || cli_store_check(about.name));
	return false;
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	struct sweep_options *o = ctx;

	if (words->program || words->words->len != 1) {
		cli_error("sweep: expected one file; see `strata sweep --help`");
		return CLI_USAGE;
	}
	return options_fit(o) ? sweep_file(paths, o, words->words->pdata[0]) : CLI_USAGE;
}

int cli_sweep(int argc, char **argv)
{
	struct sweep_options o = {0};
	const struct cli_option options[] = {
	    {"set", CLI_LIST, &o.sets, "K=V", "a setting of all points; may be given several times", 0},
	    CLI_TIMEOUT_OPTION(&o.timeout),
	    CLI_VERIFY_OPTIONS(o.verify),
	    {"jobs", CLI_TEXT, &o.jobs, "N", "at most N runs side by side (default: the cores it may use)", 'j'},
	    CLI_THREADS_OPTION(&o.threads),
	    {"skip-invalid", CLI_FLAG, &o.leaves_out, NULL, "leave out points whose settings are no machine,\n"
	     "and programs that a machine cannot run", 0},
	    {"again", CLI_FLAG, &o.is_again, NULL, "run what has ended without being verified once more", 0},
	    {"so-far", CLI_FLAG, &o.is_so_far, NULL, "print what has ended, here or elsewhere, and run nothing", 0},
	    {"slurm", CLI_FLAG, &o.is_slurm, NULL, "as a job array of Slurm; this command waits for it", 0},
	    {"tasks", CLI_TEXT, &o.tasks, "N", "slurm: at most N tasks, each a part of the runs (default 64)", 0},
	    {"sbatch", CLI_TEXT, &o.sbatch, "ARGS", "slurm: further arguments of sbatch", 0},
	    {"mpi", CLI_FLAG, &o.is_mpi, NULL, "this is one of the processes of mpirun", 0},
	    {"part", CLI_TEXT, &o.part, "K/N", "do only the K-th of N parts, and print nothing", 0},
	    {"json", CLI_TEXT, &o.json, "FILE", "write all runs there", 0},
	    {"results", CLI_TEXT, &o.results, "DIR", "write all results of each run there, a file RUN.json each", 0},
	    {"csv", CLI_TEXT, &o.csv, "FILE", "write all runs there, a line per run, settings as numbers", 0},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &o);
}
