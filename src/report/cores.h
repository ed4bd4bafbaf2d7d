/* cores.h - where the time of cores and NDP cores went, for strata why. Not for other folders. */
#ifndef STRATA_REPORT_CORES_H
#define STRATA_REPORT_CORES_H

#include <jansson.h>
#include <stdio.h>

/* null where the run has no "core_account" (docs/results.md). Else an object:
 * - "kinds": of "processors" and, where there are some, of "ndps": the units (hardware threads, NDP cores) that ran
 *   something, of how many, their time in ps together, the "parts" of it, the largest first, and the "lines" of the
 *   program, those with the most time first, each with its own parts: without "none", when there was no thread;
 * - "unaccounted_ps": what is missing of the time of all units, 0 unless there is a bug;
 * - "findings": sentences. */
json_t *report_cores(const json_t *run);
void report_cores_print(FILE *out, const json_t *cores);

#endif
