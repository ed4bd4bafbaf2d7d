/* lower_bits.c - bit fields, counts, permutes, funnel shifts, byte products and carries by what the arrays have: logic,
 * shifts, additions, comparisons and selections. */
#include "dc/compile/priv.h"

static const struct ptx_operand none;

static struct ptx_operand u32(uint32_t v)
{
	return dcc_imm(v, PTX_U32);
}

static enum ptx_type bits_of(uint32_t width)
{
	return width == 64 ? PTX_B64 : PTX_B32;
}

static enum ptx_type unsigned_of(uint32_t width)
{
	return width == 64 ? PTX_U64 : PTX_U32;
}

static enum ptx_type signed_of(uint32_t width)
{
	return width == 64 ? PTX_S64 : PTX_S32;
}

static struct ptx_operand logic(struct dcc *c, enum ptx_op op, uint32_t width, struct ptx_operand a,
				struct ptx_operand b)
{
	return dcc_temp(c, op, bits_of(width), a, b);
}

static struct ptx_operand shl(struct dcc *c, uint32_t width, struct ptx_operand a, struct ptx_operand by)
{
	return dcc_temp(c, PTX_OP_SHL, bits_of(width), a, by);
}

static struct ptx_operand shr(struct dcc *c, uint32_t width, struct ptx_operand a, struct ptx_operand by)
{
	return dcc_temp(c, PTX_OP_SHR, unsigned_of(width), a, by);
}

static struct ptx_operand sar(struct dcc *c, uint32_t width, struct ptx_operand a, struct ptx_operand by)
{
	return dcc_temp(c, PTX_OP_SHR, signed_of(width), a, by);
}

static struct ptx_operand add(struct dcc *c, uint32_t width, struct ptx_operand a, struct ptx_operand b)
{
	return dcc_temp(c, PTX_OP_ADD, unsigned_of(width), a, b);
}

static struct ptx_operand sub(struct dcc *c, uint32_t width, struct ptx_operand a, struct ptx_operand b)
{
	return dcc_temp(c, PTX_OP_SUB, unsigned_of(width), a, b);
}

static struct ptx_operand constant(uint64_t v, uint32_t width)
{
	return dcc_imm(width == 64 ? v : v & UINT32_MAX, unsigned_of(width));
}

static struct ptx_operand narrow(struct dcc *c, struct ptx_operand wide)
{
	return dcc_temp_cvt(c, PTX_U32, PTX_U64, wide);
}

static struct ptx_operand pack(struct dcc *c, struct ptx_operand lo, struct ptx_operand hi)
{
	struct ptx_operand low = dcc_temp_cvt(c, PTX_U64, PTX_U32, lo), high = dcc_temp_cvt(c, PTX_U64, PTX_U32, hi);

	return logic(c, PTX_OP_OR, 64, low, shl(c, 64, high, u32(32)));
}

/* Ones by halves, quarters ... of the word. */
static struct ptx_operand popc(struct dcc *c, uint32_t width, struct ptx_operand x)
{
	struct ptx_operand half =
	    logic(c, PTX_OP_AND, width, shr(c, width, x, u32(1)), constant(0x5555555555555555ull, width));
	struct ptx_operand t = sub(c, width, x, half);
	struct ptx_operand m = constant(0x3333333333333333ull, width);

	t = add(c, width, logic(c, PTX_OP_AND, width, t, m), logic(c, PTX_OP_AND, width, shr(c, width, t, u32(2)), m));
	t = add(c, width, t, shr(c, width, t, u32(4)));
	t = logic(c, PTX_OP_AND, width, t, constant(0x0f0f0f0f0f0f0f0full, width));
	for (uint32_t by = 8; by < width; by *= 2)
		t = add(c, width, t, shr(c, width, t, u32(by)));
	if (width == 64)
		t = narrow(c, t);
	return logic(c, PTX_OP_AND, 32, t, u32(width == 64 ? 127 : 63));
}

static struct ptx_operand clz(struct dcc *c, uint32_t width, struct ptx_operand x)
{
	for (uint32_t by = 1; by < width; by *= 2)
		x = logic(c, PTX_OP_OR, width, x, shr(c, width, x, u32(by)));
	return popc(c, width, logic(c, PTX_OP_NOT, width, x, none));
}

