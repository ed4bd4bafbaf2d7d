/* why.h - where a run's time went, and what bounds it: from its result object alone. */
#ifndef STRATA_REPORT_WHY_H
#define STRATA_REPORT_WHY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* An object. other: a run of the same program on another machine, for the times there, or NULL:
 * - "cause": null, until there are experiments (report_why_try);
 * - "program": parts of the whole program's time, in ps: kernels, copies, host, idle; of programs with kernels;
 * - "accounts", "behind": where the time of schedulers, control blocks, threads, NDPs or units went, by part, place and
 *   what was waited for (report/accounts.h);
 * - "kernels": per kernel, the longest first: name, launches, time_ps, share, ipc;
 * - "bounds": per resource, the nearest first: name, least_ps (the time that it alone needs at its full rate) and share
 *   of the kernels' time;
 * - "roofline": kernels against all rates (report/roofline.h);
 * - "ledger": of near-data blocks: instances, offloaded, and a number for each reason to stay;
 * - "blocks": the same by block (report/ledger.h);
 * - "placed": of Duality Cache by kernel, of NDPs by function or accelerator (report/placed.h);
 * - "findings": sentences. */
json_t *report_why(const json_t *run, const json_t *other);
/* Is a formula of an experiment's condition (sim/explain.h) above 0 for the run? */
bool report_why_holds(const json_t *run, const char *when);
/* Looks at the experiments (report/cause.h): "cause" is of them, and findings that they contradict say so. */
void report_why_try(json_t *why, const json_t *run, const json_t *what_if);
/* What a run waits for, and the rate that is nearest to bounding it, in one sentence, without an experiment; a new
 * text, or NULL: the results have neither. */
char *report_why_sentence(const json_t *run);
void report_why_print(FILE *out, const json_t *why);
/* What the experiments say, in one sentence; nothing without any. */
void report_cause_print(FILE *out, const json_t *why);
/* Rows of what one ideal resource after the other is worth: name, what, speedup, program_speedup, verified. */
void report_what_if_print(FILE *out, const json_t *rows);

#endif
