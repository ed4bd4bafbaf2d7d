/* convert.c - conversions of floats as operations of their own, which the compiler inserts (section 3.1.1).
 *
 * keep.c leaves out what only additions make and read. Here a value that others make or read as well becomes two
 * registers: the one that it was, and one in two's complement (dc/array/complement.h) that its additions take and make.
 * Between them stand moves, which the arrays do as conversions: behind who else makes the value, and either in front of
 * who else reads it, once in a block, or behind the additions that make it. The cheaper of these is taken, by cycles
 * and the depth of loops, so that a sum that is carried round a loop is converted behind it, and what a loop reads
 * again and again in front of it. A value for which all that takes as long as it saves stays as it is. */
#include "dc/compile/priv.h"

#include <string.h>

#include "dc/ops.h"

enum place { NOWHERE, AT_READERS, AT_SUMS };

/* What is known of a register, and of those that are copied to or from it: of the one that stands for them. */
struct value {
	uint32_t parent; /* union-find */
	bool is_out;     /* in no register of an array, or kept already */
	uint64_t saved;  /* cycles of additions */
	uint64_t makers, readers, sums; /* cycles of conversions, behind or in front of these */
	enum place place;
	uint32_t kept; /* the register in two's complement; UINT32_MAX: none */
	uint32_t block, at_hand; /* in this block at_hand is the value as it was; UINT32_MAX: nothing is */
};

struct conversions {
	struct dcc *c;
	struct value *values; /* [count]: of the function's registers */
	uint32_t count;
};

static struct value *of(const struct conversions *v, uint32_t reg)
{
	while (v->values[reg].parent != reg)
		reg = v->values[reg].parent = v->values[v->values[reg].parent].parent;
	return &v->values[reg];
}

static bool is_kept(const struct dc_kernel *k, uint32_t reg)
{
	return k->is_kept[reg / 64] >> reg % 64 & 1;
}

static void begin(struct conversions *v)
{
	const struct dc_kernel *k = v->c->kernel;

	for (uint32_t r = 0; r < v->count; r++) {
		const struct ptx_reg *reg = &v->c->func->regs[r];

		v->values[r] = (struct value){
		    .parent = r,
		    .is_out = reg->type == PTX_PRED || reg->vec > 1 || k->host_of[r] != UINT32_MAX || is_kept(k, r),
		    .kept = UINT32_MAX,
		    .block = UINT32_MAX,
		    .at_hand = UINT32_MAX};
	}
}

/* A copy of one such register to another of the same width. */
static bool is_copy(const struct conversions *v, const struct ptx_inst *i)
{
	const struct ptx_operand *s = &i->src[0];

	return i->op == PTX_OP_MOV && i->dst.kind == PTX_OPND_REG && s->kind == PTX_OPND_REG && !s->negate &&
	       !v->values[i->dst.reg].is_out && !v->values[s->reg].is_out &&
	       dcc_reg_slots(v->c->func, i->dst.reg) == dcc_reg_slots(v->c->func, s->reg) &&
	       ptx_type_bytes(i->type) == (dcc_reg_slots(v->c->func, s->reg) == 2 ? 8 : 4);
}

static void join_copies(const struct conversions *v)
{
	const struct ptx_func *f = v->c->func;

	for (uint32_t n = 0; n < f->inst_count; n++)
		if (is_copy(v, &f->insts[n]))
			of(v, f->insts[n].dst.reg)->parent = of(v, f->insts[n].src[0].reg)->parent;
}

/* ---- what is saved, and what it costs ---- */

/* kept: DC_KEPT_RESULT, to the other register, or DC_KEPT_A, from it. */
static uint64_t cycles_of(const struct conversions *v, uint32_t reg, uint8_t kept)
{
	const struct dc_arith arith = {.cordic_iterations = 1};
	const bool is_double = dcc_reg_slots(v->c->func, reg) == 2;
	const struct dc_use use = {.op = DC_OP_COMPLEMENT,
				   .n = is_double ? 64 : 32,
				   .e = is_double ? 11 : 8,
				   .m = is_double ? 53 : 24,
				   .times = 1,
				   .kept = v->c->o->open ? kept | DC_KEPT_OPEN : kept};

	return dc_usual_cycles(&use, &arith);
}