static void lower_bfind(struct dcc *c, const struct ptx_inst *i, uint32_t width)
{
	struct ptx_operand x = i->src[0];

	if (ptx_type_is_signed(i->type))
		x = logic(c, PTX_OP_XOR, width, x, sar(c, width, x, u32(width - 1)));
	struct ptx_operand zeros = clz(c, width, x);

	if (i->mods.shiftamt) {
		struct ptx_operand p = dcc_temp_setp(c, PTX_EQ, PTX_U32, zeros, u32(width));

		dcc_op(c, PTX_OP_SELP, PTX_B32, i->dst, u32(UINT32_MAX), zeros, p);
		return;
	}
	dcc_op(c, PTX_OP_SUB, PTX_U32, i->dst, u32(width - 1), zeros, none);
}

static void lower_brev(struct dcc *c, const struct ptx_inst *i, uint32_t width)
{
	static const uint64_t masks[] = {0x5555555555555555ull, 0x3333333333333333ull, 0x0f0f0f0f0f0f0f0full,
					 0x00ff00ff00ff00ffull, 0x0000ffff0000ffffull, 0x00000000ffffffffull};
	struct ptx_operand x = i->src[0];

	for (uint32_t k = 0; 1u << k < width; k++) {
		struct ptx_operand m = constant(masks[k], width), by = u32(1u << k);
		struct ptx_operand high = shl(c, width, logic(c, PTX_OP_AND, width, x, m), by);

		x = logic(c, PTX_OP_OR, width, high, logic(c, PTX_OP_AND, width, shr(c, width, x, by), m));
	}
	dcc_mov(c, bits_of(width), i->dst, x);
}

/* Position and length are the low bytes of their operands; shifts by the width or more give nothing, so that neither
 * needs a limit. */
static struct ptx_operand low_byte(struct dcc *c, struct ptx_operand o)
{
	return o.kind == PTX_OPND_IMM ? u32(o.imm & 255) : logic(c, PTX_OP_AND, 32, o, u32(255));
}

static struct ptx_operand ones(struct dcc *c, uint32_t width, struct ptx_operand length)
{
	return sub(c, width, shl(c, width, constant(1, width), length), constant(1, width));
}

static void lower_bfe(struct dcc *c, const struct ptx_inst *i, uint32_t width)
{
	struct ptx_operand at = low_byte(c, i->src[1]), length = low_byte(c, i->src[2]);

	if (!ptx_type_is_signed(i->type)) {
		dcc_op(c, PTX_OP_AND, bits_of(width), i->dst, shr(c, width, i->src[0], at), ones(c, width, length),
		       none);
		return;
	}
	/* The field's top bit to the top, and back down; a field of no bits is 0. */
	struct ptx_operand end = add(c, 32, at, length);
	struct ptx_operand top = dcc_temp(c, PTX_OP_MIN, PTX_U32, end, u32(width));
	struct ptx_operand up = sub(c, 32, u32(width), top);
	struct ptx_operand field = sar(c, width, shl(c, width, i->src[0], up), add(c, 32, up, at));
	struct ptx_operand empty = dcc_temp_setp(c, PTX_EQ, PTX_U32, length, u32(0));

	dcc_op(c, PTX_OP_SELP, bits_of(width), i->dst, constant(0, width), field, empty);
}

static void lower_bfi(struct dcc *c, const struct ptx_inst *i, uint32_t width)
{
	struct ptx_operand at = low_byte(c, i->src[2]), length = low_byte(c, i->src[3]);
	struct ptx_operand mask = shl(c, width, ones(c, width, length), at);
	struct ptx_operand in = logic(c, PTX_OP_AND, width, shl(c, width, i->src[0], at), mask);
	struct ptx_operand out = logic(c, PTX_OP_NOT, width, mask, none);

	dcc_op(c, PTX_OP_OR, bits_of(width), i->dst, in, logic(c, PTX_OP_AND, width, i->src[1], out), none);
}

static void lower_bmsk(struct dcc *c, const struct ptx_inst *i)
{
	struct ptx_operand a = i->src[0], b = i->src[1];

	if (i->mods.shf == PTX_SHF_WRAP) {
		a = logic(c, PTX_OP_AND, 32, a, u32(31));
		b = logic(c, PTX_OP_AND, 32, b, u32(31));
	}
	dcc_op(c, PTX_OP_SHL, PTX_B32, i->dst, ones(c, 32, b), a, none);
}

