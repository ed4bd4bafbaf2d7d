/* evaluation.h - the runs of a paper's evaluation: which are done already, doing the others, keeping each. */
#ifndef STRATA_CLI_EVALUATION_H
#define STRATA_CLI_EVALUATION_H

#include "cli/paths.h"
#include "reproduce/data.h"

struct cli_evaluation {
	const struct cli_paths *paths;
	const struct reproduce_paper *paper;
	const char *dir;    /* its folder "runs", "runs-quick" or "runs-sampled" keeps one file per run */
	/* The paper's inputs up to its instruction limit, small ones to their end, or the paper's to their end with
	 * run.mode=sampled where a machine allows that. */
	enum experiment_size size;
	uint32_t slots;     /* runs side by side; 0: as many as the process may use cores */
	uint32_t threads;   /* of each, as struct cli_batch has them */
	uint32_t had_count; /* set: runs that an earlier call had done with the same program, library and machine */
	uint32_t run_count; /* set: runs done now */
};

/* Fills data with every run of the evaluation. A run is done again only if its program, its arguments, the driver
 * library or any parameter of the machine has changed. Returns an exit status of options.h; after CLI_INTERRUPTED the
 * runs that had finished are kept. */
int cli_evaluation_run(struct cli_evaluation *e, struct reproduce_data *data);

#endif
