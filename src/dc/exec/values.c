/* values.c - rows of operands, and one instruction on 32 lanes. */
#include <string.h>

#include "dc/exec/priv.h"

void dc_pred_write(struct dc_block *b, uint32_t pred, uint32_t warp, uint32_t mask, uint32_t value)
{
	const uint32_t warps = b->program->warps;
	uint32_t *to = b->next_preds + (uint64_t)pred * warps;

	if (!b->is_dirty[pred]) {
		b->is_dirty[pred] = 1;
		b->dirty[b->dirty_count++] = (uint16_t)pred;
		memcpy(to, b->preds + (uint64_t)pred * warps, warps * sizeof(*to));
	}
	to[warp] = (to[warp] & ~mask) | (value & mask);
}

static void join(uint64_t *restrict to, const uint32_t *restrict lo, const uint32_t *restrict hi)
{
	for (uint32_t i = 0; i < DC_ROW_WORDS; i++)
		to[i] = (uint64_t)hi[i] << 32 | lo[i];
}

static void extend(uint64_t *restrict to, const uint32_t *restrict lo, bool is_signed)
{
	if (is_signed)
		for (uint32_t i = 0; i < DC_ROW_WORDS; i++)
			to[i] = (uint64_t)(int64_t)(int32_t)lo[i];
	else
		for (uint32_t i = 0; i < DC_ROW_WORDS; i++)
			to[i] = lo[i];
}

const void *dc_row_of(const struct dc_block *b, const struct dc_from *f, uint32_t warp, void *tmp)
{
	if (f->kind != DC_SRC_LOC)
		return f->row;

	const uint32_t *lo = dc_reg_row(b, f->loc.array, f->loc.lo, warp);

	if (f->want != 8)
		return lo;
	if (f->loc.hi != DC_NO_REG)
		join(tmp, lo, dc_reg_row(b, f->loc.array, f->loc.hi, warp));
	else
		extend(tmp, lo, f->is_signed);
	return tmp;
}

/* d = s on the lanes of mask. */
static void put(uint32_t *restrict d, const uint32_t *restrict s, uint32_t mask)
{
	if (mask == UINT32_MAX) {
		memcpy(d, s, DC_ROW_WORDS * sizeof(*d));
		return;
	}
	for (uint32_t i = 0; i < DC_ROW_WORDS; i++)
		d[i] = mask >> i & 1 ? s[i] : d[i];
}

void dc_row_put(struct dc_block *b, const struct dc_loc *to, uint32_t warp, const void *row, uint32_t bytes,
		bool is_signed, uint32_t mask)
{
	_Alignas(64) uint32_t lo[DC_ROW_WORDS], hi[DC_ROW_WORDS];
	const uint32_t *words = row;
	const uint64_t *longs = row;

	if (to->lo == DC_NO_REG)
		return;
	for (uint32_t i = 0; i < DC_ROW_WORDS; i++)
		lo[i] = bytes == 8 ? (uint32_t)longs[i] : words[i];
	put(dc_reg_row(b, to->array, to->lo, warp), lo, mask);
	if (to->hi == DC_NO_REG)
		return;
	for (uint32_t i = 0; i < DC_ROW_WORDS; i++)
		hi[i] = bytes == 8 ? (uint32_t)(longs[i] >> 32) : is_signed ? (uint32_t)((int32_t)words[i] >> 31) : 0;
	put(dc_reg_row(b, to->array, to->hi, warp), hi, mask);
}

uint64_t dc_lane_of(const struct dc_block *b, const struct dc_source *s, uint32_t warp, uint32_t lane)
{
	uint64_t value;

	switch ((enum dc_source_kind)s->kind) {
	case DC_SRC_LOC:
		value = dc_reg_row(b, s->loc.array, s->loc.lo, warp)[lane];
		if (s->loc.hi != DC_NO_REG)
			value |= (uint64_t)dc_reg_row(b, s->loc.array, s->loc.hi, warp)[lane] << 32;
		return value;
	case DC_SRC_IMM: return s->imm;
	case DC_SRC_HOST: return b->program->host_values[s->host];
	case DC_SRC_PRED: return dc_pred_source(b, s, warp) >> lane & 1;
	case DC_SRC_NONE:
	case DC_SRC_SREG: break;
	}
	return 0;
}

