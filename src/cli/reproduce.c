/* reproduce.c - strata reproduce: a paper's evaluation, its published numbers beside the measured ones. */
#include "cli/batch.h"
#include "cli/command.h"

#include "cli/evaluation.h"
#include "cli/experiments.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "reproduce/described.h"
#include "reproduce/outcome.h"
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct cli_about about = {
	.name = "reproduce",
	.usage = "strata reproduce PAPER|DIR [--quick|--sampled] [--out DIR] [-j N] [--json FILE]\n"
		 "                        [--record FILE]\n"
		 "       strata reproduce PAPER|DIR --experiments [ID...] [--out DIR] [-j N] [--json FILE]",
	.summary =
	    "Runs the evaluation of a paper and prints each published number and claim beside what was measured.\n"
	    "Writes a page (PAPER.html, PAPER-quick.html, ...) and a table (.csv) into DIR. Runs go side by side,\n"
	    "one per core of the host; each is kept when it ends, so that an interrupted reproduction goes on\n"
	    "where it was.\n"
	    "With --experiments: the runs that show why numbers deviate, of all reasons or of those of these ids: by\n"
	    "how much a change of the command line changes a number, beside the band that is stated for it.\n"
	    "DIR is a folder with a paper of your own: paper.yaml says what runs and what must be true of it.",
	.examples = "  strata reproduce tom --quick\n"
	    "  strata reproduce tom --sampled\n"
	    "  strata reproduce csp --out pages --json csp.json\n"
	    "  strata reproduce tom --experiments 'T4 (a)' TOM-26\n"
	    "  strata reproduce ./mine --quick",
};

enum { SLOTS_MAX = 4096 };

