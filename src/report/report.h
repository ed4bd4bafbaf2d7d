/* report.h - what is done with the result objects of runs: summary, comparison table, JSON file, run store.
 *
 * A result object is what machine_result_write wrote, with workload, args, machine, verified and exit_status added by
 * the cli. One without "cycles" belongs to a program that never used the driver. Nothing here knows a statistic that
 * is not in the object.
 */
#ifndef STRATA_REPORT_REPORT_H
#define STRATA_REPORT_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The number at a path of keys ("traffic_bytes", "tx"); inner NULL: at the top. 0 when absent. */
double report_number(const json_t *run, const char *outer, const char *inner);
/* Is there a measured run in the object? */
bool report_has_run(const json_t *run);

/* The reasons why schedulers issued nothing, largest first. */
struct report_stall {
	const char *reason;
	double share; /* of all scheduler cycles, 0..1 */
};
/* Fills out[0..max) and returns how many there are; stalls of zero cycles are left out. */
uint32_t report_top_stalls(const json_t *run, struct report_stall *out, uint32_t max);

/* The summary of one run. */
void report_summary_print(FILE *out, const json_t *run);

/* The table of several runs: rows in the order of the array, grouped by workload; the first machine of a workload is
 * what the others are measured against. With more than one workload a geometric mean closes the table. */
void report_comparison_print(FILE *out, const json_t *runs);

/* Writes an array of result objects, or what else (the whole file or nothing). False: errno tells. */
bool report_json_write(const char *path, const json_t *value);

/* Writes the run's timeline as trace events, which chrome://tracing and ui.perfetto.dev show: one process with a row
 * per stream, one with a row per engine. False: errno tells. */
bool report_trace_write(const char *path, const json_t *run);

/* Adds the runs to the SQLite store at path, made with its folder when missing. NULL, or the message of what went
 * wrong, to be freed with g_free; then nothing was added. */
char *report_store_add(const char *path, const json_t *runs);

#endif
