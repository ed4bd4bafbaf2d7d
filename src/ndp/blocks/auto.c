/* auto.c - links and launches, as ndp.away = auto sees them. */
#include "ndp/blocks/auto.h"

#include <glib.h>
#include <string.h>

#include "base/units.h"

enum {
	WINDOW_PS = 1600000, /* of the links: the latency of an access and more */
	OPENED = 4, /* a probe that does well may become so many before one of it has come back */
	HIDDEN_PART = 32,    /* of the time that the launch has taken: so much longer it may take for a delay */
	/* Two places with two sums of 32 bits of time and 16 of accesses, a count and two times each; mean and first
	 * time away, when it was opened, the last throughput, and eight counters of 12 bits; are its loops counted. */
	BLOCK_BITS = 2 * (2 * (32 + 16) + 12 + 2 * 32) + 4 * 32 + 8 * 12 + 1 + 1,
	VISIT_BITS = 32 + 6 + 1, /* begin, number of the block, whether it is away */
};

/* Little's law: so many lines are under way where one direction of the links is full and none waits. */
static double fill_lines(const struct gpu_config *c, const struct ndp_params *p)
{
	const double bytes_per_s =
		(double)c->gpu.stack_count * (double)c->link.bandwidth_mbytes_per_s * BASE_BYTES_PER_MBYTE;
	const double under_way_bytes = bytes_per_s / BASE_PS_PER_S * (double)p->away_latency_ps * p->away_full_ratio;

	return under_way_bytes / (double)c->l1d.line_bytes;
}

struct ndp_auto *ndp_auto_new(const struct ndp_site *site, uint32_t most)
{
	const struct gpu_config *config = site->gpu;
	struct ndp_auto *a = g_new0(struct ndp_auto, 1);

	a->ctx = site->ctx;
	a->stack_count = (uint32_t)config->gpu.stack_count;
	a->full_ratio = site->ndp->choice.away_full_ratio;
	a->first = (uint32_t)site->ndp->choice.away_first_count;
	a->fill_lines = fill_lines(config, &site->ndp->choice);
	a->home_sm_count = (uint32_t)config->gpu.sm_count;
	a->unit_count = (uint32_t)(config->gpu.stack_count * config->gpu.stack_sm_count);
	a->issues_per_ps =
		(double)a->unit_count * (double)config->sm.scheduler_count * (double)config->gpu.sm_clock_khz * 1e-9;
	a->issues = a->issues_per_ps * (double)site->ndp->choice.away_latency_ps;
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

static uint64_t unit_issues(const struct ndp_auto *a, const struct gpu *g)
{
	uint64_t issues = 0;

	for (uint32_t i = 0; i < a->unit_count; i++)
		issues += gpu_issues(g, a->home_sm_count + i);
	return issues;
}

/* Warps of the launch that run at a time at home. */
static uint64_t home_warps(const struct ndp_auto *a, const struct gpu *g, const struct simt_launch *l)
{
	const uint32_t threads = l->block[0] * l->block[1] * l->block[2];
	uint64_t places = 0;

	for (uint32_t s = 0; s < a->home_sm_count; s++)
		places += gpu_cta_room(g, s);
	return (a->cta_count < places ? a->cta_count : places) * ((threads + SIMT_LANES - 1) / SIMT_LANES);
}

void ndp_auto_kernel_begin(struct ndp_auto *a, struct gpu *g, const struct simt_launch *l)
{
	memset(a->visits, 0, a->visit_count * sizeof(*a->visits));
	a->begin_ps = a->looked_ps = sim_now_ps(a->ctx->engine);
	a->tx_ps = links_ps(a, g, false);
	a->rx_ps = links_ps(a, g, true);
	a->tx_is_full = a->rx_is_full = false;
	a->unit_issues = unit_issues(a, g);
	a->load = 1;
	a->load_ps = 0;
	a->cta_count = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	a->warp_count = home_warps(a, g, l);
}

static void look_at_units(struct ndp_auto *a, const struct gpu *g, uint64_t passed_ps)
{
	const uint64_t issues = unit_issues(a, g);

	a->load = (double)(issues - a->unit_issues) / (a->issues_per_ps * (double)passed_ps);
	a->load_ps = a->looked_ps;
	a->unit_issues = issues;
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
	if (a->unit_count)
		look_at_units(a, g, passed_ps);
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

/* Instances that the units' issue keeps up with: while one waits for an access, the others issue what lies between. */
static uint32_t capacity(const struct ndp_auto *a, double busy)
{
	const double count = a->issues * (1 - busy);

	return count < a->most ? (uint32_t)count : a->most;
}

/* Where the code says how long they are: as many as make the units as full as the GPU's SMs are, and no more than these
 * keep up with. */
static uint32_t share(const struct ndp_auto *a, const struct ndp_auto_asks *asks)
{
	const uint32_t even = (uint32_t)(a->most * a->warp_count / a->visit_count), able = capacity(a, asks->busy);

	return even < able ? even : able;
}

/* Would the launch's warps fill the links, if each asked for what this one does? */
static bool fills(const struct ndp_auto *a, const struct ndp_auto_asks *asks)
{
	return asks->saves_rx && (double)a->warp_count * asks->line_count >= a->fill_lines;
}

struct ndp_scene ndp_auto_scene(const struct ndp_auto *a, const struct gpu *g, const struct ndp_auto_asks *asks)
{
	const uint64_t now_ps = sim_now_ps(a->ctx->engine);
	const uint32_t known = asks->is_counted ? share(a, asks) : 0, least = OPENED * a->first;

	return (struct ndp_scene){.now_ps = now_ps,
				  .is_relief = asks->is_relief,
				  .is_counted = asks->is_counted,
				  .load = a->load,
				  .load_ps = a->load_ps,
				  .sure = known > least ? known : least,
				  .slack_ps = slack_ps(a, g, now_ps),
				  .so_far_ps = now_ps - a->begin_ps,
				  .first = known > a->first && fills(a, asks) ? known : a->first,
				  .most = a->most,
				  .most_relief = a->most_relief};
}
