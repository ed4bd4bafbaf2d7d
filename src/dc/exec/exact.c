/* exact.c - duality.bit_exact: an array's operation done bit by bit as well, in the columns of the control block. What
 * it computes and how long it takes must be what the word-level side says.
 */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "dc/array/complement.h"
#include "dc/array/serial.h"
#include "dc/exec/priv.h"

enum { ROWS_A = 0, ROWS_B = 64, ROWS_C = 128, ROWS_D = 192, ROWS_T = 330 };

struct dc_exact {
	struct dc_serial serial;
	uint64_t src[3][DC_COLUMNS], half[3][DC_COLUMNS], part[DC_COLUMNS], result[DC_COLUMNS];
	uint64_t cycles;
};

struct dc_exact *dc_exact_new(void)
{
	return g_new0(struct dc_exact, 1);
}

void dc_exact_free(struct dc_exact *x)
{
	g_free(x);
}

static bool is_array_float(enum ptx_type t)
{
	return t == PTX_F32 || t == PTX_F64 || t == PTX_F16 || t == PTX_BF16;
}

static bool is_pair(const struct ptx_inst *i)
{
	return i->type == PTX_F16X2 || i->type == PTX_BF16X2;
}

/* Rounded to nearest; .approx and .full have values of their own. */
static bool is_plain_float(const struct ptx_inst *i)
{
	return (is_array_float(i->type) || is_pair(i)) &&
	       (i->mods.round == PTX_ROUND_NONE || i->mods.round == PTX_RN) && !i->mods.sat &&
	       !i->mods.relu && !i->mods.approx && !i->mods.full;
}

/* Denormal operands as the numbers that they are: such an operation does not flush them. */
static bool is_unflushed(const struct ptx_inst *i)
{
	return (is_array_float(i->type) || is_pair(i)) && !i->mods.ftz;
}

/* Of conversions: what is between these, rounded to nearest or as PTX's four directions say. */
static bool is_conversion(const struct ptx_inst *i)
{
	return is_array_float(i->type) && is_array_float(i->type2) && i->mods.round != PTX_RNA && !i->mods.sat &&
	       !i->mods.relu;
}

/* Those that array/serial_*.c have; the others are routines of them, which words alone compute. */
bool dc_exact_knows(const struct dc_exec *e, const struct ptx_inst *i, bool truncates)
{
	switch (e->use.op) {
	case DC_OP_ADD:
	case DC_OP_SUB: return !i->mods.sat && !i->mods.cc;
	case DC_OP_NEG:
	case DC_OP_ABS:
	case DC_OP_SHIFT:
	case DC_OP_DIV: return true;
	case DC_OP_SHIFT_FIXED: return i->op == PTX_OP_SHL || i->op == PTX_OP_SHR;
	case DC_OP_MINMAX: return !i->mods.relu;
	case DC_OP_COMPARE: return i->op == PTX_OP_SETP && !i->mods.boolop && i->dst2.kind == PTX_OPND_NONE;
	case DC_OP_SELECT: return i->op == PTX_OP_SELP;
	case DC_OP_MUL: return i->op == PTX_OP_MUL && (e->use.n <= 32 || i->mods.part == PTX_LO_HALF);
	case DC_OP_MAD: return i->op == PTX_OP_MAD && i->mods.part == PTX_LO_HALF && !i->mods.sat;
	case DC_OP_LOGIC: return i->op != PTX_OP_CNOT;
	case DC_OP_FADD:
	case DC_OP_FMUL: return is_plain_float(i);
	case DC_OP_FMA: return is_plain_float(i);
	case DC_OP_FDIV:
		return is_plain_float(i) && !is_pair(i) && i->mods.round == PTX_RN &&
		       (i->op == PTX_OP_DIV || !truncates);
	case DC_OP_FSQRT: return is_plain_float(i) && i->mods.round == PTX_RN && !truncates;
	case DC_OP_INT_TO_FLOAT: return is_plain_float(i) && i->mods.round == PTX_RN && !truncates;
	case DC_OP_FLOAT_TO_INT: return is_array_float(i->type2) && i->mods.round != PTX_RNA;
	case DC_OP_FLOAT_ROUND:
	case DC_OP_FLOAT_TO_FLOAT: return is_conversion(i);
	case DC_OP_FSIN:
	case DC_OP_FCOS:
	case DC_OP_FEXP:
	case DC_OP_FLOG:
	case DC_OP_FROOT:
	case DC_OP_FNEWTON:
	case DC_OP_FTANH:
	case DC_OP_FRSQRT: return e->own != DC_OWN_NONE;
	case DC_OP_COMPLEMENT: return true;
	case DC_OP_FSIGN: return is_unflushed(i);
	case DC_OP_FMINMAX:
		return is_unflushed(i) && !i->mods.nan && !i->mods.xorsign && !i->mods.relu;
	case DC_OP_FCOMPARE:
		return is_unflushed(i) && !is_pair(i) && i->op == PTX_OP_SETP && !i->mods.boolop &&
		       i->dst2.kind == PTX_OPND_NONE;
	default: return false;
	}
}

