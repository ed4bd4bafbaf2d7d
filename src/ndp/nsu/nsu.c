/* nsu.c - NSU's offloading (NSU, SC'17): at the entry of a warp into a block, whether this instance is executed in two
 * parts. What carries it out is the GPU's (gpu/partition.c); what a block is, nsu/code.c.
 */
#include <glib.h>

#include "base/check.h"
#include "gpu/gpu.h"
#include "ndp/mechanism.h"
#include "ndp/nsu/blocks.h"
#include "ndp/nsu/storage.h"

struct nsu_offload {
	const struct gpu_config *config;
	const struct nsu_blocks *blocks; /* of the running kernel */
	bool is_possible;		 /* in it: units do not reach the host's memory */
};

static void *offload_create(const struct gpu_config *config, struct base_diag_list *diag)
{
	struct nsu_offload *t;

	if (!config->nsu.is_present) {
		base_diag_error(diag, (struct base_place){0},
				"ndp.mechanism = nsu needs SIMD units in the stacks: set nsu.is_present to true");
		return NULL;
	}
	t = g_new0(struct nsu_offload, 1);
	t->config = config;
	return t;
}

static void offload_free(void *ctx)
{
	g_free(ctx);
}

static void offload_kernel_begin(void *ctx, struct gpu *g, struct simt_launch *l, struct simt_program *p)
{
	struct nsu_offload *t = ctx;

	(void)g;
	t->blocks = nsu_blocks_of(p, &t->config->nsu);
	t->is_possible = !simt_memory_has_host(l->mem);
}

static struct gpu_offload offload_block_begin(void *ctx, struct gpu *g, uint32_t sm, const struct simt_warp *w,
					      uint32_t mark)
{
	struct nsu_offload *t = ctx;

	(void)g;
	(void)sm;
	(void)w;
	return (struct gpu_offload){
	    .is_partitioned = t->is_possible,
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
	    .block_begin = offload_block_begin,
	    .free = offload_free,
	},
    .create = offload_create,
    .storage = nsu_storage,
};
