/* runs.h - the runs that the store has: their list, one of them, the difference of two, fewer of them.
 *
 * A run's number is its row's in the store, from 1; it stays the same, and is not given again while a later run is
 * there. Functions that read the store return NULL with *message set to what went wrong (g_free) on failure.
 */
#ifndef STRATA_REPORT_RUNS_H
#define STRATA_REPORT_RUNS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Which runs; patterns as the shell's (* and ?), NULL: any. */
struct report_runs_filter {
	const char *workload, *machine;
	bool is_verified; /* only those */
	uint32_t last;    /* at most so many, the newest; 0: all */
};

/* Oldest first: id, stored_at (UTC), workload, args, machine, mechanism, verified, exit_status, fault, cycles, time_ps,
 * total_time_ps, energy_total_pj, run_hash. A store that does not exist has none. */
json_t *report_runs_list(const char *path, const struct report_runs_filter *filter, char **message);
/* NULL, or what is wrong with a column of the list, which is a user's file: with it the list cannot be printed. Freed
 * with g_free. */
char *report_runs_check(const json_t *list);
void report_runs_print(FILE *out, const json_t *list);

/* The number that a user's word means: a number, "last", or "last-N". 0: there is no such run, or the word is none;
 * *message says which. */
uint64_t report_runs_number(const char *path, const char *word, char **message);
/* The whole result object of a run. */
json_t *report_runs_get(const char *path, uint64_t number, char **message);
/* The newest run on a machine that has a time, an array of one result object per process; workload NULL: of any
 * program. An empty array: there is none. */
json_t *report_runs_newest(const char *path, const char *machine, const char *workload, char **message);
/* Instructions of threads in the newest verified run of a program with these arguments (NULL-terminated), on whichever
 * machine: how much work there is. 0: there is none, or no store. */
double report_runs_instructions(const char *path, const char *workload, char **args);
/* Takes one run, with its statistics and parameters, out of the store. */
bool report_runs_remove(const char *path, uint64_t number, char **message);

/* What differs from a to b: "who" (machine, program, versions ...), "params", "results", "shares" and "stats", each an
 * array of objects with name, a, b and, where both are numbers, ratio. Of shares all, of what units did with their time
 * (unit, of), those whose share of it (a_share, b_share) changed most first. Of statistics: the most important first,
 * that is those with the largest |b - a| / max(|a|, |b|) * log2(1 + max(|a|, |b|)); histograms by count, p50 and p99.
 * And "time_parts" and "explanation" (report/explain.h). */
json_t *report_runs_difference(const json_t *a, const json_t *b);
/* stats_shown: at most so many of the statistics; UINT32_MAX: all. */
void report_runs_difference_print(FILE *out, const json_t *difference, uint32_t stats_shown);

/* A table for other programs: a line per run, a column per single-valued field, way of traffic, part of the energy,
 * parameter and statistic that any of them has; what is null or not there is empty. To be freed with g_free. */
char *report_runs_csv(const json_t *runs);

/* Does a parameter only say how much is looked at or kept? No time and no counter follows from it. */
bool report_only_looks(const char *param);

#endif