/* By an operand or the result in two's complement. */
static uint64_t saved_by(const struct conversions *v, const struct ptx_inst *i, uint8_t kept)
{
	const struct dc_arith arith = {.cordic_iterations = 1};
	struct dc_use use;
	const char *why;
	uint64_t whole;

	CHECK(dc_use_of(i, false, &use, &why));
	/* Of open numbers what one more of them saves. */
	use.kept = v->c->o->open ? DC_KEPT_OPEN : 0;
	whole = dc_usual_cycles(&use, &arith);
	use.kept |= kept;
	return whole - dc_usual_cycles(&use, &arith);
}

/* A round counts as eight: as the choice between schedules has it. */
static uint64_t weight_of(const struct ptx_cfg *cfg, uint32_t block)
{
	uint64_t weight = cfg->blocks[block].is_reachable;
	uint32_t depth = 0;

	for (uint32_t l = cfg->blocks[block].loop; l != UINT32_MAX && depth < 4; l = cfg->loops[l].parent, depth++)
		weight *= 8;
	return weight;
}

static bool is_read(const struct ptx_operand *o, uint32_t reg)
{
	bool is = (o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR) && o->reg == reg;

	for (uint32_t e = 0; e < o->elem_count; e++)
		is |= is_read(&o->elems[e], reg);
	return is;
}

/* Does the instruction read the register as a number that is not in two's complement? */
static bool asks(const struct conversions *v, const struct ptx_inst *i, uint32_t reg)
{
	for (uint32_t s = 0; s < i->src_count; s++)
		if (is_read(&i->src[s], reg) && !(i->src[s].kind == PTX_OPND_REG && dcc_inst_takes_kept(v->c, i, s)))
			return true;
	return false;
}

static bool is_sum_of(const struct conversions *v, const struct ptx_inst *i, uint32_t reg)
{
	return dcc_inst_is_addition(v->c, i) && i->dst.kind == PTX_OPND_REG && i->dst.reg == reg;
}

static void weigh_reads(const struct conversions *v, const struct ptx_inst *i, uint32_t block, uint64_t weight)
{
	struct ptx_reg_use u;

	for (uint32_t s = 0; s < i->src_count; s++)
		if (i->src[s].kind == PTX_OPND_REG && dcc_inst_takes_kept(v->c, i, s))
			of(v, i->src[s].reg)->saved += weight * saved_by(v, i, (uint8_t)(DC_KEPT_A << s));
	ptx_inst_regs(i, &u);
	for (uint32_t r = 0; r < u.read_count; r++) {
		struct value *own = &v->values[u.reads[r]];

		if (own->is_out || own->block == block || !asks(v, i, u.reads[r]))
			continue;
		of(v, u.reads[r])->readers += weight * cycles_of(v, u.reads[r], DC_KEPT_A);
		own->block = block;
	}
}

static void weigh_writes(const struct conversions *v, const struct ptx_inst *i, uint32_t block, uint64_t weight)
{
	struct ptx_reg_use u;

	ptx_inst_regs(i, &u);
	for (uint32_t w = 0; w < u.write_count; w++) {
		const uint32_t reg = u.writes[w];
		struct value *own = &v->values[reg], *all = of(v, reg);

		if (own->is_out)
			continue;
		own->block = UINT32_MAX;
		if (is_sum_of(v, i, reg)) {
			all->saved += weight * saved_by(v, i, DC_KEPT_RESULT);
			all->sums += weight * cycles_of(v, reg, DC_KEPT_A);
		} else if (!dcc_inst_is_same_either_way(v->c, i)) {
			all->makers += weight * cycles_of(v, reg, DC_KEPT_RESULT);
			own->block = i->has_guard ? UINT32_MAX : block;
		}
	}
}

