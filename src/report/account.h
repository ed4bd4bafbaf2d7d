/* account.h - the account of a run (docs/results.md, "account") for strata why. Not for other folders. */
#ifndef STRATA_REPORT_ACCOUNT_H
#define STRATA_REPORT_ACCOUNT_H

#include <jansson.h>
#include <stdio.h>

/* null where the run has no account. Else an object, all in scheduler cycles:
 * - "memory": cycles of waiting on memory by part, all kernels together; "memory_unaccounted" is what is missing of the
 *   statistic, 0 unless there is a bug; the same as "fetch", "fence" and "offload", blocks that are away;
 * - "parts": what each part is;
 * - "lines": the instructions that cost most: kernel, line, text, source_file and source_line where there are, cycles
 *   (issued and waited there) and share of all. */
json_t *report_account(const json_t *run);
void report_account_print(FILE *out, const json_t *account);

#endif
