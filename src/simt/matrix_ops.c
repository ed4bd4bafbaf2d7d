/* matrix_ops.c - executes matrix instructions: fragments from and to registers, matrices from and to memory. */
#include <string.h>

#include "base/check.h"
#include "simt/build.h"
#include "simt/check_hooks.h"
#include "simt/state.h"

enum { MATRIX_BYTES_MAX = 1024, ROW_BYTES = 16 /* of the 8 x 8 matrices of ldmatrix */ };

/* ---- the warp ---- */

/* The lanes of a warp execute a matrix instruction together: all that have not exited. */
static enum simt_next enter(struct simt_launch *l, struct simt_warp *w, uint32_t mask, uint32_t *all,
			    struct simt_step *out)
{
	enum simt_next next = simt_sync_enter(l, w, mask, SIMT_FULL_MASK, all, out);

	if (next != SIMT_NEXT)
		return next;
	out->exec_mask = *all;
	if (w->cta->check)
		simt_check_warp_sync(w);
	return SIMT_NEXT;
}

/* ---- fragments ---- */

static uint64_t element_get(const struct simt_warp_state *s, const struct ptx_fragment *f, const struct simt_ref *regs,
			    uint32_t lane, uint32_t e)
{
	const uint64_t v = simt_lane_get(simt_row(s, regs[e / f->per_reg]), f->reg_bytes, lane);

	return f->bits >= 32 ? v : v >> e % f->per_reg * f->bits & ((1u << f->bits) - 1);
}

/* Registers of all lanes become a matrix. */
static void fragment_read(const struct simt_warp_state *s, const struct simt_tensor *t, enum ptx_matrix_name which,
			  const struct ptx_fragment *f, const struct simt_ref *regs, uint64_t *matrix)
{
	for (uint32_t lane = 0; lane < SIMT_LANES; lane++)
		for (uint32_t e = f->count; e--;) /* of elements that are there more than once the first counts */
			matrix[simt_fragment_place(t, which, lane, e)] = element_get(s, f, regs, lane, e);
}

static void fragment_write(struct simt_warp_state *s, const struct simt_tensor *t, enum ptx_matrix_name which,
			   const struct ptx_fragment *f, const struct simt_ref *regs, const uint64_t *matrix,
			   uint32_t lanes)
{
	SIMT_FOR_LANES(lane, lanes) {
		for (uint32_t r = 0; r < f->reg_count; r++) {
			uint64_t v = 0;

			for (uint32_t e = 0; e < f->per_reg; e++)
				v |= matrix[simt_fragment_place(t, which, lane, r * f->per_reg + e)] << e * f->bits;
			simt_lane_set(simt_row_mut(s, regs[r]), f->reg_bytes, lane, v);
		}
	}
}

SIMT_RUN(simt_run_mma)
{
	uint64_t a[SIMT_MATRIX_ELEMS_MAX], b[SIMT_MATRIX_ELEMS_MAX], c[SIMT_MATRIX_ELEMS_MAX];
	const struct simt_matrix_op *op = e->matrix;
	const struct ptx_mma *m = &op->form.mma;
	struct simt_warp_state *s = w->state;
	uint32_t all;
	enum simt_next next = enter(l, w, mask, &all, out);

	if (next != SIMT_NEXT)
		return next;
	fragment_read(s, &op->form, PTX_MATRIX_A, &m->a, op->a, a);
	fragment_read(s, &op->form, PTX_MATRIX_B, &m->b, op->b, b);
	fragment_read(s, &op->form, PTX_MATRIX_C, &m->c, op->c, c);
	simt_tensor_product(&op->form, a, b, c, c);
	fragment_write(s, &op->form, PTX_MATRIX_D, &m->d, op->d, c, all);
	return simt_sync_leave(w, mask, all);
}

/* ---- matrices in memory ---- */

static const struct ptx_fragment *fragment_of(const struct simt_matrix_op *op)
{
	const struct ptx_mma *m = &op->form.mma;
	const struct ptx_fragment *of[] = {&m->a, &m->b, &m->c, &m->d};

	return of[op->which - PTX_MATRIX_A];
}

/* Do lines of the matrix in memory run along its inner dimension? */
static bool lines_are_outer(const struct simt_matrix_op *op)
{
	return (op->layout == PTX_ROW) != (op->which == PTX_MATRIX_B);
}

