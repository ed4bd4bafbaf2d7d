/* auto.h - what a policy with ndp.away = auto sees beside its blocks: how full the links to the GPU are
 * and the issue of the SMs in stacks, and how much of the launch is still to come.
 */
#ifndef STRATA_NDP_BLOCKS_AUTO_H
#define STRATA_NDP_BLOCKS_AUTO_H

#include "ndp/blocks/window.h"
#include "ndp/carry/carry.h"
#include "ndp/registry.h"

struct ndp_auto {
	const struct sim_ctx *ctx;
	uint32_t stack_count, home_sm_count, unit_count; /* unit_count: SMs of stacks; 0: their issue is not seen */
	double full_ratio;    /* a direction of the links is full from this share of their time on */
	uint32_t first, most, most_relief; /* of each block, see window.h */
	double fill_lines; /* under way at a time, so many fill the links */
	double issues; /* of all units while an access is under way */
	double issues_per_ps; /* at most */
	uint64_t warp_count; /* that the GPU's SMs have room for of the launch, as far as it has them */
	struct ndp_visit *visits; /* [home SM * slots + slot] */
	uint32_t visit_count;
	/* the links, all stacks together */
	uint64_t looked_ps, tx_ps, rx_ps;
	bool tx_is_full, rx_is_full;
	uint64_t unit_issues;
	double load; /* of the units' issue, from load_ps to looked_ps */
	uint64_t load_ps;
	/* the launch */
	uint64_t begin_ps, cta_count;
};

/* What it stores: for each of block_count blocks, and each warp slot of an SM; at most two items. */
uint32_t ndp_auto_storage(const struct ndp_site *site, uint64_t block_count, struct ndp_storage *items);
struct ndp_auto *ndp_auto_new(const struct ndp_site *site, uint32_t most);
void ndp_auto_free(struct ndp_auto *a);
void ndp_auto_kernel_begin(struct ndp_auto *a, struct gpu *g, const struct simt_launch *l);
/* Looks at the links and the units, when the time for it has come. */
void ndp_auto_look(struct ndp_auto *a, struct gpu *g);
/* What an instance knows of itself when it asks. */
struct ndp_auto_asks {
	bool is_relief;	 /* a link is full of what its like ask for at home */
	bool is_counted; /* the code says how long they are: none is away for ever */
	bool saves_rx;	 /* it reads lines that would come over RX */
	uint32_t line_count; /* that it is known to touch first */
	double busy; /* of its instructions, the share that accesses no memory */
};
/* What its block sees now. */
struct ndp_scene ndp_auto_scene(const struct ndp_auto *a, const struct gpu *g, const struct ndp_auto_asks *asks);

#endif
