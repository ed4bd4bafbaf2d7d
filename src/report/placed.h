/* placed.h - the ledger of mechanisms that run whole kernels, functions or designs beside the data, by the rows MOVED,
 * HERE, NUMBER and SAID of their parts (sim/explain.h). Not for other folders.
 */
#ifndef STRATA_REPORT_PLACED_H
#define STRATA_REPORT_PLACED_H

#include <jansson.h>
#include <stdio.h>

/* Rows, the worst first; none where the run has neither mechanism, or NDPs without an account. other: a run of the same
 * program on a machine without the mechanism, or NULL.
 * - name, what ("kernel", "function" or "accelerator"); offered and taken, and why the rest was refused (kernels);
 * - there_ps: of kernels their time; of functions that of all NDP cores together, without wait_ps, waiting for other
 *   threads; of accelerators that in which they had work; here_ps: of the same name in the other run, of all hardware
 *   threads together, 0: unknown;
 * - the other numbers of their rows, as spent_bytes and saved_bytes, those of the results, and finding: a sentence.
 * Worst: refused; then by the time that there is beyond here; then by bytes spent beyond those saved; then by time. */
json_t *report_placed(const json_t *run, const json_t *other);
void report_placed_print(FILE *out, const json_t *rows);

#endif
