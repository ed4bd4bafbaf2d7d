/* memory_ops.c - executes loads, stores and atomics: addresses, spaces, bounds, alignment, data.
 *
 * Every access ends as base + address in host memory: global, constant and local addresses are host addresses, shared
 * ones are offsets into the CTA's block. Bounds are checked against the allocation that the instruction hit last.
 */
#include <string.h>

#include "base/check.h"
#include "simt/apart.h"
#include "simt/build.h"
#include "simt/check.h"
#include "simt/lanes.h"
#include "simt/partition.h"
#include "simt/state.h"

/* ---- addresses ---- */

static void compute_addresses(const struct simt_warp_state *s, const struct simt_mem_op *op, uint64_t *restrict addr)
{
	const uint64_t offset = (uint64_t)op->offset + (op->is_frame_local ? s->frame.local_at : 0);

	if (op->addr.bytes == 8) {
		const uint64_t *row = simt_row(s, op->addr);

		for (uint32_t i = 0; i < SIMT_LANES; i++)
			addr[i] = row[i] + offset;
	} else if (op->addr.bytes == 4) {
		const uint32_t *row = simt_row(s, op->addr);

		for (uint32_t i = 0; i < SIMT_LANES; i++)
			addr[i] = (uint32_t)(row[i] + (uint32_t)offset);
	} else {
		for (uint32_t i = 0; i < SIMT_LANES; i++)
			addr[i] = offset;
	}
}

static bool is_contiguous(const uint64_t *addr, uint32_t bytes)
{
	uint64_t differs = 0;

	for (uint32_t i = 0; i < SIMT_LANES; i++)
		differs |= addr[i] - addr[0] - (uint64_t)i * bytes;
	return !differs;
}

/* ---- checks ---- */

struct access {
	struct simt_launch *l;
	struct simt_warp *w;
	const struct simt_exec *e;
	const struct simt_mem_op *op;
	bool is_store;
};

static enum simt_next misaligned(const struct access *a, uint32_t mask, const uint64_t *addr)
{
	SIMT_FOR_LANES(lane, mask)
		if (addr[lane] & (a->op->natural - 1u))
			return simt_fault_align(a->l, a->w, a->e, lane, a->is_store, addr[lane], a->op->natural);
	UNREACHABLE("some lane is misaligned");
}

/* CTAs run in any order: a load whose address is not known hits only where no store of the launch goes. False: it would
 * go there. */
static bool keep_apart(const struct access *a, struct simt_hint *hint, const struct simt_alloc *found, uint64_t addr)
{
	const struct simt_launch_state *st = a->l->state;
	struct simt_hull part;

	if (!st->apart->is_watched[a->e - simt_program_of(a->l)->execs])
		return true;
	if (simt_apart_allows(st->apart, found, addr, a->op->align, &part)) {
		hint->lo = part.from;
		hint->hi = part.to;
		return true;
	}
	*hint = (struct simt_hint){0};
	simt_fault(a->l, a->w, a->e, 0, SIMT_FAULT_STOPPED, "it reads what another CTA may store");
	return false;
}

/* Lanes outside the hint, one by one; the hint becomes the last allocation found. */
static enum simt_next check_global_slow(const struct access *a, struct simt_hint *hint, uint32_t mask,
					const uint64_t *addr)
{
	const uint32_t size = a->op->align;

	SIMT_FOR_LANES(lane, mask) {
		if (addr[lane] >= hint->lo && addr[lane] <= hint->hi && hint->hi - addr[lane] >= size &&
		    !(a->is_store && hint->is_readonly))
			continue;
		const struct simt_alloc *found = simt_memory_find(a->l->mem, addr[lane], size);

		if (!found && simt_memory_tolerates_pages(a->l->mem) &&
		    simt_memory_shares_page(a->l->mem, addr[lane], size))
			continue;
		if (!found || found->kind == SIMT_ALLOC_LOCAL || (a->is_store && found->is_readonly))
			return simt_fault_access(a->l, a->w, a->e, lane, a->is_store, SIMT_MEM_GLOBAL, addr[lane], size,
						 0);
		*hint = (struct simt_hint){found->addr, found->addr + found->size_bytes, found->is_readonly};
		if (unlikely(a->l->state->apart != NULL) && !keep_apart(a, hint, found, addr[lane]))
			return SIMT_FAULTED;
	}
	return SIMT_NEXT;
}

