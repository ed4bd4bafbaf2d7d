#include "ndp/nsu/blocks.h"

#include <glib.h>

#include "base/check.h"

static const uint16_t *ids_of(const struct nsu_program *p, uint32_t block,
			      uint32_t (*list)(const struct nsu_program *, uint32_t, uint16_t *, uint32_t),
			      uint32_t *count)
{
	uint16_t *sb;

	*count = list(p, block, NULL, 0);
	sb = g_new(uint16_t, *count + 1);
	list(p, block, sb, *count);
	return sb;
}

static void blocks_free(void *data)
{
	struct nsu_blocks *b = data;

	for (uint32_t i = 0; i < b->program->code->block_count; i++) {
		g_free((void *)b->items[i].live_in_sb);
		g_free((void *)b->items[i].live_out_sb);
	}
	g_free(b->items);
	nsu_program_free(b->program);
	g_free(b);
}

/* What the units have decides which blocks there are. */
static struct nsu_code_params code_params(const struct nsu_params *params)
{
	struct nsu_code_params p = nsu_code_default;

	p.register_count = (uint32_t)params->register_count;
	p.pred_count = (uint32_t)params->predicate_count;
	p.predicate_bits = (uint32_t)params->predicate_bits;
	p.load_entries_max = (uint32_t)params->read_entry_count;
	p.store_entries_max = (uint32_t)params->write_entry_count;
	return p;
}

const struct nsu_blocks *nsu_blocks_of(struct simt_program *p, const struct nsu_params *params)
{
	struct nsu_blocks *b = p->guest_data;
	const struct nsu_code_params code_p = code_params(params);
	const struct nsu_code *code;

	if (b)
		return b;
	b = g_new0(struct nsu_blocks, 1);
	b->program = nsu_program_build(p, &code_p);
	code = b->program->code;
	b->items = g_new0(struct gpu_block, code->block_count + 1);
	for (uint32_t i = 0; i < code->block_count; i++) {
		const struct nsu_block *n = &code->blocks[i];
		struct gpu_block *g = &b->items[i];

		*g = (struct gpu_block){.begin_pc = n->begin_pc, .last_pc = n->last_pc, .end_pc = n->end_pc};
		g->live_in_sb = ids_of(b->program, i, nsu_block_live_in_sb, &g->live_in_count);
		g->live_out_sb = ids_of(b->program, i, nsu_block_live_out_sb, &g->live_out_count);
		simt_program_mark(p, n->begin_pc, i + 1);
	}
	CHECK(!p->guest_free);
	p->guest_data = b;
	p->guest_free = blocks_free;
	return b;
}
