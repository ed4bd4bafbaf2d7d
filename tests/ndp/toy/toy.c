/* toy.c - see toy.h. */
#include "toy/toy.h"

#include <glib.h>

#include "base/check.h"
#include "ndp/blocks/blocks.h"

struct toy_params {
#include "sim/param_fields.inc"
#include "toy/toy_params.def"
#include "sim/param_end.inc"
};

static const struct sim_param_desc param_rows[] = {
#define PARAM_STRUCT struct toy_params
#include "sim/param_rows.inc"
#include "toy/toy_params.def"
#include "sim/param_end.inc"
};

struct toy_stats {
#include "sim/stat_fields.inc"
#include "toy/toy_stats.def"
#include "sim/stat_end.inc"
};

static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct toy_stats
#include "sim/stat_rows.inc"
#include "toy/toy_stats.def"
#include "sim/stat_end.inc"
};
static const struct sim_stat_table stat_table = {"toy", stat_rows, ARRAY_COUNT(stat_rows)};

struct toy {
	const struct ndp_blocks *blocks; /* of the running kernel */
	const struct toy_params *params;
	uint64_t stack_count, entry_count;
	struct toy_stats stats;
};

static void *toy_create(const struct ndp_site *site, struct base_diag_list *diag)
{
	struct toy *t = g_new0(struct toy, 1);

	(void)diag;
	t->params = ndp_own_params(site->ndp);
	t->stack_count = site->gpu->gpu.stack_count;
	return t;
}

static void toy_add_stats(void *ctx, struct sim_stats *stats)
{
	struct toy *t = ctx;

	sim_stats_add_table(stats, &stat_table, &t->stats, sizeof(t->stats));
	sim_stats_law(stats, "gpu.offloads = toy.answered_count");
}

static void toy_kernel_begin(void *ctx, struct gpu *g, struct simt_launch *l, struct simt_program *p)
{
	struct toy *t = ctx;
	bool is_new;

	(void)g, (void)l;
	t->blocks = ndp_blocks_of(p, &ndp_cost_default, NULL, &is_new);
}

static struct carry_verdict toy_block_begin(void *ctx, struct gpu *g, uint32_t sm, const struct simt_warp *w,
					    uint32_t mark)
{
	struct toy *t = ctx;

	(void)g, (void)sm, (void)w;
	t->entry_count++;
	return (struct carry_verdict){
	    .way = t->entry_count % t->params->toy_each_count == 0 ? CARRY_OFFLOAD : CARRY_STAY,
	    .block = &t->blocks->items[mark - 1].block,
	    .stack = (uint32_t)(t->entry_count / t->params->toy_each_count % t->stack_count),
	    .request_bytes = 64,
	    .reply_bytes = 64,
	    .invalidate_lines = true,
	};
}

static void toy_block_end(void *ctx, struct gpu *g, uint32_t sm, const struct carry_verdict *o, uint32_t line_count)
{
	struct toy *t = ctx;

	(void)g, (void)sm, (void)o, (void)line_count;
	t->stats.answered_count++;
}

static void toy_stats(const struct ndp_site *site, struct sim_stat_tables *out)
{
	(void)site;
	sim_stat_tables_add(out, &stat_table);
}

const struct ndp_mechanism ndp_toy = {
    .stats = toy_stats,
    .ops =
	{
	    .name = "toy",
	    .kernel_begin = toy_kernel_begin,
	    .block_begin = toy_block_begin,
	    .block_end = toy_block_end,
	    .add_stats = toy_add_stats,
	    .free = g_free,
	},
    .create = toy_create,
    .params = param_rows,
    .param_count = ARRAY_COUNT(param_rows),
    .param_bytes = sizeof(struct toy_params),
};
