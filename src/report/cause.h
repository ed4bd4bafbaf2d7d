/* cause.h - what a run's time is due to, by experiments: the same program on machines with one thing made ideal. */
#ifndef STRATA_REPORT_CAUSE_H
#define STRATA_REPORT_CAUSE_H

#include <jansson.h>
#include <stdio.h>

struct machine_explain;

/* Of the experiments (rows of what_if: name, what, setting, is_best, speedup of the measured time, program_speedup;
 * times of FEWER, where its condition holds) the one that is worth most: an object with
 * - "name", "worth", "setting": of the experiment; worth is the time without it over the time with it;
 * - "of": "kernels" or "program", and that time: "time_ps"; "what"; "is_best": nothing but a bound of what could be
 *   gained is worth anything;
 * - "sentence": all of this in one;
 * - "other": where there are kernels, what is worth most of the whole program's time, in the same way. Where kernels in
 *   no time would be worth less than 3 % of it, the program's cause is the first, and the other that of the kernels.
 * What is worth less than 3 % is no cause, and a bound is none where a part is worth that much: where there is none,
 * name, worth and setting are null. */
json_t *report_cause(const json_t *run, const json_t *what_if);

/* Findings that blame what an experiment has shown to be worth nothing say so. */
void report_findings_try(const json_t *run, const struct machine_explain *rows, const json_t *what_if,
			 json_t *findings);

#endif