static void lower_prmt(struct dcc *c, const struct ptx_inst *i)
{
	struct ptx_operand both, d = none, sel = i->src[2];

	both = pack(c, i->src[0], i->src[1]);
	for (uint32_t k = 0; k < 4; k++) {
		struct ptx_operand s = logic(c, PTX_OP_AND, 32, shr(c, 32, sel, u32(4 * k)), u32(15));
		struct ptx_operand by = shl(c, 32, logic(c, PTX_OP_AND, 32, s, u32(7)), u32(3));
		struct ptx_operand v = logic(c, PTX_OP_AND, 32, narrow(c, shr(c, 64, both, by)), u32(255));
		/* Bit 3 of the selector: the byte's sign eight times. */
		struct ptx_operand sign = sar(c, 32, shl(c, 32, v, u32(24)), u32(31));
		struct ptx_operand wants = dcc_temp_setp(c, PTX_GE, PTX_U32, s, u32(8));

		v = dcc_temp_selp(c, PTX_B32, logic(c, PTX_OP_AND, 32, sign, u32(255)), v, wants);
		v = k ? shl(c, 32, v, u32(8 * k)) : v;
		d = k ? logic(c, PTX_OP_OR, 32, d, v) : v;
	}
	dcc_mov(c, PTX_B32, i->dst, d);
}

/* Four nibbles, that of the lowest byte in the lowest: the bytes of both sources that one of them means. first: without
 * a choice. */
static uint32_t chosen_bytes(const struct ptx_operand *o, uint32_t first)
{
	uint32_t bytes = 0;

	for (uint32_t k = 0; k < 4; k++) {
		const uint32_t part = o->parts >> 4 * (o->is_halves ? k / 2 : k) & 15;

		bytes |= (!o->part_count ? first + k : o->is_halves ? 2 * part + k % 2 : part) << 4 * k;
	}
	return bytes;
}

/* Video instructions whose sources are parts of both registers: these come first. */
static bool lower_parts(struct dcc *c, const struct ptx_inst *i)
{
	struct ptx_inst out = *i;

	if (!i->src[0].part_count && !i->src[1].part_count)
		return false;
	for (uint32_t k = 0; k < 2; k++) {
		struct ptx_operand a = i->src[0], b = i->src[1], d = dcc_reg(dcc_reg_new(c, PTX_B32));

		a.part_count = b.part_count = 0;
		dcc_op(c, PTX_OP_PRMT, PTX_B32, d, a, b, u32(chosen_bytes(&i->src[k], 4 * k)))->has_guard = false;
		out.src[k] = d;
	}
	dcc_emit(c, &out);
	return true;
}

static void lower_shf(struct dcc *c, const struct ptx_inst *i)
{
	struct ptx_operand by = i->src[2];
	const bool left = i->mods.left;

	if (by.kind == PTX_OPND_IMM) {
		uint32_t n = i->mods.shf == PTX_SHF_WRAP ? by.imm & 31 : (uint32_t)MIN(by.imm, 32);

		if (n == 0 || n == 32) {
			dcc_mov(c, PTX_B32, i->dst, left == (n == 0) ? i->src[1] : i->src[0]);
			return;
		}
		struct ptx_operand high = shl(c, 32, i->src[1], u32(left ? n : 32 - n));
		struct ptx_operand low = shr(c, 32, i->src[0], u32(left ? 32 - n : n));

		dcc_op(c, PTX_OP_OR, PTX_B32, i->dst, high, low, none);
		return;
	}
	by = i->mods.shf == PTX_SHF_WRAP ? logic(c, PTX_OP_AND, 32, by, u32(31))
					 : dcc_temp(c, PTX_OP_MIN, PTX_U32, by, u32(32));
	struct ptx_operand both = pack(c, i->src[0], i->src[1]);

	both = left ? shr(c, 64, shl(c, 64, both, by), u32(32)) : shr(c, 64, both, by);
	dcc_mov(c, PTX_B32, i->dst, narrow(c, both));
}

/* f(a, b) for the two bits of a truth table of a and b: bit 3 both set, bit 2 only a, bit 1 only b. */
static struct ptx_operand table2(struct dcc *c, uint32_t table, struct ptx_operand a, struct ptx_operand b)
{
	struct ptx_operand r;
	const bool invert = table & 1; /* f(0, 0): made 0 by inverting */

