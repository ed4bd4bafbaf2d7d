/* single.h - what `run` and `check` share: the options of one run, and one program from its start to its end. */
#ifndef STRATA_CLI_SINGLE_H
#define STRATA_CLI_SINGLE_H

#include "cli/job.h"
#include "cli/options.h"
#include "cli/timeout.h"

struct cli_single_options {
	const char *machine, *json, *size, *timeout, *threads;
	struct cli_verify verify;
	GPtrArray *sets; /* of const char * */
	const char *fast_forward, *only, *checkpoint, *save_checkpoint;
};

/* This is a row of an option table; cli_fast_forward_add makes a setting of it, which --set overrides. */
#define CLI_FAST_FORWARD_OPTION(value)                                                              \
	{                                                                                           \
		"fast-forward", CLI_TEXT, value, "KERNEL|N",                                        \
		    "run the launches before KERNEL's first one, or the first N, without timing", 0 \
	}
void cli_fast_forward_add(const char *value, GPtrArray *sets);
/* This is the row for a file that takes the place of what is before it; cli_checkpoint_add makes the setting. */
#define CLI_CHECKPOINT_OPTION(value)                                                                              \
	{                                                                                                         \
		"checkpoint", CLI_TEXT, value, "FILE",                                                            \
		    "begin where `run --save-checkpoint FILE` of the same program had its mark", 0                \
	}
void cli_checkpoint_add(const char *key, const char *path, GPtrArray *sets);
/* This is the row for which launches are timed. */
#define CLI_ONLY_OPTION(value)                                                                                     \
	{                                                                                                          \
		"only", CLI_TEXT, value, "KERNEL|N[-M]|profiler|range:NAME",                                       \
		    "time only KERNEL's launches, the N-th (to M-th), those between cudaProfilerStart and Stop, "  \
		    "or those in a range of NVTX; the rest runs for its values",                                   \
		    0                                                                                              \
	}
void cli_only_add(const char *value, GPtrArray *sets);

/* Their rows in a command's option table. */
#define CLI_SINGLE_OPTIONS(o, json_doc)                                                                            \
	{"machine", CLI_TEXT, &(o).machine, "M", "the machine: a name or a .yaml file (default tom-baseline)", 0}, \
	    {"set", CLI_LIST, &(o).sets, "K=V", "override one parameter; may be given several times", 0},          \
	    {"size", CLI_TEXT, &(o).size, "S", "a workload's input size: small (default) or paper", 0},            \
	    CLI_TIMEOUT_OPTION(&(o).timeout),                                                                      \
	{                                                                                                          \
		"json", CLI_TEXT, &(o).json, "FILE", json_doc, 0                                                   \
	}

/* What the command does with the finished job: the exit status. */
typedef int (*cli_single_report)(const struct cli_job *job, void *ctx);

struct cli_single {
	const struct cli_about *about;
	const struct cli_single_options *options;
	bool is_checked; /* under the memory checker */
	bool is_kept;    /* the store must be there */
	const bool *is_quiet; /* no line of progress on a terminal; NULL: there is one */
	cli_single_report report;
	void *ctx;
};

/* Runs the one program that the words name. The exit status: the report's, or CLI_USAGE or CLI_UNABLE after a
 * message. */
int cli_single_run(const struct cli_single *s, const struct cli_words *words, const struct cli_paths *paths);

#endif
