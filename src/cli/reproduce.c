/* reproduce.c - strata reproduce: a paper's evaluation, its published numbers beside the measured ones. */
#include "cli/command.h"

#include "cli/evaluation.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "reproduce/outcome.h"
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct cli_about about = {
	.name = "reproduce",
	.usage = "strata reproduce PAPER [--quick] [--out DIR] [-j N] [--json FILE]",
	.summary =
	    "Runs the evaluation of a paper and prints each published number and claim beside what was measured.\n"
	    "Writes a page (PAPER.html, PAPER-quick.html) and a table (.csv) into DIR. Runs go side by side, one per\n"
	    "core of the host; each is kept when it ends, so that an interrupted reproduction goes on where it was.",
	.examples = "  strata reproduce tom --quick\n"
	    "  strata reproduce csp --out pages --json csp.json",
};

enum { SLOTS_MAX = 4096 };

struct reproduce_options {
	const char *out, *json, *jobs;
	bool is_quick;
	uint32_t slots;
};

struct outputs {
	const struct reproduce_data *data;
	const struct reproduce_outcomes *outcomes;
	const char *how, *suffix; /* suffix of the files' names: "-quick" or "" */
};

static void page_write(FILE *f, const struct outputs *o)
{
	reproduce_page_write(f, o->data, o->outcomes, o->how);
}

static void csv_write(FILE *f, const struct outputs *o)
{
	reproduce_outcomes_csv(f, o->outcomes);
}

/* DIR/PAPER.TYPE, or DIR/PAPER-quick.TYPE: whole or with a message. */
static bool file_write(const char *dir, const char *type, const struct outputs *o,
		       void (*write)(FILE *, const struct outputs *))
{
	g_autofree char *name = g_strconcat(o->data->paper->name, o->suffix, type, NULL);
	g_autofree char *path = g_build_filename(dir, name, NULL);
	FILE *f = fopen(path, "w");
	bool is_written = f;

	if (f) {
		write(f, o);
		is_written = !ferror(f);
		is_written = !fclose(f) && is_written;
	}
	if (!is_written)
		cli_error("cannot write %s: %s", path, strerror(errno));
	else
		printf("%s\n", path);
	return is_written;
}

static bool outputs_write(const struct outputs *o, const char *dir, const char *json)
{
	bool is_page_written = file_write(dir, ".html", o, page_write);
	bool is_written = file_write(dir, ".csv", o, csv_write) && is_page_written;
	json_t *array = json ? reproduce_outcomes_json(o->outcomes) : NULL;

	is_written = (!json || cli_json_keep(json, array)) && is_written;
	json_decref(array);
	return is_written;
}

/* Says which runs are in no number of the page, and why. */
static bool all_verified(const struct reproduce_data *data)
{
	const struct reproduce_paper *paper = data->paper;
	bool are_verified = true;

	for (uint32_t i = 0; i < paper->config_count * paper->workload_count; i++) {
		const char *reason = json_string_value(json_object_get(data->runs[i], "not_verified"));

		if (!reproduce_is_run(paper, i / paper->workload_count, i % paper->workload_count) ||
		    json_is_true(json_object_get(data->runs[i], "verified")))
			continue;
		printf("not verified, in no number above: %s on %s: %s\n", paper->workloads[i % paper->workload_count],
		       paper->configs[i / paper->workload_count].name, reason ? reason : "there is no run");
		are_verified = false;
	}
	return are_verified;
}

/* Where numbers are computed and not run, one of them may take most of the time: no more than which is told. */
static void judging(void *progress, uint32_t done, uint32_t count)
{
	if (cli_progress_is_due(progress))
		cli_progress_draw(progress, 0, "number %u of %u", done + 1, count);
}

