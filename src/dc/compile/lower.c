/* lower.c - PTX to what the arrays, the C-Box and the host core do.
 *
 * An instruction that none of them has becomes several that they have; what this makes may need lowering again, so the
 * pass runs until nothing changes. What has no counterpart is refused with its line.
 */
#include "dc/compile/priv.h"
#include "dc/param.h"

#include "ptx/tables.h"
#include "simt/memory.h"

static const struct ptx_operand none;

/* ---- variables ---- */

static uint64_t var_offset(struct dcc *c, const struct ptx_var *var)
{
	const struct dc_kernel *k = c->kernel;

	for (uint32_t n = 0; n < k->var_count; n++)
		if (k->vars[n].var == var)
			return k->vars[n].offset_bytes;
	CHECK(!"a variable without place");
	return 0;
}

static bool has_segment(const struct ptx_var *var)
{
	return var && (var->space == PTX_SHARED || var->space == PTX_LOCAL);
}

/* Its address is a number that is known here. */
static bool has_place(const struct ptx_var *var)
{
	return has_segment(var) || (var && var->space == PTX_PARAM_ENTRY);
}

static void place_var(GArray *vars, uint64_t *bytes, const struct ptx_var *var)
{
	const uint64_t align = MAX(var->align_bytes, ptx_type_bytes(var->type) * MAX(var->vec, 1));
	struct dc_var v = {var, (*bytes + align - 1) / align * align};

	for (uint32_t n = 0; n < vars->len; n++)
		if (g_array_index(vars, struct dc_var, n).var == var)
			return;
	g_array_append_val(vars, v);
	*bytes = v.offset_bytes + var->size_bytes;
}

static void find_vars(struct dcc *c, GArray *vars, const struct ptx_operand *o, enum ptx_space space, bool unsized,
		      uint64_t *bytes)
{
	if (o->var && o->var->space == space && (o->var->is_unsized || !o->var->size_bytes) == unsized)
		place_var(vars, bytes, o->var);
	for (uint32_t k = 0; k < o->elem_count; k++)
		find_vars(c, vars, &o->elems[k], space, unsized, bytes);
}

/* Offsets of all .shared and .local variables that the function names; arrays without size last, at one place. */
static void place_vars(struct dcc *c)
{
	GArray *vars = g_array_new(FALSE, TRUE, sizeof(struct dc_var));
	struct dc_kernel *k = c->kernel;

	for (uint32_t round = 0; round < 3; round++) {
		const enum ptx_space space = round == 2 ? PTX_LOCAL : PTX_SHARED;
		uint64_t *bytes = round == 2 ? &k->local_bytes : &k->shared_bytes;

		if (round == 1)
			k->shared_bytes = (k->shared_bytes + 15) / 16 * 16;
		for (uint32_t n = 0; n < c->func->inst_count; n++)
			for (uint32_t s = 0; s < c->func->insts[n].src_count; s++)
				find_vars(c, vars, &c->func->insts[n].src[s], space, round == 1, bytes);
	}
	k->var_count = vars->len;
	k->vars = ptx_arena_copy(c->arena, vars->data, vars->len * sizeof(struct dc_var));
	k->has_shared = k->shared_bytes != 0;
	for (uint32_t n = 0; n < vars->len; n++)
		k->has_shared |= k->vars[n].var->space == PTX_SHARED;
	g_array_free(vars, TRUE);
}

/* ---- operands ---- */

static bool reads_sreg(const struct ptx_inst *i)
{
	for (uint32_t k = 0; k < i->src_count; k++)
		if (i->src[k].kind == PTX_OPND_SREG)
			return true;
	return false;
}

static struct ptx_operand sreg_value(struct dcc *c, const struct ptx_operand *o)
{
	if (o->sreg == PTX_SREG_IS_EXPLICIT_CLUSTER)
		return dcc_imm(c->entry->has_clusters, PTX_PRED);
	return dcc_temp(c, PTX_OP_MOV, ptx_sreg_type(o->sreg), *o, none);
}

/* Special registers only in mov, from which they are known to be equal in all threads or not. */
static bool lower_sregs(struct dcc *c, const struct ptx_inst *i)
{
	struct ptx_inst out = *i;

	for (uint32_t k = 0; k < i->src_count; k++)
		if (i->src[k].kind == PTX_OPND_SREG && i->src[k].sreg == PTX_SREG_ENVREG) {
			dcc_refuse(c, i, "a barrier of the whole grid (%%envreg)");
			return true;
		}
	if (!reads_sreg(i) || (i->op == PTX_OP_MOV && ptx_type_bytes(i->type) >= 4))
		return false;
	for (uint32_t k = 0; k < i->src_count; k++)
		if (i->src[k].kind == PTX_OPND_SREG)
			out.src[k] = sreg_value(c, &i->src[k]);
	dcc_emit(c, &out);
	return true;
}

/* ---- moves ---- */

