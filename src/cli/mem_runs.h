/* mem_runs.h - measurements of memories side by side in threads, with a progress line on a terminal and Ctrl-C. */
#ifndef STRATA_CLI_MEM_RUNS_H
#define STRATA_CLI_MEM_RUNS_H

#include "memory/measure.h"

#include <jansson.h>

/* A memory under a stream. */
struct cli_mem_run {
	const struct memory_standard *memory;
	const char *stream; /* its name, or the trace's file */
	enum memory_stream_kind kind;
	enum memory_trace_format format;
	struct memory_stream_params params;
	bool is_point; /* of a curve: its statistics are not kept */

	/* Set by cli_mem_runs. */
	bool is_done; /* there is a result; result.is_interrupted: of the requests until then */
	struct memory_result result;
	json_t *stats, *units;	    /* NULL of a point */
	struct base_diag_list diag; /* what was wrong with the trace */
	struct memory_progress progress;
};

/* Runs them in their order, so many at a time (0: as many as the process may use cores). Returns CLI_OK;
 * CLI_INTERRUPTED, when a signal has ended it; CLI_USAGE after the messages of a trace that is wrong. *are_left: some
 * did not end within seconds of the signal, and their threads still use the runs: nothing of them may be freed. */
int cli_mem_runs(struct cli_mem_run *runs, uint32_t count, uint32_t slots, bool *are_left);
void cli_mem_run_free(struct cli_mem_run *run);

#endif