struct reproduce_options {
	const char *out, *json, *jobs, *record, *thread_words;
	GPtrArray *ids; /* of char *, of experiments */
	bool is_quick, is_sampled, is_experiments;
	enum experiment_size size; /* what the two say */
	uint32_t slots, threads;
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

static const char *const hows[] = {
    [EXPERIMENT_FULL] = "Full: the papers' inputs.",
    [EXPERIMENT_QUICK] = "Quick: inputs of seconds, which have less of the papers' character.",
    [EXPERIMENT_SAMPLED] = ("Sampled: the papers' inputs to their end, with parts timed where a machine allows that. "
			   "Behind +- is half of the interval that holds a number in 95 of 100 cases."),
};

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

/* The paper's measured.csv as it should be after these runs, which may be written in its own place. */
static bool record_write(const char *folder, const char *path, const struct reproduce_outcomes *outcomes,
			 const struct reproduce_published_set *published)
{
	g_autofree char *held = g_build_filename(folder, "measured.csv", NULL), *before = NULL;
	FILE *f;

	g_file_get_contents(held, &before, NULL, NULL);
	f = fopen(path, "w");
	if (f)
		reproduce_outcomes_record(f, outcomes, published, before ? before : "");
	if (!f || fclose(f) != 0) {
		cli_error("cannot write %s: %s", path, strerror(errno));
		return false;
	}
	return true;
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

/* A field that a run does not have is a mistake of the paper's file, or of who renamed a counter. False: there was
 * none such. */
static bool lacks_said(const struct reproduce_paper *paper)
{
	struct base_diag_list diag;
	bool is_any;

	base_diag_init(&diag);
	is_any = reproduce_described_lacks(paper, &diag);
	if (is_any)
		cli_diag_print(&diag);
	base_diag_free(&diag);
	return is_any;
}

static int reproduce(const struct cli_paths *paths, const struct reproduce_paper *paper, const char *folder,
		     const struct reproduce_published_set *published, const struct reproduce_options *options)
{
	g_autofree char *dir = options->out ? g_strdup(options->out) : g_build_filename("reproduce", paper->name, NULL);
	struct cli_evaluation e = {
		.paths = paths,
		.paper = paper,
		.dir = dir,
		.size = options->size,
		.slots = options->slots,
		.threads = options->threads,
	};
	struct reproduce_data *data = reproduce_data_new(paper);

	data->dir = folder;
	data->size = options->size;

	int exit_status;

	exit_status = cli_evaluation_run(&e, data);

	if (exit_status == CLI_OK) {
		struct cli_progress progress;

		cli_progress_begin(&progress);
		data->judging = judging;
		data->judging_ctx = &progress;

		struct reproduce_outcomes outcomes = reproduce_judge(data, published);
		struct outputs o = {data, &outcomes, hows[e.size], reproduce_size_suffix(e.size)};

		cli_progress_clear(&progress);
		reproduce_outcomes_print(stdout, &outcomes);
		printf("%u runs done now, %u were there\n", e.run_count, e.had_count);
		if (!all_verified(data))
			exit_status = CLI_FAILED;
		if (lacks_said(paper))
			exit_status = CLI_FAILED;
		if (options->record && !record_write(folder, options->record, &outcomes, published))
			exit_status = CLI_UNABLE;
		if (!outputs_write(&o, dir, options->json))
			exit_status = CLI_UNABLE;
		reproduce_outcomes_free(&outcomes);
	}
	reproduce_data_free(data);
	return exit_status;
}

/* Our papers, which are folders. Freed with g_strfreev. */
static char **names_of(const struct cli_paths *paths)
{
	GStrvBuilder *names = g_strv_builder_new();
	GDir *dir = g_dir_open(paths->papers, 0, NULL);
	GList *folders = NULL;
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *folder = g_build_filename(paths->papers, name, NULL);

		if (reproduce_is_described(folder))
			folders = g_list_insert_sorted(folders, g_strdup(name), (GCompareFunc)strcmp);
	}
	if (dir)
		g_dir_close(dir);
	for (const GList *f = folders; f; f = f->next)
		g_strv_builder_add(names, f->data);
	g_list_free_full(folders, g_free);

	char **all = g_strv_builder_end(names);

	g_strv_builder_unref(names);
	return all;
}

static void unknown(const struct cli_paths *paths, const char *name)
{
	g_auto(GStrv) all = names_of(paths);
	g_autofree char *names = g_strjoinv(", ", all);
	const char *nearest = base_nearest_name(name, (const char *const *)all, g_strv_length(all));

	if (strchr(name, '/') || g_file_test(name, G_FILE_TEST_IS_DIR))
		cli_error("reproduce: there is no %s/" REPRODUCE_FILE ", which says what runs", name);
	else if (nearest)
		cli_error("reproduce: no paper '%s'; did you mean '%s'?", name, nearest);
	else
		cli_error("reproduce: no paper '%s'; there are: %s", name, names);
}

/* A paper's folder by its name, or as it is given; NULL: there is none. */
static char *folder_of(const struct cli_paths *paths, const char *name)
{
	g_autofree char *ours = g_build_filename(paths->papers, name, NULL);

	if (!strchr(name, '/') && reproduce_is_described(ours))
		return g_steal_pointer(&ours);
	return reproduce_is_described(name) ? g_strdup(name) : NULL;
}

static int experiments_run(const char *folder, const struct reproduce_options *options, const struct cli_paths *paths,
			   struct base_diag_list *diag)
{
	struct reproduce_published_set *published = reproduce_published_read(folder, true, diag);
	g_autofree char *whole = g_canonicalize_filename(folder, NULL), *name = g_path_get_basename(whole);
	g_autofree char *dir = options->out ? g_build_filename(options->out, "experiments", NULL)
					    : g_build_filename("reproduce", name, "experiments", NULL);
	const struct cli_experiments e = {.paths = paths,
					  .name = name,
					  .folder = folder,
					  .dir = dir,
					  .json = options->json,
					  .ids = options->ids,
					  .slots = options->slots,
					  .threads = options->threads};
	int exit_status;

	if (!published)
		return CLI_USAGE;
	exit_status = cli_experiments_run(&e, published);
	reproduce_published_free(published);
	return exit_status;
}

static int reproduce_folder(const struct reproduce_paper *paper, const char *folder,
			    const struct reproduce_options *options, const struct cli_paths *paths,
			    struct base_diag_list *diag)
{
	const bool is_quick = options->size == EXPERIMENT_QUICK;
	struct reproduce_published_set *published = reproduce_published_read(folder, is_quick, diag);
	int exit_status = CLI_USAGE;

	if (!published)
		return CLI_USAGE;
	if (reproduce_described_check(paper, published, diag))
		exit_status = reproduce(paths, paper, folder, published, options);
	reproduce_published_free(published);
	return exit_status;
}

static int evaluation_run(const char *folder, const struct reproduce_options *options, const struct cli_paths *paths,
			  struct base_diag_list *diag)
{
	g_autofree char *file = g_build_filename(folder, REPRODUCE_FILE, NULL);
	const struct reproduce_paper *paper = reproduce_described_read(file, options->size, diag);
	int exit_status;

