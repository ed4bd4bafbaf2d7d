/* experiments.h - the experiments of a paper (papers/NAME/experiments.csv), run, and their changes beside the bands
 * that the file has. */
#ifndef STRATA_CLI_EXPERIMENTS_H
#define STRATA_CLI_EXPERIMENTS_H

#include "cli/paths.h"
#include "reproduce/published.h"

struct cli_experiments {
	const struct cli_paths *paths;
	const char *name, *folder; /* the paper's */
	const char *dir;	   /* keeps a file per run */
	const char *json;	   /* NULL, or where an array of them is written */
	GPtrArray *ids;		   /* of char *: of which rows; empty: of all */
	uint32_t slots, threads;   /* as struct cli_evaluation has them */
};

/* Does the runs that are not kept, each distinct one once, and prints a line for each experiment. Returns an exit
 * status of options.h: CLI_FAILED when a change is outside of its band or cannot be told, CLI_USAGE when an id has no
 * experiment or a run cannot be. */
int cli_experiments_run(const struct cli_experiments *e, const struct reproduce_published_set *published);

#endif