static struct ptx_operand widened(struct dcc *c, const struct ptx_operand *o, uint32_t part_bytes)
{
	if (o->kind == PTX_OPND_IMM)
		return dcc_imm(part_bytes == 4 ? o->imm & UINT32_MAX : o->imm & 0xffff, PTX_U64);
	return dcc_temp_cvt(c, PTX_U64, part_bytes == 4 ? PTX_U32 : part_bytes == 2 ? PTX_U16 : PTX_U8, *o);
}

static void lower_pack(struct dcc *c, const struct ptx_inst *i, const struct ptx_operand *parts)
{
	const uint32_t bytes = ptx_type_bytes(i->type), part_bytes = bytes / parts->elem_count;
	struct ptx_operand sum = widened(c, &parts->elems[0], part_bytes);

	for (uint32_t k = 1; k < parts->elem_count; k++) {
		struct ptx_operand up = dcc_temp(c, PTX_OP_SHL, PTX_B64, widened(c, &parts->elems[k], part_bytes),
						 dcc_imm(8 * k * part_bytes, PTX_U32));

		sum = dcc_temp(c, PTX_OP_OR, PTX_B64, sum, up);
	}
	if (bytes == 8)
		dcc_mov(c, PTX_B64, i->dst, sum);
	else
		dcc_op(c, PTX_OP_CVT, PTX_U32, i->dst, sum, none, none)->type2 = PTX_U64;
}

static void lower_unpack(struct dcc *c, const struct ptx_inst *i)
{
	const uint32_t bytes = ptx_type_bytes(i->type), part_bytes = bytes / i->dst.elem_count;
	const enum ptx_type type = bytes == 8 ? PTX_U64 : PTX_U32;
	struct ptx_operand whole = dcc_temp(c, PTX_OP_MOV, type, i->src[0], none);

	for (uint32_t k = 0; k < i->dst.elem_count; k++) {
		struct ptx_operand v = whole;

		if (i->dst.elems[k].kind != PTX_OPND_REG)
			continue;
		if (k)
			v = dcc_temp(c, PTX_OP_SHR, type, whole, dcc_imm(8 * k * part_bytes, PTX_U32));
		dcc_op(c, PTX_OP_CVT,
		       part_bytes == 4   ? PTX_U32
		       : part_bytes == 2 ? PTX_U16
					 : PTX_U8,
		       i->dst.elems[k], v, none, none)
		    ->type2 = type;
	}
}

static void lower_vector_mov(struct dcc *c, const struct ptx_inst *i)
{
	struct ptx_operand t[DC_ELEMS];

	for (uint32_t k = 0; k < i->dst.elem_count && k < DC_ELEMS; k++)
		t[k] = dcc_temp(c, PTX_OP_MOV, i->type, i->src[0].elems[k], none);
	for (uint32_t k = 0; k < i->dst.elem_count && k < DC_ELEMS; k++)
		if (i->dst.elems[k].kind == PTX_OPND_REG)
			dcc_mov(c, i->type, i->dst.elems[k], t[k]);
}

static bool lower_mov(struct dcc *c, const struct ptx_inst *i)
{
	const struct ptx_operand *s = &i->src[0];

	if (i->type == PTX_PRED)
		return false;
	if (i->dst.kind == PTX_OPND_VEC && s->kind == PTX_OPND_VEC) {
		lower_vector_mov(c, i);
		return true;
	}
	if (s->kind == PTX_OPND_VEC) {
		lower_pack(c, i, s);
		return true;
	}
	if (i->dst.kind == PTX_OPND_VEC) {
		lower_unpack(c, i);
		return true;
	}
	if (s->kind == PTX_OPND_FUNC) {
		dcc_refuse(c, i, "the address of a function");
		return true;
	}
	if (s->kind == PTX_OPND_VAR && s->var->space == PTX_PARAM_ENTRY) {
		/* Loads through it were found by the parameter (param_of). */
		dcc_mov(c, i->type, i->dst, dcc_imm(s->var->offset_bytes + (uint64_t)s->offset, i->type));
		return true;
	}
	if (s->kind == PTX_OPND_VAR && has_segment(s->var)) {
		dcc_mov(c, i->type, i->dst, dcc_imm(var_offset(c, s->var) + (uint64_t)s->offset, i->type));
		return true;
	}
	return false;
}

/* The address of the launch's parameter block, which the host knows. */
static struct ptx_operand param_block(struct dcc *c)
{
	static const struct ptx_var block = {.name = "the parameter block", .space = PTX_GLOBAL};

	c->kernel->param_block = &block;
	return dcc_temp(c, PTX_OP_MOV, PTX_U64,
			(struct ptx_operand){.kind = PTX_OPND_VAR, .var = &block, .reg = UINT32_MAX}, none);
}

