/* sweep_rows.h - what is made of the runs of a sweep as objects (sweep_table.h): speed-ups, and a file of them. */
#ifndef STRATA_CLI_SWEEP_ROWS_H
#define STRATA_CLI_SWEEP_ROWS_H

#include <jansson.h>

/* Sets speedup of each: over the first machine at the same point, or, where all machines are one, over the first point.
 * null: one of the two has not run, or is not verified. */
void cli_sweep_speedups_put(json_t *runs);
/* A line of names and one for each run: point, machine, workload, args, values, objectives, speedup, done, verified,
 * is_pareto, mark (that the time is an estimate or a part: report_mark); what is null is empty. Free it with g_free. */
char *cli_sweep_csv(const json_t *sweep);

#endif
