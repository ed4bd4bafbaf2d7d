/* nsu.c - NSU's offloading (NSU, SC'17): at the entry of a warp into a block, whether this instance is executed in two
 * parts. What carries it out is ndp/carry/split/; what a block is, nsu/code.c.
 *
 * With ndp.tom_mapping = learned, which no paper has, TOM's learning phase comes first: the instances of NSU's blocks
 * are what the analyzer watches, and none leaves until the mapping is known.
 */
#include <glib.h>
#include <string.h>

#include "base/check.h"
#include "ndp/blocks/auto.h"
#include "ndp/carry/carry.h"
#include "ndp/carry/destination.h"
#include "ndp/map/hints.h"
#include "ndp/map/mapping.h"
#include "ndp/map/observer.h"
#include "ndp/mechanism.h"
#include "ndp/nsu/blocks.h"
#include "ndp/nsu/decide.h"
#include "ndp/nsu/storage.h"

struct nsu_offload {
	const struct gpu_config *config;
	struct nsu_decider *decider;
	struct carry_chooser chooser;
	struct map_observer *observer;	 /* NULL: nothing is learned */
	struct map_hints *hints;	 /* NULL: declarations are ignored */
	const struct nsu_blocks *blocks; /* of the running kernel */
	const struct sim_ctx *ctx;
	struct ndp_timed_instance *timed; /* [home SM * slots + slot]; NULL: times do not count */
	uint32_t instance_count;
	struct ndp_auto *automatic; /* NULL: without ndp.away = auto */
};

static void *offload_create(const struct ndp_site *site, struct base_diag_list *diag)
{
	const struct gpu_config *config = site->gpu;
	const uint32_t before = diag->error_count;
	struct map_observer *observer = NULL;
	struct map_hints *hints;
	struct nsu_decider *decider;
	struct nsu_offload *t;

	if (!config->nsu.is_present) {
		base_diag_error(diag, (struct base_place){0},
				"ndp.mechanism = nsu needs SIMD units in the stacks: set nsu.is_present to true");
		return NULL;
	}
	decider = nsu_decider_new(site, diag);
	if (!decider)
		return NULL;
	if (site->ndp->map.tom_mapping == TOM_MAPPING_LEARNED)
		observer = map_observer_new(site, diag);
	hints = map_hints_new(site, diag);
	if (diag->error_count != before) {
		nsu_decider_free(decider);
		map_observer_free(observer);
		map_hints_free(hints);
		return NULL;
	}
	t = g_new0(struct nsu_offload, 1);
	t->decider = decider;
	carry_chooser_init(&t->chooser, (enum carry_destination_rule)site->ndp->choice.destination,
			   (uint32_t)site->ndp->choice.destination_access_count,
			   (uint32_t)site->ndp->choice.destination_line_count, (uint32_t)config->gpu.sm_count);
	t->observer = observer;
	t->hints = hints;
	t->ctx = site->ctx;
	t->instance_count = (uint32_t)(config->gpu.sm_count * config->sm.warp_slot_count);
	if (site->ndp->choice.timed)
		t->timed = g_new0(struct ndp_timed_instance, t->instance_count);
	if (site->ndp->choice.away == NDP_AWAY_AUTO)
		t->automatic = ndp_auto_new(site, (uint32_t)(config->gpu.stack_count * config->nsu.warp_slot_count));
	if (t->automatic) /* commands and data wait on the way, too */
		t->automatic->most_relief = t->instance_count;
	t->config = config;
	return t;
}

static void offload_free(void *ctx)
{
	struct nsu_offload *t = ctx;

	nsu_decider_free(t->decider);
	map_observer_free(t->observer);
	map_hints_free(t->hints);
	carry_chooser_free(&t->chooser);
	g_free(t->timed);
	ndp_auto_free(t->automatic);
	g_free(t);
}

static void offload_add_stats(void *ctx, struct sim_stats *stats)
{
	struct nsu_offload *t = ctx;

	nsu_decider_add_stats(t->decider, stats);
	if (t->observer)
		map_observer_add_stats(t->observer, stats);
	if (t->hints)
		map_hints_add_stats(t->hints, stats);
}

static uint32_t offload_series(void *ctx, struct gpu_series *items, uint32_t cap)
{
	struct nsu_offload *t = ctx;

	return nsu_decider_series(t->decider, items, cap);
}

