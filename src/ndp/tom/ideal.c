/* ideal.c - the idealised system of TOM section 2, figure 2: offloading costs nothing, and all data of an offloaded
 * block lies in the stack that runs it.
 *
 * What stays real: candidates are found by the real analysis and run-time conditions are evaluated; a stack SM has its
 * warp limit, pipeline and L1; its memory accesses use the stack's vaults and their bandwidth. Only the live-ins (and
 * what the block recomputes from constants) reach the guest.
 */
#include <glib.h>

#include "base/check.h"
#include "ndp/carry/carry.h"
#include "ndp/mechanism.h"
#include "ndp/blocks/blocks.h"
#include "ndp/tom/tom_stats.h"

struct ideal {
	const struct tom_params *params;
	const struct ndp_blocks *blocks; /* of the running kernel */
	uint32_t stack_count;
	uint32_t warp_limit;	 /* guests one stack holds */
	uint32_t *pending;	 /* [stack_count] */
	uint32_t next_stack;	 /* where the search for the least loaded begins: spreads ties */
	struct ndp_cost_params cost;
	struct tom_stats stats;
};

static void *ideal_create(const struct ndp_site *site, struct base_diag_list *diag)
{
	const struct gpu_config *config = site->gpu;
	if (config->gpu.stack_sm_count == 0) {
		base_diag_error(
		    diag, (struct base_place){0},
		    "ndp.mechanism = tom-ideal needs SMs in the stacks: set gpu.stack_sm_count to 1 or more");
		return NULL;
	}
	if (config->gpu.stack_sm_ctas) {
		base_diag_error(diag, (struct base_place){0},
				"gpu.stack_sm_ctas = true: the stack SMs of ndp.mechanism = tom-ideal run offloaded "
				"blocks only; set it to false");
		return NULL;
	}
	if (site->ndp->tom.tom_pending_limit_count) {
		base_diag_error(diag, (struct base_place){0},
				"ndp.tom_pending_limit_count = %llu: with ndp.mechanism = tom-ideal a stack is full "
				"when its warp slots are; set it to 0",
				(unsigned long long)site->ndp->tom.tom_pending_limit_count);
		return NULL;
	}
	if (site->ndp->tom.tom_pending_from != TOM_PENDING_FROM_DECISION) {
		base_diag_error(diag, (struct base_place){0},
				"ndp.tom_pending_from = sent: with ndp.mechanism = tom-ideal no request is sent; set "
				"it to decision");
		return NULL;
	}

	struct ideal *t = g_new0(struct ideal, 1);

	t->params = &site->ndp->tom;
	t->stack_count = (uint32_t)config->gpu.stack_count;
	t->warp_limit = (uint32_t)(config->gpu.stack_sm_count * config->gpu.stack_sm_warp_slot_count);
	t->pending = g_new0(uint32_t, t->stack_count);
	t->cost = tom_cost_of(t->params, site->ndp->choice.shuffles, config);
	return t;
}

static void ideal_free(void *ctx)
{
	struct ideal *t = ctx;

	g_free(t->pending);
	g_free(t);
}

static void ideal_add_stats(void *ctx, struct sim_stats *stats)
{
	struct ideal *t = ctx;

	tom_stats_add(&t->stats, stats, t->params->tom_ideal_when_full == TOM_WHEN_FULL_LOCAL);
}

static void ideal_kernel_begin(void *ctx, struct gpu *g, struct simt_launch *l, struct simt_program *p)
{
	struct ideal *t = ctx;

	bool is_new;

	(void)g;
	(void)l;
	t->blocks = ndp_blocks_of(p, &t->cost, NULL, &is_new);
	for (uint32_t s = 0; s < t->stack_count; s++)
		t->pending[s] = 0; /* a launch that ended in a fault left its guests behind */
}

static struct carry_verdict ideal_block_begin(void *ctx, struct gpu *g, uint32_t sm, const struct simt_warp *w,
					    uint32_t mark)
{
	struct ideal *t = ctx;
	const struct ndp_block *b = &t->blocks->items[mark - 1];
	struct carry_verdict stay = {.block = &b->block, .why = "the stacks' SMs are full"};

	(void)g;
	(void)sm;
	t->stats.instance_count++;
	if (!ndp_block_condition_holds(b, w)) {
		t->stats.condition_false_count++;
		stay.why = "its condition is false";
		return stay;
	}

	if (!ndp_block_is_whole(b, w)) {
		t->stats.parted_count++;
		stay.why = "its warp's lanes are parted";
		return stay;
	}

	uint32_t stack = t->next_stack;

	for (uint32_t n = 1; n < t->stack_count; n++) {
		uint32_t s = (t->next_stack + n) % t->stack_count;

		if (t->pending[s] < t->pending[stack])
			stack = s;
	}
	if (t->pending[stack] >= t->warp_limit) {
		t->stats.full_count++;
		stay.asks_again = t->params->tom_ask_again;
		if (t->params->tom_ideal_when_full == TOM_WHEN_FULL_LOCAL)
			return stay;
	}
	t->next_stack = (stack + 1) % t->stack_count;
	t->pending[stack]++;
	t->stats.offloaded_count++;
	return (struct carry_verdict){.way = CARRY_OFFLOAD, .block = &b->block, .stack = stack, .is_free = true};
}

static void ideal_block_end(void *ctx, struct gpu *g, uint32_t sm, const struct carry_verdict *o, uint32_t line_count)
{
	struct ideal *t = ctx;

	(void)g;
	(void)sm;
	(void)line_count;
	CHECK(t->pending[o->stack] > 0);
	t->pending[o->stack]--;
}

/* Perfect co-location: whatever a block touches is in its own stack. */
static void ideal_access(void *ctx, struct gpu *g, uint32_t sm, struct mem_req *r)
{
	uint32_t stack = gpu_sm_stack(g, sm);

	(void)ctx;
	if (stack != UINT32_MAX)
		r->stack = (uint8_t)stack;
}

/* What it decides is held, and where its blocks' data lie follows from the SM. */
static enum gpu_beside ideal_beside(const void *ctx)
{
	(void)ctx;
	return GPU_BESIDE_NOW;
}

static void ideal_stats(const struct ndp_site *site, struct sim_stat_tables *out)
{
	(void)site;
	sim_stat_tables_add(out, &tom_stat_table);
}

#define EXPLAIN_LINKAGE static
#define EXPLAIN_TABLE tom_ideal_explain
#define EXPLAIN_ROWS "ndp/tom/tom_ideal_explain.def"
#include "sim/explain.inc"

const struct ndp_mechanism ndp_tom_ideal = {
	.reads = NDP_READS_SHUFFLES,
	.explain = &tom_ideal_explain,
	.stats = ideal_stats,
	.ops = {
		.name = "tom-ideal",
		.kernel_begin = ideal_kernel_begin,
		.block_begin = ideal_block_begin,
		.block_end = ideal_block_end,
		.access = ideal_access,
		.beside = ideal_beside,
		.add_stats = ideal_add_stats,
		.free = ideal_free,
	},
	.create = ideal_create,
};
