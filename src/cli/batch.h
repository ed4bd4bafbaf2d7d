/* batch.h - many jobs side by side, as many as the host has cores, with a progress line on a terminal. */
#ifndef STRATA_CLI_BATCH_H
#define STRATA_CLI_BATCH_H

#include "cli/division.h"
#include "cli/job.h"
#include "cli/progress.h"

struct cli_batch {
	const struct cli_paths *paths;
	struct cli_job *jobs; /* prepared, with captured output, or done already; the caller's */
	uint32_t job_count;
	/* Called when a job has ended by itself (its result is there), not when it was asked to end; may be NULL. */
	void (*done)(void *ctx, struct cli_job *job);
	/* Called right before a job is started; false, after a message, ends the batch. May be NULL. */
	bool (*prepare)(void *ctx, struct cli_job *job);
	/* The line of a caller who says by himself how far he is: it has begun, and draw draws it when it is due. NULL:
	 * the line is about these jobs. */
	struct cli_progress *progress;
	void (*draw)(void *ctx);
	void *ctx;
	uint32_t slots; /* at most so many side by side; 0: as many as the process may use cores */
	uint32_t threads; /* of each job, as struct cli_division has them */

	/* Set by cli_batch_run. */
	bool is_interrupted; /* by Ctrl-C, TERM or HUP: running jobs were asked to end, no more were started */
	int exit_status;     /* CLI_OK, or why a program could not be started; said so */
};

/* Since cli_batch_run, which goes on catching the signals. */
bool cli_batch_was_interrupted(void);

/* The cores that this process may use: `taskset -c 0 strata ...` has one. */
uint32_t cli_usable_cores(void);

/* What --threads says, NULL without it: *threads of a batch (0 without it), and *slots, 0 without --jobs: so many side
 * by side that N threads have a core each. False after a message. */
bool cli_threads_divide(const char *command, const char *option, uint32_t *threads, uint32_t *slots);
#define CLI_THREADS_OPTION(value)                                                                           \
	{                                                                                                   \
		"threads", CLI_TEXT, value, "N|auto",                                                       \
		    "do each simulation of a GPU on N threads, with the same results; auto: on idle cores", 0 \
	}

/* Runs all jobs, in their order, and returns when none is running. A job that is not verified is reported on stderr
 * with the end of its output, and of those of one program and machine with one reason the first; the others go on.
 * Catches the signals that end a program. */
void cli_batch_run(struct cli_batch *batch);

#endif
