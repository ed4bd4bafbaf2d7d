/* sweep_table.h - what a sweep gives: its best points, as a table and as JSON. */
#ifndef STRATA_CLI_SWEEP_TABLE_H
#define STRATA_CLI_SWEEP_TABLE_H

#include "cli/sweep_runs.h"

/* An object: "objectives", "axes", "runs" (an array: point, settings, as they were written, and values, as the machine
 * has them, machine, workload, args, done, verified, is_pareto, objectives, speedup (sweep_rows.h), and of the results
 * every single value and the traffic), "runs_done", "runs_left_out". A run is on the Pareto front when it is verified,
 * and no other verified one of the same program is as good in all objectives and better in one. */
json_t *cli_sweep_json(const struct cli_sweep *s, const char *name);
/* Has any of the verified runs each field of pareto? False after a message; true when none is verified. */
bool cli_sweep_fields_check(const struct cli_sweep *s, const json_t *runs);
/* The parts of it. Settings: of a point; objectives: their numbers in a result, null where it has none. */
json_t *cli_sweep_settings(char **point);
json_t *cli_sweep_objectives(const struct sweep_plan *plan, const json_t *result);
/* Sets is_pareto of the runs that are is_own, which compete with each other. */
void cli_sweep_front_mark(const GPtrArray *objectives, json_t *runs, const bool *is_own);
/* The whole; takes runs. */
json_t *cli_sweep_pack(const struct sweep_plan *plan, const char *name, uint32_t done_count, uint32_t left_count,
		       json_t *runs);
/* All runs, or, of more than 100, those on the front. */
void cli_sweep_print(FILE *out, const json_t *sweep);

#endif
