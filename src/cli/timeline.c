/* timeline.c - strata timeline: a stored run as trace events, for Perfetto and chrome://tracing. */
#include "cli/command.h"

#include "cli/keep.h"
#include "cli/options.h"
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct cli_about about = {
    .name = "timeline",
    .usage = "strata timeline --out FILE RUN",
    .summary =
	"Writes what a run in the store did over time: copies, kernels and host functions by stream and engine;\n"
	"where it had gpu.sample_ps, cpu.sample_ps or duality.sample_ps, bandwidths, instructions, hits and\n"
	"queues; with span_count of these CTAs, offloaded blocks, threads on cores, moves of pages; and with\n"
	"gpu.dram_log_ps, cpu.dram_log_ps or duality.dram_log_ps the DRAM commands of a window. ui.perfetto.dev\n"
	"and chrome://tracing open the file. RUN is a number of `strata runs list`, last, last-1, ...",
    .examples = "  strata run --machine bom --set gpu.sample_ps=1000000 --set gpu.span_count=20000 bfs\n"
	"  strata timeline --out bfs.json last\n"
	"  strata run --machine channel-ndp --set cpu.sample_ps=1000000 --set cpu.span_count=20000 triad\n"
	"  strata timeline --out triad.json last",
};

/* Anything that a viewer could show. */
static bool has_time(const json_t *run)
{
	return json_array_size(json_object_get(run, "timeline")) || json_is_object(json_object_get(run, "samples")) ||
	       json_is_object(json_object_get(run, "spans")) || json_is_object(json_object_get(run, "dram_commands"));
}

static int write_run(const char *word, const char *out)
{
	int exit_status = CLI_UNABLE;
	json_t *run = cli_run_stored(about.name, word, &exit_status);

	if (!run)
		return exit_status;
	exit_status = CLI_UNABLE;
	if (!has_time(run) && json_is_object(json_object_get(run, "coprocessor"))) {
		cli_error("timeline: run %s is the coprocessor's, of which nothing is kept over time", word);
		exit_status = CLI_USAGE;
	} else if (!has_time(run)) {
		cli_error("timeline: run %s has neither copies nor kernels, and nothing was kept over time: see "
			  "cpu.sample_ps and cpu.span_count", word);
		exit_status = CLI_USAGE;
	} else if (!report_trace_write(out, run)) {
		cli_error("cannot write %s: %s", out, strerror(errno));
	} else {
		exit_status = CLI_OK;
	}
	json_decref(run);
	return exit_status;
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	const char *out = *(const char **)ctx;

	(void)paths;
	if (!out || words->program || words->words->len != 1) {
		cli_error("timeline: expected --out FILE and one run; see `strata timeline --help`");
		return CLI_USAGE;
	}
	return cli_output_check(about.name, "out", out) ? write_run(words->words->pdata[0], out) : CLI_USAGE;
}

int cli_timeline(int argc, char **argv)
{
	const char *out = NULL;
	const struct cli_option options[] = {
	    {"out", CLI_TEXT, &out, "FILE", "the trace events, as JSON", 'o'},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &out);
}