static void lower_cvta(struct dcc *c, const struct ptx_inst *i)
{
	const uint64_t window = i->mods.space == PTX_SHARED  ? SIMT_SHARED_WINDOW
				: i->mods.space == PTX_LOCAL ? SIMT_LOCAL_WINDOW
							     : 0;
	struct ptx_operand s = i->src[0];

	if (s.kind == PTX_OPND_ADDR && s.reg != UINT32_MAX)
		s.kind = PTX_OPND_REG;
	if (s.kind == PTX_OPND_VAR || s.kind == PTX_OPND_ADDR)
		s = has_segment(s.var) ? dcc_imm(var_offset(c, s.var) + (uint64_t)s.offset, i->type)
				       : dcc_temp(c, PTX_OP_MOV, i->type, (s.kind = PTX_OPND_VAR, s), none);
	if (i->mods.space == PTX_PARAM_ENTRY || i->mods.space == PTX_PARAM_CALL)
		dcc_op(c, i->mods.to ? PTX_OP_SUB : PTX_OP_ADD, PTX_U64, i->dst, s, param_block(c), none);
	else if (!window)
		dcc_mov(c, i->type, i->dst, s);
	else
		dcc_op(c, PTX_OP_ADD, ptx_type_bytes(i->type) == 8 ? PTX_U64 : PTX_U32, i->dst, s,
		       dcc_imm(i->mods.to ? -window : window, PTX_U64), none);
}

static void lower_isspacep(struct dcc *c, const struct ptx_inst *i)
{
	const uint64_t window = i->mods.space == PTX_SHARED ? SIMT_SHARED_WINDOW : SIMT_LOCAL_WINDOW;
	struct ptx_inst *last;

	if (i->mods.space == PTX_GLOBAL) {
		last = dcc_op(c, PTX_OP_SETP, PTX_U64, i->dst, i->src[0], dcc_imm(SIMT_ARENA_BASE, PTX_U64), none);
		last->mods.cmp = PTX_GE;
		return;
	}
	const bool is_param = i->mods.space == PTX_PARAM_ENTRY || i->mods.space == PTX_PARAM_CALL;

	if (i->mods.space != PTX_SHARED && i->mods.space != PTX_LOCAL && !is_param) {
		dcc_refuse(c, i, "isspacep of this space");
		return;
	}
	struct ptx_operand at = dcc_temp(c, PTX_OP_SUB, PTX_U64, i->src[0],
					 is_param ? param_block(c) : dcc_imm(window, PTX_U64));

	last = dcc_op(c, PTX_OP_SETP, PTX_U64, i->dst, at,
		      dcc_imm(is_param ? c->entry->param_bytes : SIMT_WINDOW_BYTES, PTX_U64), none);
	last->mods.cmp = PTX_LT;
}

/* ---- products ---- */

static struct ptx_operand product(struct dcc *c, enum ptx_type type, struct ptx_operand a, struct ptx_operand b)
{
	struct ptx_operand d = dcc_reg(dcc_reg_new(c, type));
	struct ptx_inst *i = dcc_op(c, PTX_OP_MUL, type, d, a, b, none);

	i->mods.part = PTX_LO_HALF;
	i->has_guard = false;
	return d;
}

static struct ptx_operand extended(struct dcc *c, enum ptx_type to, enum ptx_type from, struct ptx_operand a)
{
	if (a.kind != PTX_OPND_IMM)
		return dcc_temp_cvt(c, to, from, a);
	const uint32_t bits = 8 * ptx_type_bytes(from);
	const uint64_t low = a.imm << (64 - bits);

	return dcc_imm(ptx_type_is_signed(from) ? (uint64_t)((int64_t)low >> (64 - bits)) : low >> (64 - bits), to);
}

static struct ptx_operand wide_product(struct dcc *c, enum ptx_type type, struct ptx_operand a, struct ptx_operand b)
{
	const enum ptx_type to = ptx_type_twice(type);

	return product(c, to, extended(c, to, type, a), extended(c, to, type, b));
}

static struct ptx_operand shifted(struct dcc *c, enum ptx_type type, struct ptx_operand a, uint32_t by)
{
	return dcc_temp(c, PTX_OP_SHR, type, a, dcc_imm(by, PTX_U32));
}

/* The upper half of 64 x 64 bits from four products of 32 x 32; signed: less b where a < 0, less a where b < 0. */
static struct ptx_operand high64(struct dcc *c, bool is_signed, struct ptx_operand a, struct ptx_operand b)
{
	const struct ptx_operand low = dcc_imm(UINT32_MAX, PTX_U64);
	struct ptx_operand al = dcc_temp(c, PTX_OP_AND, PTX_B64, a, low), bl = dcc_temp(c, PTX_OP_AND, PTX_B64, b, low);
	struct ptx_operand ah = shifted(c, PTX_U64, a, 32), bh = shifted(c, PTX_U64, b, 32);
	struct ptx_operand t = shifted(c, PTX_U64, product(c, PTX_U64, al, bl), 32);
	struct ptx_operand m1 = product(c, PTX_U64, ah, bl), m2 = product(c, PTX_U64, al, bh), hi;

