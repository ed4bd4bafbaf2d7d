/* job.h - one program on one machine: resolving what to run, starting it behind our driver, collecting its result. */
#ifndef STRATA_CLI_JOB_H
#define STRATA_CLI_JOB_H

#include "cli/machines.h"
#include "cli/paths.h"
#include "cli/places.h"
#include "cli/tee.h"
#include "cli/verify.h"
#include "machine/session.h"

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

/* What to run: a workload by name, or any program. */
struct cli_target {
	char *name;            /* "vectoradd", or the program's file name */
	char **argv;           /* argv[0] is the path to execute */
	uint32_t own_words;    /* of argv, before its arguments: 1, or 2 where argv[0] is a door and argv[1] its file */
	char *preload;         /* libraries for LD_PRELOAD, NULL or "": none */
	bool is_self_checking; /* a workload of ours: its exit status is its own check of its results */
	bool is_of_threads;    /* built by strata cc: machines with processors run it */
	const struct machine_part *part; /* whose file it is; NULL: it is a program for the host */
	bool is_of_this_version; /* of those: built as this version builds them */
};

/* words and program as parsed; size is --size or NULL. Fills targets with struct cli_target *. False after a printed
 * message. */
bool cli_targets_resolve(const struct cli_paths *paths, const char *command, GPtrArray *words, char **program,
			 const char *size, GPtrArray *targets);
/* The file that it is, and what it is given. */
static inline const char *cli_target_file(const struct cli_target *t)
{
	return t->argv[t->own_words - 1];
}
static inline char **cli_target_arguments(const struct cli_target *t)
{
	return t->argv + t->own_words;
}
/* The machine for it where none is named. */
const char *cli_target_machine(const struct cli_target *t);
/* Appends arguments that spaces separate. */
void cli_target_arguments_add(struct cli_target *target, const char *text);
void cli_targets_free(GPtrArray *targets);

struct cli_job {
	const struct cli_target *target;
	const struct machine_session *machine;
	uint32_t threads; /* of the host, as machine_session has them; until it is started */
	bool is_checked;          /* run it under the memory checker */
	bool is_captured;         /* its output goes to files only */
	struct cli_verify verify; /* how its results are checked */
	const char *input_path;   /* its standard input; NULL: ours, or none for one that is captured */
	char *work_dir;           /* its working directory; NULL: ours */
	char *session_path;
	struct cli_places places; /* of its results, or of its findings when it is checked */
	char *output_path, *error_path; /* its standard output and error; NULL: not kept in a file */
	char *measures_path;            /* what it says it has measured: STRATA_MEASURES, a line for each */
	char *check_path;               /* what the check command of verify prints */
	struct cli_tee tee;
	pid_t pid;        /* of the program, then of its check command; 0: not started */
	bool is_checking; /* the program has ended, its check command runs */
	bool is_asked_to_end;
	uint64_t deadline_ns; /* of CLOCK_MONOTONIC: its time is over; 0: no limit */
	bool is_timed_out;    /* and it had to be ended */
	bool is_done;
	int exit_status;     /* the program's; 128 + signal when one ended it */
	int check_status;    /* the same of the check command; 0 when there is none */
	char *run_key;       /* of cli_run_key; NULL: not known */
	json_t *results;     /* NULL until done; then an object per process that used the driver, at least one object */
	json_t *result;      /* the first of them */
	bool is_result_lost; /* the library could not write some of its results, and said why */
	double work;	     /* instructions that it is known to be, for cli/running.h; 0: nobody has looked */
};

/* Prepares the files of a job in dir. False after a printed message. */
bool cli_job_prepare(struct cli_job *job, const char *dir, uint32_t index);
/* Takes the job's results from the store, by its run_key: it is done. False: they are not there, or not verified. */
bool cli_job_reuse(struct cli_job *job);
/* Has the machine what the program is for? What processors run is a program of strata cc. False after a message. */
bool cli_job_can_run(const struct cli_job *job);
/* NULL, or why not, freed with g_free. */
char *cli_job_why_not(const struct cli_job *job);
/* Starts the program. CLI_OK; after a message CLI_USAGE, when it is no program, or CLI_UNABLE. */
int cli_job_start(const struct cli_paths *paths, struct cli_job *job);
/* The job's process has ended with this wait status, or CLI_WAIT_UNKNOWN. True: the job is done; its results are read,
 * with workload, args, verified and the provenance added. False: its check command runs now, as job->pid. */
bool cli_job_step(struct cli_job *job, int wait_status);
/* Has the job ended by itself, with its result? Not so one that was asked to end and did. */
bool cli_job_is_finished(const struct cli_job *job);
/* The exit status of a job that is done: the program's; CLI_UNABLE when results were lost and the program did not fail
 * by itself, but ended well or by an internal error of the library's. */
int cli_job_exit_status(const struct cli_job *job, bool is_lost);
/* NULL when all results of a job that is done are verified; else why the first that is not is none. */
const char *cli_job_not_verified(const struct cli_job *job);
void cli_job_free(struct cli_job *job);
/* The end of a file of output, on stderr. path NULL, or nothing there: nothing. */
void cli_output_print_end(const char *path);

#endif