void dc_exact_take(struct dc_exact *x, const struct dc_exec *e, uint32_t warp, const void *const *src)
{
	for (uint32_t k = 0; k < 3 && k < e->src_count; k++)
		for (uint32_t lane = 0; lane < DC_ROW_WORDS && e->from[k].want; lane++)
			x->src[k][warp * DC_ROW_WORDS + lane] =
			    e->from[k].want == 8 ? ((const uint64_t *)src[k])[lane] : ((const uint32_t *)src[k])[lane];
}

static void put_guard(struct dc_exact *x, const struct dc_block *b, const struct dc_guard *guard)
{
	for (uint32_t w = 0; w < DC_COLUMNS / DC_ROW_WORDS; w++) {
		const uint64_t mask = w < b->warp_count ? dc_guard_mask(b, guard, w) : 0;
		uint64_t *to = &x->serial.guard.w[w / 2];

		*to = w % 2 ? *to | mask << DC_ROW_WORDS : mask;
	}
}

/* Bits of the first operand. */
static uint32_t source_bits(const struct dc_use *u)
{
	if (u->op == DC_OP_INT_TO_FLOAT)
		return u->bits;
	return dc_op_kind(u->op) == DC_KIND_FLOAT ? u->e + u->m : u->n;
}

static void put_operands(struct dc_exact *x, const struct dc_exec *e, const struct ptx_inst *i,
			 const struct dc_block *b, uint32_t half)
{
	const uint32_t amount_bits = e->use.op == DC_OP_SHIFT ? 32 : e->use.n;

	for (uint32_t k = 0; k < 3; k++)
		for (uint32_t c = 0; c < DC_COLUMNS; c++)
			x->half[k][c] = x->src[k][c] >> half * e->use.n;
	for (uint32_t k = 0; k < 3; k++)
		for (uint32_t c = 0; c < DC_COLUMNS && e->use.kept >> k & 1 && !(e->use.kept & DC_KEPT_OPEN); c++)
			x->half[k][c] = dc_complement(&e->use, x->half[k][c]);
	for (uint32_t c = 0; c < DC_COLUMNS; c++) {
		if (i->op == PTX_OP_SUB && e->use.op == DC_OP_FADD)
			x->half[1][c] ^= 1ull << (e->use.n - 1);
		if (i->op == PTX_OP_RCP) { /* one by it */
			x->half[1][c] = x->half[0][c];
			x->half[0][c] = ((1ull << (e->use.e - 1)) - 1) << (e->use.m - 1);
		}
		if (e->use.op == DC_OP_SHIFT && x->half[1][c] >= e->use.n) /* amounts beyond are all alike */
			x->half[1][c] = e->use.n;
	}
	if (e->use.op == DC_OP_SELECT)
		for (uint32_t c = 0; c < DC_COLUMNS; c++)
			x->half[2][c] = c / DC_ROW_WORDS < b->warp_count
					    ? dc_pred_source(b, &e->pred, c / DC_ROW_WORDS) >> c % DC_ROW_WORDS & 1
					    : 0;
	dc_serial_put(&x->serial, ROWS_A, source_bits(&e->use), x->half[0]);
	dc_serial_put(&x->serial, ROWS_B, amount_bits < 64 ? amount_bits : 64, x->half[1]);
	dc_serial_put(&x->serial, ROWS_C, e->use.n, x->half[2]);
}

static uint32_t logic_of(enum ptx_op op)
{
	switch (op) {
	case PTX_OP_AND: return DC_LOGIC_AND;
	case PTX_OP_OR: return DC_LOGIC_OR;
	case PTX_OP_NOT: return DC_LOGIC_NOT;
	default: return DC_LOGIC_XOR;
	}
}