	switch (invert ? ~table & 15 : table) {
	case 0:
		r = u32(0);
		break;
	case 8:
		r = logic(c, PTX_OP_AND, 32, a, b);
		break;
	case 4:
		r = logic(c, PTX_OP_AND, 32, a, logic(c, PTX_OP_NOT, 32, b, none));
		break;
	case 2:
		r = logic(c, PTX_OP_AND, 32, b, logic(c, PTX_OP_NOT, 32, a, none));
		break;
	case 12:
		r = a;
		break;
	case 10:
		r = b;
		break;
	case 6:
		r = logic(c, PTX_OP_XOR, 32, a, b);
		break;
	default: /* 14 */
		r = logic(c, PTX_OP_OR, 32, a, b);
		break;
	}
	return invert ? logic(c, PTX_OP_NOT, 32, r, none) : r;
}

/* The table's bit a * 4 + b * 2 + c, split by c. */
static struct ptx_operand lop3(struct dcc *c, const struct ptx_inst *i)
{
	const uint32_t lut = (uint32_t)i->src[3].imm & 255;
	uint32_t t0 = 0, t1 = 0;
	struct ptx_operand r, e = i->src[2];

	for (uint32_t ab = 0; ab < 4; ab++) {
		t0 |= (lut >> (2 * ab) & 1) << ab;
		t1 |= (lut >> (2 * ab + 1) & 1) << ab;
	}
	r = table2(c, t0, i->src[0], i->src[1]);
	if (t1 == (~t0 & 15)) {
		r = logic(c, PTX_OP_XOR, 32, r, e);
	} else if (t1 != t0) {
		struct ptx_operand one = logic(c, PTX_OP_AND, 32, table2(c, t1, i->src[0], i->src[1]), e);

		r = logic(c, PTX_OP_AND, 32, r, logic(c, PTX_OP_NOT, 32, e, none));
		r = logic(c, PTX_OP_OR, 32, r, one);
	}
	return r;
}

/* With a predicate as second result: whether there is a one, and or or with the last operand. */
static void lower_lop3(struct dcc *c, const struct ptx_inst *i)
{
	struct ptx_operand r = lop3(c, i), any;

	if (i->dst2.kind == PTX_OPND_REG) {
		any = dcc_temp_setp(c, PTX_NE, PTX_U32, r, u32(0));
		if (i->mods.boolop)
			dcc_op(c,
			       i->mods.boolop == PTX_BOOL_AND  ? PTX_OP_AND
			       : i->mods.boolop == PTX_BOOL_OR ? PTX_OP_OR
							       : PTX_OP_XOR,
			       PTX_PRED, i->dst2, any, i->src[4], none);
		else
			dcc_mov(c, PTX_PRED, i->dst2, any);
	}
	if (i->dst.kind == PTX_OPND_REG)
		dcc_mov(c, PTX_B32, i->dst, r);
}

/* Part k of a register of bytes or halves, extended. */
static struct ptx_operand part(struct dcc *c, struct ptx_operand a, uint32_t width, uint32_t k, bool is_signed)
{
	struct ptx_operand up = shl(c, 32, a, u32(32 - width * (k + 1)));

	return is_signed ? sar(c, 32, up, u32(32 - width)) : shr(c, 32, up, u32(32 - width));
}

static void lower_dp(struct dcc *c, const struct ptx_inst *i)
{
	const bool sa = ptx_type_is_signed(i->type), sb = ptx_type_is_signed(i->type2), is4 = i->op == PTX_OP_DP4A;
	const uint32_t count = is4 ? 4 : 2, base = !is4 && i->mods.part == PTX_HI_HALF ? 2 : 0;
	struct ptx_operand sum = i->src[2];

	for (uint32_t k = 0; k < count; k++) {
		struct ptx_operand a = part(c, i->src[0], is4 ? 8 : 16, k, sa), b = part(c, i->src[1], 8, base + k, sb);
		const enum ptx_type type = sa || sb ? PTX_S32 : PTX_U32;
		struct ptx_operand d = dcc_reg(dcc_reg_new(c, type));
		struct ptx_inst *mul = dcc_op(c, PTX_OP_MUL, type, d, a, b, none);

		mul->mods.part = PTX_LO_HALF;
		mul->has_guard = false;
		sum = add(c, 32, sum, d);
	}
	dcc_mov(c, PTX_B32, i->dst, sum);
}