void dc_lane_put(struct dc_block *b, const struct dc_loc *to, uint32_t warp, uint32_t lane, uint64_t value)
{
	if (to->lo == DC_NO_REG)
		return;
	dc_reg_row(b, to->array, to->lo, warp)[lane] = (uint32_t)value;
	if (to->hi != DC_NO_REG)
		dc_reg_row(b, to->array, to->hi, warp)[lane] = (uint32_t)(value >> 32);
}

_Alignas(64) const uint64_t dc_zero_row[DC_ROW_WORDS] = {0};

/* ---- one instruction ---- */

static uint32_t bool_of(enum ptx_boolop op, uint32_t a, uint32_t b)
{
	switch (op) {
	case PTX_BOOL_AND: return a & b;
	case PTX_BOOL_OR: return a | b;
	case PTX_BOOL_XOR: return a ^ b;
	case PTX_BOOL_NONE: break;
	}
	return a;
}

static uint32_t predicate_logic(enum ptx_op op, uint32_t a, uint32_t b)
{
	switch (op) {
	case PTX_OP_AND: return a & b;
	case PTX_OP_OR: return a | b;
	case PTX_OP_XOR: return a ^ b;
	case PTX_OP_NOT: return ~a;
	default: return a;
	}
}

/* q of p|q: the opposite comparison, combined with the operand in the same way (simt/alu/alu.h). */
static uint32_t second_of(const struct dc_exec *e, uint32_t p, uint32_t c, uint32_t mask)
{
	switch ((enum ptx_boolop)e->boolop) {
	case PTX_BOOL_AND: return c & ~p & mask;
	case PTX_BOOL_OR: return (c | ~p) & mask;
	case PTX_BOOL_XOR:
	case PTX_BOOL_NONE: break;
	}
	return ~p & mask;
}

/* lop3.BoolOp: a predicate that says whether the result is not zero, combined with the operand. */
static uint32_t lop3(const struct dc_exec *e, const void *const *src, uint32_t pred, void *tmp, uint32_t mask)
{
	const uint32_t *d = tmp;
	uint32_t p = 0;

	e->fn(tmp, src, mask, e->aux);
	for (uint32_t i = 0; i < DC_ROW_WORDS; i++)
		p |= (uint32_t)(d[i] != 0) << i;
	return bool_of((enum ptx_boolop)e->boolop, p, pred) & mask;
}

uint32_t dc_value(const struct dc_exec *e, const void *const *src, uint32_t pred, uint32_t pred2, uint32_t *carry,
		  void *tmp, uint32_t mask, uint32_t *second)
{
	uint32_t aux = e->aux, result;

	switch ((enum dc_run)e->run) {
	case DC_RUN_PRED: return predicate_logic((enum ptx_op)e->aux, pred, pred2);
	case DC_RUN_MOVE: memcpy(tmp, src[0], (size_t)DC_ROW_WORDS * e->dst_bytes); return 0;
	case DC_RUN_LOP3: return lop3(e, src, pred, tmp, mask);
	default: break;
	}
	if (e->aux_kind == SIMT_AUX_PRED)
		aux = pred;
	else if (e->aux_kind == SIMT_AUX_CARRY)
		aux = *carry;
	/* f16x2's q has no rule: the function tells it */
	*second = 0;
	result = e->fn(e->dst_bytes ? tmp : second, src, mask, aux);
	if (e->writes_carry)
		*carry = (*carry & ~mask) | (result & mask);
	if (!e->dst_bytes && !(e->use.op == DC_OP_FCOMPARE && e->use.times == 2))
		*second = second_of(e, result, pred, mask);
	return result;
}