static enum simt_next check_global(const struct access *a, uint32_t mask, const uint64_t *addr)
{
	struct simt_hint *hint = &a->l->state->hints[a->e - simt_program_of(a->l)->execs];
	const uint64_t lo = hint->lo, size = a->op->align, natural = a->op->natural, room = hint->hi - lo;
	uint64_t low_bits = 0, outside = room < size || (a->is_store && hint->is_readonly);
	const uint64_t last = room - size;

	if (mask == SIMT_FULL_MASK) {
		for (uint32_t i = 0; i < SIMT_LANES; i++) {
			low_bits |= addr[i];
			outside |= addr[i] - lo > last;
		}
	} else {
		SIMT_FOR_LANES(lane, mask) {
			low_bits |= addr[lane];
			outside |= addr[lane] - lo > last;
		}
	}
	if (unlikely(low_bits & (natural - 1)))
		return misaligned(a, mask, addr);
	if (unlikely(outside))
		return check_global_slow(a, hint, mask, addr);
	return SIMT_NEXT;
}

/* A block of memory of limit bytes from first on. */
static enum simt_next check_block(const struct access *a, enum simt_space space, uint32_t mask, const uint64_t *addr,
				  uint64_t first, uint64_t limit)
{
	const uint64_t size = a->op->align;

	SIMT_FOR_LANES(lane, mask) {
		if (unlikely(addr[lane] - first > limit || limit - (addr[lane] - first) < size))
			return simt_fault_access(a->l, a->w, a->e, lane, a->is_store, space, addr[lane], (uint32_t)size,
						 limit);
		if (unlikely(addr[lane] & (a->op->natural - 1u)))
			return misaligned(a, mask, addr);
	}
	return SIMT_NEXT;
}

static bool is_in_local(const struct simt_warp_state *s, uint64_t addr, uint64_t bytes)
{
	const uint64_t first = SIMT_LOCAL_BASE - s->below_bytes, limit = s->local_bytes + s->below_bytes;

	return addr - first <= limit && limit - (addr - first) >= bytes;
}

/* From an address in local memory to the interleaved backing: word k of all lanes is one row. */
static uint64_t local_place(const struct simt_warp_state *s, uint64_t addr, uint32_t lane)
{
	return (addr < SIMT_LOCAL_BASE ? s->below : s->local) + addr / 4 * SIMT_ROW_BYTES + lane * 4 + addr % 4;
}

static void local_backing(const struct simt_warp_state *s, uint32_t mask, uint64_t *addr)
{
	SIMT_FOR_LANES(lane, mask)
		addr[lane] = local_place(s, addr[lane], lane);
}

/* ---- data ---- */

static void load_wide_local(void *row, uint64_t step, const uint64_t *addr, uint32_t mask)
{
	SIMT_FOR_LANES(lane, mask) {
		const uint8_t *at = (const uint8_t *)(uintptr_t)(addr[lane] + step);

		((uint64_t *)row)[lane] = *(const uint32_t *)at | (uint64_t) * (const uint32_t *)(at + SIMT_ROW_BYTES)
								      << 32;
	}
}

static void store_wide_local(const void *row, uint64_t step, const uint64_t *addr, uint32_t mask)
{
	SIMT_FOR_LANES(lane, mask) {
		uint8_t *at = (uint8_t *)(uintptr_t)(addr[lane] + step);
		uint64_t v = ((const uint64_t *)row)[lane];

		*(uint32_t *)at = (uint32_t)v;
		*(uint32_t *)(at + SIMT_ROW_BYTES) = (uint32_t)(v >> 32);
	}
}

/* Distance of element k from the first: interleaved by words in local memory. */
static uint64_t element_step(const struct simt_mem_op *op, bool is_local, uint32_t k)
{
	const uint64_t step = (uint64_t)k * op->bytes;

	return is_local ? step / 4 * SIMT_ROW_BYTES + step % 4 : step;
}

