/* blocks.c - translates the code's blocks to scoreboard ids and sizes. */
#include "ndp/nsu/blocks.h"

#include <glib.h>
#include <string.h>

#include "base/check.h"
#include "simt/memory.h"

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

static void blocks_free(struct nsu_blocks *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->program->code->block_count; i++) {
		g_free((void *)b->items[i].live_in_sb);
		g_free((void *)b->items[i].live_out_sb);
	}
	g_free(b->items);
	nsu_program_free(b->program);
	g_free((void *)b->name);
	g_free(b);
}

/* What the units have decides which blocks there are. */
static struct nsu_code_params code_params(const struct nsu_params *params)
{
	struct nsu_code_params p = nsu_code_default;

	p.register_count = (uint32_t)params->register_count;
	p.pred_count = (uint32_t)params->predicate_count;
	p.predicate_bits = (uint32_t)params->predicate_bits;
	p.params_are_live_ins = params->params_are_live_ins;
	p.load_entries_max = (uint32_t)params->read_entry_count;
	p.store_entries_max = (uint32_t)params->write_entry_count;
	return p;
}

/* ---- versions ---- */

struct versions {
	struct nsu_blocks *apart, *plain; /* NULL: not needed yet */
	const struct nsu_blocks *marked;
};

static void versions_free(void *data)
{
	struct versions *v = data;

	blocks_free(v->apart);
	blocks_free(v->plain);
	g_free(v);
}

static struct versions *versions_of(struct simt_program *p)
{
	if (!p->guest_data) {
		CHECK(!p->guest_free);
		p->guest_data = g_new0(struct versions, 1);
		p->guest_free = versions_free;
	}
	return p->guest_data;
}

static struct nsu_blocks *blocks_new(struct simt_program *p, const struct nsu_params *params, bool is_apart)
{
	struct nsu_blocks *b = g_new0(struct nsu_blocks, 1);
	struct nsu_code_params code_p = code_params(params);
	const struct nsu_code *code;

	code_p.params_are_apart = is_apart;
	b->name = is_apart ? g_strdup(p->name) : g_strdup_printf("%s (one allocation)", p->name);
	b->program = nsu_program_build(p, &code_p);
	code = b->program->code;
	b->items = g_new0(struct carry_block, code->block_count + 1);
	for (uint32_t i = 0; i < code->block_count; i++) {
		const struct nsu_block *n = &code->blocks[i];
		struct carry_block *g = &b->items[i];

		*g = (struct carry_block){.begin_pc = n->begin_pc, .last_pc = n->last_pc, .end_pc = n->end_pc};
		g->live_in_sb = ids_of(b->program, i, nsu_block_live_in_sb, &g->live_in_count);
		g->live_out_sb = ids_of(b->program, i, nsu_block_live_out_sb, &g->live_out_count);
	}
	return b;
}

static void mark(struct simt_program *p, struct versions *v, const struct nsu_blocks *b)
{
	if (v->marked == b)
		return;
	for (uint32_t i = 0; v->marked && i < v->marked->program->code->block_count; i++)
		simt_program_mark(p, v->marked->items[i].begin_pc, 0);
	for (uint32_t i = 0; i < b->program->code->block_count; i++)
		simt_program_mark(p, b->items[i].begin_pc, i + 1);
	v->marked = b;
}

/* Do the parameters that the code names lead to an allocation each, none to another's? Of the user's own memory nothing
 * is known: two registered ranges may be one array. */
static bool is_apart(const struct nsu_code *code, const struct simt_launch *l)
{
	uint64_t starts[NSU_ORIGIN_MAX];
	uint32_t count = 0;

	for (uint32_t word = 0; word < NSU_ORIGIN_MAX; word++) {
		const struct simt_alloc *alloc;
		uint64_t pointer;

		if (!(code->apart[word / 64] >> (word % 64) & 1))
			continue;
		memcpy(&pointer, l->params + (size_t)word * sizeof(pointer), sizeof(pointer));
		alloc = simt_memory_find(l->mem, pointer, 1);
		if (!alloc || alloc->kind == SIMT_ALLOC_REGISTERED)
			return false;
		for (uint32_t k = 0; k < count; k++)
			if (starts[k] == alloc->addr)
				return false;
		starts[count++] = alloc->addr;
	}
	return true;
}

const struct nsu_blocks *nsu_blocks_of(struct simt_program *p, const struct simt_launch *l,
				       const struct nsu_params *params)
{
	struct versions *v = versions_of(p);
	const struct nsu_blocks *b;

	if (!v->apart)
		v->apart = blocks_new(p, params, true);
	b = v->apart;
	if (!is_apart(b->program->code, l)) {
		if (!v->plain)
			v->plain = blocks_new(p, params, false);
		b = v->plain;
	}
	mark(p, v, b);
	return b;
}