/* Part i of the matrix, for every lane i, from the address and stride that the first lane gives. */
static struct simt_mem_lanes wmma_lanes(const struct simt_warp_state *s, const struct simt_matrix_op *op, uint32_t mask,
					uint64_t *addr)
{
	const struct ptx_fragment *f = fragment_of(op);
	const uint32_t first = (uint32_t)__builtin_ctz(mask), part = op->mem.align;
	const uint32_t line_elements = lines_are_outer(op) ? f->inner : f->outer;
	const uint32_t line_bytes = line_elements * f->bits / 8;
	const uint32_t element_bits = f->type == PTX_B1 ? 1 : f->bits, parts = line_bytes / part;
	const struct simt_mem_lanes k = simt_mem_lanes(s, &op->mem, 1u << first, addr);
	const uint64_t base = addr[first];
	uint64_t stride = line_bytes;

	if (op->stride.bytes)
		stride = simt_lane_get(simt_row(s, op->stride), op->stride.bytes, first) * element_bits / 8;
	for (uint32_t i = 0; i < SIMT_LANES; i++)
		addr[i] = base + i / parts * stride + i % parts * part;
	return (struct simt_mem_lanes){
	    .global = k.global ? SIMT_FULL_MASK : 0,
	    .shared = k.shared ? SIMT_FULL_MASK : 0,
	    .local = k.local ? SIMT_FULL_MASK : 0,
	};
}

struct simt_mem_lanes simt_matrix_lanes(const struct simt_warp *w, const struct simt_exec *e, uint32_t mask,
					uint64_t *addr)
{
	const struct simt_matrix_op *op = e->matrix;

	if (!op->num)
		return mask ? wmma_lanes(w->state, op, mask, addr) : (struct simt_mem_lanes){0};
	return simt_mem_lanes(w->state, &op->mem, op->num == 4 ? mask : mask & ((1u << 8 * op->num) - 1), addr);
}

/* Sorts, checks and reports the lanes' parts. Under a checker those that are wrong are left out. */
static enum simt_next parts_resolve(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e,
				    uint32_t mask, struct simt_mem_lanes *k, struct simt_step *out)
{
	const struct simt_matrix_op *op = e->matrix;

	*k = simt_matrix_lanes(w, e, mask, out->addr);
	if (w->cta->check)
		simt_check_lanes(l, w, e, &op->mem, op->is_store, out->addr, k);
	if (k->local)
		return simt_fault_access(l, w, e, (uint32_t)__builtin_ctz(k->local), op->is_store, SIMT_MEM_LOCAL,
					 out->addr[__builtin_ctz(k->local)], op->mem.align, 0);
	if (simt_mem_check(l, w, e, &op->mem, op->is_store, k, out->addr) != SIMT_NEXT)
		return SIMT_FAULTED;
	simt_mem_report(&op->mem, k, out);
	return SIMT_NEXT;
}

/* Part i of bytes is that of lane i. */
static void parts_copy(const struct simt_warp *w, const struct simt_matrix_op *op, const struct simt_mem_lanes *k,
		       const uint64_t *addr, uint8_t *bytes)
{
	SIMT_FOR_LANES(lane, k->global | k->shared) {
		uint8_t *at = k->global >> lane & 1 ? (uint8_t *)(uintptr_t)addr[lane] : w->cta->shared + addr[lane];
		uint8_t *mine = bytes + lane * op->mem.align;

		if (op->is_store)
			memcpy(at, mine, op->mem.align);
		else
			memcpy(mine, at, op->mem.align);
	}
}

/* Element i of the lines as they are in memory, for the element at a place of the matrix. */
static uint32_t memory_index(const struct simt_matrix_op *op, const struct ptx_fragment *f, uint32_t place)
{
	return lines_are_outer(op) ? place : place % f->inner * f->outer + place / f->inner;
}

static void elements_unpack(const struct simt_matrix_op *op, const struct ptx_fragment *f, const uint8_t *bytes,
			    uint64_t *matrix)
{
	for (uint32_t i = 0; i < (uint32_t)f->outer * f->inner; i++) {
		const uint32_t at = memory_index(op, f, i) * f->bits;

		matrix[i] = 0;
		memcpy(&matrix[i], bytes + at / 8, f->bits < 8 ? 1 : f->bits / 8);
		if (f->bits < 8)
			matrix[i] = matrix[i] >> at % 8 & ((1u << f->bits) - 1);
	}
}

static void elements_pack(const struct simt_matrix_op *op, const struct ptx_fragment *f, const uint64_t *matrix,
			  uint8_t *bytes)
{
	for (uint32_t i = 0; i < (uint32_t)f->outer * f->inner; i++)
		memcpy(bytes + memory_index(op, f, i) * f->bits / 8, &matrix[i], f->bits / 8);
}