static void load_elements(struct simt_warp_state *s, const struct simt_mem_op *op, uint64_t base, bool is_local,
			  const uint64_t *addr, uint32_t mask)
{
	for (uint32_t k = 0; k < op->vec; k++) {
		if (!op->elem[k].bytes)
			continue;
		uint8_t *row = simt_row_mut(s, op->elem[k]);
		const uint64_t step = element_step(op, is_local, k);

		if (is_local && op->bytes == 8)
			load_wide_local(row, step, addr, mask);
		else
			simt_gather(row, op->elem[k].bytes, base + step, addr, op->bytes, op->is_signed, mask);
	}
}

void simt_load_global(struct simt_warp_state *s, const struct simt_mem_op *op, const uint64_t *addr, uint32_t mask)
{
	load_elements(s, op, 0, false, addr, mask);
}

static void store_elements(struct simt_warp_state *s, const struct simt_mem_op *op, uint64_t base, bool is_local,
			   const uint64_t *addr, uint32_t mask)
{
	for (uint32_t k = 0; k < op->vec; k++) {
		if (!op->elem[k].bytes)
			continue;
		const void *row = simt_row(s, op->elem[k]);
		const uint64_t step = element_step(op, is_local, k);

		if (is_local && op->bytes == 8)
			store_wide_local(row, step, addr, mask);
		else
			simt_scatter(row, op->elem[k].bytes, base + step, addr, op->bytes, mask);
	}
}

/* ---- generic addresses ---- */

static bool in_window(uint64_t addr, uint64_t window)
{
	return addr - window < SIMT_WINDOW_BYTES;
}

/* Sorts the lanes by what their generic address means and makes the addresses relative to that. */
static struct simt_mem_lanes split_generic(uint32_t mask, uint64_t *addr)
{
	struct simt_mem_lanes k = {0};
	uint64_t low = 0;

	for (uint32_t i = 0; i < SIMT_LANES; i++)
		low |= addr[i] < SIMT_LOCAL_WINDOW + SIMT_WINDOW_BYTES;
	if (likely(!low)) {
		k.global = mask;
		return k;
	}
	SIMT_FOR_LANES(lane, mask) {
		if (in_window(addr[lane], SIMT_SHARED_WINDOW)) {
			addr[lane] -= SIMT_SHARED_WINDOW;
			k.shared |= 1u << lane;
		} else if (in_window(addr[lane], SIMT_LOCAL_WINDOW)) {
			addr[lane] -= SIMT_LOCAL_WINDOW;
			k.local |= 1u << lane;
		} else {
			k.global |= 1u << lane;
		}
	}
	return k;
}

struct simt_mem_lanes simt_mem_sort(const struct simt_mem_op *op, uint32_t mask, uint64_t *addr)
{
	switch ((enum simt_area)op->area) {
	case SIMT_AREA_GLOBAL:
		return (struct simt_mem_lanes){.global = mask};
	case SIMT_AREA_SHARED:
		return (struct simt_mem_lanes){.shared = mask};
	case SIMT_AREA_LOCAL:
		return (struct simt_mem_lanes){.local = mask};
	case SIMT_AREA_PARAM:
		return (struct simt_mem_lanes){.param = mask};
	case SIMT_AREA_FRAME:
		return (struct simt_mem_lanes){.frame = mask};
	case SIMT_AREA_GENERIC:
		break;
	}
	return split_generic(mask, addr);
}

/* Checks addresses that are sorted already; afterwards lanes in k->global and k->local hold host addresses. */
static enum simt_next check_lanes(const struct access *a, const struct simt_mem_lanes *k, uint64_t *addr)
{
	struct simt_warp_state *s = a->w->state;

	if (k->global && check_global(a, k->global, addr) != SIMT_NEXT)
		return SIMT_FAULTED;
	if (k->shared && check_block(a, SIMT_MEM_SHARED, k->shared, addr, 0, a->w->cta->shared_bytes) != SIMT_NEXT)
		return SIMT_FAULTED;
	if (k->local) {
		if (check_block(a, SIMT_MEM_LOCAL, k->local, addr, SIMT_LOCAL_BASE - s->below_bytes,
				s->local_bytes + s->below_bytes) != SIMT_NEXT)
			return SIMT_FAULTED;
		local_backing(s, k->local, addr);
	}
	return SIMT_NEXT;
}

