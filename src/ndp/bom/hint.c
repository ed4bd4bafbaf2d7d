/* hint.c - the share of memory instructions in a kernel's text, loops weighted. */
#include "ndp/bom/hint.h"

enum { LOOPS_MAX = 6 };
static const double trips = 10;

static bool is_memory(const struct simt_inst *i)
{
	return (i->flags & (SIMT_LOAD | SIMT_STORE)) &&
	       (i->space == SIMT_MEM_GLOBAL || i->space == SIMT_MEM_LOCAL || i->space == SIMT_MEM_GENERIC ||
		i->space == SIMT_MEM_TEXTURE);
}

static double weight(const struct ptx_cfg *cfg, const struct ptx_block *b)
{
	double w = 1;
	uint32_t depth = 0;

	for (uint32_t l = b->loop; l != UINT32_MAX && depth < LOOPS_MAX; l = cfg->loops[l].parent, depth++)
		w *= trips;
	return w;
}

double bom_memory_share(const struct simt_program *p)
{
	double memory = 0, all = 0;

	for (uint32_t k = 0; k < p->entry_cfg->block_count; k++) {
		const struct ptx_block *b = &p->entry_cfg->blocks[k];
		double w = b->is_reachable ? weight(p->entry_cfg, b) : 0;

		for (uint32_t pc = b->first; pc <= b->last; pc++) {
			all += w;
			memory += is_memory(&p->insts[pc]) ? w : 0;
		}
	}
	return all > 0 ? memory / all : 0;
}
