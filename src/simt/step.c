/* step.c - executes one instruction of a warp, and the instructions that only compute. */
#include <string.h>

#include "base/check.h"
#include "simt/build.h"
#include "simt/state.h"

const uint32_t simt_lane_bit[SIMT_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

bool simt_step(struct simt_launch *l, struct simt_warp *w, struct simt_step *out)
{
	return simt_step_now(l, w, out);
}

/* ---- rows ---- */

void simt_row_convert(void *d, uint32_t d_bytes, const void *s, uint32_t s_bytes, bool sign, uint32_t mask)
{
	if (d_bytes == s_bytes) {
		if (d_bytes == 8)
			simt_row_copy64(d, s, mask);
		else
			simt_row_copy32(d, s, mask);
		return;
	}
	SIMT_FOR_LANES(lane, mask) {
		uint64_t v = simt_lane_get(s, s_bytes, lane);

		simt_lane_set(d, d_bytes, lane, sign && s_bytes == 4 ? (uint64_t)(int64_t)(int32_t)v : v);
	}
}

/* A lane's word of interleaved rows. */
static uint64_t word_at(uint64_t off, uint32_t lane)
{
	return off / 4 * SIMT_ROW_BYTES + lane * 4;
}

uint64_t simt_words_get(const uint8_t *rows, uint64_t off, uint32_t bytes, uint32_t lane)
{
	const uint8_t *at = rows + word_at(off, lane);
	uint32_t low, high;
	uint64_t v = 0;

	if (off % 4 == 0 && (bytes == 4 || bytes == 8)) {
		__builtin_memcpy(&low, at, 4);
		__builtin_memcpy(&high, bytes == 8 ? at + SIMT_ROW_BYTES : at, 4);
		return bytes == 8 ? (uint64_t)high << 32 | low : low;
	}
	for (uint32_t k = 0; k < bytes; k++)
		v |= (uint64_t)rows[word_at(off + k, lane) + (off + k) % 4] << (8 * k);
	return v;
}

void simt_words_set(uint8_t *rows, uint64_t off, uint32_t bytes, uint32_t lane, uint64_t value)
{
	uint8_t *at = rows + word_at(off, lane);
	const uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);

	if (off % 4 == 0 && (bytes == 4 || bytes == 8)) {
		__builtin_memcpy(at, &low, 4);
		if (bytes == 8)
			__builtin_memcpy(at + SIMT_ROW_BYTES, &high, 4);
		return;
	}
	for (uint32_t k = 0; k < bytes; k++)
		rows[word_at(off + k, lane) + (off + k) % 4] = (uint8_t)(value >> (8 * k));
}

/* ---- arithmetic ---- */

static uint32_t alu_aux(const struct simt_warp_state *s, const struct simt_exec *e)
{
	switch (e->aux_kind) {
	case SIMT_AUX_PRED:
		return simt_pred_get(s, e->pred_src);
	case SIMT_AUX_CARRY:
		return s->carry;
	default:
		return e->aux;
	}
}

/* q of setp p|q is the same with the comparison inverted; c is the predicate that boolop combines with. */
static uint32_t second_predicate(const struct simt_exec *e, uint32_t p, uint32_t c)
{
	switch (e->boolop) {
	case PTX_BOOL_AND:
		return c & ~p;
	case PTX_BOOL_OR:
		return c | ~p;
	default:
		return ~p;
	}
}

static void alu_finish(struct simt_warp_state *s, const struct simt_exec *e, uint32_t mask, uint32_t result,
		       uint32_t aux)
{
	simt_pred_set(s, e->pred_dst, mask, result);
	if (e->pred_dst2 != SIMT_NO_PRED)
		simt_pred_set(s, e->pred_dst2, mask, second_predicate(e, result, aux));
	if (e->writes_carry)
		s->carry = (s->carry & ~mask) | (result & mask);
}

SIMT_RUN(simt_run_alu)
{
	struct simt_warp_state *s = w->state;
	const void *src[SIMT_SRC_ROWS];

	(void)l, (void)out;
	for (uint32_t k = 0; k < SIMT_SRC_ROWS; k++)
		src[k] = simt_row(s, e->src[k]);
	uint32_t aux = alu_aux(s, e);
	uint32_t result = e->alu(simt_row_mut(s, e->dst), src, mask, aux);

	alu_finish(s, e, mask, result, aux);
	return SIMT_NEXT;
}

