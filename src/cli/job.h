/* job.h - one program on one machine: resolving what to run, starting it behind our driver, collecting its result. */
#ifndef STRATA_CLI_JOB_H
#define STRATA_CLI_JOB_H

#include "cli/paths.h"
#include "machine/session.h"

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

/* What to run: a workload by name, or any program. */
struct cli_target {
	char *name;  /* "vectoradd", or the program's file name */
	char **argv; /* argv[0] is the path to execute */
	char *preload; /* libraries for LD_PRELOAD, NULL or "": none */
};

/* words and program as parsed; size is --size or NULL. Fills targets with struct cli_target *. False after a printed
 * message. */
bool cli_targets_resolve(const struct cli_paths *paths, const char *command, GPtrArray *words, char **program,
			 const char *size, GPtrArray *targets);
/* Appends arguments that spaces separate. */
void cli_target_arguments_add(struct cli_target *target, const char *text);
void cli_targets_free(GPtrArray *targets);

/* Loads the machine, applies the --set texts, checks the whole. False after printed messages. */
bool cli_machine_load(const struct cli_paths *paths, const char *name, GPtrArray *sets, struct machine_session *out);

struct cli_job {
	const struct cli_target *target;
	const struct machine_session *machine;
	bool is_checked; /* run it under the memory checker */
	char *session_path, *result_path, *output_path; /* output_path NULL: the program's output is not captured */
	char *findings_path; /* NULL: not under the memory checker */
	pid_t pid;                                      /* 0: not started */
	bool is_done;
	int exit_status; /* the program's; 128 + signal when one ended it */
	json_t *results; /* NULL until done; then an object per process that used the driver, at least one object */
	json_t *result;  /* the first of them */
	bool is_result_lost; /* the library could not write some of its results, and said why */
	bool has_result; /* the program used the driver and the library wrote its results, of every process */
};

/* Prepares the files of a job in dir. False after a printed message. */
bool cli_job_prepare(struct cli_job *job, const char *dir, uint32_t index, bool is_captured);
/* Starts the program. False after a printed message. */
bool cli_job_start(const struct cli_paths *paths, struct cli_job *job);
/* The program has ended with this wait status: reads the results and adds workload, args and verified. */
void cli_job_finish(struct cli_job *job, int wait_status);
void cli_job_free(struct cli_job *job);

#endif
