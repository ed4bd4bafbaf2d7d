/* copies.h - a copy in each stack of what a launch reads and does not write (ndp.tom_copy_bytes, ndp.hints).
 *
 * A vector that all blocks read lies in all stacks, a line each, so that of each four lines three come from other
 * stacks. When a launch begins, the stacks send one another what is small enough; an SM of a stack reads it from its
 * own stack once that has arrived. What the copies take on the links between the stacks is counted, in bytes and
 * energy. What they read and write in the stacks is not.
 */
#ifndef STRATA_NDP_TOM_COPIES_H
#define STRATA_NDP_TOM_COPIES_H

#include "ndp/blocks/written.h"
#include "ndp/tom/tom_stats.h"

struct tom_copies {
	uint64_t limit_bytes; /* of an allocation; 0: there are no copies but of what is declared */
	bool has_declared;    /* what the program declares to be read mostly is copied, however large (ndp.hints) */
	struct carry_written of;
	uint64_t ready_ps; /* from then on they are there */
};

static inline bool tom_copies_may_be(const struct tom_copies *c)
{
	return c->limit_bytes || c->has_declared;
}

/* A launch begins whose program loads and stores by these origins. The copies of the one before are gone. */
void tom_copies_begin(struct tom_copies *c, const struct gpu_config *config, const struct simt_launch *l,
		      const struct ndp_origins *loads, const struct ndp_origins *stores, uint64_t now_ps,
		      struct tom_stats *stats);

/* Is there a copy of the byte at this time? */
static inline bool tom_copies_have(const struct tom_copies *c, uint64_t addr_bytes, uint64_t now_ps)
{
	return c->of.count && now_ps >= c->ready_ps && carry_is_written(&c->of, addr_bytes);
}

#endif