	t = dcc_temp(c, PTX_OP_ADD, PTX_U64, t, dcc_temp(c, PTX_OP_AND, PTX_B64, m1, low));
	t = dcc_temp(c, PTX_OP_ADD, PTX_U64, t, dcc_temp(c, PTX_OP_AND, PTX_B64, m2, low));
	hi = dcc_temp(c, PTX_OP_ADD, PTX_U64, product(c, PTX_U64, ah, bh), shifted(c, PTX_U64, m1, 32));
	hi = dcc_temp(c, PTX_OP_ADD, PTX_U64, hi, shifted(c, PTX_U64, m2, 32));
	hi = dcc_temp(c, PTX_OP_ADD, PTX_U64, hi, shifted(c, PTX_U64, t, 32));
	if (is_signed) {
		struct ptx_operand sa = dcc_temp(c, PTX_OP_AND, PTX_B64, shifted(c, PTX_S64, a, 63), b);
		struct ptx_operand sb = dcc_temp(c, PTX_OP_AND, PTX_B64, shifted(c, PTX_S64, b, 63), a);

		hi = dcc_temp(c, PTX_OP_SUB, PTX_U64, dcc_temp(c, PTX_OP_SUB, PTX_U64, hi, sa), sb);
	}
	return hi;
}

static struct ptx_operand high_product(struct dcc *c, enum ptx_type type, struct ptx_operand a, struct ptx_operand b)
{
	const uint32_t bits = 8 * ptx_type_bytes(type);

	if (bits == 64)
		return high64(c, type == PTX_S64, a, b);
	struct ptx_operand up = shifted(c, ptx_type_twice(type), wide_product(c, type, a, b), bits);

	return bits == 32 ? dcc_temp_cvt(c, PTX_U32, PTX_U64, up) : up;
}

static struct ptx_operand factor24(struct dcc *c, bool is_signed, struct ptx_operand a)
{
	struct ptx_operand up = dcc_temp(c, PTX_OP_SHL, PTX_B32, a, dcc_imm(8, PTX_U32));

	return dcc_temp(c, PTX_OP_SHR, is_signed ? PTX_S32 : PTX_U32, up, dcc_imm(8, PTX_U32));
}

/* mul, mad and their 24-bit forms of integers: low products, the rest by wider ones. */
static bool lower_mul(struct dcc *c, const struct ptx_inst *i)
{
	const bool is24 = i->op == PTX_OP_MUL24 || i->op == PTX_OP_MAD24;
	const bool adds = i->op == PTX_OP_MAD || i->op == PTX_OP_MAD24;
	struct ptx_operand a = i->src[0], b = i->src[1], d;
	enum ptx_type sum = i->mods.part == PTX_WIDE ? ptx_type_twice(i->type) : i->type;

	if (ptx_type_is_float(i->type) || (!adds && !is24 && i->mods.part == PTX_LO_HALF))
		return false;
	if (is24) {
		a = factor24(c, ptx_type_is_signed(i->type), a);
		b = factor24(c, ptx_type_is_signed(i->type), b);
	}
	if (is24 && i->mods.part == PTX_HI_HALF)
		d = dcc_temp_cvt(c, PTX_U32, PTX_U64,
				 shifted(c, ptx_type_twice(i->type), wide_product(c, i->type, a, b), 16));
	else if (i->mods.part == PTX_WIDE)
		d = wide_product(c, i->type, a, b);
	else if (i->mods.part == PTX_HI_HALF)
		d = high_product(c, i->type, a, b);
	else
		d = product(c, i->type, a, b);
	if (adds)
		dcc_op(c, PTX_OP_ADD, sum, i->dst, d, i->src[2], none)->mods.sat = i->mods.sat;
	else
		dcc_mov(c, sum, i->dst, d);
	return true;
}

static void lower_sad(struct dcc *c, const struct ptx_inst *i)
{
	struct ptx_operand more = dcc_temp(c, PTX_OP_MAX, i->type, i->src[0], i->src[1]);
	struct ptx_operand less = dcc_temp(c, PTX_OP_MIN, i->type, i->src[0], i->src[1]);

	dcc_op(c, PTX_OP_ADD, i->type, i->dst, i->src[2], dcc_temp(c, PTX_OP_SUB, i->type, more, less), none);
}

/* ---- two lanes of 16 bits, three values, mixed precision ---- */

/* The half of a pair as a value of 32 bits. */
static struct ptx_operand half_of(struct dcc *c, enum ptx_type pair, struct ptx_operand a, bool is_upper)
{
	const enum ptx_type type = pair == PTX_S16X2 ? PTX_S32 : PTX_U32;

	if (!is_upper)
		a = dcc_temp(c, PTX_OP_SHL, PTX_B32, a, dcc_imm(16, PTX_U32));
	return dcc_temp(c, PTX_OP_SHR, type, a, dcc_imm(16, PTX_U32));
}

