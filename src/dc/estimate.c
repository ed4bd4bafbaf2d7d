/* estimate.c - see estimate.h. */
#include "dc/estimate.h"
#include "dc/param.h"
#include "dc/reach.h"

#include <glib.h>
#include <math.h>

/* What the values of the kernel's registers depend on. */
struct values {
	const struct ptx_func *f;
	const struct dc_kernel *k;
	uint8_t *depends;  /* [register]: DC_OF_ */
	uint32_t *defs;	   /* [register]: definitions */
	uint64_t *families; /* [register]: the same for values that differ by what is equal in the whole grid */
};

/* ---- what addresses depend on ---- */

static uint8_t of_sreg(const struct ptx_operand *o)
{
	switch (o->sreg) {
	case PTX_SREG_TID:
		return o->component ? (DC_OF_X << (o->component - 1)) & DC_OF_LANE : DC_OF_LANE;
	case PTX_SREG_LANEID:
	case PTX_SREG_WARPID:
		return DC_OF_LANE;
	case PTX_SREG_CTAID:
	case PTX_SREG_CLUSTERID:
	case PTX_SREG_SMID:
		return DC_OF_CTA;
	default:
		return 0;
	}
}

static uint8_t of_inst(const uint8_t *of, const struct ptx_inst *i, const struct ptx_reg_use *use)
{
	uint8_t depends = 0;

	for (uint32_t r = 0; r < use->read_count; r++)
		depends |= of[use->reads[r]];
	for (uint32_t s = 0; s < i->src_count; s++)
		if (i->src[s].kind == PTX_OPND_SREG)
			depends |= of_sreg(&i->src[s]);
	if ((i->op == PTX_OP_LD && !dc_param_is_load(i)) || i->op == PTX_OP_ATOM)
		depends |= DC_OF_MEMORY;
	return depends;
}

uint8_t *dc_depends_of(const struct ptx_func *f)
{
	uint8_t *of = g_new0(uint8_t, f->reg_count + 1);
	struct ptx_reg_use use;

	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t n = 0; n < f->inst_count; n++) {
			ptx_inst_regs(&f->insts[n], &use);
			const uint8_t depends = of_inst(of, &f->insts[n], &use);

			for (uint32_t w = 0; w < use.write_count; w++) {
				changed |= (depends & ~of[use.writes[w]]) != 0;
				of[use.writes[w]] |= depends;
			}
		}
	}
	return of;
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

/* Counts and strides fall out, pointers do not. */
static uint64_t family_of(const struct values *v, const struct ptx_operand *o, bool is_factor)
{
	if (o->kind == PTX_OPND_IMM)
		return is_factor ? mix(o->imm) : 0;
	if (o->kind != PTX_OPND_REG)
		return mix(o->kind * 64u + o->sreg * 8u + o->component);
	if (!is_factor && v->k->host_of[o->reg] != UINT32_MAX && ptx_type_bytes(v->f->regs[o->reg].type) < 8)
		return 0;
	return v->families[o->reg];
}

static uint64_t family_of_inst(const struct values *v, const struct ptx_inst *i)
{
	uint64_t sum = 0;

	switch (i->op) {
	case PTX_OP_MOV:
	case PTX_OP_CVT:
		return family_of(v, &i->src[0], false);
	case PTX_OP_ADD:
	case PTX_OP_SUB:
		return family_of(v, &i->src[0], false) + family_of(v, &i->src[1], false);
	case PTX_OP_MAD:
		return family_of(v, &i->src[0], true) * 3 + family_of(v, &i->src[1], true) * 3 +
		       family_of(v, &i->src[2], false);
	case PTX_OP_MUL:
	case PTX_OP_SHL:
		for (uint32_t s = 0; s < i->src_count; s++)
			sum += family_of(v, &i->src[s], true) * 3;
		return sum;
	default:
		return mix(i->dst.reg + 1ull);
	}
}

static void find_families(struct values *v)
{
	for (uint32_t r = 0; r < v->f->reg_count; r++)
		v->families[r] = mix(r + 1ull);
	for (uint32_t n = 0; n < v->f->inst_count; n++) {
		const struct ptx_inst *i = &v->f->insts[n];

		if (i->dst.kind == PTX_OPND_REG && v->defs[i->dst.reg] == 1)
			v->families[i->dst.reg] = family_of_inst(v, i);
	}
}

static void count_defs(struct values *v)
{
	struct ptx_reg_use use;

	for (uint32_t n = 0; n < v->f->inst_count; n++) {
		ptx_inst_regs(&v->f->insts[n], &use);
		for (uint32_t w = 0; w < use.write_count; w++)
			v->defs[use.writes[w]]++;
	}
}

/* ---- words ---- */

struct reckoning {
	struct values v;
	struct dc_estimate e;
	GHashTable *seen; /* families of addresses, and how often */
	double lanes, line_bytes;
	const uint32_t *block;
	struct dc_reach *reach;
	uint32_t access_cycles;
};

