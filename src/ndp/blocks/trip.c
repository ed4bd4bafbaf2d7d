/* trip.c - how often a loop runs, from its backward conditional branch (TOM section 3.1.3).
 *
 * A counted loop ends in a conditional branch whose predicate p compares a value that the loop changes once by a
 * constant step, and that has been stepped before the comparison; or the sum of such a value and one that the loop does
 * not change. Its count follows from where the value starts and what it is compared with: a constant, or what one
 * register or the difference of two says at the loop's begin.
 */
#include "ndp/blocks/region.h"

#include "ndp/blocks/bits.h"

/* Continue while (value cmp bound), normalised so that the value steps upwards. */
struct counted {
	uint32_t iv;	  /* the stepped register at the loop's header */
	uint32_t offset;  /* what the loop adds to it for the comparison, or NDP_NO_REG */
	int64_t step;
	enum ptx_cmp cmp; /* LT, LE or NE after normalisation */
	const struct ptx_operand *bound;
};

static bool loop_has_block(const struct ptx_loop *l, uint32_t block)
{
	for (uint32_t i = 0; i < l->block_count; i++)
		if (l->blocks[i] == block)
			return true;
	return false;
}

static bool inst_writes(const struct ndp_facts *f, uint32_t inst, uint32_t reg)
{
	for (uint32_t w = 0; w < f->uses[inst].write_count; w++)
		if (f->uses[inst].writes[w] == reg)
			return true;
	return false;
}

/* The only instruction of the loop that writes reg; UINT32_MAX if none, UINT32_MAX - 1 if several. */
static uint32_t only_def_in_loop(const struct ndp_facts *f, const struct ptx_loop *l, uint32_t reg)
{
	uint32_t found = UINT32_MAX;

	for (uint32_t n = 0; n < l->block_count; n++) {
		const struct ptx_block *b = &f->cfg->blocks[l->blocks[n]];

		for (uint32_t i = b->first; i <= b->last; i++) {
			if (!inst_writes(f, i, reg))
				continue;
			if (found != UINT32_MAX)
				return UINT32_MAX - 1;
			found = i;
		}
	}
	return found;
}

static bool is_integer_step(const struct ptx_inst *i)
{
	return (i->op == PTX_OP_ADD || i->op == PTX_OP_SUB) && !i->has_guard && !ptx_type_is_float(i->type) &&
	       i->dst.kind == PTX_OPND_REG && i->src[0].kind == PTX_OPND_REG && i->src[1].kind == PTX_OPND_IMM;
}

static int64_t imm_signed(const struct ptx_operand *o, enum ptx_type t)
{
	switch (ptx_type_bytes(t)) {
	case 1:
		return (int8_t)o->imm;
	case 2:
		return (int16_t)o->imm;
	case 4:
		return (int32_t)o->imm;
	default:
		return (int64_t)o->imm;
	}
}

/* Is tested the value of an induction register after its step? Fills iv and step. */
static bool find_induction(const struct ndp_facts *f, const struct ptx_loop *l, uint32_t tested, uint32_t setp_inst,
			   struct counted *c)
{
	const struct ptx_inst *insts = f->cfg->func->insts;
	uint32_t def = only_def_in_loop(f, l, tested);

	if (def >= UINT32_MAX - 1 || !is_integer_step(&insts[def]))
		return false;

	uint32_t def_block = f->cfg->block_of[def], setp_block = f->cfg->block_of[setp_inst];
	bool is_before = def_block == setp_block ? def < setp_inst : ptx_dominates(f->cfg, def_block, setp_block);
	uint32_t from = insts[def].src[0].reg;

	if (!is_before)
		return false;
	if (from != tested) {
		/* "add t, iv, step; ...; mov iv, t": the header's register is copied from the stepped one. */
		uint32_t copy = only_def_in_loop(f, l, from);

		if (copy >= UINT32_MAX - 1 || insts[copy].op != PTX_OP_MOV || insts[copy].has_guard ||
		    insts[copy].src[0].kind != PTX_OPND_REG || insts[copy].src[0].reg != tested ||
		    f->cfg->block_of[copy] != l->latch || copy < def)
			return false;
	}
	c->iv = from;
	c->step = imm_signed(&insts[def].src[1], insts[def].type);
	if (insts[def].op == PTX_OP_SUB)
		c->step = -c->step;
	return c->step != 0;
}

static enum ptx_cmp cmp_negate(enum ptx_cmp cmp)
{
	switch (cmp) {
	case PTX_EQ:
		return PTX_NE;
	case PTX_NE:
		return PTX_EQ;
	case PTX_LT:
	case PTX_LO:
		return PTX_GE;
	case PTX_LE:
	case PTX_LS:
		return PTX_GT;
	case PTX_GT:
	case PTX_HI:
		return PTX_LE;
	case PTX_GE:
	case PTX_HS:
		return PTX_LT;
	default:
		return PTX_CMP_NONE;
	}
}

