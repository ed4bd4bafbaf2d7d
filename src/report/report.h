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
/* Is there such a number? What no part of the machine counts is null, and not 0. */
bool report_has(const json_t *run, const char *outer, const char *inner);
/* What has been read and written in DRAM. False: it is not known. */
bool report_dram_bytes(const json_t *run, double *bytes);
/* What of the program was timed: "run.only=2", or "" of all. Freed with g_free. */
char *report_part(const json_t *run);
/* Did both do the same part of the same program with the same arguments and input, and of a script the same process?
 * Only of such runs is a time divided by another one. */
bool report_is_same_work(const json_t *a, const json_t *b);
/* Is the energy of both of the same parts of a machine? What one has not is no difference, what it has and does not
 * count is one. */
bool report_is_same_energy(const json_t *a, const json_t *b);
/* "cores, caches; not counted: links"; NULL: the results do not say it. Freed with g_free. */
char *report_energy_scope(const json_t *run);
/* What a part of an account is, in words; a part that its results do not describe by its name. A new text. */
json_t *report_doc(const json_t *docs, const char *part);
/* A number in a column of that width, or "-" where there is none. */
void report_put(FILE *out, int width, int decimals, bool is_there, double value);
/* The row goes into the list, whose rows have the number `key`, the largest first, behind its equals. Takes the row. */
void report_insert(json_t *list, const char *key, json_t *row);
/* Is there a measured run in the object? */
bool report_has_run(const json_t *run);
/* Did all of that run for its values only (run.mode=functional, or launches before a mark)? Its times are null. */
bool report_is_untimed(const json_t *run);
/* What every table says beside a run's time because it is not that of the whole program, timed: "UNMODELLED 37.2 %" of
 * the instructions, "SAMPLED", "3 LAUNCHES SKIPPED"; else "". Of a result object, or a row of the list of runs. */
char *report_mark(const json_t *run);

/* What the units whose time a part's rows account for waited for, by its name. */
struct report_wait {
	const char *name;
	double share; /* of all of that time, 0..1 */
};
/* Whose time that is, "cycles" of "the schedulers", and the share in which they did their work. */
struct report_waiting {
	const char *of, *unit;
	double used;
};
/* Fills out[0..max), the largest first, and returns how many there are; what took no time is left out. *whose may be
 * NULL; its `of` is NULL where no part has such an account. */
uint32_t report_top_waits(const json_t *run, struct report_wait *out, uint32_t max, struct report_waiting *whose);

/* The summary of one run. */
void report_summary_print(FILE *out, const json_t *run);

/* What a comparison was asked for. */
struct report_comparison {
	const char *base;        /* the machine that the others are measured against */
	uint32_t workload_count; /* of which the means are */
};

/* The table of several runs: rows in the order of the array, grouped by workload. A workload whose run on the base
 * machine is missing or not verified has no ratios. Geometric means over the verified runs close the table when there
 * is more than one workload. Below it: what was not equal work, what a machine that stands for an ideal
 * is at best (IDEAL of sim/explain.h), which machines gave the host other bytes (see report_work_compare), and how
 * the runs were verified unless they are workloads of ours. */
void report_comparison_print(FILE *out, const json_t *runs, const struct report_comparison *c);

/* Did the machines do the same work? Adds "work_differs" to every run that has results: an array, empty when every
 * kernel has the launches and CTAs of the same workload on the base machine (without that run: on the first one that
 * there is), and the thread instructions too where neither machine has a near-data mechanism. Its objects: kernel, what
 * ("launches", "ctas", "thread_instructions"), value, machine (the other one) and machine_value. And
 * "copied_bytes_differ_from": that machine's name where the bytes copied to the host are others than there, else null.
 */
void report_work_compare(json_t *runs, const char *base);

/* Writes an array of result objects, or what else (the whole file or nothing). False: errno tells. */
bool report_json_write(const char *path, const json_t *value);
/* Writes the value, or the text where it is NULL, to a file that is open. */
bool report_put_to(FILE *f, const json_t *value, const char *text, size_t length);
/* Writes a text in the same way: the whole file or nothing. */
bool report_text_write(const char *path, const char *text, size_t length);

/* Writes the run's timeline as trace events, which chrome://tracing and ui.perfetto.dev show: one process with a row
 * per stream, one with a row per engine. False: errno tells. */
bool report_trace_write(const char *path, const json_t *run);

/* Adds the results of one run, one per process, to the SQLite store at path, made with its folder when missing. NULL,
 * or the message of what went wrong, to be freed with g_free; then nothing was added. Waits at most ten seconds for
 * another process. */
char *report_store_add(const char *path, const json_t *runs);
/* Would report_store_add work? Does all of it but the last step, so that nothing is added. NULL or a message, as
 * above. */
char *report_store_check(const char *path);
/* The results of the newest run in the store whose run_key this is, an array of one per process; NULL when there is
 * none, or not all of it is verified. */
json_t *report_store_find(const char *path, const char *key);

#endif
