/* described.h - a paper that is a folder of data: paper.yaml says what runs, what its numbers are and what it claims.
 *
 *   title: Sorting beside memory channels
 *   words: ... settings: ... runs: ...       experiment/experiment.h
 *   define: {speedup(run, against): "...", ...}      experiment/expression.h
 *   numbers:                                 those of results.csv, by their id
 *     CH7-04: {is: "speedup(NDP_1, CPU_1)", within: 0.25}
 *     CH7-07: {is: "...", within: 0.2, as: V9 (d)}     a claim, or a number, judges it
 *     CH7-10: {is: none}                     what no run can say
 *     BOM-01: {is: "...", note: "the arithmetic mean is {0:.1} %", noted: "..."}     and a number beside it
 *   claims:
 *     - claim: V9 (b)
 *       text: one core and one NDP are {=0} to {=1} times as fast as the core     claim.h has the fields
 *       seen: "{0:.2}"
 *       terms:
 *         - speedup(NDP_1, CPU_1) >= 2       what must be true; without a relation a number is only shown
 *         - speedup(NDP_1, CPU_1) <= 2.8
 *         - number: CH7-07                   as the number is judged
 *         - {is: "gain(NDP_1) > 2", turn: 0}   and where its answer turns round
 *         - {is: "most - 1", words: [the one, the other]}    in texts {0:s}, the word at this index
 *   figures:                                 of papers whose runs are the same programs under the same names
 *     - {title: "...", plot: speedup, of: [one name, another]}       or traffic, energy, blocks
 *   charts:
 *     - {title: "...", groups: [1, 2], bars: [{bar: GB/s, is: "[ONE, TWO][measures.rate]"}]}
 *   scatters:                                points that one of our models computes (models.h), by logarithms
 *     - {title: "...", x: ..., y: ..., series: [one, another], points: csp_design_points}
 */
#ifndef STRATA_REPRODUCE_DESCRIBED_H
#define STRATA_REPRODUCE_DESCRIBED_H

#include "base/diag.h"
#include "reproduce/data.h"
#include "reproduce/published.h"

/* The name of the file in the folder. */
#define REPRODUCE_FILE "paper.yaml"

/* Is there such a file in the folder? */
bool reproduce_is_described(const char *dir);

/* Reads the file for runs of this size; the paper is called as its folder. NULL after messages. Free with
 * reproduce_described_free. */
const struct reproduce_paper *reproduce_described_read(const char *path, enum experiment_size size,
						       struct base_diag_list *diag);
/* Frees a paper that was read. */
void reproduce_described_free(const struct reproduce_paper *paper);

/* Where a configuration, which is a run, stands. */
struct base_place reproduce_described_place(const struct reproduce_paper *paper, uint32_t config);

/* Do settings of this run follow from other runs' results? */
bool reproduce_described_follows(const struct reproduce_paper *paper, uint32_t config, uint32_t workload);
/* These settings, "key=value" separated by spaces; NULL: a result that they need is missing. Freed with g_free. */
char *reproduce_described_sets(const struct reproduce_data *d, uint32_t config, uint32_t workload);

/* Is each number published, and each published number one of the paper's? False after messages. */
bool reproduce_described_check(const struct reproduce_paper *paper, const struct reproduce_published_set *published,
			       struct base_diag_list *diag);

/* The number of an expression that the paper names so, or of its list at an index. A field that a verified run does not
 * have makes it NAN, and is noted. */
double reproduce_described_number(const struct reproduce_data *d, const char *name, uint32_t index);
/* Are the expressions that the paper names so written alike? Of `none` nothing is the same. */
bool reproduce_described_is_same(const struct reproduce_paper *paper, const char *a, const char *b);
/* Messages about fields that expressions need and verified runs did not have. False: there are none. */
bool reproduce_described_lacks(const struct reproduce_paper *paper, struct base_diag_list *diag);

#endif
