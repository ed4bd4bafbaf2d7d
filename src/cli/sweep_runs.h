/* sweep_runs.h - the runs of a sweep: which there are, which are done, doing some of them.
 *
 * A run that has ended is a file of its own in the sweep's folder, named by its run key, whole or not there. So many
 * processes, on many nodes that share the folder, may each do a part, and one that is killed loses only what it was at.
 */
#ifndef STRATA_CLI_SWEEP_RUNS_H
#define STRATA_CLI_SWEEP_RUNS_H

#include "cli/job.h"
#include "cli/machines.h"
#include "cli/progress.h"
#include "sweep/plan.h"

/* The line of progress.h for runs that others do: their files come. */
struct cli_sweep_progress {
	struct cli_progress progress;
	uint32_t had_count; /* files when it began */
};

struct cli_sweep {
	const struct cli_paths *paths;
	const char *command; /* whose messages these are: "sweep" */
	const struct sweep_plan *plan;
	GPtrArray *sets; /* of const char *: settings that all runs have, before the point's own */
	struct cli_verify verify;
	uint32_t slots;      /* runs side by side; 0: as many as the process may use cores */
	uint32_t threads;    /* of each, as struct cli_batch has them */
	bool leaves_out;     /* what cannot run; else that is a mistake */
	bool may_leave_out;  /* there is an option --skip-invalid, which messages name */
	const char *dir;     /* the sweep's folder */
	GPtrArray *targets;  /* struct cli_target *, by program */
	struct cli_shared shared; /* which settings some machine reads */
	GPtrArray *keys;     /* of char *, by run; NULL: left out */
	GPtrArray *reasons;  /* of char *, by run; why it is left out, or NULL */
	uint32_t left_count; /* runs that are left out */
	struct cli_sweep_progress *whole; /* of all processes' runs, begun; NULL: this one's are what is told */
};

/* Runs are numbered from 0, all machines of a program, all programs of a point. */
uint32_t cli_sweep_count(const struct cli_sweep *s);
uint32_t cli_sweep_point(const struct cli_sweep *s, uint32_t run);
const char *cli_sweep_machine(const struct cli_sweep *s, uint32_t run);
/* The name that the file has for a run that it lists; else NULL. */
const char *cli_sweep_name(const struct cli_sweep *s, uint32_t run);
const struct cli_target *cli_sweep_target(const struct cli_sweep *s, uint32_t run);

/* Finds the programs, looks whether every machine is one and can run them, makes the keys and the folder. False after
 * messages. */
bool cli_sweep_prepare(struct cli_sweep *s);
/* An array of the run's results, one per process; NULL: it is not done. */
json_t *cli_sweep_results(const struct cli_sweep *s, uint32_t run);
/* Runs that have ended without being verified are not done any more. */
void cli_sweep_forget_unverified(const struct cli_sweep *s);
/* Are the files of runs that have ended results? False after a message. */
bool cli_sweep_files_check(const struct cli_sweep *s);
/* Has it ended, with its results? */
bool cli_sweep_is_done(const struct cli_sweep *s, uint32_t run);
/* How many are done, of those that are not left out. */
uint32_t cli_sweep_done_count(const struct cli_sweep *s);
/* Does the runs of part `part` of `part_count` (from 0: every part_count-th run) that are not done. Returns an exit
 * status of options.h; what had ended is kept in every case. */
int cli_sweep_run(struct cli_sweep *s, uint32_t part, uint32_t part_count);
/* Writes the results of each run that is done as `run --json` does, into DIR/NAME.json; a run that no file lists is
 * called by its number. False after a message. */
bool cli_sweep_results_write(const struct cli_sweep *s, const char *dir);
/* Puts what is done, and not yet there, into the run store. False after a message. */
bool cli_sweep_keep(const struct cli_sweep *s);
void cli_sweep_free(struct cli_sweep *s);

/* is_plain: see cli_progress_begin_plain. */
void cli_sweep_progress_begin(struct cli_sweep_progress *p, const struct cli_sweep *s, bool is_plain);
/* If it is due. job: the cluster's name for it, or NULL. */
void cli_sweep_progress_draw(struct cli_sweep_progress *p, uint32_t done, uint32_t all, const char *job);

#endif