static enum ptx_cmp cmp_mirror(enum ptx_cmp cmp)
{
	switch (cmp) {
	case PTX_LT:
	case PTX_LO:
		return PTX_GT;
	case PTX_LE:
	case PTX_LS:
		return PTX_GE;
	case PTX_GT:
	case PTX_HI:
		return PTX_LT;
	case PTX_GE:
	case PTX_HS:
		return PTX_LE;
	default:
		return cmp;
	}
}

/* Is tested an induction register after its step, or the sum of one and of a register that the loop leaves alone? Fills
 * iv, step and offset. */
static bool find_stepped(const struct ndp_facts *f, const struct ptx_loop *l, uint32_t tested, uint32_t setp_inst,
			 struct counted *c)
{
	uint32_t def = only_def_in_loop(f, l, tested);

	c->offset = NDP_NO_REG;
	if (find_induction(f, l, tested, setp_inst, c))
		return true;
	if (def >= UINT32_MAX - 1)
		return false;

	const struct ptx_inst *sum = &f->cfg->func->insts[def];
	uint32_t block = f->cfg->block_of[def], setp_block = f->cfg->block_of[setp_inst];

	if (sum->op != PTX_OP_ADD || sum->has_guard || ptx_type_is_float(sum->type) || sum->dst.kind != PTX_OPND_REG ||
	    sum->src[0].kind != PTX_OPND_REG || sum->src[1].kind != PTX_OPND_REG)
		return false;
	if (block == setp_block ? def > setp_inst : !ptx_dominates(f->cfg, block, setp_block))
		return false;
	for (uint32_t s = 0; s < 2; s++) {
		if (only_def_in_loop(f, l, sum->src[1 - s].reg) == UINT32_MAX &&
		    find_induction(f, l, sum->src[s].reg, def, c)) {
			c->offset = sum->src[1 - s].reg;
			return true;
		}
	}
	return false;
}

/* The conditional branch that decides whether the loop goes round again, and whether its guard must hold for that. Two
 * forms: "@p bra header" ends the latch, or the latch is a bare "bra header" behind a block that ends in
 * "@p bra exit". */
static const struct ptx_inst *find_test(const struct ndp_facts *f, const struct ptx_loop *l, uint32_t *block,
					bool *holds)
{
	const struct ptx_inst *insts = f->cfg->func->insts;
	const struct ptx_block *latch = &f->cfg->blocks[l->latch];
	const struct ptx_inst *branch = &insts[latch->last];

	if (branch->op != PTX_OP_BRA || branch->src[0].label != f->cfg->blocks[l->header].first)
		return NULL;
	*block = l->latch;
	*holds = true;
	if (branch->has_guard)
		return branch;
	if (latch->first != latch->last || latch->pred_count != 1)
		return NULL;
	*block = latch->preds[0];
	*holds = false;
	branch = &insts[f->cfg->blocks[*block].last];
	if (branch->op != PTX_OP_BRA || !branch->has_guard || !loop_has_block(l, *block) ||
	    loop_has_block(l, f->cfg->block_of[branch->src[0].label]))
		return NULL;
	return branch;
}

static bool find_counted(const struct ndp_facts *f, const struct ptx_loop *l, struct counted *c)
{
	const struct ptx_inst *insts = f->cfg->func->insts;
	uint32_t test_block;
	bool guard_repeats;
	const struct ptx_inst *branch = find_test(f, l, &test_block, &guard_repeats);

	if (!branch)
		return false;
	for (uint32_t i = f->cfg->blocks[test_block].last; i-- > f->cfg->blocks[test_block].first;) {
		if (!inst_writes(f, i, branch->guard_reg))
			continue;

		const struct ptx_inst *setp = &insts[i];

		if (setp->op != PTX_OP_SETP || setp->has_guard || setp->mods.boolop != PTX_BOOL_NONE ||
		    ptx_type_is_float(setp->type) || setp->dst.kind != PTX_OPND_REG ||
		    setp->dst.reg != branch->guard_reg)
			return false;
		c->cmp = branch->guard_negate == guard_repeats ? cmp_negate(setp->mods.cmp)
							       : (enum ptx_cmp)setp->mods.cmp;
		if (setp->src[0].kind == PTX_OPND_REG && find_stepped(f, l, setp->src[0].reg, i, c)) {
			c->bound = &setp->src[1];
		} else if (setp->src[1].kind == PTX_OPND_REG && find_stepped(f, l, setp->src[1].reg, i, c)) {
			c->bound = &setp->src[0];
			c->cmp = cmp_mirror(c->cmp);
		} else {
			return false;
		}
		if (c->bound->kind == PTX_OPND_REG)
			return only_def_in_loop(f, l, c->bound->reg) == UINT32_MAX;
		return c->bound->kind == PTX_OPND_IMM;
	}
	return false;
}