static int reproduce(const struct cli_paths *paths, const struct reproduce_paper *paper,
		     const struct reproduce_published_set *published, const struct reproduce_options *options)
{
	g_autofree char *dir = options->out ? g_strdup(options->out) : g_build_filename("reproduce", paper->name, NULL);
	struct cli_evaluation e = {
		.paths = paths, .paper = paper, .dir = dir, .is_quick = options->is_quick, .slots = options->slots};
	struct reproduce_data *data = reproduce_data_new(paper);
	g_autofree char *numbers = g_build_filename(paths->papers, paper->name, NULL);
	g_autofree char *machines = g_build_filename(paths->machine_dirs[paths->machines.dir_count - 1], "csp", NULL);

	data->dir = numbers;
	data->programs = paths->csp_programs;
	data->machines = machines;
	data->is_quick = options->is_quick;

	int exit_status;

	exit_status = cli_evaluation_run(&e, data);

	if (exit_status == CLI_OK) {
		struct cli_progress progress;

		cli_progress_begin(&progress);
		data->judging = judging;
		data->judging_ctx = &progress;

		struct reproduce_outcomes outcomes = reproduce_judge(data, published);
		struct outputs o = {data, &outcomes,
				    e.is_quick ? "Quick: inputs of seconds, which have less of the papers' character."
					       : "Full: the papers' inputs.",
				    e.is_quick ? "-quick" : ""};

		cli_progress_clear(&progress);
		reproduce_outcomes_print(stdout, &outcomes);
		printf("%u runs done now, %u were there\n", e.run_count, e.had_count);
		if (!all_verified(data))
			exit_status = CLI_FAILED;
		if (!outputs_write(&o, dir, options->json))
			exit_status = CLI_UNABLE;
		reproduce_outcomes_free(&outcomes);
	}
	reproduce_data_free(data);
	return exit_status;
}

static int reproduce_named(const char *name, const struct reproduce_options *options, const struct cli_paths *paths)
{
	const struct reproduce_paper *paper = reproduce_paper_find(name);
	struct reproduce_published_set *published;
	struct base_diag_list diag;
	int exit_status = CLI_USAGE;

	if (!paper) {
		const char *const *all = reproduce_paper_names();
		g_autofree char *names = g_strjoinv(", ", (char **)all);
		const char *nearest = base_nearest_name(name, all, g_strv_length((char **)all));

		if (nearest)
			cli_error("reproduce: no paper '%s'; did you mean '%s'?", name, nearest);
		else
			cli_error("reproduce: no paper '%s'; there are: %s", name, names);
		return CLI_USAGE;
	}
	if (!cli_output_check(about.name, "json", options->json))
		return CLI_USAGE;
	base_diag_init(&diag);

	g_autofree char *dir = g_build_filename(paths->papers, paper->name, NULL);

	published = reproduce_published_read(dir, options->is_quick, &diag);
	if (published) {
		exit_status = reproduce(paths, paper, published, options);
		reproduce_published_free(published);
	} else {
		cli_diag_print(&diag);
	}
	base_diag_free(&diag);
	return exit_status;
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	struct reproduce_options *o = ctx;

	if (words->words->len != 1 || words->program) {
		cli_error("reproduce: expected one paper's name; see `strata reproduce --help`");
		return CLI_USAGE;
	}
	if (!cli_number_parse(about.name, "jobs", o->jobs, SLOTS_MAX, &o->slots))
		return CLI_USAGE;
	return reproduce_named(words->words->pdata[0], o, paths);
}

int cli_reproduce(int argc, char **argv)
{
	struct reproduce_options o = {0};
	const struct cli_option options[] = {
	    {"quick", CLI_FLAG, &o.is_quick, NULL, "inputs of seconds: some minutes in all", 0},
	    {"out", CLI_TEXT, &o.out, "DIR", "where the page, the table and the runs go (default reproduce/PAPER)", 0},
	    {"jobs", CLI_TEXT, &o.jobs, "N", "at most N runs side by side (default: the cores it may use)", 'j'},
	    {"json", CLI_TEXT, &o.json, "FILE", "write the numbers and claims there as a JSON array", 0},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &o);
}
