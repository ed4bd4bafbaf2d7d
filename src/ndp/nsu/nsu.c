/* nsu.c - NSU's offloading (NSU, SC'17): at the entry of a warp into a block, whether this instance is executed in two
 * parts. What carries it out is the GPU's (gpu/partition.c); what a block is, nsu/code.c.
 */
#include <glib.h>

#include "base/check.h"
#include "gpu/gpu.h"
#include "ndp/mechanism.h"
#include "ndp/nsu/blocks.h"
#include "ndp/nsu/decide.h"
#include "ndp/nsu/storage.h"

struct nsu_offload {
	const struct gpu_config *config;
	struct nsu_decider *decider;
	const struct nsu_blocks *blocks; /* of the running kernel */
	bool is_possible;		 /* in it: units do not reach the host's memory */
};

static void *offload_create(const struct gpu_config *config, struct base_diag_list *diag)
{
	struct nsu_decider *decider;
	struct nsu_offload *t;

	if (!config->nsu.is_present) {
		base_diag_error(diag, (struct base_place){0},
				"ndp.mechanism = nsu needs SIMD units in the stacks: set nsu.is_present to true");
		return NULL;
	}
	decider = nsu_decider_new(config, diag);
	if (!decider)
		return NULL;
	t = g_new0(struct nsu_offload, 1);
	t->decider = decider;
	t->config = config;
	return t;
}

static void offload_free(void *ctx)
{
	struct nsu_offload *t = ctx;

	nsu_decider_free(t->decider);
	g_free(t);
}

static void offload_add_stats(void *ctx, struct sim_stats *stats)
{
	struct nsu_offload *t = ctx;

	nsu_decider_add_stats(t->decider, stats);
}

static uint32_t offload_series(void *ctx, struct gpu_series *items, uint32_t cap)
{
	struct nsu_offload *t = ctx;

	return nsu_decider_series(t->decider, items, cap);
}

static void offload_kernel_begin(void *ctx, struct gpu *g, struct simt_launch *l, struct simt_program *p)
{
	struct nsu_offload *t = ctx;

	t->blocks = nsu_blocks_of(p, &t->config->nsu);
	nsu_decider_kernel_begin(t->decider, p->name, t->blocks->program->code, gpu_kernel_cycles(g));
	t->is_possible = !simt_memory_has_host(l->mem);
}

static void offload_kernel_end(void *ctx, struct gpu *g, struct simt_launch *l)
{
	struct nsu_offload *t = ctx;

	(void)l;
	nsu_decider_kernel_end(t->decider, gpu_kernel_cycles(g));
}

static uint64_t offload_epoch(void *ctx, struct gpu *g, uint64_t cycle)
{
	struct nsu_offload *t = ctx;

	(void)g;
	return nsu_decider_epoch(t->decider, cycle);
}

static void offload_partition_end(void *ctx, struct gpu *g, uint32_t sm, const struct gpu_partition_result *r)
{
	struct nsu_offload *t = ctx;

	(void)g;
	(void)sm;
	nsu_decider_ended(t->decider, r->block, r->read_lines, r->read_hits);
}

static struct gpu_offload offload_block_begin(void *ctx, struct gpu *g, uint32_t sm, const struct simt_warp *w,
					      uint32_t mark)
{
	struct nsu_offload *t = ctx;

	(void)g;
	(void)sm;
	(void)w;
	if (!t->is_possible || !nsu_decider_offload(t->decider, mark - 1))
		return (struct gpu_offload){0};
	return (struct gpu_offload){
	    .is_partitioned = true,
	    .block = &t->blocks->items[mark - 1],
	    .program = t->blocks->program,
	    .partition = mark - 1,
	};
}

const struct ndp_mechanism ndp_nsu = {
    .ops =
	{
	    .name = "nsu",
	    .kernel_begin = offload_kernel_begin,
	    .kernel_end = offload_kernel_end,
	    .block_begin = offload_block_begin,
	    .partition_end = offload_partition_end,
	    .epoch = offload_epoch,
	    .epoch_cycles = 1,
	    .series = offload_series,
	    .add_stats = offload_add_stats,
	    .free = offload_free,
	},
    .create = offload_create,
    .storage = nsu_storage,
};