static bool writes(const struct ptx_inst *i, uint32_t reg)
{
	struct ptx_reg_use use;

	if (!i)
		return false;
	ptx_inst_regs(i, &use);
	for (uint32_t w = 0; w < use.write_count; w++)
		if (use.writes[w] == reg)
			return true;
	return false;
}

static bool changes_in(const struct dc_kernel *k, uint32_t reg, uint32_t first, uint32_t last)
{
	for (uint32_t w = first; w <= last; w++) {
		for (uint32_t s = 0; s < DC_ARRAYS; s++)
			if (k->words[w].slot[s].kind == DC_SLOT_ALU && writes(k->words[w].slot[s].inst, reg))
				return true;
		if (writes(k->words[w].box.inst, reg))
			return true;
	}
	return false;
}

/* Rounds of all loops around a word, and of those that change the register. */
static void rounds_at(const struct dc_kernel *k, uint32_t word, uint32_t reg, double rounds, double *all, double *new)
{
	*all = *new = 1;
	for (uint32_t w = word; w < k->word_count; w++) {
		if (k->words[w].flow != DC_FLOW_JUMP || k->words[w].target > word)
			continue;
		*all *= rounds;
		if (reg != UINT32_MAX && changes_in(k, reg, k->words[w].target, w))
			*new *= rounds;
	}
}

double dc_elements_of(uint8_t depends, double lanes, const uint32_t block[3])
{
	const double threads = (double)block[0] * block[1] * block[2];
	double count = threads;

	if (depends & DC_OF_MEMORY)
		return lanes;
	for (uint32_t d = 0; d < 3; d++)
		if (!(depends & DC_OF_X << d))
			count /= block[d];
	return fmin(lanes, depends & DC_OF_CTA ? count * fmax(1, lanes / threads) : count);
}

static double elements(const struct ptx_inst *i)
{
	return i->mods.vec > 1 ? i->mods.vec : 1;
}

/* Lines of all lanes together, once: of those that follow each other in a line none is asked for if none of them does
 * the instruction. */
static double lines_of(const struct reckoning *r, const struct ptx_inst *i, uint8_t depends)
{
	const double each = ptx_type_bytes(i->type) * elements(i);
	const double bytes = dc_elements_of(depends, r->lanes, r->block) * each;
	const uint32_t in_line = (uint32_t)fmax(1, r->line_bytes / each);

	if (depends & DC_OF_MEMORY)
		return r->lanes * dc_reach_share(r->reach, i, 1);
	return fmax(1, bytes / r->line_bytes * dc_reach_share(r->reach, i, in_line));
}

static bool is_store(const struct ptx_inst *i)
{
	return i->op == PTX_OP_ST || i->op == PTX_OP_ATOM || i->op == PTX_OP_RED;
}

static void add_global(struct reckoning *r, const struct dc_word *w, double all, double new)
{
	const struct ptx_inst *i = w->box.inst;
	const struct ptx_operand *at = &i->src[0];
	const bool has_reg = at->kind == PTX_OPND_ADDR && at->reg != UINT32_MAX;
	const uint8_t depends = has_reg ? r->v.depends[at->reg] : 0;
	const double lines = lines_of(r, i, depends);
	const uint64_t base = w->box.has_base ? mix(w->box.src[w->box.src_count - 1].host + 1) : 0;
	const uint64_t family = has_reg ? r->v.families[at->reg] ^ base : mix((uintptr_t)w->box.var);
	const bool is_common = !(depends & (DC_OF_CTA | DC_OF_MEMORY));
	const uint32_t before = GPOINTER_TO_UINT(g_hash_table_lookup(r->seen, &family));

	g_hash_table_insert(r->seen, g_memdup2(&family, sizeof(family)), GUINT_TO_POINTER(before + 1));
	if (depends & DC_OF_MEMORY) {
		r->e.fresh_lines += lines * all;
		r->e.home_lines += lines * all;
		return;
	}
	if (before)
		new = 0;
	r->e.home_lines += lines * (is_store(i) ? all : new);
	if (is_common) { /* the other control blocks ask for them, too */
		r->e.again_lines += lines * all;
		r->e.common_bytes += lines * new * r->line_bytes;
		return;
	}
	r->e.fresh_lines += lines * new;
	r->e.again_lines += lines * (all - new);
	if (before == 1 || (!before && all > new))
		r->e.kept_bytes += lines * r->line_bytes;
}

/* Of shared and local memory and spills, where each lane of a spill, and of local memory, has a place of its own. What
 * a control block has for itself it writes as often as it reads it, so that copies are of no use. */
