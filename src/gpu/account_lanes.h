/* account_lanes.h - what the SMs of each thread attribute while they tick beside each other (gpu/beside.h): sums, which
 * have no order and are added to the account later. Private to gpu/.
 */
#ifndef STRATA_GPU_ACCOUNT_LANES_H
#define STRATA_GPU_ACCOUNT_LANES_H

#include "gpu/account.h"

struct account_lane {
	struct account_cell *cells; /* [pc] of the GPU's SMs, then that of no instruction */
	uint64_t *touched;	    /* bits by cell: has something */
	struct account_stack *stacks;
	struct account_vault *vaults;
	uint64_t rows[NET_ROW_COUNT];
};

/* One for each thread; zeroed: none. */
struct account_lanes {
	struct account_lane *items;
	uint32_t count, cell_count;
};

void account_lanes_new(struct account_lanes *l, const struct account *all, uint32_t count);
void account_lanes_free(struct account_lanes *l);
/* For a kernel that begins; the lanes are empty. */
void account_lanes_fit(struct account_lanes *l, const struct account_kernel *k);
/* Adds what was attributed in kernel k, which is NULL before the first, and empties the lanes. */
void account_lanes_take(struct account_lanes *l, struct account *all, struct account_kernel *k);

static inline struct account_cell *account_lane_cell(struct account_lane *lane, uint32_t i)
{
	lane->touched[i / 64] |= 1ull << i % 64;
	return &lane->cells[i];
}

#endif
