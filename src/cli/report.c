/* report.c - strata report: runs of the store, or of a JSON file, as one HTML page. */
#include "cli/command.h"

#include "cli/keep.h"
#include "cli/options.h"
#include "cli/provenance.h"
#include "report/page.h"
#include "report/report.h"
#include "report/runs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct cli_about about = {
    .name = "report",
    .usage = "strata report --out FILE.html RUN...",
    .summary =
	"Writes one HTML page of the runs, side by side: time, stalls, bounds, traffic, energy, latency, kernels,\n"
	"parameters and statistics. It needs no network; charts can be saved as SVG, tables as CSV. RUN is a\n"
	"number of `strata runs list`, last, last-1, ..., or a JSON file of run, compare or csp run. The first is\n"
	"what the others are compared with.",
    .examples = "  strata report --out runs.html last-1 last\n"
	"  strata report --out bfs.html compare.json",
};

static bool add_stored(json_t *runs, const char *word)
{
	char *message;
	const uint64_t number = report_runs_number(cli_store_path(), word, &message);
	json_t *run = number ? report_runs_get(cli_store_path(), number, &message) : NULL;

	if (run && !json_array_append_new(runs, run))
		return true;
	cli_error("report: %s", message);
	g_free(message);
	return false;
}

static bool add_file(json_t *runs, const char *path)
{
	json_error_t error;
	json_t *file = json_load_file(path, 0, &error), *run;
	size_t i;

	if (json_is_object(file)) {
		json_array_append_new(runs, file);
		return true;
	}
	if (!json_is_array(file) || !json_array_size(file)) {
		if (file)
			cli_error("report: %s holds no results", path);
		else
			cli_error("report: cannot read %s: %s", path, error.text);
		json_decref(file);
		return false;
	}
	json_array_foreach(file, i, run)
		json_array_append(runs, run);
	json_decref(file);
	return true;
}

/* A program without results has nothing to draw. */
static bool check(const json_t *runs)
{
	const json_t *run;
	size_t i;

	json_array_foreach(runs, i, run) {
		if (!report_has_run(run) || !json_is_string(json_object_get(run, "machine")) ||
		    !json_is_string(json_object_get(run, "workload"))) {
			cli_error("report: run %zu has no results to draw", i + 1);
			return false;
		}
	}
	return true;
}

static int page_write(const json_t *runs, const char *out)
{
	size_t length;
	g_autofree char *page = report_page(runs, cli_version(), &length);

	if (!report_text_write(out, page, length)) {
		cli_error("cannot write %s: %s", out, strerror(errno));
		return CLI_UNABLE;
	}
	printf("%s: %zu runs, %zu KB\n", out, json_array_size(runs), length / 1000);
	return CLI_OK;
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	const char *out = *(const char **)ctx;
	json_t *runs = json_array();
	int exit_status = CLI_USAGE;
	bool is_ok = true;

	(void)paths;
	if (!out || words->program || !words->words->len) {
		cli_error("report: expected --out FILE.html and runs; see `strata report --help`");
		is_ok = false;
	}
	is_ok = is_ok && cli_output_check(about.name, "out", out);
	for (uint32_t i = 0; is_ok && i < words->words->len; i++) {
		const char *word = words->words->pdata[i];

		is_ok = g_str_has_suffix(word, ".json") ? add_file(runs, word) : add_stored(runs, word);
	}
	if (is_ok && check(runs))
		exit_status = page_write(runs, out);
	json_decref(runs);
	return exit_status;
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