static double own_lines(const struct reckoning *r, const struct dc_box *b)
{
	const struct ptx_operand *at = b->inst ? &b->inst->src[0] : NULL;
	const bool has_reg = at && at->kind == PTX_OPND_ADDR && at->reg != UINT32_MAX;

	if (b->kind != DC_BOX_MEMORY || b->space == PTX_LOCAL)
		return fmax(1, r->lanes * (b->inst ? ptx_type_bytes(b->inst->type) * elements(b->inst) : 4) /
				   r->line_bytes);
	return lines_of(r, b->inst, DC_OF_CTA | (has_reg ? r->v.depends[at->reg] : 0));
}

static void add_access(struct reckoning *r, const struct dc_word *w, double all, double new)
{
	const struct dc_box *b = &w->box;
	const bool is_own = b->kind == DC_BOX_SPILL || b->kind == DC_BOX_FILL || b->space == PTX_SHARED ||
			    b->space == PTX_LOCAL;

	if (b->kind != DC_BOX_MEMORY && b->kind != DC_BOX_SPILL && b->kind != DC_BOX_FILL)
		return;
	r->e.operations += all;
	if (!is_own) {
		add_global(r, w, all, new);
		return;
	}
	r->e.uses_segments = true;
	r->e.again_lines += all * own_lines(r, b);
	r->e.home_lines += all * own_lines(r, b);
}

/* Of the C-Box, but its lines, which are counted. */
static uint32_t box_cycles(const struct reckoning *r, const struct dc_box *b)
{
	switch (b->kind) {
	case DC_BOX_MEMORY: return r->access_cycles;
	case DC_BOX_SPILL:
	case DC_BOX_FILL: return r->access_cycles / 2;
	default: return b->cycles;
	}
}

static void add_word(struct reckoning *r, uint32_t number, double rounds)
{
	const struct dc_word *w = &r->v.k->words[number];
	const struct ptx_operand *at = w->box.inst && w->box.kind == DC_BOX_MEMORY ? &w->box.inst->src[0] : NULL;
	uint32_t longest = box_cycles(r, &w->box);
	double all, new;

	rounds_at(r->v.k, number, at && at->kind == PTX_OPND_ADDR ? at->reg : UINT32_MAX, rounds, &all, &new);
	for (uint32_t s = 0; s < DC_ARRAYS; s++) {
		const struct dc_slot *slot = &w->slot[s];

		if (slot->kind == DC_SLOT_ALU)
			r->e.operations += all;
		if (slot->kind != DC_SLOT_NONE && slot->kind != DC_SLOT_BUSY)
			longest = MAX(longest, slot->cycles);
	}
	r->e.compute_cycles += all * longest;
	add_access(r, w, all, new);
}

struct dc_estimate dc_estimate(const struct dc_kernel *k, uint32_t lanes, const uint32_t block[3],
			       uint32_t line_bytes, double rounds, uint32_t access_cycles)
{
	struct reckoning r = {.v = {.f = k->func,
				    .k = k,
				    .depends = dc_depends_of(k->func),
				    .defs = g_new0(uint32_t, k->func->reg_count + 1),
				    .families = g_new0(uint64_t, k->func->reg_count + 1)},
			      .seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
			      .lanes = lanes,
			      .block = block,
			      .reach = dc_reach_new(k->func, block),
			      .line_bytes = line_bytes,
			      .access_cycles = access_cycles};

	count_defs(&r.v);
	find_families(&r.v);
	for (uint32_t w = 0; w < k->word_count; w++)
		add_word(&r, w, rounds);
	g_hash_table_destroy(r.seen);
	dc_reach_free(r.reach);
	g_free(r.v.depends);
	g_free(r.v.defs);
	g_free(r.v.families);
	return r.e;
}

/* ---- where it would run ---- */

double dc_estimate_cycles(const struct dc_estimate *e, const struct dc_estimate_place *at, uint32_t cache_ways)
{
	const double units = (double)at->units, most = (double)at->slices * (at->ways - cache_ways);
	const double active = fmin(units, most), waves = ceil(units / most);
	const double own_bytes = e->kept_bytes + (e->uses_segments ? (double)at->segment_bytes : 0);
	const double idle_ways = at->unused_is_cache ? most - active : 0;
	const double cache_bytes = ((double)at->slices * cache_ways + idle_ways) * (double)at->way_bytes;
	const double wanted_bytes = own_bytes * active + e->common_bytes;
	const double hits = wanted_bytes > 0 ? fmin(1, cache_bytes / wanted_bytes) : 0;
	const double lines = units * (e->fresh_lines + e->again_lines * (1 - hits));

	return waves * e->compute_cycles + lines * (double)at->line_bytes / at->memory_bytes_per_cycle;
}

uint32_t dc_estimate_ways(const struct dc_estimate *e, const struct dc_estimate_place *at, uint32_t least,
			  uint32_t most)
{
	uint32_t best = least;

	for (uint32_t ways = least + 1; ways <= most; ways++)
		if (dc_estimate_cycles(e, at, ways) < dc_estimate_cycles(e, at, best))
			best = ways;
	return best;
}
