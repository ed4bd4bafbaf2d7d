/* report.c - strata report: runs of the store, or of a JSON file, and sweeps as one HTML page. */
#include "cli/command.h"

#include "cli/keep.h"
#include "cli/options.h"
#include "cli/provenance.h"
#include "report/check.h"
#include "report/page.h"
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct cli_about about = {
    .name = "report",
    .usage = "strata report --out FILE.html RUN...",
    .summary =
	"Writes one HTML page of the runs, side by side: time, stalls, bounds, traffic, energy, latency, kernels,\n"
	"parameters and statistics. It needs no network; charts can be saved as SVG, tables as CSV. RUN is a\n"
	"number of `strata runs list`, last, last-1, ..., or a JSON file of run, compare or why, the last with\n"
	"its cause and what-ifs. Runs of one program with the same arguments are compared with the first of\n"
	"them. A JSON file of sweep is drawn as heat maps and lines over its axes.",
    .examples = "  strata report --out runs.html last-1 last\n"
	"  strata report --out bfs.html compare.json\n"
	"  strata report --out why.html last-1 why.json\n"
	"  strata report --out links.html sweep.json",
};

/* What the page is of: runs with results, of each its file of strata why or null, and texts of those that have none. */
struct asked {
	json_t *runs, *tried, *sweeps, *left_out;
};

/* A program without results has nothing to draw; it is named, and the others are drawn. name: what the user calls it.
 */
static void add(struct asked *a, const char *name, json_t *run, json_t *tried)
{
	const char *reason = json_string_value(json_object_get(run, "not_verified"));
	g_autofree char *text = NULL;

	if (report_has_run(run)) {
		json_array_append(a->runs, run);
		if (tried)
			json_array_append(a->tried, tried);
		else
			json_array_append_new(a->tried, json_null());
		return;
	}
	text = g_strdup_printf("%s, %s on %s, has no results to draw%s%s", name,
			       json_string_value(json_object_get(run, "workload")),
			       json_string_value(json_object_get(run, "machine")), reason ? ": " : "",
			       reason ? reason : "");
	cli_error("report: %s", text);
	json_array_append_new(a->left_out, json_string(text));
}

static int add_stored(struct asked *a, const char *word)
{
	int exit_status = CLI_OK;
	json_t *run = cli_run_stored(about.name, word, &exit_status);
	g_autofree char *name = g_strdup_printf("run %s", word);

	if (run)
		add(a, name, run, NULL);
	json_decref(run);
	return exit_status;
}

/* Is the file one that a sweep has written? *exit_status then says whether it can be drawn, and a->sweeps has it. */
static bool add_sweep(struct asked *a, const char *path, int *exit_status)
{
	json_t *file = json_load_file(path, 0, NULL);
	const bool is_sweep = json_is_object(file) && json_object_get(file, "sweep");
	g_autofree char *wrong = is_sweep ? report_sweep_check(file) : NULL;

	if (wrong)
		cli_error("report: %s: %s", path, wrong);
	else if (is_sweep)
		json_array_append(a->sweeps, file);
	json_decref(file);
	*exit_status = wrong ? CLI_USAGE : CLI_OK;
	return is_sweep;
}

/* The same of a file that strata why has written of one run. */
static bool add_tried(struct asked *a, const char *path, int *exit_status)
{
	json_t *file = json_load_file(path, 0, NULL), *run = json_object_get(file, "run");
	const bool is_tried = json_is_object(run) && json_object_get(file, "findings");
	g_autofree char *wrong_run = is_tried ? report_check(run) : NULL;
	g_autofree char *wrong = is_tried && !wrong_run ? report_tried_check(file) : NULL;

	if (wrong_run)
		cli_error("report: %s: run/%s", path, wrong_run);
	else if (wrong)
		cli_error("report: %s: %s", path, wrong);
	else if (is_tried)
		add(a, path, run, file);
	json_decref(file);
	*exit_status = wrong_run || wrong ? CLI_USAGE : CLI_OK;
	return is_tried;
}

static int add_file(struct asked *a, const char *path)
{
	int exit_status;
	json_t *runs, *run;
	size_t i;

	if (add_sweep(a, path, &exit_status) || add_tried(a, path, &exit_status))
		return exit_status;
	runs = cli_runs_of_file(about.name, path, &exit_status);

	if (!runs)
		return exit_status;
	json_array_foreach(runs, i, run) {
		g_autofree char *name = g_strdup_printf("result %zu of %s", i + 1, path);

		add(a, name, run, NULL);
	}
	json_decref(runs);
	return CLI_OK;
}

static int page_write(const struct asked *a, const char *out)
{
	const struct report_page what = {a->runs, a->tried, a->sweeps, a->left_out, cli_version()};
	size_t length;
	g_autofree char *page = report_page(&what, &length);

	if (!report_text_write(out, page, length)) {
		cli_error("cannot write %s: %s", out, strerror(errno));
		return CLI_UNABLE;
	}
	if (json_array_size(a->sweeps))
		printf("%s: %zu runs, %zu sweeps, %zu KB\n", out, json_array_size(a->runs),
		       json_array_size(a->sweeps), length / 1000);
	else
		printf("%s: %zu runs, %zu KB\n", out, json_array_size(a->runs), length / 1000);
	return CLI_OK;
}

static int report(const struct cli_words *words, const char *out)
{
	struct asked a = {json_array(), json_array(), json_array(), json_array()};
	int exit_status = CLI_OK;

	for (uint32_t i = 0; exit_status == CLI_OK && i < words->words->len; i++) {
		const char *word = words->words->pdata[i];

		exit_status = g_str_has_suffix(word, ".json") ? add_file(&a, word) : add_stored(&a, word);
	}
	if (exit_status == CLI_OK)
		exit_status = json_array_size(a.runs) || json_array_size(a.sweeps) ? page_write(&a, out) : CLI_USAGE;
	json_decref(a.runs);
	json_decref(a.tried);
	json_decref(a.sweeps);
	json_decref(a.left_out);
	return exit_status;
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	const char *out = *(const char **)ctx;

	(void)paths;
	if (!out || words->program || !words->words->len) {
		cli_error("report: expected --out FILE.html and runs; see `strata report --help`");
		return CLI_USAGE;
	}
	return cli_output_check(about.name, "out", out) ? report(words, out) : CLI_USAGE;
}

int cli_report(int argc, char **argv)
{
	const char *out = NULL;
	const struct cli_option options[] = {
	    {"out", CLI_TEXT, &out, "FILE", "the page", 'o'},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &out);
}