static void offload_kernel_begin(void *ctx, struct gpu *g, struct simt_launch *l, struct simt_program *p)
{
	struct nsu_offload *t = ctx;

	t->blocks = nsu_blocks_of(p, l, &t->config->nsu);
	nsu_decider_kernel_begin(t->decider, t->blocks->name, t->blocks->program->code, gpu_kernel_cycles(g),
				 sim_now_ps(t->ctx->engine));
	if (t->automatic)
		ndp_auto_kernel_begin(t->automatic, g, l);
	if (t->timed)
		memset(t->timed, 0, t->instance_count * sizeof(*t->timed));
	if (t->observer)
		map_observer_kernel_begin(t->observer, g, l, t->blocks->program->code->block_count);
	if (t->hints)
		map_hints_kernel_begin(t->hints, g, l);
}

static void offload_kernel_end(void *ctx, struct gpu *g, struct simt_launch *l)
{
	struct nsu_offload *t = ctx;

	(void)l;
	for (uint32_t i = 0; t->automatic && i < t->blocks->program->code->block_count; i++)
		ndp_window_end(nsu_decider_window(t->decider, i), t->automatic->begin_ps,
			       sim_now_ps(t->ctx->engine));
	nsu_decider_kernel_end(t->decider, gpu_kernel_cycles(g));
	if (t->observer)
		map_observer_kernel_end(t->observer);
}

static uint64_t offload_epoch(void *ctx, struct gpu *g, uint64_t cycle)
{
	struct nsu_offload *t = ctx;

	(void)g;
	return nsu_decider_epoch(t->decider, cycle);
}

static void offload_partition_end(void *ctx, struct gpu *g, uint32_t sm, const struct carry_split_result *r)
{
	struct nsu_offload *t = ctx;

	(void)g;
	(void)sm;
	nsu_decider_ended(t->decider, r->block, r->read_lines, r->read_hits);
}

static uint32_t offload_target(void *ctx, struct gpu *g, const struct carry_access *a, const uint32_t *loads)
{
	struct nsu_offload *t = ctx;

	return carry_destination(&t->chooser, g, a, loads);
}

static uint32_t offload_ahead(void *ctx)
{
	const struct nsu_offload *t = ctx;

	return t->chooser.access_count;
}

static struct ndp_timed_instance *timed_of(struct nsu_offload *t, uint32_t sm, uint32_t slot)
{
	return &t->timed[sm * (uint32_t)t->config->sm.warp_slot_count + slot];
}

/* All instances of a block have as many accesses: they count as one. */
static void visit_begin(struct nsu_offload *t, uint32_t sm, uint32_t slot, uint32_t block)
{
	struct ndp_visit *v = &t->automatic->visits[sm * (uint32_t)t->config->sm.warp_slot_count + slot];

	ndp_visit_open(v, nsu_decider_window(t->decider, block), sim_now_ps(t->ctx->engine));
}

/* A link is full of what instances of the block at home read: lines, which come back over RX. */
static struct ndp_scene scene_of(struct nsu_offload *t, struct gpu *g, uint32_t block)
{
	/* Which lines it reads, and who else does, nobody knows before it goes: it begins with a probe. */
	struct ndp_auto_asks asks = {.busy = 1};

	ndp_auto_look(t->automatic, g);
	asks.is_relief = t->automatic->rx_is_full && nsu_decider_saves(t->decider, block);
	return ndp_auto_scene(t->automatic, g, &asks);
}

static struct carry_verdict offload_block_begin(void *ctx, struct gpu *g, uint32_t sm, const struct simt_warp *w,
					      uint32_t mark)
{
	struct nsu_offload *t = ctx;
	bool is_learning = t->observer && map_observer_is_learning(t->observer);
	struct carry_verdict stay = {.why = "the mapping is being learned"};
	struct ndp_scene scene;

	if (t->observer || t->timed || t->automatic) {
		stay.is_observed = true;
		stay.block = &t->blocks->items[mark - 1];
	}
	if (t->observer)
		map_observer_enter(t->observer, sm, w->slot);
	if (t->timed) {
		ndp_timed_open(timed_of(t, sm, w->slot), nsu_decider_timed(t->decider, mark - 1),
			       sim_now_ps(t->ctx->engine));
		timed_of(t, sm, w->slot)->accesses = 1; /* all instances of a block have as many */
	}
	if (is_learning)
		return stay;
	if (t->automatic) {
		visit_begin(t, sm, w->slot, mark - 1);
		scene = scene_of(t, g, mark - 1);
	}
	if (!nsu_decider_offload(t->decider, mark - 1, t->automatic ? &scene : NULL, &stay.why))
		return stay;
	if (t->automatic)
		ndp_visit_leave(&t->automatic->visits[sm * (uint32_t)t->config->sm.warp_slot_count + w->slot],
				sim_now_ps(t->ctx->engine));
	if (t->timed)
		ndp_timed_leave(timed_of(t, sm, w->slot), sim_now_ps(t->ctx->engine));
	return (struct carry_verdict){
	    .is_observed = stay.is_observed,
	    .way = CARRY_SPLIT,
	    .block = &t->blocks->items[mark - 1],
	    .program = t->blocks->program,
	    .partition = mark - 1,
	};
}