static struct ptx_operand extreme_of(struct dcc *c, const struct ptx_inst *i, bool is_upper)
{
	const enum ptx_type type = i->type == PTX_S16X2 ? PTX_S32 : PTX_U32;
	struct ptx_operand d = dcc_temp(c, i->op, type, half_of(c, i->type, i->src[0], is_upper),
					half_of(c, i->type, i->src[1], is_upper));

	if (i->mods.relu)
		d = dcc_temp(c, PTX_OP_MAX, type, d, dcc_imm(0, type));
	return is_upper ? dcc_temp(c, PTX_OP_SHL, PTX_B32, d, dcc_imm(16, PTX_U32))
			: dcc_temp(c, PTX_OP_AND, PTX_B32, d, dcc_imm(0xffff, PTX_U32));
}

/* The lower 15 bits of both lanes in one sum, the highest by what they are without a carry. */
static void lower_pair(struct dcc *c, const struct ptx_inst *i)
{
	const struct ptx_operand low = dcc_imm(0x7fff7fff, PTX_U32), high = dcc_imm(0x80008000, PTX_U32);

	if (i->op != PTX_OP_ADD) {
		struct ptx_operand upper = extreme_of(c, i, true);

		dcc_op(c, PTX_OP_OR, PTX_B32, i->dst, extreme_of(c, i, false), upper, none);
		return;
	}
	struct ptx_operand sum = dcc_temp(c, PTX_OP_ADD, PTX_U32, dcc_temp(c, PTX_OP_AND, PTX_B32, i->src[0], low),
					  dcc_temp(c, PTX_OP_AND, PTX_B32, i->src[1], low));
	struct ptx_operand top = dcc_temp(c, PTX_OP_AND, PTX_B32,
					  dcc_temp(c, PTX_OP_XOR, PTX_B32, i->src[0], i->src[1]), high);

	dcc_op(c, PTX_OP_XOR, PTX_B32, i->dst, sum, top, none);
}

/* min and max of three: of two, and of that and the third. */
static void lower_three(struct dcc *c, const struct ptx_inst *i)
{
	struct ptx_inst out = *i;
	struct ptx_operand src[3];

	for (uint32_t k = 0; k < 3; k++)
		src[k] = i->mods.abs ? dcc_temp(c, PTX_OP_ABS, PTX_F32, i->src[k], none) : i->src[k];
	out.mods.abs = false;
	out.src_count = 2;
	out.src[2] = none;
	out.src[0] = src[0];
	out.src[1] = src[1];
	out.dst = dcc_reg(dcc_reg_new(c, PTX_F32));
	out.has_guard = false;
	dcc_emit(c, &out);
	out.src[0] = out.dst;
	out.src[1] = src[2];
	out.dst = i->dst;
	out.has_guard = i->has_guard;
	dcc_emit(c, &out);
}

static void lower_mixed(struct dcc *c, const struct ptx_inst *i)
{
	struct ptx_inst out = *i;

	for (uint32_t k = 0; k < (i->op == PTX_OP_FMA ? 2u : 1u); k++)
		out.src[k] = dcc_temp_cvt(c, PTX_F32, i->type2, i->src[k]);
	out.type2 = PTX_TYPE_NONE;
	dcc_emit(c, &out);
}

static bool lower_composite(struct dcc *c, const struct ptx_inst *i)
{
	const bool is_sum = i->op == PTX_OP_ADD || i->op == PTX_OP_SUB || i->op == PTX_OP_FMA;

	if (i->type == PTX_U16X2 || i->type == PTX_S16X2)
		lower_pair(c, i);
	else if ((i->op == PTX_OP_MIN || i->op == PTX_OP_MAX) && i->src_count == 3)
		lower_three(c, i);
	else if (is_sum && i->type2)
		lower_mixed(c, i);
	else
		return false;
	return true;
}

/* ---- functions of halves ---- */

static struct ptx_operand of_half(struct dcc *c, const struct ptx_inst *i, enum ptx_type half, struct ptx_operand a)
{
	struct ptx_operand d = dcc_reg(dcc_reg_new(c, PTX_F32));
	struct ptx_inst *f = dcc_op(c, i->op, PTX_F32, d, dcc_temp_cvt(c, PTX_F32, half, a), none, none);

	f->mods.approx = true;
	f->has_guard = false;
	d = dcc_temp_cvt(c, half, PTX_F32, d);
	g_array_index(c->insts, struct ptx_inst, c->insts->len - 1).mods.round = PTX_RN;
	return d;
}