/* See dc_serial_int. An amount that is known is the same in all lanes. */
static uint32_t variant_of(const struct dc_exec *e, const struct ptx_inst *i)
{
	const void *known = e->from[1].row;
	const uint64_t amount = e->from[1].want == 8 ? *(const uint64_t *)known : *(const uint32_t *)known;

	switch (e->use.op) {
	case DC_OP_LOGIC: return logic_of(i->op);
	case DC_OP_COMPARE: return i->mods.cmp;
	case DC_OP_MINMAX: return i->op == PTX_OP_MAX;
	case DC_OP_SHIFT_FIXED: return (uint32_t)MIN(amount, e->use.n) * 2 + (i->op == PTX_OP_SHR);
	default: return i->op == PTX_OP_REM || i->op == PTX_OP_SHR;
	}
}

/* Bits of the result, of one half of pairs, from row `first` of D. */
static uint32_t result_bits(const struct dc_exec *e, const struct ptx_inst *i, uint32_t *first)
{
	*first = e->use.op == DC_OP_MUL && i->mods.part == PTX_HI_HALF ? e->use.n : 0;
	if (e->use.op == DC_OP_COMPARE || e->use.op == DC_OP_FCOMPARE)
		return 1;
	if (e->use.op == DC_OP_FLOAT_TO_INT)
		return e->use.bits;
	if (e->use.op == DC_OP_FLOAT_TO_FLOAT)
		return e->use.to_e + e->use.to_m;
	return e->use.op == DC_OP_MUL && i->mods.part == PTX_WIDE ? 2u * e->use.n : e->use.n;
}

static void run_float(struct dc_serial *bits, const struct dc_exec *e, const struct ptx_inst *i,
		      const struct dc_arith *arith)
{
	const struct dc_use *u = &e->use;

	switch (u->op) {
	case DC_OP_FADD:
		if (u->kept & DC_KEPT_OPEN)
			dc_serial_open_add(bits, u, ROWS_D, ROWS_A, ROWS_B, ROWS_T);
		else
			dc_serial_fadd(bits, u, arith, ROWS_D, ROWS_A, ROWS_B, ROWS_T);
		break;
	case DC_OP_FMUL: dc_serial_fmul(bits, u, arith, ROWS_D, ROWS_A, ROWS_B, ROWS_T); break;
	case DC_OP_FMA: dc_serial_fma(bits, u, arith, ROWS_D, ROWS_A, ROWS_B, ROWS_C, ROWS_T); break;
	case DC_OP_FDIV: dc_serial_fdiv(bits, u, arith, ROWS_D, ROWS_A, ROWS_B, ROWS_T); break;
	case DC_OP_FSQRT: dc_serial_fsqrt(bits, u, arith, ROWS_D, ROWS_A, ROWS_T); break;
	case DC_OP_INT_TO_FLOAT: dc_serial_itof(bits, u, arith, ROWS_D, ROWS_A, ROWS_T); break;
	case DC_OP_FSIN:
	case DC_OP_FCOS:
	case DC_OP_FEXP:
	case DC_OP_FLOG:
	case DC_OP_FROOT:
		dc_serial_cordic(bits, u, arith, (enum dc_function)e->function, ROWS_D, ROWS_A, ROWS_T);
		break;
	case DC_OP_FLOAT_TO_INT:
		dc_serial_ftoi(bits, u, ptx_type_is_signed(i->type), ROWS_D, ROWS_A, ROWS_T);
		break;
	case DC_OP_FLOAT_TO_FLOAT: dc_serial_ftof(bits, u, arith, ROWS_D, ROWS_A, ROWS_T); break;
	case DC_OP_FLOAT_ROUND: dc_serial_fround(bits, u, ROWS_D, ROWS_A, ROWS_T); break;
	case DC_OP_FNEWTON: dc_serial_fnewton(bits, u, arith, ROWS_D, ROWS_A, ROWS_T); break;
	case DC_OP_FRSQRT: dc_serial_frsqrt(bits, u, arith, ROWS_D, ROWS_A, ROWS_T); break;
	case DC_OP_COMPLEMENT:
		if (u->kept & DC_KEPT_OPEN)
			dc_serial_open(bits, u, ROWS_D, ROWS_A, ROWS_T);
		else
			dc_serial_complement(bits, u, ROWS_D, ROWS_A);
		break;
	case DC_OP_FTANH: dc_serial_ftanh(bits, u, arith, ROWS_D, ROWS_A, ROWS_T); break;
	case DC_OP_FMINMAX:
		dc_serial_fminmax(bits, u, i->op == PTX_OP_MAX, ROWS_D, ROWS_A, ROWS_B, ROWS_T);
		break;
	case DC_OP_FCOMPARE:
		dc_serial_fcompare(bits, u, (enum ptx_cmp)i->mods.cmp, ROWS_D, ROWS_A, ROWS_B, ROWS_T);
		break;
	default: /* copysign has the sign of the first and the magnitude of the second */
		dc_serial_fsign(bits, u,
				i->op == PTX_OP_NEG   ? DC_SIGN_CONTRARY
				: i->op == PTX_OP_ABS ? DC_SIGN_NONE
						      : DC_SIGN_SAME,
				ROWS_D, i->op == PTX_OP_COPYSIGN ? ROWS_B : ROWS_A, ROWS_A);
		break;
	}
}

