/* ops.c - see ops.h. */
#include "dc/ops.h"

#include "base/check.h"
#include "dc/formulas.h"

static const char *const names[] = {
#define DC_OP(id, text, kind, base, usual, scratch, source) text,
#include "dc/ops.def"
#undef DC_OP
};

static const uint8_t kinds[] = {
#define DC_OP(id, text, kind, base, usual, scratch, source) DC_KIND_##kind,
#include "dc/ops.def"
#undef DC_OP
};

const char *dc_op_name(enum dc_op op)
{
	return names[op];
}

enum dc_op_kind dc_op_kind(enum dc_op op)
{
	return kinds[op];
}

struct widths {
	uint64_t n, e, m, b, s, k, r, q;
};

/* Each table has its own expressions: an entry names what it needs, the compiler drops the rest. */
#define NAMES                                                                                                          \
	const uint64_t n = w->n, e = w->e, m = w->m, b = w->b, s = w->s, k = w->k, r = w->r, q = w->q;                 \
	(void)n, (void)e, (void)m, (void)b, (void)s, (void)k, (void)r, (void)q

static uint64_t base_of(enum dc_op op, const struct widths *w)
{
	NAMES;
	switch (op) {
#define DC_OP(id, text, kind, base, usual, scratch, source)                                                            \
	case DC_OP_##id: return base;
#include "dc/ops.def"
#undef DC_OP
	case DC_OP_COUNT: break;
	}
	UNREACHABLE("an operation without cycles");
}

static uint64_t usual_of(enum dc_op op, const struct widths *w)
{
	NAMES;
	switch (op) {
#define DC_OP(id, text, kind, base, usual, scratch, source)                                                            \
	case DC_OP_##id: return usual;
#include "dc/ops.def"
#undef DC_OP
	case DC_OP_COUNT: break;
	}
	UNREACHABLE("an operation without cycles");
}

static uint64_t scratch_of(enum dc_op op, const struct widths *w)
{
	NAMES;
	switch (op) {
#define DC_OP(id, text, kind, base, usual, scratch, source)                                                            \
	case DC_OP_##id: return scratch;
#include "dc/ops.def"
#undef DC_OP
	case DC_OP_COUNT: break;
	}
	UNREACHABLE("an operation without rows");
}

static struct widths widths_of(const struct dc_use *u, const struct dc_arith *a)
{
	return (struct widths){.n = u->n,
			       .e = u->e,
			       .m = u->m,
			       .b = u->bits,
			       .s = u->is_signed,
			       .k = a->cordic_iterations,
			       .r = !a->is_truncated,
			       .q = u->rounding != DC_TO_ZERO};
}

uint32_t dc_use_operands_kept(const struct dc_use *use)
{
	return (uint32_t)__builtin_popcount(use->kept & DC_KEPT_OPERANDS);
}

bool dc_use_keeps_result(const struct dc_use *use)
{
	return use->kept & DC_KEPT_RESULT;
}

/* What an addition saves by operands and a result in two's complement. */
static uint64_t kept_cycles(const struct dc_use *use)
{
	const uint64_t m = use->m, sum = use->op == DC_OP_FMA ? 2 * m : m;
	const uint64_t more = use->op == DC_OP_FMA ? DC_KEPT_UNPACK + 1 : DC_KEPT_UNPACK + DC_KEPT_SWAP;

	if (use->op == DC_OP_COMPLEMENT)
		return 0;
	return dc_use_operands_kept(use) * (DC_COMPLEMENT_ONE(m) - more) +
	       (dc_use_keeps_result(use) ? DC_MAGNITUDE(sum, 1) - DC_KEPT_SIGN - DC_KEPT_ROUND : 0);
}

/* Of open numbers (array/open.h), with all that alignment and normalisation may take, or what they usually do. */
static uint64_t open_cycles(const struct dc_use *use, bool is_usual)
{
	const uint64_t e = use->e, m = use->m, k = dc_use_operands_kept(use);
	uint64_t cycles = DC_OPEN_TAKE(e, m, k) + DC_OPEN_SWAP(e, m, k) + DC_OPEN_EXPONENT(e) + DC_OPEN_OVERFLOW(m);

	if (use->op == DC_OP_COMPLEMENT)
		return dc_use_keeps_result(use) ? DC_OPEN_OF(e, m)
		       : is_usual		? DC_OPEN_TO_USUAL(e, m)
						: DC_OPEN_TO_BASE(e, m);
	cycles += is_usual ? DC_LOG2(e) + 1 + 16 + 3 * DC_ALIGN((m - 1), 0) : DC_ALIGN_BASE((m - 1), 0);
	if (dc_use_keeps_result(use))
		return cycles + DC_OPEN_PACK(e, m);
	return cycles + DC_OPEN_NORMALISE(e, m) +
	       (is_usual ? 4 * DC_NORMALISE(e, (m - 1), 0) + 8 : DC_NORMALISE_BASE(e, (m - 1), 0));
}