/* The same when a row is wider or narrower than the operation: through scratch rows. */
SIMT_RUN(simt_run_alu_fixed)
{
	struct simt_warp_state *s = w->state;
	const void *src[SIMT_SRC_ROWS] = {0};
	uint8_t *scratch = s->scratch, *result_row = scratch + SIMT_SRC_ROWS * 2 * SIMT_ROW_BYTES;

	(void)out;
	if (e->dynamic_sreg)
		simt_special_clocks(l, w);
	for (uint32_t k = 0; k < e->src_count; k++) {
		src[k] = simt_row(s, e->src[k]);
		if (!e->fix_src[k])
			continue;
		void *fixed = scratch + k * 2 * SIMT_ROW_BYTES;

		simt_row_convert(fixed, e->src[k].bytes == 8 ? 4 : 8, src[k], e->src[k].bytes,
				 e->fix_src[k] == SIMT_FIX_SIGN, mask);
		src[k] = fixed;
	}
	const bool direct = e->dst.bytes && !e->fix_dst;
	uint32_t aux = alu_aux(s, e);
	uint32_t result = e->alu(direct ? simt_row_mut(s, e->dst) : result_row, src, mask, aux);

	if (e->fix_dst)
		simt_row_convert(simt_row_mut(s, e->dst), e->dst.bytes, result_row, e->dst.bytes == 8 ? 4 : 8,
				 e->fix_dst == SIMT_FIX_SIGN, mask);
	alu_finish(s, e, mask, result, aux);
	return SIMT_NEXT;
}

/* setp of two halves: p is that of the lower one, q that of the upper one. */
SIMT_RUN(simt_run_setp_pair)
{
	struct simt_warp_state *s = w->state;
	const void *src[SIMT_SRC_ROWS];
	uint32_t q = 0;

	(void)l, (void)out;
	for (uint32_t k = 0; k < SIMT_SRC_ROWS; k++)
		src[k] = simt_row(s, e->src[k]);
	simt_pred_set(s, e->pred_dst, mask, e->alu(&q, src, mask, alu_aux(s, e)));
	if (e->pred_dst2 != SIMT_NO_PRED)
		simt_pred_set(s, e->pred_dst2, mask, q);
	return SIMT_NEXT;
}

/* lop3.BOOLOP d|p, a, b, c, lut, q: p = (d != 0) BOOLOP q. */
SIMT_RUN(simt_run_lop3_pred)
{
	struct simt_warp_state *s = w->state;
	const void *src[SIMT_SRC_ROWS];
	uint32_t *row = (uint32_t *)(s->scratch + SIMT_SRC_ROWS * 2 * SIMT_ROW_BYTES);

	(void)l, (void)out;
	for (uint32_t k = 0; k < SIMT_SRC_ROWS; k++)
		src[k] = simt_row(s, e->src[k]);
	e->alu(row, src, mask, e->aux);
	uint32_t nonzero = 0, q = simt_pred_get(s, e->pred_src);

	SIMT_FOR_LANES(lane, mask)
		nonzero |= (uint32_t)(row[lane] != 0) << lane;
	if (e->dst.bytes)
		simt_row_copy32(simt_row_mut(s, e->dst), row, mask);
	simt_pred_set(s, e->pred_dst2, mask,
		      e->boolop == PTX_BOOL_AND  ? nonzero & q
		      : e->boolop == PTX_BOOL_OR ? nonzero | q
						 : nonzero ^ q);
	return SIMT_NEXT;
}

/* Bytes of a and b that a nibble per byte picks: 0 to 3 of a, 4 to 7 of b. */
static void pick_bytes(uint32_t *row, const uint32_t *a, const uint32_t *b, uint32_t selectors, uint32_t mask)
{
	SIMT_FOR_LANES(lane, mask) {
		const uint64_t both = (uint64_t)b[lane] << 32 | a[lane];
		uint32_t v = 0;

		for (uint32_t k = 0; k < 4; k++)
			v |= (uint32_t)(both >> 8 * (selectors >> 4 * k & 7) & 255) << 8 * k;
		row[lane] = v;
	}
}

