/* verify.h - is a run's result right? The program's own check, a command or a text of the user's, or only its exit
 * status; and what makes a run wrong whatever they say: launches that faulted or were refused, a time limit, nothing
 * measured. */
#ifndef STRATA_CLI_VERIFY_H
#define STRATA_CLI_VERIFY_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

struct cli_job;

/* What the user gave; NULL: not given. */
struct cli_verify {
	const char *command; /* --verify: for the shell; its exit status 0 means right */
	const char *text;    /* --expect: must be in the program's standard output */
};

/* Their rows in a command's option table. */
#define CLI_VERIFY_OPTIONS(v)                                                                       \
	{"verify", CLI_TEXT, &(v).command, "CMD", "run CMD after it; exit status 0: results right", 0}, \
	    {"expect", CLI_TEXT, &(v).text, "TEXT", "the results are right if it prints TEXT", 0}

/* Must the program's standard output be kept for the check? */
bool cli_verify_needs_output(const struct cli_verify *v);
/* Starts the check command of a job whose program has ended: in the program's directory, with its standard output as
 * the command's standard input and its file's name in STRATA_OUTPUT. Returns its process, 0 when there is no command,
 * or -1 after a message. */
pid_t cli_verify_start(struct cli_job *job);
/* Adds verified (bool), verified_by ("workload", "command", "text" or "exit": what was asked) and not_verified (null,
 * or why not) to one result of a job that has ended. */
void cli_verify_judge(const struct cli_job *job, json_t *result);

#endif
