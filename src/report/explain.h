/* explain.h - of two runs that differ: which parameter, and which time and counters. Not for other folders. */
#ifndef STRATA_REPORT_EXPLAIN_H
#define STRATA_REPORT_EXPLAIN_H

#include <jansson.h>

/* To the object of report_runs_difference, which has "who" and "params":
 * - "time_parts": where the measured time's change lies, the largest first: name, a_ps, b_ps, change_ps. The time is
 *   that of the units whose time a part's rows account for, as a GPU's schedulers; of processors, with an account in
 *   both runs, of the mean unit that ran something. The changes add up to that of time_ps; empty where there is no such
 *   account;
 * - "explanation": sentences: what of parameters, programs and versions can be the cause, the parts of the time above,
 *   and the counters that went with them. */
void report_runs_explain(json_t *difference, const json_t *a, const json_t *b);
/* These parts of the time alone. */
json_t *report_time_parts(const json_t *a, const json_t *b);

#endif