/* Tells the timing model what was accessed. */
static void report(const struct simt_mem_op *op, const struct simt_mem_lanes *k, struct simt_step *out)
{
	if (op->area == SIMT_AREA_GENERIC)
		out->space = k->global ? SIMT_MEM_GLOBAL : k->shared ? SIMT_MEM_SHARED : SIMT_MEM_LOCAL;
	else
		out->space = out->inst->space;
	if (out->space == SIMT_MEM_SHARED && !k->local) {
		out->access_mask = k->shared;
	} else {
		out->access_mask = k->global | k->local;
		out->shared_mask = k->shared;
		if (out->space == SIMT_MEM_SHARED)
			out->space = SIMT_MEM_LOCAL;
	}
}

/* Computes and checks all addresses, and reports them. */
static enum simt_next resolve(const struct access *a, uint32_t mask, struct simt_step *out, struct simt_mem_lanes *k)
{
	compute_addresses(a->w->state, a->op, out->addr);
	*k = simt_mem_sort(a->op, mask, out->addr);
	if (check_lanes(a, k, out->addr) != SIMT_NEXT)
		return SIMT_FAULTED;
	report(a->op, k, out);
	return SIMT_NEXT;
}

enum simt_next simt_mem_check(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e,
			      const struct simt_mem_op *op, bool is_store, const struct simt_mem_lanes *k,
			      uint64_t *addr)
{
	const struct access a = {l, w, e, op, is_store};

	return check_lanes(&a, k, addr);
}

void simt_mem_report(const struct simt_mem_op *op, const struct simt_mem_lanes *k, struct simt_step *out)
{
	report(op, k, out);
}

struct simt_mem_lanes simt_mem_lanes(const struct simt_warp_state *s, const struct simt_mem_op *op, uint32_t mask,
				     uint64_t *addr)
{
	compute_addresses(s, op, addr);
	return simt_mem_sort(op, mask, addr);
}

uint32_t simt_peek_access(struct simt_launch *l, struct simt_warp *w, uint64_t *addr)
{
	const struct simt_exec *e = &simt_program_of(l)->execs[w->pc];
	const struct simt_inst *inst = simt_next(l, w);
	uint32_t mask = w->active_mask & simt_pred_get(w->state, e->guard);

	if (!(inst->flags & (SIMT_LOAD | SIMT_STORE)))
		return 0;
	if (inst->space == SIMT_MEM_TEXTURE)
		return simt_peek_texture(l, w, e, mask, addr);
	if (inst->space != SIMT_MEM_GLOBAL && inst->space != SIMT_MEM_LOCAL && inst->space != SIMT_MEM_GENERIC)
		return 0;

	const struct simt_mem_lanes lanes = inst->flags & SIMT_MATRIX ? simt_matrix_lanes(w, e, mask, addr)
								      : simt_mem_lanes(w->state, e->mem, mask, addr);

	local_backing(w->state, lanes.local, addr);
	return lanes.global | lanes.local;
}

uint32_t simt_peek_access_at(struct simt_launch *l, struct simt_warp *w, uint32_t pc, uint64_t *addr)
{
	const uint32_t own_pc = w->pc;
	uint32_t mask;

	w->pc = pc;
	mask = simt_peek_access(l, w, addr);
	w->pc = own_pc;
	return mask;
}

/* ---- loads and stores ---- */

SIMT_RUN(simt_run_load)
{
	const struct simt_mem_op *op = e->mem;
	struct simt_warp_state *s = w->state;
	const struct access a = {l, w, e, op, false};
	struct simt_mem_lanes k;

	s->polled |= e->polls;
	if (resolve(&a, mask, out, &k) != SIMT_NEXT)
		return SIMT_FAULTED;
	if (k.global == SIMT_FULL_MASK && op->vec == 1 && op->elem[0].bytes == op->bytes &&
	    is_contiguous(out->addr, op->bytes)) {
		memcpy(simt_row_mut(s, op->elem[0]), (const void *)(uintptr_t)out->addr[0],
		       (size_t)op->bytes * SIMT_LANES);
		return SIMT_NEXT;
	}
	/* A destination may be the row of the addresses: those have been read. */
	if (k.global)
		load_elements(s, op, 0, false, out->addr, k.global);
	if (k.shared)
		load_elements(s, op, (uintptr_t)w->cta->shared, false, out->addr, k.shared);
	if (k.local)
		load_elements(s, op, 0, true, out->addr, k.local);
	return SIMT_NEXT;
}