/* d = a + b + in, or a - b - in; what is carried goes to the carry register. in: kind NONE: nothing. */
static void sum_with_carry(struct dcc *c, const struct ptx_inst *i, bool minus, struct ptx_operand a,
			   struct ptx_operand b, bool takes)
{
	const uint32_t width = 8 * ptx_type_bytes(i->type);
	const enum ptx_type u = unsigned_of(width);
	struct ptx_operand t, p, q, carry;

	if (c->carry_reg == UINT32_MAX)
		c->carry_reg = dcc_reg_new(c, PTX_U32);
	carry = dcc_reg(c->carry_reg);
	t = minus ? sub(c, width, a, b) : add(c, width, a, b);
	p = minus ? dcc_temp_setp(c, PTX_LT, u, a, b) : dcc_temp_setp(c, PTX_LT, u, t, a);
	if (takes) {
		struct ptx_operand in = width == 64 ? dcc_temp_cvt(c, PTX_U64, PTX_U32, carry) : carry, before = t;

		t = minus ? sub(c, width, t, in) : add(c, width, t, in);
		q = minus ? dcc_temp_setp(c, PTX_LT, u, before, in) : dcc_temp_setp(c, PTX_LT, u, t, in);
		p = dcc_temp(c, PTX_OP_OR, PTX_PRED, p, q);
	}
	if (i->mods.cc)
		dcc_op(c, PTX_OP_SELP, PTX_U32, carry, u32(1), u32(0), p);
	dcc_mov(c, bits_of(width), i->dst, t);
}

static bool lower_carry(struct dcc *c, const struct ptx_inst *i)
{
	const bool takes = i->op == PTX_OP_ADDC || i->op == PTX_OP_SUBC || i->op == PTX_OP_MADC;

	if (!takes && !i->mods.cc)
		return false;
	if (i->op == PTX_OP_MAD || i->op == PTX_OP_MADC) {
		struct ptx_inst mul = *i;
		struct ptx_operand product = dcc_reg(dcc_reg_new(c, i->type));

		mul.op = PTX_OP_MUL;
		mul.mods.cc = false;
		mul.has_guard = false;
		mul.src_count = 2;
		mul.dst = product;
		dcc_emit(c, &mul); /* lowered again if it has to be: lower.c runs until nothing changes */
		sum_with_carry(c, i, false, product, i->src[2], takes);
		return true;
	}
	sum_with_carry(c, i, i->op == PTX_OP_SUB || i->op == PTX_OP_SUBC, i->src[0], i->src[1], takes);
	return true;
}

bool dcc_lower_bits(struct dcc *c, const struct ptx_inst *i)
{
	const uint32_t width = i->type && i->type < PTX_PRED ? MAX(32, 8 * ptx_type_bytes(i->type)) : 32;

	if (lower_parts(c, i))
		return true;
	switch (i->op) {
	case PTX_OP_POPC:
		dcc_mov(c, PTX_B32, i->dst, popc(c, width, i->src[0]));
		return true;
	case PTX_OP_CLZ:
		dcc_mov(c, PTX_B32, i->dst, clz(c, width, i->src[0]));
		return true;
	case PTX_OP_BFIND:
		lower_bfind(c, i, width);
		return true;
	case PTX_OP_BREV:
		lower_brev(c, i, width);
		return true;
	case PTX_OP_BFE:
		lower_bfe(c, i, width);
		return true;
	case PTX_OP_BFI:
		lower_bfi(c, i, width);
		return true;
	case PTX_OP_BMSK:
		lower_bmsk(c, i);
		return true;
	case PTX_OP_PRMT:
		if (i->mods.prmt) /* a search for each of four amounts, and copies: the arrays' routine */
			return false;
		lower_prmt(c, i);
		return true;
	case PTX_OP_SHF:
		lower_shf(c, i);
		return true;
	case PTX_OP_LOP3:
		lower_lop3(c, i);
		return true;
	case PTX_OP_DP2A:
	case PTX_OP_DP4A:
		lower_dp(c, i);
		return true;
	case PTX_OP_ADD:
	case PTX_OP_SUB:
	case PTX_OP_ADDC:
	case PTX_OP_SUBC:
	case PTX_OP_MAD:
	case PTX_OP_MADC:
		return lower_carry(c, i);
	default:
		return false;
	}
}