/* ---- hooks of a machine that learns a mapping, or times blocks ---- */

static void visit_end(struct nsu_offload *t, uint32_t sm, uint32_t slot)
{
	struct ndp_visit *v = &t->automatic->visits[sm * (uint32_t)t->config->sm.warp_slot_count + slot];

	ndp_visit_access(v, sim_now_ps(t->ctx->engine));
	ndp_visit_close(v, sim_now_ps(t->ctx->engine));
}

static void offload_block_touch(void *ctx, struct gpu *g, uint32_t home_sm, uint32_t slot,
				const struct simt_step *step, const struct coalesced_line *lines, uint32_t count)
{
	struct nsu_offload *t = ctx;

	(void)step;
	if (t->observer)
		map_observer_touch(t->observer, g, home_sm, slot, lines, count);
}

static void offload_block_left(void *ctx, struct gpu *g, uint32_t home_sm, uint32_t slot)
{
	struct nsu_offload *t = ctx;

	if (t->timed)
		ndp_timed_close(timed_of(t, home_sm, slot), sim_now_ps(t->ctx->engine));
	if (t->automatic)
		visit_end(t, home_sm, slot);
	if (t->observer)
		map_observer_left(t->observer, g, home_sm, slot);
}

static void offload_resumed(void *ctx, struct gpu *g)
{
	struct nsu_offload *t = ctx;

	(void)g;
	if (t->hints)
		map_hints_resumed(t->hints);
	else
		map_observer_resumed(t->observer);
}

static void offload_access(void *ctx, struct gpu *g, uint32_t sm, struct mem_req *r)
{
	struct nsu_offload *t = ctx;

	(void)sm;
	if (t->observer)
		map_observer_access(t->observer, g, r);
	if (t->hints)
		map_hints_place(t->hints, r);
}

/* Blocks begin and end where the SM's cycle is held; requests get their places where it is not. */
static enum gpu_beside offload_beside(const void *ctx)
{
	const struct nsu_offload *t = ctx;

	return !t->observer || map_observer_is_settled(t->observer) ? GPU_BESIDE_NOW : GPU_BESIDE_NOT_NOW;
}

static bool offload_learns(const void *ctx)
{
	const struct nsu_offload *t = ctx;

	return nsu_decider_learns(t->decider);
}

static void offload_maps(void *ctx, struct gpu_mapper *out)
{
	struct nsu_offload *t = ctx;

	if (t->hints)
		map_hints_maps(t->hints, out);
	else if (t->observer)
		map_observer_maps(t->observer, out);
}

static void offload_stats(const struct ndp_site *site, struct sim_stat_tables *out)
{
	sim_stat_tables_add(out, &nsu_control_stat_table);
	if (!site || site->ndp->map.tom_mapping == TOM_MAPPING_LEARNED)
		sim_stat_tables_add(out, &map_stat_table);
	if (!site || site->ndp->map.hints != NDP_HINTS_IGNORE)
		sim_stat_tables_add(out, &map_hints_stat_table);
}

#define EXPLAIN_LINKAGE static
#define EXPLAIN_TABLE nsu_explain
#define EXPLAIN_ROWS "ndp/nsu/nsu_explain.def"
#include "sim/explain.inc"

const struct ndp_mechanism ndp_nsu = {
    .reads = NDP_READS_DESTINATION | NDP_READS_TIMED | NDP_READS_AWAY,
    .explain = &nsu_explain,
    .stats = offload_stats,
    .ops =
	{
	    .name = "nsu",
	    .kernel_begin = offload_kernel_begin,
	    .kernel_end = offload_kernel_end,
	    .block_begin = offload_block_begin,
	    .partition_end = offload_partition_end,
	    .target = offload_target,
	    .ahead = offload_ahead,
	    .block_touch = offload_block_touch,
	    .block_left = offload_block_left,
	    .resumed = offload_resumed,
	    .access = offload_access,
	    .maps = offload_maps,
	    .epoch = offload_epoch,
	    .epoch_cycles = 1,
	    .beside = offload_beside,
	    .learns = offload_learns,
	    .series = offload_series,
	    .add_stats = offload_add_stats,
	    .free = offload_free,
	},
    .create = offload_create,
    .storage = nsu_storage,
};
