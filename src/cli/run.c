/* run.c - strata run: one program on one machine, its summary, and its exit status. */
#include "cli/command.h"

#include "cli/keep.h"
#include "cli/single.h"
#include "report/report.h"

#include <errno.h>
#include <string.h>

static const struct cli_about about = {
    .name = "run",
    .usage = "strata run [options] WORKLOAD  |  strata run [options] -- PROGRAM [ARGS]",
    .summary = "Runs a CUDA, OpenACC or OpenMP target program on a modelled machine and prints what was measured.\n"
	       "The exit status is the program's.",
};

struct run_options {
	struct cli_single_options single;
	const char *trace;
};

static bool write_trace(const char *path, const json_t *run)
{
	if (!path || report_trace_write(path, run))
		return true;
	cli_error("cannot write %s: %s", path, strerror(errno));
	return false;
}

static int report(const struct cli_job *job, void *ctx)
{
	const struct run_options *o = ctx;
	size_t i;
	json_t *run;

	json_array_foreach(job->results, i, run)
		report_summary_print(stdout, run);
	fflush(stdout);

	bool is_kept = cli_runs_keep(o->single.json, job->results);

	is_kept = write_trace(o->trace, job->result) && is_kept;
	return job->exit_status ? job->exit_status : is_kept && !job->is_result_lost ? CLI_OK : CLI_FAILED;
}

int cli_run(int argc, char **argv)
{
	struct run_options o = {.single.sets = g_ptr_array_new()};
	const struct cli_option options[] = {
	    CLI_SINGLE_OPTIONS(o.single, "write the results there as a JSON array"),
	    {"trace", CLI_TEXT, &o.trace, "FILE", "write copies, kernels and streams there as trace events"},
	    {0},
	};
	const struct cli_single single = {
	    .about = &about, .options = &o.single, .is_kept = true, .report = report, .ctx = &o};
	struct cli_words words;
	enum cli_parse parsed = cli_options_parse(&about, options, argc, argv, &words);
	int exit_status = parsed == CLI_PARSE_HELP ? CLI_OK : CLI_USAGE;

	/* First, so that a --set of the user's own counts. */
	if (o.trace)
		g_ptr_array_insert(o.single.sets, 0, (gpointer) "run.timeline_count=1000000");
	if (parsed == CLI_PARSED && cli_output_check(about.name, "trace", o.trace))
		exit_status = cli_single_run(&single, &words);
	g_ptr_array_free(words.words, TRUE);
	g_ptr_array_free(o.single.sets, TRUE);
	return exit_status;
}