/* The constant that reg holds on entry to the loop: its one definition outside dominates the header and is a mov of an
 * immediate, or of a register that holds one in the same way. */
static bool entry_constant(const struct ndp_facts *f, const struct ptx_loop *l, uint32_t reg, int64_t *value)
{
	enum { COPIES_MAX = 4 };
	const struct ptx_func *fn = f->cfg->func;

	for (int copies = 0; copies < COPIES_MAX; copies++) {
		uint32_t found = UINT32_MAX;

		for (uint32_t i = 0; i < fn->inst_count; i++) {
			if (!inst_writes(f, i, reg) || (copies == 0 && loop_has_block(l, f->cfg->block_of[i])))
				continue;
			if (found != UINT32_MAX)
				return false;
			found = i;
		}
		if (found == UINT32_MAX)
			return false;

		const struct ptx_inst *def = &fn->insts[found];

		if (def->op != PTX_OP_MOV || def->has_guard ||
		    !ptx_dominates(f->cfg, f->cfg->block_of[found], l->header))
			return false;
		if (def->src[0].kind == PTX_OPND_IMM) {
			*value = imm_signed(&def->src[0], def->type);
			return true;
		}
		if (def->src[0].kind != PTX_OPND_REG)
			return false;
		reg = def->src[0].reg;
	}
	return false;
}

/* Iterations of "do { v += step } while (v cmp bound)" for step > 0, distance = bound - start. */
static uint64_t count_of(enum ptx_cmp cmp, int64_t distance, int64_t step)
{
	int64_t n = cmp == PTX_LE ? distance / step + 1 : (distance + step - 1) / step;

	return distance <= 0 && cmp != PTX_LE ? 1 : n < 1 ? 1 : (uint64_t)n;
}

struct ndp_trip ndp_loop_trip(const struct ndp_facts *f, uint32_t loop)
{
	const struct ptx_loop *l = &f->cfg->loops[loop];
	struct ndp_trip unknown = {.kind = NDP_TRIP_UNKNOWN};
	struct counted c = {0};

	if (!find_counted(f, l, &c))
		return unknown;

	bool is_up = c.step > 0;
	enum ptx_cmp cmp = is_up ? c.cmp : cmp_mirror(c.cmp);
	int64_t step = is_up ? c.step : -c.step, start = 0, bound = 0;
	bool start_known = entry_constant(f, l, c.iv, &start);
	bool bound_known = c.bound->kind == PTX_OPND_IMM;

	if (cmp == PTX_LO)
		cmp = PTX_LT;
	else if (cmp == PTX_LS)
		cmp = PTX_LE;
	if (cmp != PTX_LT && cmp != PTX_LE && cmp != PTX_NE)
		return unknown;
	if (bound_known)
		bound = imm_signed(c.bound, f->cfg->func->regs[c.iv].type);
	if (start_known && bound_known && c.offset == NDP_NO_REG)
		return (struct ndp_trip){.kind = NDP_TRIP_STATIC,
					 .count = count_of(cmp, is_up ? bound - start : start - bound, step)};

	/* At least n iterations <=> distance >= slack + step * n, with distance the way from start to bound. Both are
	 * the sum of a register and a constant, either of which may be missing. */
	int64_t slack = cmp == PTX_LT ? 1 - step : cmp == PTX_LE ? -step : 0;
	uint32_t from = c.offset != NDP_NO_REG ? c.offset : start_known ? NDP_NO_REG : c.iv;
	uint32_t to = bound_known ? NDP_NO_REG : c.bound->reg;
	struct ndp_trip t = {.kind = NDP_TRIP_RUNTIME, .less_reg = NDP_NO_REG, .step = step};

	if (c.offset != NDP_NO_REG && !start_known)
		return unknown; /* three registers */
	t.base = slack + (is_up ? start - bound : bound - start);
	if (to == NDP_NO_REG) {
		t.reg = from;
		t.sign = is_up ? -1 : 1;
		return t;
	}
	t.reg = to;
	t.less_reg = from;
	t.sign = is_up ? 1 : -1;
	return from == NDP_NO_REG || ptx_type_bytes(f->cfg->func->regs[from].type) ==
					     ptx_type_bytes(f->cfg->func->regs[to].type)
		       ? t
		       : unknown;
}