SIMT_RUN(simt_run_store)
{
	const struct simt_mem_op *op = e->mem;
	struct simt_warp_state *s = w->state;
	const struct access a = {l, w, e, op, true};
	struct simt_mem_lanes k;

	if (resolve(&a, mask, out, &k) != SIMT_NEXT)
		return SIMT_FAULTED;
	if (k.global == SIMT_FULL_MASK && op->vec == 1 && op->elem[0].bytes == op->bytes &&
	    is_contiguous(out->addr, op->bytes)) {
		memcpy((void *)(uintptr_t)out->addr[0], simt_row(s, op->elem[0]), (size_t)op->bytes * SIMT_LANES);
		return SIMT_NEXT;
	}
	if (k.global)
		store_elements(s, op, 0, false, out->addr, k.global);
	if (k.shared)
		store_elements(s, op, (uintptr_t)w->cta->shared, false, out->addr, k.shared);
	if (k.local)
		store_elements(s, op, 0, true, out->addr, k.local);
	return SIMT_NEXT;
}

/* ---- an access in two parts ---- */

bool simt_capture(struct simt_launch *l, struct simt_warp *w, struct simt_access *a, struct simt_step *out)
{
	const struct simt_exec *e = &simt_program_of(l)->execs[w->pc];
	const uint32_t mask = w->active_mask & simt_pred_get(w->state, e->guard);
	const struct access access = {l, w, e, e->mem, !(simt_next(l, w)->flags & SIMT_LOAD)};
	struct simt_mem_lanes k;

	CHECK(simt_next(l, w)->space == SIMT_MEM_GLOBAL && !(simt_next(l, w)->flags & SIMT_ATOMIC));
	*out = (struct simt_step){.inst = simt_next(l, w), .pc = w->pc, .exec_mask = mask};
	a->mask = mask;
	a->lane_bytes = e->mem->align;
	w->state->polled |= e->polls;
	if (!mask)
		return true;
	if (resolve(&access, mask, out, &k) != SIMT_NEXT)
		return false;
	memcpy(a->addr, out->addr, sizeof(a->addr));
	if (!access.is_store)
		SIMT_FOR_LANES(lane, mask)
			memcpy(a->bytes + lane * a->lane_bytes, (const void *)(uintptr_t)a->addr[lane], a->lane_bytes);
	return true;
}

void simt_access_write(const struct simt_access *a)
{
	SIMT_FOR_LANES(lane, a->mask)
		memcpy((void *)(uintptr_t)a->addr[lane], a->bytes + lane * a->lane_bytes, a->lane_bytes);
}

/* ---- parameters ---- */

static uint64_t extend(uint64_t v, uint32_t bytes, bool is_signed)
{
	const uint32_t shift = 64 - bytes * 8;

	return is_signed ? (uint64_t)((int64_t)(v << shift) >> shift) : v;
}

/* The block is uniform; an address in a register need not be. */
SIMT_RUN(simt_run_load_param)
{
	const struct simt_mem_op *op = e->mem;
	const struct access a = {l, w, e, op, false};
	struct simt_warp_state *s = w->state;
	const uint8_t *block = (const uint8_t *)(uintptr_t)l->state->param_addr;
	const uint32_t checked = op->addr.bytes ? mask : mask & -mask;

	compute_addresses(s, op, out->addr);
	out->space = SIMT_MEM_PARAM;
	if (check_block(&a, SIMT_MEM_PARAM, checked, out->addr, 0, l->program->param_bytes) != SIMT_NEXT)
		return SIMT_FAULTED;
	if (op->addr.bytes) {
		load_elements(s, op, l->state->param_addr, false, out->addr, mask);
		return SIMT_NEXT;
	}
	for (uint32_t k = 0; k < op->vec; k++) {
		uint64_t v = 0, row[SIMT_LANES];

		if (!op->elem[k].bytes)
			continue;
		memcpy(&v, block + out->addr[0] + (size_t)k * op->bytes, op->bytes);
		v = extend(v, op->bytes, op->is_signed);
		for (uint32_t i = 0; i < SIMT_LANES; i++)
			simt_lane_set(row, op->elem[k].bytes, i, v);
		simt_row_convert(simt_row_mut(s, op->elem[k]), op->elem[k].bytes, row, op->elem[k].bytes, false, mask);
	}
	return SIMT_NEXT;
}

