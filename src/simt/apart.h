/* apart.h - which launches have CTAs that cannot tell in which order they run. Not for other folders.
 *
 * A store's address is known if it is a sum of the numbers of CTA and thread, each times a constant of the launch: then
 * it can be shown before the launch that CTAs store, and read what is stored, each in places of its own. A load whose
 * address is not known is watched: it may go where no store of the launch goes.
 */
#ifndef STRATA_SIMT_APART_H
#define STRATA_SIMT_APART_H

#include "simt/priv.h"

enum { SIMT_APART_STORES = 16 }; /* stores of global memory in a kernel's text */

/* Bytes [from, to) that a store may change, in one or more allocations. */
struct simt_hull {
	uint64_t from, to;
};

struct simt_apart {
	struct simt_hull hulls[SIMT_APART_STORES];
	uint32_t hull_count;
	bool *is_watched; /* [inst_count] */
	/* A watched load may meet a hull, or a CTA may run for long: then what the hulls hold is kept before. */
	bool needs_copies;
	uint64_t hull_bytes;
};

/* May the launch's CTAs run in any order? False: it is not known, and *a holds nothing. */
bool simt_apart_find(struct simt_apart *a, const struct simt_launch *l);
void simt_apart_free(struct simt_apart *a);

/* The part of an allocation around [addr, addr + bytes) in which no store goes. False: one may go there. */
static inline bool simt_apart_allows(const struct simt_apart *a, const struct simt_alloc *in, uint64_t addr,
				     uint64_t bytes, struct simt_hull *part)
{
	*part = (struct simt_hull){in->addr, in->addr + in->size_bytes};
	for (uint32_t i = 0; i < a->hull_count; i++) {
		const struct simt_hull *h = &a->hulls[i];

		if (addr < h->to && addr + bytes > h->from)
			return false;
		if (h->to <= addr && h->to > part->from)
			part->from = h->to;
		if (h->from >= addr + bytes && h->from < part->to)
			part->to = h->from;
	}
	return true;
}

#endif