SIMT_RUN(simt_run_wmma_access)
{
	const struct simt_matrix_op *op = e->matrix;
	const struct ptx_fragment *f = fragment_of(op);
	const enum ptx_matrix_name which = (enum ptx_matrix_name)op->which;
	uint64_t matrix[SIMT_MATRIX_ELEMS_MAX];
	uint8_t bytes[MATRIX_BYTES_MAX] = {0};
	struct simt_mem_lanes k;
	uint32_t all;
	enum simt_next next = enter(l, w, mask, &all, out);

	if (next != SIMT_NEXT)
		return next;
	if (parts_resolve(l, w, e, all, &k, out) != SIMT_NEXT)
		return SIMT_FAULTED;
	if (op->is_store) {
		fragment_read(w->state, &op->form, which, f, op->a, matrix);
		elements_pack(op, f, matrix, bytes);
	}
	parts_copy(w, op, &k, out->addr, bytes);
	if (!op->is_store) {
		elements_unpack(op, f, bytes, matrix);
		fragment_write(w->state, &op->form, which, f, op->d, matrix, all);
	}
	return simt_sync_leave(w, mask, all);
}

/* ---- 8 x 8 matrices of 16-bit elements ---- */

/* The element that half `half` of a lane's register holds: row and column, or the reverse if transposed. */
static uint32_t element_offset(bool is_transposed, uint32_t lane, uint32_t half)
{
	const uint32_t row = is_transposed ? lane % 4 * 2 + half : lane / 4;
	const uint32_t column = is_transposed ? lane / 4 : lane % 4 * 2 + half;

	return row * ROW_BYTES + column * 2;
}

static uint32_t register_of(const uint8_t *matrix, bool is_transposed, uint32_t lane)
{
	uint16_t low, high;

	memcpy(&low, matrix + element_offset(is_transposed, lane, 0), sizeof(low));
	memcpy(&high, matrix + element_offset(is_transposed, lane, 1), sizeof(high));
	return (uint32_t)high << 16 | low;
}

static void matrix_of(const uint32_t *row, bool is_transposed, uint8_t *matrix)
{
	for (uint32_t lane = 0; lane < SIMT_LANES; lane++) {
		const uint16_t low = (uint16_t)row[lane], high = (uint16_t)(row[lane] >> 16);

		memcpy(matrix + element_offset(is_transposed, lane, 0), &low, sizeof(low));
		memcpy(matrix + element_offset(is_transposed, lane, 1), &high, sizeof(high));
	}
}

SIMT_RUN(simt_run_ldmatrix)
{
	const struct simt_matrix_op *op = e->matrix;
	uint8_t bytes[SIMT_LANES * ROW_BYTES] = {0};
	struct simt_mem_lanes k;
	uint32_t all;
	enum simt_next next = enter(l, w, mask, &all, out);

	if (next != SIMT_NEXT)
		return next;
	if (parts_resolve(l, w, e, all, &k, out) != SIMT_NEXT)
		return SIMT_FAULTED;
	parts_copy(w, op, &k, out->addr, bytes);
	for (uint32_t i = 0; i < op->num; i++) {
		uint32_t *row = simt_row_mut(w->state, op->d[i]);

		SIMT_FOR_LANES(lane, all)
			row[lane] = register_of(bytes + i * 8 * ROW_BYTES, op->is_transposed, lane);
	}
	return simt_sync_leave(w, mask, all);
}

SIMT_RUN(simt_run_stmatrix)
{
	const struct simt_matrix_op *op = e->matrix;
	uint8_t bytes[SIMT_LANES * ROW_BYTES];
	struct simt_mem_lanes k;
	uint32_t all;
	enum simt_next next = enter(l, w, mask, &all, out);

	if (next != SIMT_NEXT)
		return next;
	if (parts_resolve(l, w, e, all, &k, out) != SIMT_NEXT)
		return SIMT_FAULTED;
	for (uint32_t i = 0; i < op->num; i++)
		matrix_of(simt_row(w->state, op->a[i]), op->is_transposed, bytes + i * 8 * ROW_BYTES);
	parts_copy(w, op, &k, out->addr, bytes);
	return simt_sync_leave(w, mask, all);
}

SIMT_RUN(simt_run_movmatrix)
{
	const struct simt_matrix_op *op = e->matrix;
	uint8_t matrix[8 * ROW_BYTES];
	uint32_t all;
	enum simt_next next = enter(l, w, mask, &all, out);

	if (next != SIMT_NEXT)
		return next;
	matrix_of(simt_row(w->state, op->a[0]), false, matrix);
	uint32_t *row = simt_row_mut(w->state, op->d[0]);

	SIMT_FOR_LANES(lane, all)
		row[lane] = register_of(matrix, true, lane);
	return simt_sync_leave(w, mask, all);
}