/* ---- denormals ---- */

static bool has_denormals(uint32_t e, uint32_t m)
{
	return (e == 5 && m == 11) || (e == 11 && m == 53);
}

static bool may_be_gradual(const struct dc_use *use, const struct dc_arith *a)
{
	return !a->is_truncated && !a->flushes && !use->flushes && !(use->kept & DC_KEPT_OPEN);
}

bool dc_use_takes_denormals(const struct dc_use *use, const struct dc_arith *a)
{
	return may_be_gradual(use, a) && has_denormals(use->e, use->m);
}

bool dc_use_makes_denormals(const struct dc_use *use, const struct dc_arith *a)
{
	return may_be_gradual(use, a) && (use->op == DC_OP_FLOAT_TO_FLOAT ? has_denormals(use->to_e, use->to_m)
									  : has_denormals(use->e, use->m));
}

bool dc_use_is_gradual(const struct dc_use *use, const struct dc_arith *a)
{
	switch (use->op) {
	case DC_OP_FADD:
	case DC_OP_FMUL:
	case DC_OP_FMA:
	case DC_OP_FDIV:
	case DC_OP_FSQRT:
	case DC_OP_FLOAT_TO_INT:
	case DC_OP_FLOAT_ROUND: return dc_use_takes_denormals(use, a);
	case DC_OP_FRSQRT: return use->m == 53 && dc_use_takes_denormals(use, a);
	case DC_OP_FLOAT_TO_FLOAT: return dc_use_takes_denormals(use, a) || dc_use_makes_denormals(use, a);
	default: return false;
	}
}

uint32_t dc_sensed_operands(const struct dc_use *use, const struct dc_arith *a)
{
	if (!dc_use_is_gradual(use, a))
		return 0;
	switch (use->op) {
	case DC_OP_FMA: return 3;
	case DC_OP_FSQRT:
	case DC_OP_FRSQRT: return 1;
	case DC_OP_FLOAT_TO_FLOAT: return dc_use_takes_denormals(use, a);
	case DC_OP_FLOAT_TO_INT:
	case DC_OP_FLOAT_ROUND: return 0;
	default: return 2;
	}
}

uint64_t dc_sense_cycles(const struct dc_use *use, const struct dc_arith *a)
{
	const bool is_conversion = use->op == DC_OP_FLOAT_TO_FLOAT;
	const uint64_t fma_kept = use->op == DC_OP_FMA && dc_use_keeps_result(use) ? DC_SENSE_KEPT : 0;

	if (!dc_use_is_gradual(use, a) || use->op == DC_OP_FLOAT_TO_INT || use->op == DC_OP_FLOAT_ROUND)
		return 0;
	return DC_SENSE_ENDS + DC_SENSE_OPERAND * dc_sensed_operands(use, a) +
	       (use->op == DC_OP_FSQRT || use->op == DC_OP_FRSQRT ? 0
		: !is_conversion		       ? DC_SENSE_RESULT + fma_kept
		: dc_use_makes_denormals(use, a) ? DC_SENSE_CONVERTED
						       : 0);
}

uint64_t dc_base_cycles(const struct dc_use *use, const struct dc_arith *a)
{
	const struct widths w = widths_of(use, a);

	if (use->kept & DC_KEPT_OPEN)
		return open_cycles(use, false);
	return (base_of(use->op, &w) + dc_sense_cycles(use, a)) * use->times - kept_cycles(use);
}

uint64_t dc_usual_cycles(const struct dc_use *use, const struct dc_arith *a)
{
	const struct widths w = widths_of(use, a);

	if (use->kept & DC_KEPT_OPEN)
		return open_cycles(use, true);
	return (usual_of(use->op, &w) + dc_sense_cycles(use, a)) * use->times - kept_cycles(use);
}

uint32_t dc_scratch_rows(const struct dc_use *use, const struct dc_arith *a)
{
	const struct widths w = widths_of(use, a);
	const uint32_t e = use->e, m = use->m;

	if (use->op == DC_OP_COMPLEMENT && use->kept & DC_KEPT_OPEN)
		return dc_use_keeps_result(use) ? DC_OPEN_OF_SCRATCH : DC_OPEN_TO_SCRATCH(e, m);
	return (uint32_t)scratch_of(use->op, &w);
}

