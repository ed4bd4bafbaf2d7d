/* running.h - how far the programs of a batch are that run now, by what they say themselves (machine/live.h). */
#ifndef STRATA_CLI_RUNNING_H
#define STRATA_CLI_RUNNING_H

#include "cli/job.h"

struct cli_running {
	double done;		   /* of them, in runs: two of which one is at its half are 0.5 */
	double instructions_per_s; /* of threads, all together */
};

/* Looks how far those of the jobs are that run. How much work a program is follows from its instructions in a job of
 * the batch that has ended, or the last time that it was in the store; where neither knows it, it counts as just
 * begun. */
void cli_running_look(struct cli_job *jobs, uint32_t count, struct cli_running *out);
/* The job has its result: it says how much work its program is. */
void cli_running_ended(struct cli_job *job);

#endif
