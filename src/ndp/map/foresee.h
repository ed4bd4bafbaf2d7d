/* foresee.h - what warps of a launch will touch, by its code: in the place of a learning phase (ndp.tom_learn_from).
 *
 * The addresses of a kernel's loads are arithmetic of special registers and parameters, and of what is loaded by such
 * addresses. For some warps, spread over the grid, a processor computes their first ones (simt/walk.h).
 */
#ifndef STRATA_NDP_MAP_FORESEE_H
#define STRATA_NDP_MAP_FORESEE_H

#include "gpu/coalesce.h"
#include "simt/walk.h"

enum { FORESEE_WARPS_MAX = 256, FORESEE_LINES_MAX = 256 };

/* The lines of a warp, as often as its accesses touch them. */
struct foresee_warp {
	uint64_t lines[FORESEE_LINES_MAX];
	uint32_t count;
};

struct foresee {
	struct foresee_warp *warps; /* the caller's, room for FORESEE_WARPS_MAX */
	uint32_t count;
	struct simt_walked walked;
	uint64_t lookups_most; /* of one warp: loads that one address after the other waits for */
};

/* Looks at so many warps of the launch, at most, and so many accesses of each. Nothing: the code does not say. */
void foresee_look(struct foresee *f, struct simt_launch *l, uint64_t warps, uint64_t accesses);

#endif
