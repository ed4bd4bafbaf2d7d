/* auto.c - links and launches, as ndp.away = auto sees them. */
#include "ndp/blocks/auto.h"

#include <glib.h>
#include <string.h>

enum {
	WINDOW_PS = 1600000, /* of the links: the latency of an access and more */
	HIDDEN_PART = 32,    /* of the time that the launch has taken: so much longer it may take for a delay */
	/* Two places with two sums of 32 bits of time and 16 of accesses, a count and two times each; mean and first
	 * time away, the last throughput, and eight counters of 12 bits. */
	BLOCK_BITS = 2 * (2 * (32 + 16) + 12 + 2 * 32) + 3 * 32 + 8 * 12 + 1,
	VISIT_BITS = 32 + 6 + 1, /* begin, number of the block, whether it is away */
};

struct ndp_auto *ndp_auto_new(const struct sim_ctx *ctx, const struct gpu_config *config, uint32_t first,
			      uint32_t most, double full_ratio)
{
	struct ndp_auto *a = g_new0(struct ndp_auto, 1);

	a->ctx = ctx;
	a->stack_count = (uint32_t)config->gpu.stack_count;
	a->full_ratio = full_ratio;
	a->first = first;
	a->most = most;
	a->most_relief = most;
	a->visit_count = (uint32_t)(config->gpu.sm_count * config->sm.warp_slot_count);
	a->visits = g_new0(struct ndp_visit, a->visit_count);
	return a;
}

uint32_t ndp_auto_storage(const struct ndp_site *site, uint64_t block_count, struct ndp_storage *items)
{
	const struct gpu_config *c = site->gpu;

	if (site->ndp->choice.away != NDP_AWAY_AUTO)
		return 0;
	items[0] = (struct ndp_storage){"windows of blocks", block_count * BLOCK_BITS, 1, "GPU",
					"choice: sums, counts and times of each block"};
	items[1] = (struct ndp_storage){"instances under way", c->sm.warp_slot_count * VISIT_BITS, c->gpu.sm_count,
					"SM", "choice: begin and block of each warp"};
	return 2;
}

void ndp_auto_free(struct ndp_auto *a)
{
	if (!a)
		return;
	g_free(a->visits);
	g_free(a);
}

static uint64_t links_ps(const struct ndp_auto *a, const struct gpu *g, bool is_rx)
{
	uint64_t ps = 0;

	for (uint32_t s = 0; s < a->stack_count; s++)
		ps += gpu_link_busy_ps(g, s, is_rx);
	return ps;
}

void ndp_auto_kernel_begin(struct ndp_auto *a, struct gpu *g, const struct simt_launch *l)
{
	memset(a->visits, 0, a->visit_count * sizeof(*a->visits));
	a->begin_ps = a->looked_ps = sim_now_ps(a->ctx->engine);
	a->tx_ps = links_ps(a, g, false);
	a->rx_ps = links_ps(a, g, true);
	a->tx_is_full = a->rx_is_full = false;
	a->cta_count = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

void ndp_auto_look(struct ndp_auto *a, struct gpu *g)
{
	const uint64_t now_ps = sim_now_ps(a->ctx->engine), passed_ps = now_ps - a->looked_ps;
	const double full_ps = a->full_ratio * (double)passed_ps * a->stack_count;
	uint64_t tx_ps, rx_ps;

	if (passed_ps < WINDOW_PS)
		return;
	tx_ps = links_ps(a, g, false);
	rx_ps = links_ps(a, g, true);
	a->tx_is_full = (double)(tx_ps - a->tx_ps) >= full_ps;
	a->rx_is_full = (double)(rx_ps - a->rx_ps) >= full_ps;
	a->tx_ps = tx_ps;
	a->rx_ps = rx_ps;
	a->looked_ps = now_ps;
}

/* Until the last CTA is placed, by how long those took that have ended; and at least a part of the time so far. */
static uint64_t slack_ps(const struct ndp_auto *a, const struct gpu *g, uint64_t now_ps)
{
	const struct carry_ctas ctas = carry_ctas(g);
	const uint64_t so_far_ps = now_ps - a->begin_ps, left = a->cta_count - ctas.placed;
	const double rest_ps = ctas.done ? (double)so_far_ps * (double)left / (double)ctas.done
					 : (double)(left ? so_far_ps : 0);
	const double part_ps = (double)so_far_ps / HIDDEN_PART;

	return (uint64_t)(rest_ps > part_ps ? rest_ps : part_ps);
}

struct ndp_scene ndp_auto_scene(const struct ndp_auto *a, const struct gpu *g, bool is_relief)
{
	const uint64_t now_ps = sim_now_ps(a->ctx->engine);

	return (struct ndp_scene){.now_ps = now_ps,
				  .is_relief = is_relief,
				  .slack_ps = slack_ps(a, g, now_ps),
				  .so_far_ps = now_ps - a->begin_ps,
				  .first = a->first,
				  .most = a->most,
				  .most_relief = a->most_relief};
}
