/* auto.h - what a policy with ndp.away = auto sees beside its blocks: how full the links to the GPU are, and how much
 * of the launch is still to come.
 */
#ifndef STRATA_NDP_BLOCKS_AUTO_H
#define STRATA_NDP_BLOCKS_AUTO_H

#include "ndp/blocks/window.h"
#include "ndp/carry/carry.h"
#include "ndp/registry.h"

struct ndp_auto {
	const struct sim_ctx *ctx;
	uint32_t stack_count;
	double full_ratio;    /* a direction of the links is full from this share of their time on */
	uint32_t first, most, most_relief; /* of each block, see window.h */
	struct ndp_visit *visits; /* [home SM * slots + slot] */
	uint32_t visit_count;
	/* the links, all stacks together */
	uint64_t looked_ps, tx_ps, rx_ps;
	bool tx_is_full, rx_is_full;
	/* the launch */
	uint64_t begin_ps, cta_count;
};

/* What it stores: for each of block_count blocks, and each warp slot of an SM; at most two items. */
uint32_t ndp_auto_storage(const struct ndp_site *site, uint64_t block_count, struct ndp_storage *items);
struct ndp_auto *ndp_auto_new(const struct sim_ctx *ctx, const struct gpu_config *config, uint32_t first,
			      uint32_t most, double full_ratio);
void ndp_auto_free(struct ndp_auto *a);
void ndp_auto_kernel_begin(struct ndp_auto *a, struct gpu *g, const struct simt_launch *l);
/* Looks at the links, when the time for it has come. */
void ndp_auto_look(struct ndp_auto *a, struct gpu *g);
/* What a block sees now, of whose instances at home a link is full or not. */
struct ndp_scene ndp_auto_scene(const struct ndp_auto *a, const struct gpu *g, bool is_relief);

#endif