static enum simt_next check_frame(const struct access *a, uint32_t mask, struct simt_step *out)
{
	const struct simt_program_func *f = &simt_program_of(a->l)->funcs[a->w->state->frame.func];

	compute_addresses(a->w->state, a->op, out->addr);
	out->space = SIMT_MEM_PARAM;
	return check_block(a, SIMT_MEM_PARAM, mask, out->addr, 0, f->ptx->frame_param_bytes);
}

/* Every lane's element stands at the same place of its frame, as wide as the register: rows move whole. */
static bool is_whole_row(const struct simt_mem_op *op, struct simt_ref r)
{
	return !op->addr.bytes && op->bytes == r.bytes && op->bytes >= 4;
}

SIMT_RUN(simt_run_load_frame)
{
	const struct simt_mem_op *op = e->mem;
	struct simt_warp_state *s = w->state;
	const struct access a = {l, w, e, op, false};

	if (check_frame(&a, mask, out) != SIMT_NEXT)
		return SIMT_FAULTED;
	const uint8_t *rows = simt_param_rows(l, s, &s->frame);

	for (uint32_t k = 0; k < op->vec; k++) {
		const struct simt_ref r = op->elem[k];
		const uint64_t off = out->addr[0] + (uint64_t)k * op->bytes;

		if (!r.bytes)
			continue;
		if (is_whole_row(op, r)) {
			const uint32_t *words = (const uint32_t *)(rows + off / 4 * SIMT_ROW_BYTES);

			if (r.bytes == 4)
				simt_row_copy32(simt_row_mut(s, r), words, mask);
			else
				simt_row_join64(simt_row_mut(s, r), words, mask);
			continue;
		}
		uint8_t *row = simt_row_mut(s, r);

		SIMT_FOR_LANES(lane, mask) {
			uint64_t at = out->addr[lane] + (uint64_t)k * op->bytes;

			simt_lane_set(row, r.bytes, lane,
				      extend(simt_words_get(rows, at, op->bytes, lane), op->bytes, op->is_signed));
		}
	}
	return SIMT_NEXT;
}

SIMT_RUN(simt_run_store_frame)
{
	const struct simt_mem_op *op = e->mem;
	struct simt_warp_state *s = w->state;
	const struct access a = {l, w, e, op, true};

	if (check_frame(&a, mask, out) != SIMT_NEXT)
		return SIMT_FAULTED;
	uint8_t *rows = simt_param_rows(l, s, &s->frame);

	for (uint32_t k = 0; k < op->vec; k++) {
		const struct simt_ref r = op->elem[k];
		const uint64_t off = out->addr[0] + (uint64_t)k * op->bytes;

		if (!r.bytes)
			continue;
		if (is_whole_row(op, r)) {
			uint32_t *words = (uint32_t *)(rows + off / 4 * SIMT_ROW_BYTES);

			if (r.bytes == 4)
				simt_row_copy32(words, simt_row(s, r), mask);
			else
				simt_row_split64(words, simt_row(s, r), mask);
			continue;
		}
		const void *row = simt_row(s, r);

		SIMT_FOR_LANES(lane, mask)
			simt_words_set(rows, out->addr[lane] + (uint64_t)k * op->bytes, op->bytes, lane,
				       simt_lane_get(row, r.bytes, lane));
	}
	return SIMT_NEXT;
}

/* ---- atomics ---- */