/* SIMD video instructions whose sources are picked from both registers. */
SIMT_RUN(simt_run_video_parts)
{
	struct simt_warp_state *s = w->state;
	const uint32_t *a = simt_row(s, e->src[0]), *b = simt_row(s, e->src[1]);
	uint32_t *row_a = (uint32_t *)s->scratch, *row_b = (uint32_t *)(s->scratch + 2 * SIMT_ROW_BYTES);
	const void *src[SIMT_SRC_ROWS] = {row_a, row_b, simt_row(s, e->src[2]), NULL};

	(void)l, (void)out;
	pick_bytes(row_a, a, b, (uint32_t)e->imm & 0xffff, mask);
	pick_bytes(row_b, a, b, (uint32_t)e->imm >> 16, mask);
	e->alu(simt_row_mut(s, e->dst), src, mask, e->aux);
	return SIMT_NEXT;
}

/* ---- moves ---- */

SIMT_RUN(simt_run_nop)
{
	(void)l, (void)w, (void)e, (void)mask, (void)out;
	return SIMT_NEXT;
}

SIMT_RUN(simt_run_mov)
{
	struct simt_warp_state *s = w->state;

	(void)out;
	if (!e->dst.bytes)
		return SIMT_NEXT;
	if (e->dynamic_sreg)
		simt_special_clocks(l, w);
	const void *src = simt_row(s, e->src[0]);
	void *dst = simt_row_mut(s, e->dst);

	if (src != dst)
		simt_row_convert(dst, e->dst.bytes, src, e->src[0].bytes, e->fix_src[0] == SIMT_FIX_SIGN, mask);
	return SIMT_NEXT;
}

SIMT_RUN(simt_run_mapa)
{
	const struct simt_warp_state *s = w->state;
	const void *rank = simt_row(s, e->src[1]);

	SIMT_FOR_LANES(lane, mask) {
		const uint32_t r = (uint32_t)simt_lane_get(rank, e->src[1].bytes, lane);

		if (r)
			return simt_fault(l, w, e, lane, SIMT_FAULT_INSTRUCTION,
					  "mapa to CTA %u of a cluster that has one", r);
	}
	return simt_run_mov(l, w, e, mask, out);
}

static void row_fill64(struct simt_warp_state *s, struct simt_ref dst, uint64_t value, uint32_t mask)
{
	void *d = simt_row_mut(s, dst);

	SIMT_FOR_LANES(lane, mask)
		simt_lane_set(d, dst.bytes, lane, value);
}

SIMT_RUN(simt_run_local_addr)
{
	(void)l, (void)out;
	row_fill64(w->state, e->dst, e->imm + w->state->frame.local_at, mask);
	return SIMT_NEXT;
}

SIMT_RUN(simt_run_cvta)
{
	struct simt_warp_state *s = w->state;
	uint64_t add = e->imm;

	(void)out;
	if (e->aux == 3) {
		row_fill64(s, e->dst, e->imm + s->frame.local_at, mask);
		return SIMT_NEXT;
	}
	if (e->aux)
		add = e->aux == 1 ? l->state->param_addr : -l->state->param_addr;
	const void *src = simt_row(s, e->src[0]);
	void *dst = simt_row_mut(s, e->dst);

	SIMT_FOR_LANES(lane, mask)
		simt_lane_set(dst, e->dst.bytes, lane, simt_lane_get(src, e->src[0].bytes, lane) + add);
	return SIMT_NEXT;
}

static bool in_space(const struct simt_launch *l, uint64_t addr, uint32_t space)
{
	const bool shared = addr - SIMT_SHARED_WINDOW < SIMT_WINDOW_BYTES;
	const bool local = addr - SIMT_LOCAL_WINDOW < SIMT_WINDOW_BYTES;
	const bool param = addr - l->state->param_addr < l->program->param_bytes;

	switch (space) {
	case PTX_SHARED:
		return shared;
	case PTX_LOCAL:
		return local;
	case PTX_PARAM_ENTRY:
	case PTX_PARAM_CALL:
		return param;
	case PTX_CONST: {
		const struct simt_program_priv *p = simt_program_of(l);

		for (uint32_t i = 0; i < p->module->ptx->var_count; i++) {
			const struct ptx_var *v = p->module->ptx->vars[i];

			if (v->space == PTX_CONST && addr - p->module->addr[i] < v->size_bytes)
				return true;
		}
		return false;
	}
	default:
		return !shared && !local && !param;
	}
}