void dc_exact_run(struct dc_exact *x, const struct dc_program *p, const struct dc_block *b, const struct dc_slot *s,
		  const struct dc_exec *e)
{
	const struct ptx_inst *i = s->inst;
	struct dc_serial *bits = &x->serial;
	uint32_t first;
	const uint32_t count = result_bits(e, i, &first);

	x->cycles = 0;
	memset(x->result, 0, sizeof(x->result));
	for (uint32_t half = 0; half < e->use.times; half++) {
		dc_serial_begin(bits, p->params.savings);
		put_guard(x, b, &s->guard);
		put_operands(x, e, i, b, half);
		if (dc_op_kind(e->use.op) == DC_KIND_FLOAT)
			run_float(bits, e, i, &p->params.arith);
		else
			dc_serial_int(bits, &e->use, ROWS_D, ROWS_A, ROWS_B, ROWS_C, ROWS_T, variant_of(e, i));
		dc_serial_get(bits, ROWS_D + first, count, x->part);
		for (uint32_t c = 0; c < DC_COLUMNS; c++)
			x->result[c] |= x->part[c] << half * count;
		x->cycles += bits->cycles;
	}
}

/* Two results of a float routine that are different ways of saying the same: no number; and what rounds up to the least
 * normal number, which the host's denormal numbers round otherwise. */
static bool are_alike(const struct dc_use *u, uint64_t x, uint64_t y)
{
	const bool is_conversion = u->op == DC_OP_FLOAT_TO_FLOAT;
	const uint32_t e = is_conversion ? u->to_e : u->e, m = is_conversion ? u->to_m : u->m;
	const uint64_t magnitude = (1ull << (e + m - 1)) - 1, least = 1ull << (m - 1);
	const uint64_t infinity = magnitude & ~(least - 1);

	x &= magnitude;
	y &= magnitude;
	return (x > infinity && y > infinity) || (x + y == least && (!x || !y));
}

/* After the word-level side has written its results: the two agree, lane by lane and in cycles. */
void dc_exact_compare(const struct dc_exact *x, const struct dc_block *b, const struct dc_slot *s,
		      const struct dc_exec *e, uint64_t cycles)
{
	uint32_t first;
	const uint32_t count = result_bits(e, s->inst, &first);
	const bool is_float = dc_op_kind(e->use.op) == DC_KIND_FLOAT && e->use.op != DC_OP_FLOAT_TO_INT &&
			      e->use.op != DC_OP_COMPLEMENT && count > 1;
	const uint64_t mask = count >= 64 ? ~0ull : (1ull << count) - 1;
	const uint64_t divisor = e->use.n >= 64 ? ~0ull : (1ull << e->use.n) - 1;
	const struct dc_source d = {.kind = DC_SRC_LOC, .loc = s->dst};

	CHECK(x->cycles == cycles);
	if (s->dst.lo == DC_NO_REG && s->pred_dst == DC_NO_PRED)
		return;

	const uint32_t *preds = b->next_preds + (s->pred_dst == DC_NO_PRED ? 0 : s->pred_dst) * b->program->warps;

	for (uint32_t c = 0; c < DC_COLUMNS; c++) {
		const uint32_t warp = c / DC_ROW_WORDS, lane = c % DC_ROW_WORDS;

		if (!(x->serial.guard.w[c / 64] >> c % 64 & 1))
			continue;
		if (e->use.op == DC_OP_DIV && !(x->src[1][c] & divisor)) /* PTX leaves open what this is */
			continue;
		const uint64_t value = s->pred_dst == DC_NO_PRED ? dc_lane_of(b, &d, warp, lane)
								 : preds[warp] >> lane & 1;

		for (uint32_t half = 0; half < e->use.times; half++) {
			const uint64_t word = value >> half * count, bit = x->result[c] >> half * count;

			CHECK((word & mask) == (bit & mask) || (is_float && are_alike(&e->use, word, bit)));
		}
	}
}
