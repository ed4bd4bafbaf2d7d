/* slurm.h - a sweep as job arrays of Slurm. */
#ifndef STRATA_CLI_SLURM_H
#define STRATA_CLI_SLURM_H

#include "cli/sweep_runs.h"

struct cli_slurm {
	const struct cli_sweep *sweep; /* prepared; its folder is on a file system that the nodes share */
	const char *path;              /* of the sweep's file */
	uint32_t task_count;           /* at most so many tasks; 0: 64 */
	const char *sbatch;            /* further arguments of sbatch, or NULL */
	const char *slots;             /* runs side by side in a task, or NULL */
	const char *threads;           /* of each run, or NULL */
	GPtrArray *sets;               /* of const char * */
};

/* Submits an array whose tasks each do a part, waits until it has left the queue, and submits what is then missing once
 * more, as long as each array gets something done. Shows the progress on a terminal. Ctrl-C cancels the array.
 * Returns an exit status of options.h. */
int cli_slurm_run(const struct cli_slurm *s);

#endif