static void weigh(const struct conversions *v)
{
	const struct ptx_cfg *cfg = v->c->kernel->cfg;
	const struct ptx_func *f = v->c->func;

	for (uint32_t n = 0; n < f->inst_count; n++) {
		const uint32_t block = cfg->block_of[n];
		const uint64_t weight = weight_of(cfg, block);

		if (is_copy(v, &f->insts[n])) {
			v->values[f->insts[n].dst.reg].block = UINT32_MAX;
			of(v, f->insts[n].dst.reg)->sums += weight * dcc_inst_bits(&f->insts[n]);
			continue;
		}
		weigh_reads(v, &f->insts[n], block, weight);
		weigh_writes(v, &f->insts[n], block, weight);
	}
}

/* True: some are converted. */
static bool choose(const struct conversions *v)
{
	bool any = false;

	for (uint32_t r = 0; r < v->count; r++) {
		struct value *x = &v->values[r];

		if (x->parent != r || x->is_out || x->saved <= x->makers + MIN(x->readers, x->sums))
			continue;
		x->place = x->readers <= x->sums ? AT_READERS : AT_SUMS;
		any = true;
	}
	return any;
}

/* ---- the other function ---- */

static enum place place_of(const struct conversions *v, uint32_t reg)
{
	return reg < v->count && !v->values[reg].is_out ? of(v, reg)->place : NOWHERE;
}

/* Elements are those of the old instruction, too: others stand in their place. */
static void replace(const struct conversions *v, struct ptx_operand *o, uint32_t from, uint32_t to)
{
	if ((o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR) && o->reg == from)
		o->reg = to;
	if (!o->elem_count)
		return;
	o->elems = ptx_arena_copy(v->c->arena, o->elems, o->elem_count * sizeof(*o->elems));
	for (uint32_t e = 0; e < o->elem_count; e++)
		replace(v, &o->elems[e], from, to);
}

static enum ptx_type float_of(const struct conversions *v, uint32_t reg)
{
	return dcc_reg_slots(v->c->func, reg) == 2 ? PTX_F64 : PTX_F32;
}

static uint32_t kept_of(const struct conversions *v, uint32_t reg)
{
	struct value *own = &v->values[reg];

	if (own->kept == UINT32_MAX)
		own->kept = dcc_reg_new(v->c, float_of(v, reg));
	return own->kept;
}

static void convert(const struct conversions *v, uint32_t to, uint32_t from, bool has_guard)
{
	static const struct ptx_operand none;

	dcc_op(v->c, PTX_OP_MOV, float_of(v, from), dcc_reg(to), dcc_reg(from), none, none)->has_guard = has_guard;
}

static void emit_reads(const struct conversions *v, struct ptx_inst *i, uint32_t block)
{
	struct ptx_reg_use u;

	ptx_inst_regs(i, &u);
	for (uint32_t r = 0; r < u.read_count; r++) {
		const uint32_t reg = u.reads[r];
		const enum place place = place_of(v, reg);
		struct value *own = &v->values[reg];

		if (place == NOWHERE)
			continue;
		if (place == AT_READERS && asks(v, i, reg) && (own->block != block || own->at_hand == UINT32_MAX)) {
			own->block = block;
			own->at_hand = dcc_reg_new(v->c, float_of(v, reg));
			convert(v, own->at_hand, kept_of(v, reg), false);
		}
		for (uint32_t s = 0; s < i->src_count; s++) {
			if (i->src[s].kind == PTX_OPND_REG && dcc_inst_takes_kept(v->c, i, s))
				replace(v, &i->src[s], reg, kept_of(v, reg));
			else if (place == AT_READERS)
				replace(v, &i->src[s], reg, own->at_hand);
		}
	}
}

