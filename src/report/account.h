/* account.h - the account of a run (docs/results.md, "account") for strata why. Not for other folders. */
#ifndef STRATA_REPORT_ACCOUNT_H
#define STRATA_REPORT_ACCOUNT_H

#include <jansson.h>
#include <stdio.h>

/* null where the run has no account. Else an object, all in scheduler cycles:
 * - "splits": name and title of each share of the time that is split along the way (SPLIT of sim/explain.h);
 * - NAME of each: its cycles by part, all kernels together; "NAME_unaccounted": what is missing of the share, 0 unless
 *   there is a bug;
 * - "parts": what each part is;
 * - "lines": the instructions that cost most: kernel, line, text, source_file and source_line where there are, cycles
 *   (issued and waited there) and share of all. */
json_t *report_account(const json_t *run);
void report_account_print(FILE *out, const json_t *account);

#endif