/* Lanes in ascending order, their elements likewise: that is the global order inside a warp instruction. */
static void atomics(struct simt_warp_state *s, const struct simt_mem_op *op, simt_atom_fn fn, uint64_t base,
		    const uint64_t *addr, uint32_t mask, uint64_t (*old)[SIMT_LANES])
{
	const void *c = simt_row(s, op->c);

	SIMT_FOR_LANES(lane, mask) {
		for (uint32_t k = 0; k < op->vec; k++)
			old[k][lane] = fn((void *)(uintptr_t)(base + addr[lane] + (uint64_t)k * op->bytes),
					  simt_lane_get(simt_row(s, op->b[k]), op->b[k].bytes, lane),
					  op->c.bytes ? simt_lane_get(c, op->c.bytes, lane) : 0);
	}
}

SIMT_RUN(simt_run_atom)
{
	const struct simt_mem_op *op = e->mem;
	struct simt_warp_state *s = w->state;
	const struct access a = {l, w, e, op, true};
	uint64_t old[SIMT_ELEMS][SIMT_LANES];
	struct simt_mem_lanes k;

	s->polled |= e->polls;
	if (resolve(&a, mask, out, &k) != SIMT_NEXT)
		return SIMT_FAULTED;
	if (k.local)
		return simt_fault_access(l, w, e, (uint32_t)__builtin_ctz(k.local), true, SIMT_MEM_LOCAL,
					 out->addr[__builtin_ctz(k.local)], op->align, 0);
	const bool is_f32_add = e->ptx->type == PTX_F32 && e->ptx->mods.atom == PTX_ATOM_ADD;

	if (k.global)
		atomics(s, op, is_f32_add ? simt_atom_add_f32_flush : op->atom, 0, out->addr, k.global, old);
	if (k.shared)
		atomics(s, op, op->atom, (uintptr_t)w->cta->shared, out->addr, k.shared, old);
	for (uint32_t i = 0; i < op->vec; i++) {
		if (!op->elem[i].bytes)
			continue;
		void *d = simt_row_mut(s, op->elem[i]);

		SIMT_FOR_LANES(lane, mask)
			simt_lane_set(d, op->elem[i].bytes, lane, extend(old[i][lane], op->bytes, op->is_signed));
	}
	return SIMT_NEXT;
}

/* ---- bytes, for system calls ---- */

bool simt_generic_bytes(struct simt_launch *l, struct simt_warp *w, uint32_t lane, uint64_t addr, uint32_t bytes,
			void *to)
{
	if (in_window(addr, SIMT_LOCAL_WINDOW)) {
		addr -= SIMT_LOCAL_WINDOW;
		if (!is_in_local(w->state, addr, bytes))
			return false;
		for (uint32_t k = 0; k < bytes; k++)
			((uint8_t *)to)[k] = *(const uint8_t *)(uintptr_t)local_place(w->state, addr + k, lane);
		return true;
	}
	if (in_window(addr, SIMT_SHARED_WINDOW)) {
		addr -= SIMT_SHARED_WINDOW;
		if (addr + bytes > w->cta->shared_bytes)
			return false;
		memcpy(to, w->cta->shared + addr, bytes);
		return true;
	}
	if (!simt_memory_find(l->mem, addr, bytes))
		return false;
	memcpy(to, (const void *)(uintptr_t)addr, bytes);
	return true;
}

bool simt_generic_put(struct simt_launch *l, struct simt_warp *w, uint32_t lane, uint64_t addr, uint32_t bytes,
		      uint64_t value)
{
	if (in_window(addr, SIMT_LOCAL_WINDOW)) {
		addr -= SIMT_LOCAL_WINDOW;
		if (!is_in_local(w->state, addr, bytes))
			return false;
		for (uint32_t k = 0; k < bytes; k++)
			*(uint8_t *)(uintptr_t)local_place(w->state, addr + k, lane) = (uint8_t)(value >> 8 * k);
		return true;
	}
	if (in_window(addr, SIMT_SHARED_WINDOW)) {
		addr -= SIMT_SHARED_WINDOW;
		if (addr + bytes > w->cta->shared_bytes)
			return false;
		memcpy(w->cta->shared + addr, &value, bytes);
		return true;
	}
	if (!simt_memory_find(l->mem, addr, bytes))
		return false;
	memcpy((void *)(uintptr_t)addr, &value, bytes);
	if (simt_memory_check(l->mem))
		simt_check_written(simt_memory_check(l->mem), addr, bytes);
	return true;
}
