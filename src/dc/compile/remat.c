/* remat.c - a value that found no home and is cheap to compute again is computed where it is read, instead of being
 * spilled and filled: special registers, constants, conversions and addresses of what lives there anyway. */
#include "dc/compile/priv.h"

#include "simt/alu/alu.h"

enum { DEPTH_MAX = 4 };

struct remat {
	struct dcc *c;
	const struct dcc_home *homes;
	uint32_t *defs, *def_at; /* [reg_count]: definitions, the last one's instruction */
	uint32_t block;          /* in which values are read */
	uint32_t *again;         /* [reg_count]: register that has the value in this block; UINT32_MAX: none */
	uint32_t *again_block;   /* [reg_count]: the block of again */
	uint32_t reg_count;
	bool any;
};

static bool changes_with_time(const struct ptx_operand *o)
{
	switch (o->sreg) {
	case PTX_SREG_CLOCK:
	case PTX_SREG_CLOCK_HI:
	case PTX_SREG_CLOCK64:
	case PTX_SREG_GLOBALTIMER:
	case PTX_SREG_GLOBALTIMER_LO:
	case PTX_SREG_GLOBALTIMER_HI:
	case PTX_SREG_PM:
		return true;
	default:
		return false;
	}
}

/* One definition, for all lanes, of one register, that has no effect and depends on nothing but its operands. */
static bool is_plain(const struct remat *m, uint32_t reg)
{
	const struct ptx_inst *i = &m->c->func->insts[m->def_at[reg]];
	struct simt_alu alu;
	const char *why;

	if (m->defs[reg] != 1 || i->has_guard || i->dst.kind != PTX_OPND_REG || i->dst2.kind != PTX_OPND_NONE ||
	    i->mods.cc || m->c->func->regs[reg].type == PTX_PRED)
		return false;
	if (i->op == PTX_OP_MOV)
		return i->src[0].kind != PTX_OPND_SREG || !changes_with_time(&i->src[0]);
	return simt_alu_find(i, SIMT_ISA_PORTABLE, &alu, &why);
}

/* Lives in a register at the block's begin. */
static bool is_there(const struct remat *m, uint32_t reg)
{
	const struct ptx_cfg *cfg = m->c->kernel->cfg;

	return m->defs[reg] == 1 && m->homes[reg].is_global && !m->homes[reg].is_spilled &&
	       (cfg->live_in[(size_t)m->block * cfg->live_words + reg / 64] >> reg % 64 & 1);
}

/* Cycles to compute the value in this block; UINT32_MAX: it cannot be. */
static uint32_t cycles_of(const struct remat *m, uint32_t reg, uint32_t depth)
{
	const struct dc_kernel *k = m->c->kernel;
	const struct ptx_inst *i = &m->c->func->insts[m->def_at[reg]];
	uint32_t sum;

	if (depth > DEPTH_MAX || !is_plain(m, reg) ||
	    !ptx_dominates(k->cfg, k->cfg->block_of[m->def_at[reg]], m->block))
		return UINT32_MAX;
	sum = dcc_inst_cycles(k, i);
	for (uint32_t s = 0; s < i->src_count; s++) {
		const struct ptx_operand *o = &i->src[s];
		uint32_t more;

		if (o->kind != PTX_OPND_REG) {
			if (o->kind != PTX_OPND_IMM && o->kind != PTX_OPND_SREG)
				return UINT32_MAX;
			continue;
		}
		if (k->host_of[o->reg] != UINT32_MAX || is_there(m, o->reg))
			continue;
		more = m->c->func->regs[o->reg].type == PTX_PRED ? UINT32_MAX : cycles_of(m, o->reg, depth + 1);
		if (more == UINT32_MAX)
			return UINT32_MAX;
		sum += more;
	}
	return sum;
}

/* The value's instructions before the one that reads it, once a block. */
static uint32_t compute_again(struct remat *m, uint32_t reg)
{
	struct ptx_inst i = m->c->func->insts[m->def_at[reg]];

	if (m->again_block[reg] == m->block)
		return m->again[reg];
	for (uint32_t s = 0; s < i.src_count; s++)
		if (i.src[s].kind == PTX_OPND_REG && m->c->kernel->host_of[i.src[s].reg] == UINT32_MAX &&
		    !is_there(m, i.src[s].reg))
			i.src[s].reg = compute_again(m, i.src[s].reg);
	i.dst.reg = dcc_reg_new(m->c, m->c->func->regs[reg].type);
	dcc_emit(m->c, &i);
	m->again[reg] = i.dst.reg;
	m->again_block[reg] = m->block;
	return i.dst.reg;
}

static void replace(struct remat *m, struct ptx_operand *o)
{
	const struct dc_kernel *k = m->c->kernel;
	uint32_t limit;

	if ((o->kind != PTX_OPND_REG && o->kind != PTX_OPND_ADDR) || o->reg >= m->reg_count ||
	    !m->homes[o->reg].is_spilled || k->cfg->block_of[m->def_at[o->reg]] == m->block)
		return;
	limit = dcc_spill_cycles(m->c) * dcc_reg_slots(m->c->func, o->reg);
	if (m->again_block[o->reg] != m->block && cycles_of(m, o->reg, 0) > limit)
		return;
	o->reg = compute_again(m, o->reg);
	m->any = true;
}

static void replace_all(struct remat *m, struct ptx_inst *i)
{
	for (uint32_t s = 0; s < i->src_count; s++) {
		replace(m, &i->src[s]);
		if (!i->src[s].elem_count)
			continue;
		i->src[s].elems =
		    ptx_arena_copy(m->c->arena, i->src[s].elems, i->src[s].elem_count * sizeof(*i->src[s].elems));
		for (uint32_t e = 0; e < i->src[s].elem_count; e++)
			replace(m, &i->src[s].elems[e]);
	}
}

void dcc_remat(struct dcc *c)
{
	const struct ptx_cfg *cfg = c->kernel->cfg;
	const uint32_t regs = c->func->reg_count;
	const struct ptx_func before = *c->func;
	struct remat m = {.c = c,
			  .homes = c->homes,
			  .defs = g_new0(uint32_t, regs + 1),
			  .def_at = g_new0(uint32_t, regs + 1),
			  .again = g_new(uint32_t, regs + 1),
			  .again_block = g_new(uint32_t, regs + 1),
			  .reg_count = regs};
	struct ptx_reg_use u;

	for (uint32_t n = 0; n < c->func->inst_count; n++) {
		ptx_inst_regs(&c->func->insts[n], &u);
		for (uint32_t k = 0; k < u.write_count; k++) {
			m.defs[u.writes[k]]++;
			m.def_at[u.writes[k]] = n;
		}
	}
	for (uint32_t r = 0; r < regs; r++)
		m.again_block[r] = UINT32_MAX;
	dcc_rewrite_begin(c);
	for (uint32_t n = 0; n < c->func->inst_count; n++) {
		struct ptx_inst i = c->func->insts[n];

		dcc_rewrite_at(c, n);
		m.block = cfg->block_of[n];
		if (cfg->blocks[m.block].is_reachable)
			replace_all(&m, &i);
		dcc_emit(c, &i);
	}
	dcc_rewrite_end(c);
	if (!m.any)
		dcc_rewrite_undo(c, &before);
	g_free(m.defs);
	g_free(m.def_at);
	g_free(m.again);
	g_free(m.again_block);
}
