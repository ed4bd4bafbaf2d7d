/* run.c - strata run: one program on one machine, its summary, and its exit status. */
#include "cli/command.h"

#include "cli/batch.h"
#include "cli/keep.h"
#include "cli/single.h"
#include "report/report.h"

#include <errno.h>
#include <string.h>

static const struct cli_about about = {
    .name = "run",
    .usage = "strata run [options] WORKLOAD  |  strata run [options] -- PROGRAM [ARGS]",
    .summary =
	"Runs a CUDA, OpenACC or OpenMP target program on a modelled machine and prints what was measured.\n"
	"The exit status is the program's; 1 when it is 0 but the run is not verified. The summary of a program\n"
	"after '--' goes to the standard error: the standard output is the program's own.",
    .examples = "  strata run vectoradd\n"
	"  strata run --machine tom-ctrl-tmap --set link.latency_ps=20000 --json r.json kmeans\n"
	"  strata run --machine bom --expect PASSED -- ./program 1000",
};

struct run_options {
	struct cli_single_options single;
	const char *trace;
	bool is_quiet;
};

static bool write_trace(const char *path, const json_t *run)
{
	if (!path || report_trace_write(path, run))
		return true;
	cli_error("cannot write %s: %s", path, strerror(errno));
	return false;
}

static void print(const struct run_options *o, const struct cli_job *job)
{
	FILE *out = job->target->is_self_checking ? stdout : stderr;
	size_t i;
	const json_t *run;

	if (job->check_status)
		cli_output_print_end(job->check_path);
	json_array_foreach(job->results, i, run) {
		if (!o->is_quiet)
			report_summary_print(out, run);
	}
	fflush(out);
}

/* False after a message: what was to be written there is not, in no process of the program. */
static bool is_checkpoint_written(const char *path, const json_t *results)
{
	const char *why = "nothing was launched on a GPU";
	const json_t *run;
	size_t i;

	if (!path)
		return true;
	json_array_foreach((json_t *)(uintptr_t)results, i, run) {
		const json_t *checkpoint = json_object_get(run, "checkpoint");
		const char *own = json_string_value(json_object_get(checkpoint, "why_not"));

		if (json_is_true(json_object_get(checkpoint, "is_written")))
			return true;
		why = own ? own : why;
	}
	cli_error("no checkpoint was written to %s: %s", path, why);
	return false;
}

/* Kept first: whoever reads what is printed may go before its end. */
static int report(const struct cli_job *job, void *ctx)
{
	const struct run_options *o = ctx;
	bool is_kept = cli_runs_keep(job->results);

	is_kept = cli_json_keep(o->single.json, job->results) && is_kept;
	is_kept = write_trace(o->trace, job->result) && is_kept;
	print(o, job);
	is_kept = is_checkpoint_written(o->single.save_checkpoint, job->results) && is_kept;

	const int exit_status = cli_job_exit_status(job, job->is_result_lost);

	if (exit_status || !is_kept)
		return exit_status ? exit_status : CLI_UNABLE;
	return cli_job_not_verified(job) ? CLI_FAILED : CLI_OK;
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	struct run_options *o = ctx;
	const struct cli_single single = {.about = &about,
					  .options = &o->single,
					  .is_kept = true,
					  .is_quiet = &o->is_quiet,
					  .report = report,
					  .ctx = o};

	/* First, so that a --set of the user's own counts. */
	if (o->trace) {
		g_ptr_array_insert(o->single.sets, 0, (gpointer) "run.timeline_count=1000000");
		g_ptr_array_insert(o->single.sets, 0, (gpointer) "run.kernel_count=1000000");
	}
	cli_fast_forward_add(o->single.fast_forward, o->single.sets);
	cli_only_add(o->single.only, o->single.sets);
	cli_checkpoint_add("run.checkpoint", o->single.checkpoint, o->single.sets);
	cli_checkpoint_add("run.checkpoint_write", o->single.save_checkpoint, o->single.sets);
	return cli_output_check(about.name, "trace", o->trace) &&
			       cli_output_check(about.name, "save-checkpoint", o->single.save_checkpoint)
		   ? cli_single_run(&single, words, paths) : CLI_USAGE;
}

int cli_run(int argc, char **argv)
{
	struct run_options o = {0};
	const struct cli_option options[] = {
	    CLI_SINGLE_OPTIONS(o.single, "write the results there as a JSON array"),
	    CLI_FAST_FORWARD_OPTION(&o.single.fast_forward),
	    {"save-checkpoint", CLI_TEXT, &o.single.save_checkpoint, "FILE",
	     "with --fast-forward: write there what the launches before it have done, for --checkpoint", 0},
	    CLI_CHECKPOINT_OPTION(&o.single.checkpoint),
	    CLI_THREADS_OPTION(&o.single.threads),
	    CLI_ONLY_OPTION(&o.single.only),
	    CLI_VERIFY_OPTIONS(o.single.verify),
	    {"trace", CLI_TEXT, &o.trace, "FILE", "write copies, kernels and streams there as trace events", 0},
	    {"quiet", CLI_FLAG, &o.is_quiet, NULL, "print no summary and no progress; the run is kept all the same", 0},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &o);
}