SIMT_RUN(simt_run_isspacep)
{
	const void *src = simt_row(w->state, e->src[0]);
	uint32_t result = 0;

	(void)out;
	SIMT_FOR_LANES(lane, mask)
		result |= (uint32_t)in_space(l, simt_lane_get(src, e->src[0].bytes, lane), e->aux) << lane;
	simt_pred_set(w->state, e->pred_dst, mask, result);
	return SIMT_NEXT;
}

SIMT_RUN(simt_run_pred_logic)
{
	struct simt_warp_state *s = w->state;
	uint32_t a = simt_pred_get(s, e->pred_src), r = a;
	struct simt_pred_ref second = {(uint32_t)(e->imm >> 32), (uint32_t)e->imm};

	(void)l, (void)out;
	switch ((enum ptx_op)e->aux) {
	case PTX_OP_AND:
		r = a & simt_pred_get(s, second);
		break;
	case PTX_OP_OR:
		r = a | simt_pred_get(s, second);
		break;
	case PTX_OP_XOR:
		r = a ^ simt_pred_get(s, second);
		break;
	case PTX_OP_NOT:
		r = ~a;
		break;
	default:
		break;
	}
	simt_pred_set(s, e->pred_dst, mask, r);
	return SIMT_NEXT;
}

SIMT_RUN(simt_run_pack)
{
	struct simt_warp_state *s = w->state;
	const struct simt_pack_op *op = e->pack;
	const uint64_t keep = (1ull << (op->part_bytes * 8)) - 1;
	uint64_t row[SIMT_LANES] = {0};

	(void)l, (void)out;
	if (!op->whole.bytes)
		return SIMT_NEXT;
	for (uint32_t k = 0; k < op->count; k++) {
		if (!op->part[k].bytes)
			continue;
		const void *part = simt_row(s, op->part[k]);

		for (uint32_t lane = 0; lane < SIMT_LANES; lane++)
			row[lane] |= (simt_lane_get(part, op->part[k].bytes, lane) & keep) << (8 * op->part_bytes * k);
	}
	simt_row_convert(simt_row_mut(s, op->whole), op->whole.bytes, row, 8, false, mask);
	return SIMT_NEXT;
}

SIMT_RUN(simt_run_unpack)
{
	struct simt_warp_state *s = w->state;
	const struct simt_pack_op *op = e->pack;
	const uint64_t keep = (1ull << (op->part_bytes * 8)) - 1;
	uint64_t row[SIMT_LANES];
	const void *whole = simt_row(s, op->whole);

	(void)l, (void)out;
	/* A part may be the register that is taken apart: read it first. */
	for (uint32_t lane = 0; lane < SIMT_LANES; lane++)
		row[lane] = simt_lane_get(whole, op->whole.bytes, lane);
	for (uint32_t k = 0; k < op->count; k++) {
		if (!op->part[k].bytes)
			continue;
		void *part = simt_row_mut(s, op->part[k]);

		SIMT_FOR_LANES(lane, mask)
			simt_lane_set(part, op->part[k].bytes, lane, row[lane] >> (8 * op->part_bytes * k) & keep);
	}
	return SIMT_NEXT;
}

SIMT_RUN(simt_run_vector_mov)
{
	struct simt_warp_state *s = w->state;
	const struct simt_pack_op *op = e->pack;
	uint64_t rows[SIMT_ELEMS][SIMT_LANES];

	(void)l, (void)out;
	/* {a, b} = {b, a} exchanges: read all before any is written. */
	for (uint32_t k = 0; k < op->count; k++) {
		const void *from = simt_row(s, op->from[k]);

		for (uint32_t lane = 0; lane < SIMT_LANES; lane++)
			rows[k][lane] = simt_lane_get(from, op->from[k].bytes, lane);
	}
	for (uint32_t k = 0; k < op->count; k++)
		if (op->part[k].bytes)
			simt_row_convert(simt_row_mut(s, op->part[k]), op->part[k].bytes, rows[k], 8, false, mask);
	return SIMT_NEXT;
}
