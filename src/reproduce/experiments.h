/* experiments.h - the experiments of a paper (papers/NAME/experiments.csv): a run, the same run with a change of its
 * command line, and by how many per cent a number of its results moves; where the row names a second machine, that
 * number over this machine's, which gets the same change. */
#ifndef STRATA_REPRODUCE_EXPERIMENTS_H
#define STRATA_REPRODUCE_EXPERIMENTS_H

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

#include "base/diag.h"

struct reproduce_experiment {
	char **ids; /* of the rows and claims whose cause it shows */
	/* Texts as the file has them. machine and over are a name with settings, "M --set K=V", and over is "" without
	 * a second machine. change is "--set K=V" and "--machine M", any number of them, and "-- PROGRAM ARGUMENTS" at
	 * the end. of is a field of the results, or one over another, "A/B". */
	char *machine, *program, *change, *of, *over;
	double least, most; /* per cent */
	struct base_place at;
};

/* The runs of a row; the last two are of rows with a second machine. */
enum reproduce_side {
	REPRODUCE_WITHOUT,
	REPRODUCE_WITH,
	REPRODUCE_OVER_WITHOUT,
	REPRODUCE_OVER_WITH,
	REPRODUCE_SIDES,
};

/* What one of them is. */
struct reproduce_side_run {
	char *machine, *program; /* the program's name with its arguments, separated by spaces */
	GPtrArray *sets;	 /* of char *, "K=V", a later one counts */
	uint32_t own_count;	 /* so many of the first are the machine's own, the others are the change's */
};

/* A row of the file, fields as they stand there; NULL after messages. Free with reproduce_experiment_free. */
struct reproduce_experiment *reproduce_experiment_read(char *const *fields, struct base_place at,
						       struct base_diag_list *diag);
void reproduce_experiment_free(struct reproduce_experiment *x);

/* How many runs it has: 2 or 4. */
uint32_t reproduce_experiment_side_count(const struct reproduce_experiment *x);
/* The run of a side; a machine of a file is found from dir. Free with reproduce_side_run_free. */
struct reproduce_side_run reproduce_experiment_side(const struct reproduce_experiment *x, enum reproduce_side side,
						    const char *dir);
void reproduce_side_run_free(struct reproduce_side_run *run);

/* By how many per cent the number moves, as an expression (experiment/expression.h) over the runs names[side]. Free
 * with g_free. */
char *reproduce_experiment_expression(const struct reproduce_experiment *x, char *const *names);
/* A number of a run's result: "time_ps", "stats.gpu.cta_cycles.sum"; of a list of objects, "channels.up_bytes",
 * the sum over them. False: it has none. */
bool reproduce_result_field(const json_t *run, const char *path, double *x);

#endif