/* ---- which one an instruction is ---- */

struct format {
	uint8_t e, m, times;
};

static struct format format_of(enum ptx_type t)
{
	switch (t) {
	case PTX_F16: return (struct format){5, 11, 1};
	case PTX_F16X2: return (struct format){5, 11, 2};
	case PTX_BF16: return (struct format){8, 8, 1};
	case PTX_BF16X2: return (struct format){8, 8, 2};
	case PTX_F64: return (struct format){11, 53, 1};
	/* What cvt makes of or from pairs of small formats: each half as the nearest that is there. */
	case PTX_E4M3X2: return (struct format){4, 4, 2};
	case PTX_E5M2X2: return (struct format){5, 3, 2};
	case PTX_E2M3X2: return (struct format){2, 4, 2};
	case PTX_E3M2X2: return (struct format){3, 3, 2};
	case PTX_TF32: return (struct format){8, 11, 1};
	default: return (struct format){8, 24, 1};
	}
}

static bool is_float(enum ptx_type t)
{
	return ptx_type_is_float(t) || (t >= PTX_E4M3X2 && t <= PTX_TF32);
}

static void set_float(struct dc_use *u, enum dc_op op, enum ptx_type t)
{
	const struct format f = format_of(t);

	*u = (struct dc_use){.op = op, .n = (uint8_t)(f.e + f.m), .e = f.e, .m = f.m, .bits = 32, .times = f.times};
}

static void set_int(struct dc_use *u, enum dc_op op, enum ptx_type t)
{
	*u = (struct dc_use){.op = op,
			     .n = t == PTX_PRED ? 1 : (uint8_t)(8 * ptx_type_bytes(t)),
			     .is_signed = ptx_type_is_signed(t),
			     .times = 1};
}

static bool is_immediate(const struct ptx_inst *i, uint32_t k)
{
	return k < i->src_count && i->src[k].kind == PTX_OPND_IMM;
}

static void set_either(struct dc_use *u, const struct ptx_inst *i, enum dc_op on_int, enum dc_op on_float)
{
	if (is_float(i->type))
		set_float(u, on_float, i->type);
	else
		set_int(u, on_int, i->type);
}

static enum dc_direction rounding_of(enum ptx_round r)
{
	switch (r) {
	case PTX_RZ:
	case PTX_RZI: return DC_TO_ZERO;
	case PTX_RM:
	case PTX_RMI: return DC_TO_LOWER;
	case PTX_RP:
	case PTX_RPI: return DC_TO_UPPER;
	default: return DC_TO_NEAREST;
	}
}

static bool is_to_integral(const struct ptx_inst *i)
{
	return i->type == i->type2 && i->mods.round >= PTX_RNI && i->mods.round <= PTX_RPI;
}

static void set_convert(struct dc_use *u, const struct ptx_inst *i)
{
	const bool from = is_float(i->type2), to = is_float(i->type);

	if (from && to && is_to_integral(i)) {
		set_float(u, DC_OP_FLOAT_ROUND, i->type);
		u->rounding = (uint8_t)rounding_of(i->mods.round);
	} else if (from && to) {
		const struct format f = format_of(i->type);

		set_float(u, DC_OP_FLOAT_TO_FLOAT, i->type2);
		u->times = f.times;
		u->to_e = f.e;
		u->to_m = f.m;
		if (f.e + f.m > u->n)
			u->n = (uint8_t)(f.e + f.m);
		u->rounding = (uint8_t)rounding_of(i->mods.round);
	} else if (from) {
		set_float(u, DC_OP_FLOAT_TO_INT, i->type2);
		u->bits = (uint8_t)(8 * ptx_type_bytes(i->type));
		u->rounding = (uint8_t)rounding_of(i->mods.round);
	} else if (to) {
		set_float(u, DC_OP_INT_TO_FLOAT, i->type);
		u->bits = (uint8_t)(8 * ptx_type_bytes(i->type2));
		u->is_signed = ptx_type_is_signed(i->type2);
	} else {
		set_int(u, DC_OP_CONVERT, i->type);
	}
}

/* Integer multiplications: the part of the product that is asked for costs the same, all of it is made. */
static void set_mul(struct dc_use *u, const struct ptx_inst *i, bool has_addend)
{
	if (is_float(i->type)) {
		set_float(u, has_addend ? DC_OP_FMA : DC_OP_FMUL, i->type);
		return;
	}
	set_int(u, has_addend ? DC_OP_MAD : DC_OP_MUL, i->type);
	if (i->op == PTX_OP_MUL24 || i->op == PTX_OP_MAD24)
		u->n = 24;
}

