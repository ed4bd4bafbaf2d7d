/* ledger.h - what a mechanism did, block by block, for strata why. Not for other folders. */
#ifndef STRATA_REPORT_LEDGER_H
#define STRATA_REPORT_LEDGER_H

#include <jansson.h>
#include <stdio.h>

/* Rows for each block that was offered, or the CTAs of a kernel, the worst first: of a run with an account.
 * - kernel, line, text, source_file and source_line where there are, of_ctas;
 * - entries of warps (0 of CTAs); offered: a loop that was kept may be offered again each round; taken, refused by
 *   reason: they add up to offered;
 * - spent_bytes: what travelled for those that were taken; saved_bytes: what the lines that they touched there would
 *   have cost the links at most, had none of them been in a cache of the GPU; net_bytes: the second less the first;
 * - there_ps, here_ps: mean time of one, from the decision until its warp stood behind it; 0: there was none. Here: of
 *   entries none of whose rounds left, from the first question; there: what was left of the entry when it was taken;
 * - there_parts: there_ps by where the block, its messages or its operands were; in the names of the account's parts;
 * - finding: a sentence.
 * Worst: by net_bytes, where that is negative; then by time there beyond that here, for all that were taken. */
json_t *report_ledger(const json_t *run);
void report_ledger_print(FILE *out, const json_t *ledger);

#endif
