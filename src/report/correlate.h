/* correlate.h - a user's own measurements (report/measured.h) beside what runs took on a machine. */
#ifndef STRATA_REPORT_CORRELATE_H
#define STRATA_REPORT_CORRELATE_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* Of each measurement its own of the runs: of kernels their mean time of a launch, of programs that of the whole
 * program, of figures what the program has measured of itself. Names are matched as they are; then as any demangler
 * writes them; then without parameters, and without what templates are made of, where only one on either side is
 * called so. An object:
 * - "format", "kind": of the measurements;
 * - "rows" (of what is on both sides), the worst first: name, modelled_name, matched_by (name, title, base, template),
 *   line (in the file), measured_count, modelled_count, measured_ps, modelled_ps, error_percent, run (which of runs);
 * - "only_measured", "only_modelled": names, times and counts of the others;
 * - "mape": the mean of the errors without their signs, in percent; "weighted_mape": weighted by the time that was
 *   measured in all; "mean_error"; "log_correlation": Pearson's, of the logarithms of the times, null of less than two
 *   rows, or where one side's times are all the same;
 * - "why": the first finding of `strata why` about the run of the worst row, of a kernel about what is
 *   in kernels; null: there is none;
 * - "runs": what ran (workload, args, machine, process, verified; id: of a run of the store). */
json_t *report_correlate(const json_t *measured, const json_t *runs);
/* As text, of so many columns. */
void report_correlate_print(FILE *out, const json_t *correlated, uint32_t columns);

#endif