static void set_move(struct dc_use *u, const struct ptx_inst *i)
{
	const enum ptx_operand_kind kind = i->src_count ? i->src[0].kind : PTX_OPND_IMM;

	set_int(u, kind == PTX_OPND_SREG ? DC_OP_LANE_ID : kind == PTX_OPND_REG ? DC_OP_COPY : DC_OP_IMMEDIATE,
		i->type);
}

static bool set_special(struct dc_use *u, const struct ptx_inst *i)
{
	switch (i->op) {
	case PTX_OP_DIV: set_either(u, i, DC_OP_DIV, DC_OP_FDIV); return true;
	case PTX_OP_REM: set_int(u, DC_OP_DIV, i->type); return true;
	case PTX_OP_RCP: set_float(u, DC_OP_FDIV, i->type); return true;
	case PTX_OP_SQRT: set_float(u, DC_OP_FSQRT, i->type); return true;
	case PTX_OP_RSQRT: set_float(u, DC_OP_FRSQRT, i->type); return true;
	case PTX_OP_SIN: set_float(u, DC_OP_FSIN, i->type); return true;
	case PTX_OP_COS: set_float(u, DC_OP_FCOS, i->type); return true;
	case PTX_OP_EX2: set_float(u, DC_OP_FEXP, i->type); return true;
	case PTX_OP_TANH: set_float(u, DC_OP_FTANH, i->type); return true;
	case PTX_OP_LG2: set_float(u, DC_OP_FLOG, i->type); return true;
	case PTX_OP_TESTP: set_float(u, DC_OP_FTEST, i->type); return true;
	case PTX_OP_COPYSIGN: set_float(u, DC_OP_FSIGN, i->type); return true;
	case PTX_OP_CVT: set_convert(u, i); return true;
	case PTX_OP_FMA: set_mul(u, i, true); return true;
	default: return false;
	}
}

static bool set_bits(struct dc_use *u, const struct ptx_inst *i, bool is_fixed)
{
	switch (i->op) {
	case PTX_OP_SHL:
	case PTX_OP_SHR:
		set_int(u, is_fixed || is_immediate(i, 1) ? DC_OP_SHIFT_FIXED : DC_OP_SHIFT, i->type);
		return true;
	case PTX_OP_BFE:
		set_int(u, is_fixed || (is_immediate(i, 1) && is_immediate(i, 2)) ? DC_OP_FIELD_FIXED : DC_OP_FIELD,
			i->type);
		return true;
	case PTX_OP_BFI:
		set_int(u, is_fixed || (is_immediate(i, 2) && is_immediate(i, 3)) ? DC_OP_FIELD_FIXED : DC_OP_FIELD,
			i->type);
		return true;
	case PTX_OP_BMSK:
	case PTX_OP_SZEXT: set_int(u, is_fixed ? DC_OP_FIELD_FIXED : DC_OP_FIELD, i->type); return true;
	case PTX_OP_SHF:
		set_int(u, is_fixed || is_immediate(i, 2) ? DC_OP_SHIFT_FIXED : DC_OP_FUNNEL, i->type);
		return true;
	case PTX_OP_PRMT:
		set_int(u, is_fixed || is_immediate(i, 2) ? DC_OP_PERMUTE_FIXED : DC_OP_PERMUTE, PTX_B32);
		return true;
	case PTX_OP_LOP3: set_int(u, DC_OP_LOGIC3, i->type); return true;
	case PTX_OP_POPC: set_int(u, DC_OP_POPC, i->type); return true;
	case PTX_OP_CLZ:
	case PTX_OP_BFIND:
	case PTX_OP_FNS: set_int(u, DC_OP_FIND, i->type == PTX_TYPE_NONE ? PTX_B32 : i->type); return true;
	case PTX_OP_BREV: set_int(u, DC_OP_REVERSE, i->type); return true;
	default: return false;
	}
}