/* ex2 and tanh of 16 bits: those of f32, rounded. */
static bool lower_half(struct dcc *c, const struct ptx_inst *i)
{
	const bool is_pair = i->type == PTX_F16X2 || i->type == PTX_BF16X2;
	const enum ptx_type half = i->type == PTX_F16 || i->type == PTX_F16X2 ? PTX_F16 : PTX_BF16;
	struct ptx_operand lower, upper;

	if (ptx_type_bytes(i->type) > 4 || i->type == PTX_F32)
		return false;
	if (!is_pair) {
		dcc_mov(c, PTX_B32, i->dst, of_half(c, i, half, i->src[0]));
		return true;
	}
	lower = of_half(c, i, half, dcc_temp(c, PTX_OP_AND, PTX_B32, i->src[0], dcc_imm(0xffff, PTX_U32)));
	upper = of_half(c, i, half, shifted(c, PTX_U32, i->src[0], 16));
	upper = dcc_temp(c, PTX_OP_SHL, PTX_B32, upper, dcc_imm(16, PTX_U32));
	dcc_op(c, PTX_OP_OR, PTX_B32, i->dst, lower, upper, none);
	return true;
}

/* ---- memory and control ---- */

/* A parameter through a register that holds its address: the register's one definition, through moves. */
static bool param_of(const struct dcc *c, struct ptx_operand *o)
{
	for (uint32_t depth = 0; o->reg != UINT32_MAX && !o->var; depth++) {
		const struct ptx_inst *def = NULL;
		uint32_t count = 0;

		for (uint32_t n = 0; n < c->func->inst_count; n++)
			if (c->func->insts[n].dst.kind == PTX_OPND_REG && c->func->insts[n].dst.reg == o->reg) {
				def = &c->func->insts[n];
				count++;
			}
		if (count != 1 || def->op != PTX_OP_MOV || def->has_guard || depth > 8)
			return false;
		if (def->src[0].kind == PTX_OPND_REG) {
			o->reg = def->src[0].reg;
		} else if (def->src[0].kind == PTX_OPND_VAR) {
			o->reg = UINT32_MAX;
			o->var = def->src[0].var;
			o->offset += def->src[0].offset;
		} else {
			return false;
		}
	}
	return o->var != NULL;
}

/* A load of parameter space that the host cannot do, for a register says where, or it is beyond the block: the C-Box
 * does it, from the block in device memory, and looks. */
static void lower_far_param(struct dcc *c, const struct ptx_inst *i)
{
	struct ptx_inst out = *i;

	out.mods.space = PTX_PARAM_ENTRY;
	if (out.src[0].var) {
		out.src[0].offset += (int64_t)out.src[0].var->offset_bytes;
		out.src[0].var = NULL;
	}
	dcc_emit(c, &out);
}

static void lower_params(struct dcc *c, const struct ptx_inst *i)
{
	const struct ptx_operand *vec = i->dst.kind == PTX_OPND_VEC ? &i->dst : NULL;
	struct ptx_inst whole = *i;
	struct ptx_operand from = i->src[0];
	uint64_t at;

	whole.src[0] = from = param_of(c, &from) ? from : i->src[0];
	if (!dc_param_place(&whole, c->entry->param_bytes, &at)) {
		lower_far_param(c, &whole);
		return;
	}
	for (uint32_t k = 0; k < (vec ? vec->elem_count : 1u); k++) {
		const struct ptx_operand *d = vec ? &vec->elems[k] : &i->dst;
		struct ptx_inst ld = *i;
		const enum ptx_type type = ptx_type_bytes(i->type) == 8 ? PTX_B64 : PTX_B32;
		enum ptx_type wide = type;

		if (d->kind != PTX_OPND_REG)
			continue;
		if (ptx_type_bytes(c->func->regs[d->reg].type) == 8)
			wide = PTX_B64;
		ld.mods.vec = 0;
		ld.has_guard = false;
		ld.src[0] = from;
		ld.src[0].offset += k * ptx_type_bytes(i->type);
		ld.dst = dcc_reg(dcc_reg_new(c, wide));
		dcc_emit(c, &ld);
		dcc_mov(c, wide, *d, ld.dst);
	}
}

static void lower_memory(struct dcc *c, const struct ptx_inst *i)
{
	struct ptx_inst out = *i;
	struct ptx_operand *a = &out.src[0];

	if (a->kind == PTX_OPND_ADDR && has_segment(a->var)) {
		a->offset += (int64_t)var_offset(c, a->var);
		a->var = NULL;
	}
	dcc_emit(c, &out);
}

static void lower_brx(struct dcc *c, const struct ptx_inst *i)
{
	const struct ptx_operand *list = &i->src[1];

	struct ptx_inst trap = {.op = PTX_OP_TRAP, .src_count = 2, .line = i->line, .col = i->col, .text = i->text};

	if (i->has_guard)
		dcc_branch_around(c, i, (uint32_t)(i - c->func->insts) + 1);
	/* An index that is none of the list's: a fault, as box.c has it of a trap with operands. */
	trap.has_guard = true;
	trap.guard_reg =
	    dcc_temp_setp(c, PTX_GE, PTX_U32, i->src[0], dcc_imm(list->elem_count, PTX_U32)).reg;
	trap.src[0] = i->src[0];
	trap.src[1] = dcc_imm(list->elem_count, PTX_U32);
	dcc_emit(c, &trap);
	for (uint32_t k = 0; k < list->elem_count; k++) {
		struct ptx_inst bra = {
		    .op = PTX_OP_BRA, .src_count = 1, .line = i->line, .col = i->col, .text = i->text};

		bra.src[0] = list->elems[k];
		if (k + 1 < list->elem_count) {
			bra.has_guard = true;
			bra.guard_reg = dcc_temp_setp(c, PTX_EQ, PTX_U32, i->src[0], dcc_imm(k, PTX_U32)).reg;
		}
		dcc_emit(c, &bra);
	}
}

