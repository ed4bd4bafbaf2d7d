/* price.c - what the scheduler reckons with for a word of the C-Box: see struct dc_prices. Spills and shared and local
 * memory have lines of their own, which the ways that are left hold or do not; other lines come from memory. */
#include "dc/compile/priv.h"

#include <math.h>

#include "dc/estimate.h"

enum { CROSSBAR_CYCLES = 64 };

static uint32_t cycles_of(const struct dc_prices *p, double lines, double hits)
{
	return (uint32_t)fmin(p->fixed_cycles + lines * (p->line_cycles + (1 - hits) * p->memory_cycles), 1e9);
}

/* Lines that an element of each lane has. */
static double lines_of(const struct dc_prices *p, uint32_t bytes)
{
	return fmax(1, (double)p->lanes * bytes / p->line_bytes);
}

/* Of lines that the control block has for itself, as far as is known now, those that are found. */
static double own_hits(const struct dcc *c)
{
	const struct dc_prices *p = &c->o->prices;
	const double words = 1 + (double)c->kernel->spill_slots + (double)c->kernel->local_bytes / 4;
	const double lines = words * lines_of(p, 4) + (double)c->kernel->shared_bytes / p->line_bytes;

	return fmin(1, p->cache_lines / lines);
}

/* What addresses depend on, of the function as it is. */
static const uint8_t *depends(struct dcc *c)
{
	if (c->depends_of == c->func->insts)
		return c->depends;
	g_free(c->depends);
	c->depends = dc_depends_of(c->func);
	c->depends_of = c->func->insts;
	return c->depends;
}

static uint32_t access_cycles(struct dcc *c, const struct ptx_inst *i)
{
	const struct dc_prices *p = &c->o->prices;
	const uint32_t bytes = ptx_type_bytes(i->type) * MAX(i->mods.vec, 1u);
	const struct ptx_operand *at = &i->src[0];
	const uint8_t of = at->kind == PTX_OPND_ADDR && at->reg != UINT32_MAX ? depends(c)[at->reg] : 0;

	if (i->mods.space == PTX_SHARED || i->mods.space == PTX_LOCAL)
		return cycles_of(p, of ? lines_of(p, bytes) : 1, own_hits(c));
	if (of & DC_OF_MEMORY)
		return cycles_of(p, p->lanes, 0);
	return cycles_of(p, of & DC_OF_LANE ? lines_of(p, bytes) : 1, 0);
}

uint32_t dcc_spill_cycles(const struct dcc *c)
{
	const struct dc_prices *p = &c->o->prices;

	return p->lanes ? cycles_of(p, lines_of(p, 4), own_hits(c)) : DC_SPILL_CYCLES;
}

uint32_t dcc_box_latency(const struct ptx_inst *i)
{
	switch (dcc_box_kind(i)) {
	case DC_BOX_WARP:
		return CROSSBAR_CYCLES;
	case DC_BOX_MEMORY:
	case DC_BOX_CALL:
		return DC_ACCESS_CYCLES;
	default:
		return 1;
	}
}

uint32_t dcc_box_cycles(struct dcc *c, const struct ptx_inst *i)
{
	const uint32_t latency = dcc_box_latency(i);

	return c->o->prices.lanes && latency == DC_ACCESS_CYCLES ? access_cycles(c, i) : latency;
}