static bool set_other(struct dc_use *u, const struct ptx_inst *i)
{
	switch (i->op) {
	case PTX_OP_MOV:
	case PTX_OP_CVTA: set_move(u, i); return true;
	case PTX_OP_ADD: set_either(u, i, DC_OP_ADD, DC_OP_FADD); return true;
	case PTX_OP_SUB:
		set_either(u, i, DC_OP_SUB, DC_OP_FADD);
		u->is_difference = u->op == DC_OP_FADD;
		return true;
	case PTX_OP_NEG: set_either(u, i, DC_OP_NEG, DC_OP_FSIGN); return true;
	case PTX_OP_ABS: set_either(u, i, DC_OP_ABS, DC_OP_FSIGN); return true;
	case PTX_OP_MIN:
	case PTX_OP_MAX: set_either(u, i, DC_OP_MINMAX, DC_OP_FMINMAX); return true;
	case PTX_OP_MUL:
	case PTX_OP_MUL24: set_mul(u, i, false); return true;
	case PTX_OP_MAD:
	case PTX_OP_MAD24:
	case PTX_OP_MADC: set_mul(u, i, true); return true;
	case PTX_OP_AND:
	case PTX_OP_OR:
	case PTX_OP_XOR:
	case PTX_OP_NOT:
	case PTX_OP_CNOT:
		set_int(u, i->type == PTX_PRED ? DC_OP_PREDICATE : DC_OP_LOGIC, i->type);
		return true;
	case PTX_OP_SETP: set_either(u, i, DC_OP_COMPARE, DC_OP_FCOMPARE); return true;
	/* set's second type is what it compares, slct's what chooses: as wide or wider than the result's */
	case PTX_OP_SET:
		if (is_float(i->type2))
			set_float(u, DC_OP_FCOMPARE, i->type2);
		else
			set_int(u, DC_OP_SET, i->type2);
		return true;
	case PTX_OP_SELP:
	case PTX_OP_SLCT: set_int(u, DC_OP_SELECT, i->type); return true;
	case PTX_OP_ADDC:
	case PTX_OP_SUBC: set_int(u, DC_OP_ADD_CARRY, i->type); return true;
	case PTX_OP_SAD: set_int(u, DC_OP_SAD, i->type); return true;
	case PTX_OP_DP4A:
	case PTX_OP_DP2A: set_int(u, DC_OP_DOT, PTX_S32); return true;
	case PTX_OP_ISSPACEP: set_int(u, DC_OP_COMPARE, PTX_U64); return true;
	default: return false;
	}
}

bool dc_use_of(const struct ptx_inst *inst, bool is_fixed, struct dc_use *use, const char **why)
{
	*use = (struct dc_use){.times = 1};
	if (inst->op >= PTX_OP_VABSDIFF && inst->op <= PTX_OP_VSUB4 && inst->op != PTX_OP_VOTE) {
		set_int(use, DC_OP_VIDEO, PTX_B32);
		return true;
	}
	if (set_special(use, inst) || set_bits(use, inst, is_fixed) || set_other(use, inst)) {
		/* cvt's is f32's alone, and f64 has it where it is approximate. */
		use->is_approx = inst->mods.approx && inst->type == PTX_F32;
		use->flushes = inst->mods.ftz && inst->op != PTX_OP_CVT && (use->m != 53 || inst->mods.approx);
		if (inst->type == PTX_PRED && use->op == DC_OP_COPY)
			use->op = DC_OP_PREDICATE;
		return true;
	}
	*why = "an operation that no array of the cache does";
	return false;
}

void dc_use_table_roots(struct dc_use *use)
{
	if (use->is_approx && use->op == DC_OP_FSQRT)
		use->op = DC_OP_FROOT;
	else if (use->is_approx && use->op == DC_OP_FRSQRT)
		use->op = DC_OP_FNEWTON;
}

static bool is_in(const uint64_t *set, const struct ptx_operand *o)
{
	return o->kind == PTX_OPND_REG && set[o->reg / 64] >> o->reg % 64 & 1;
}

void dc_use_keep(struct dc_use *use, const uint64_t *kept, bool is_open, const struct ptx_inst *inst)
{
	const bool is_move = use->op == DC_OP_COPY && (inst->type == PTX_F32 || inst->type == PTX_F64);
	uint8_t all = 0;

	use->kept = 0;
	if (!kept || (use->op != DC_OP_FADD && use->op != DC_OP_FMA && !is_move))
		return;
	for (uint32_t k = 0; k < inst->src_count; k++)
		if (is_in(kept, &inst->src[k]))
			all |= (uint8_t)(DC_KEPT_A << k);
	if (is_in(kept, &inst->dst))
		all |= DC_KEPT_RESULT;
	if (is_move && (all == DC_KEPT_A || all == DC_KEPT_RESULT))
		set_float(use, DC_OP_COMPLEMENT, inst->type);
	else if (is_move)
		return;
	use->kept = all && is_open ? all | DC_KEPT_OPEN : all;
}