static bool is_nothing(const struct ptx_inst *i)
{
	switch (i->op) {
	case PTX_OP_PREFETCH:
	case PTX_OP_PREFETCHU:
	case PTX_OP_DISCARD:
	case PTX_OP_APPLYPRIORITY:
	case PTX_OP_NANOSLEEP:
	case PTX_OP_PMEVENT:
	case PTX_OP_GRIDDEPCONTROL:
	case PTX_OP_SETMAXNREG:
		return true;
	case PTX_OP_BAR:
	case PTX_OP_BARRIER:
		return i->mods.bar == PTX_BAR_WARP_SYNC; /* lock step */
	default:
		return false;
	}
}

static const char *refusal(const struct ptx_inst *i)
{
	switch (i->op) {
	case PTX_OP_UNSUPPORTED:
		return i->unsupported ? i->unsupported : "unsupported instruction";
	case PTX_OP_TEX:
	case PTX_OP_TLD4:
	case PTX_OP_TXQ:
	case PTX_OP_SULD:
	case PTX_OP_SUST:
	case PTX_OP_SURED:
	case PTX_OP_SUQ:
	case PTX_OP_ISTYPEP:
		return "textures and surfaces";
	case PTX_OP_MMA:
	case PTX_OP_WMMA:
	case PTX_OP_LDMATRIX:
	case PTX_OP_STMATRIX:
	case PTX_OP_MOVMATRIX:
		return "matrix instructions";
	case PTX_OP_CP:
	case PTX_OP_MBARRIER:
		return "asynchronous copies";
	case PTX_OP_CALL:
		return "a call that cannot be inlined";
	case PTX_OP_BARRIER:
		return i->mods.scope == PTX_SCOPE_CLUSTER ? "a barrier of thread-block clusters" : NULL;
	case PTX_OP_GETCTARANK:
	case PTX_OP_MAPA:
	case PTX_OP_CREATEPOLICY:
		return "an instruction without lowering";
	default:
		break;
	}
	return NULL;
}

static bool is_access(const struct ptx_inst *i)
{
	return i->op == PTX_OP_LD || i->op == PTX_OP_LDU || i->op == PTX_OP_ST || i->op == PTX_OP_ATOM ||
	       i->op == PTX_OP_RED;
}

/* True: the instruction was replaced. */
static bool lower(struct dcc *c, const struct ptx_inst *i)
{
	if (is_nothing(i) || lower_sregs(c, i) || lower_composite(c, i) || dcc_lower_bits(c, i))
		return true;
	switch (i->op) {
	case PTX_OP_MOV:
		return lower_mov(c, i);
	case PTX_OP_CVTA:
		lower_cvta(c, i);
		return true;
	case PTX_OP_ISSPACEP:
		lower_isspacep(c, i);
		return true;
	case PTX_OP_FMA: return dcc_split_fma(c, i);
	case PTX_OP_MAD: return dcc_split_fma(c, i) || lower_mul(c, i);
	case PTX_OP_MUL:
	case PTX_OP_MUL24:
	case PTX_OP_MAD24:
		return lower_mul(c, i);
	case PTX_OP_SAD:
		lower_sad(c, i);
		return true;
	case PTX_OP_EX2:
	case PTX_OP_TANH:
		return lower_half(c, i);
	case PTX_OP_BRX:
		lower_brx(c, i);
		return true;
	default:
		return false;
	}
}

static void check(struct dcc *c, const struct ptx_inst *i)
{
	const char *why = refusal(i);

	if (why)
		dcc_refuse(c, i, "%s", why);
	for (uint32_t k = 0; k < i->src_count; k++)
		if (i->src[k].kind == PTX_OPND_REG && c->func->regs[i->src[k].reg].vec > 1)
			dcc_refuse(c, i, "vector registers");
}

/* What the host knows, into a register of its own, from which it may become an immediate. */
static void lower_given(struct dcc *c, const struct ptx_inst *i)
{
	dcc_mov(c, i->type, i->dst, dcc_temp(c, PTX_OP_MOV, i->type, i->src[0], none));
}

