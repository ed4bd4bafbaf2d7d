/* homes.h - CTAs that begin where their data is (ndp.ctas): a part of a policy.
 *
 *   next CTA of the grid -> a walk makes addresses that it will read (simt/walk.h) -> the stack that has most of these
 *   lines is its home -> will it end there before those here do? -> the carrier starts it, or it waits (carry/start.c)
 *   -> a CTA that waits too long is given back
 *
 * Hardware would be the CTA scheduler with a small processor beside it, for which the compiler has put the instructions
 * of which addresses are made into a routine of their own. It looks at one CTA after the other; SMs of the GPU do not
 * wait for it.
 */
#ifndef STRATA_NDP_CTAS_HOMES_H
#define STRATA_NDP_CTAS_HOMES_H

#include "base/diag.h"
#include "ndp/carry/carry.h"
#include "ndp/registry.h"

struct ctas_homes;
struct ndp_cta_notes;

/* NULL: ndp.ctas is none, or, with a message, such CTAs cannot run on the machine. */
struct ctas_homes *ctas_homes_new(const struct ndp_site *site, struct base_diag_list *diag);
void ctas_homes_free(struct ctas_homes *h);
void ctas_homes_add_stats(struct ctas_homes *h, struct sim_stats *stats);
extern const struct sim_stat_table ctas_stat_table;

/* A launch begins of whose program this is known (NULL: no data is in the stacks yet); has_blocks: it has blocks that
 * could be sent. True: its CTAs are offered to the stacks, and blocks must not be. */
bool ctas_homes_kernel_begin(struct ctas_homes *h, struct gpu *g, struct simt_launch *l, struct ndp_cta_notes *ctas,
			     bool has_blocks);
void ctas_homes_kernel_end(struct ctas_homes *h);
/* The policy's cta_start and cta_back, and what it hears. */
bool ctas_homes_start(struct ctas_homes *h, struct gpu *g, struct simt_cta *cta, uint64_t index,
		      struct carry_start *out);
uint32_t ctas_homes_back(struct ctas_homes *h, struct gpu *g);
void ctas_homes_placed(struct ctas_homes *h, uint64_t index);
/* A request is about to leave an SM, its place is known. */
void ctas_homes_access(struct ctas_homes *h, const struct gpu *g, uint32_t sm, const struct mem_req *r);
/* Are the CTAs of the running launch offered to the stacks? */
bool ctas_homes_is_on(const struct ctas_homes *h);

#endif