	if (!paper)
		return CLI_USAGE;
	exit_status = reproduce_folder(paper, folder, options, paths, diag);
	reproduce_described_free(paper);
	return exit_status;
}

static int reproduce_named(const char *name, const struct reproduce_options *options, const struct cli_paths *paths)
{
	g_autofree char *folder = folder_of(paths, name);
	struct base_diag_list diag;
	int exit_status;

	if (!folder) {
		unknown(paths, name);
		return CLI_USAGE;
	}
	if (!cli_output_check(about.name, "json", options->json))
		return CLI_USAGE;
	base_diag_init(&diag);
	exit_status = options->is_experiments ? experiments_run(folder, options, paths, &diag)
					      : evaluation_run(folder, options, paths, &diag);
	if (diag.error_count)
		cli_diag_print(&diag);
	base_diag_free(&diag);
	return exit_status;
}

static bool size_read(struct reproduce_options *o)
{
	if (o->is_quick && o->is_sampled) {
		cli_error("reproduce: --quick has inputs of its own, of which all is timed; take it or --sampled");
		return false;
	}
	if (o->is_sampled && o->record) {
		cli_error("reproduce: measured.csv holds numbers of which all was timed; --record without --sampled");
		return false;
	}
	if (o->is_experiments && (o->is_quick || o->is_sampled || o->record)) {
		cli_error("reproduce: experiments have inputs of their own: --experiments goes without --quick, "
			  "--sampled and --record");
		return false;
	}
	o->size = o->is_quick ? EXPERIMENT_QUICK : o->is_sampled ? EXPERIMENT_SAMPLED : EXPERIMENT_FULL;
	return true;
}

/* The first word is a paper, those behind it are ids, several with commas in one word if need be. */
static int named_run(const GPtrArray *words, struct reproduce_options *o, const struct cli_paths *paths)
{
	int exit_status;

	o->ids = g_ptr_array_new_with_free_func(g_free);
	for (uint32_t i = 1; i < words->len; i++) {
		g_auto(GStrv) ids = g_strsplit(words->pdata[i], ",", -1);

		for (char **id = ids; *id; id++)
			g_ptr_array_add(o->ids, g_strdup(g_strstrip(*id)));
	}
	exit_status = reproduce_named(words->pdata[0], o, paths);
	g_ptr_array_unref(o->ids);
	return exit_status;
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	struct reproduce_options *o = ctx;

	if (!words->words->len || words->program || (words->words->len > 1 && !o->is_experiments)) {
		cli_error("reproduce: expected one paper's name or folder; see `strata reproduce --help`");
		return CLI_USAGE;
	}
	if (!cli_number_parse(about.name, "jobs", o->jobs, SLOTS_MAX, &o->slots) ||
	    !cli_threads_divide(about.name, o->thread_words, &o->threads, &o->slots))
		return CLI_USAGE;
	if (!size_read(o))
		return CLI_USAGE;
	return named_run(words->words, o, paths);
}

int cli_reproduce(int argc, char **argv)
{
	struct reproduce_options o = {0};
	const struct cli_option options[] = {
	    {"quick", CLI_FLAG, &o.is_quick, NULL, "inputs of seconds: some minutes in all", 0},
	    {"sampled", CLI_FLAG, &o.is_sampled, NULL, "the papers' inputs, and times with error bars", 0},
	    {"experiments", CLI_FLAG, &o.is_experiments, NULL, "the experiments behind its reasons, in place of it", 0},
	    {"out", CLI_TEXT, &o.out, "DIR", "where the page, the table and the runs go (default reproduce/PAPER)", 0},
	    {"jobs", CLI_TEXT, &o.jobs, "N", "at most N runs side by side (default: the cores it may use)", 'j'},
	    CLI_THREADS_OPTION(&o.thread_words),
	    {"record", CLI_TEXT, &o.record, "FILE", "what measured.csv is to hold, once reasons were looked at", 0},
	    {"json", CLI_TEXT, &o.json, "FILE", "write the numbers and claims there as a JSON array", 0},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &o);
}