struct move {
	uint32_t to, from;
};

/* What the instruction makes, and behind it conversions of that. */
static void emit_writes(const struct conversions *v, struct ptx_inst *i, uint32_t block)
{
	struct move behind[PTX_REGS_MAX];
	const bool is_same = dcc_inst_is_same_either_way(v->c, i);
	uint32_t count = 0;
	struct ptx_reg_use u;

	ptx_inst_regs(i, &u);
	for (uint32_t w = 0; w < u.write_count; w++) {
		const uint32_t reg = u.writes[w];
		const enum place place = place_of(v, reg);
		uint32_t made = reg;

		if (place == NOWHERE)
			continue;
		v->values[reg].block = UINT32_MAX;
		if (is_same && place == AT_SUMS)
			dcc_emit(v->c, i);
		if (is_same || is_sum_of(v, i, reg)) {
			replace(v, &i->dst, reg, kept_of(v, reg));
			if (!is_same && place == AT_SUMS)
				behind[count++] = (struct move){reg, kept_of(v, reg)};
			continue;
		}
		if (place == AT_READERS) {
			made = dcc_reg_new(v->c, float_of(v, reg));
			replace(v, &i->dst, reg, made);
			v->values[reg].at_hand = made;
			v->values[reg].block = i->has_guard ? UINT32_MAX : block;
		}
		behind[count++] = (struct move){kept_of(v, reg), made};
	}
	dcc_emit(v->c, i);
	for (uint32_t n = 0; n < count; n++)
		convert(v, behind[n].to, behind[n].from, i->has_guard);
}

/* In both registers, where the value has both. */
static void emit_copy(const struct conversions *v, struct ptx_inst *i)
{
	const uint32_t to = i->dst.reg, from = i->src[0].reg;

	if (place_of(v, to) != AT_READERS)
		dcc_emit(v->c, i);
	if (place_of(v, to) == NOWHERE)
		return;
	i->dst.reg = kept_of(v, to);
	i->src[0].reg = kept_of(v, from);
	v->values[to].block = UINT32_MAX;
	dcc_emit(v->c, i);
}

static void emit(const struct conversions *v)
{
	const struct ptx_cfg *cfg = v->c->kernel->cfg;
	const struct ptx_inst *insts = v->c->func->insts;
	const uint32_t count = v->c->func->inst_count;

	for (uint32_t r = 0; r < v->count; r++)
		v->values[r].block = UINT32_MAX;
	dcc_rewrite_begin(v->c);
	for (uint32_t n = 0; n < count; n++) {
		struct ptx_inst i = insts[n];

		dcc_rewrite_at(v->c, n);
		if (is_copy(v, &i)) {
			emit_copy(v, &i);
			continue;
		}
		emit_reads(v, &i, cfg->block_of[n]);
		emit_writes(v, &i, cfg->block_of[n]);
	}
	dcc_rewrite_end(v->c);
}

/* Of the function that has more registers now. */
static void set_kept(const struct conversions *v)
{
	struct dc_kernel *k = v->c->kernel;
	uint64_t *all = ptx_arena_array(v->c->arena, v->c->func->reg_count / 64 + 1, sizeof(*all));

	memcpy(all, k->is_kept, (v->count / 64 + 1) * sizeof(*all));
	for (uint32_t r = 0; r < v->count; r++)
		if (v->values[r].kept != UINT32_MAX)
			all[v->values[r].kept / 64] |= 1ull << v->values[r].kept % 64;
	k->is_kept = all;
}

void dcc_convert(struct dcc *c)
{
	g_autofree struct value *values = g_new(struct value, c->func->reg_count + 1);
	struct conversions v = {c, values, c->func->reg_count};

	if (!c->o->keep)
		return;
	begin(&v);
	join_copies(&v);
	weigh(&v);
	if (!choose(&v))
		return;
	emit(&v);
	set_kept(&v);
}