/* One round; true if something was replaced. */
static bool round_of(struct dcc *c, bool is_first)
{
	bool any = false;

	dcc_rewrite_begin(c);
	for (uint32_t n = 0; n < c->func->inst_count && !c->failed; n++) {
		const struct ptx_inst *i = &c->func->insts[n];

		dcc_rewrite_at(c, n);
		if (is_first && dcc_lower_texture(c, i)) {
			any = true;
			continue;
		}
		check(c, i);
		if (c->failed)
			break;
		if (is_first && dc_param_is_load(i)) {
			lower_params(c, i);
		} else if (is_first && dcc_inst_is_given(c, i) && !has_place(i->src[0].var)) {
			lower_given(c, i);
		} else if (is_first && is_access(i)) {
			lower_memory(c, i);
		} else if (lower(c, i)) {
			any = true;
		} else {
			dcc_emit(c, i);
		}
	}
	dcc_rewrite_end(c);
	return any;
}

/* Registers that are written before a block on every way to it: written[block * words]. */
static uint64_t *written_before(const struct ptx_cfg *cfg, uint32_t words)
{
	uint64_t *written = g_new(uint64_t, (size_t)cfg->block_count * words);
	g_autofree uint64_t *out = g_new(uint64_t, words);
	struct ptx_reg_use u;

	for (size_t k = 0; k < (size_t)cfg->block_count * words; k++)
		written[k] = k / words == cfg->block_of[0] ? 0 : UINT64_MAX;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t b = 0; b < cfg->block_count; b++) {
			memcpy(out, written + (size_t)b * words, words * sizeof(*out));
			for (uint32_t n = cfg->blocks[b].first; n <= cfg->blocks[b].last; n++) {
				ptx_inst_regs(&cfg->func->insts[n], &u);
				for (uint32_t k = 0; k < u.write_count && !cfg->func->insts[n].has_guard; k++)
					out[u.writes[k] / 64] |= 1ull << u.writes[k] % 64;
			}
			for (uint32_t s = 0; s < cfg->blocks[b].succ_count; s++)
				for (uint32_t w = 0; w < words; w++) {
					uint64_t *in = &written[(size_t)cfg->blocks[b].succs[s] * words + w];

					changed |= (*in & ~out[w]) != 0;
					*in &= out[w];
				}
		}
	}
	return written;
}

/* Predicates that some way reads before it has written them. */
static void forget_late_preds(const struct dcc *c, bool *is_written)
{
	struct ptx_cfg *cfg = ptx_cfg_build(c->func);
	const uint32_t words = c->func->reg_count / 64 + 1;
	g_autofree uint64_t *written = written_before(cfg, words);
	struct ptx_reg_use u;

	for (uint32_t n = 0; n < c->func->inst_count; n++) {
		uint64_t *now = written + (size_t)cfg->block_of[n] * words;

		ptx_inst_regs(&c->func->insts[n], &u);
		for (uint32_t k = 0; k < u.read_count; k++)
			if (c->func->regs[u.reads[k]].type == PTX_PRED &&
			    !(now[u.reads[k] / 64] >> u.reads[k] % 64 & 1))
				is_written[u.reads[k]] = false;
		for (uint32_t k = 0; k < u.write_count && !c->func->insts[n].has_guard; k++)
			now[u.writes[k] / 64] |= 1ull << u.writes[k] % 64;
	}
	ptx_cfg_free(cfg);
}

/* Registers that nothing writes hold zero, as on the GPU machines: mistakes of programs. So do the carry, and
 * predicates that a lane may read before it has written them, which flow depends on. */
static void define_all(struct dcc *c)
{
	const uint32_t regs = c->func->reg_count;
	g_autofree bool *is_written = g_new0(bool, regs + 1), *is_read = g_new0(bool, regs + 1);
	struct ptx_reg_use u;

	for (uint32_t n = 0; n < c->func->inst_count; n++) {
		ptx_inst_regs(&c->func->insts[n], &u);
		for (uint32_t k = 0; k < u.write_count; k++)
			is_written[u.writes[k]] = true;
		for (uint32_t k = 0; k < u.read_count; k++)
			is_read[u.reads[k]] = true;
	}
	forget_late_preds(c, is_written);
	dcc_rewrite_begin(c);
	c->at = &c->func->insts[0];
	for (uint32_t r = 0; r < regs; r++)
		if (is_read[r] && (!is_written[r] || r == c->carry_reg)) {
			const enum ptx_type t = c->func->regs[r].type;

			dcc_mov(c,
				t == PTX_PRED                    ? PTX_PRED
				: dcc_reg_slots(c->func, r) == 2 ? PTX_B64
								 : PTX_B32,
				dcc_reg(r), dcc_imm(0, PTX_U32));
			g_array_index(c->insts, struct ptx_inst, c->insts->len - 1).has_guard = false;
		}
	for (uint32_t n = 0; n < c->func->inst_count; n++) {
		dcc_rewrite_at(c, n);
		dcc_emit(c, &c->func->insts[n]);
	}
	dcc_rewrite_end(c);
}

void dcc_lower(struct dcc *c)
{
	place_vars(c);
	for (bool is_first = true; !c->failed && (round_of(c, is_first) || is_first);)
		is_first = false;
	if (!c->failed)
		define_all(c);
}
