/* copy_ops.c - executes asynchronous copies and barrier objects.
 *
 * A copy takes effect when it issues, like every access here; when the bytes are there for a warp that waits for them
 * is the timing model's matter.
 */
#include <string.h>

#include "base/check.h"
#include "simt/build.h"
#include "simt/check_hooks.h"
#include "simt/state.h"

/* ---- cp.async ---- */

/* How many bytes each lane reads; the rest of what it writes is zero. Returns the lanes that read any. */
static uint32_t source_bytes(const struct simt_warp_state *s, const struct simt_exec *e, uint32_t mask, uint32_t *bytes)
{
	const struct simt_copy_op *op = e->copy;
	const uint32_t ignored = op->may_ignore ? simt_pred_get(s, e->pred_src) : 0;
	uint32_t readers = 0;

	SIMT_FOR_LANES(lane, mask) {
		const uint64_t n = op->from_bytes.bytes
				       ? simt_lane_get(simt_row(s, op->from_bytes), op->from_bytes.bytes, lane)
				       : op->from.align;

		bytes[lane] = ignored >> lane & 1 ? 0 : n < op->from.align ? (uint32_t)n : op->from.align;
		readers |= (uint32_t)(bytes[lane] != 0) << lane;
	}
	return readers;
}

/* Checks the lanes that read, those with the same size at a time. */
static enum simt_next check_sources(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e,
				    uint32_t *readers, const uint32_t *bytes, uint64_t *addr)
{
	for (uint32_t left = *readers; left;) {
		struct simt_mem_op op = e->copy->from;
		struct simt_mem_lanes k = {0};

		op.align = (uint8_t)bytes[__builtin_ctz(left)];
		SIMT_FOR_LANES(lane, left)
			k.global |= (uint32_t)(bytes[lane] == op.align) << lane;
		left &= ~k.global;
		*readers &= ~k.global;
		if (w->cta->check)
			simt_check_lanes(l, w, e, &op, false, addr, &k);
		*readers |= k.global;
		if (simt_mem_check(l, w, e, &op, false, &k, addr) != SIMT_NEXT)
			return SIMT_FAULTED;
	}
	return SIMT_NEXT;
}

SIMT_RUN(simt_run_copy)
{
	const struct simt_copy_op *op = e->copy;
	struct simt_warp_state *s = w->state;
	uint32_t bytes[SIMT_LANES], readers = source_bytes(s, e, mask, bytes);
	struct simt_mem_lanes k = simt_mem_lanes(s, &op->to, mask, out->copy_at);

	simt_mem_lanes(s, &op->from, readers, out->addr);
	if (w->cta->check)
		simt_check_lanes(l, w, e, &op->to, true, out->copy_at, &k);
	if (simt_mem_check(l, w, e, &op->to, true, &k, out->copy_at) != SIMT_NEXT ||
	    check_sources(l, w, e, &readers, bytes, out->addr) != SIMT_NEXT)
		return SIMT_FAULTED;
	SIMT_FOR_LANES(lane, k.shared) {
		uint8_t *to = w->cta->shared + out->copy_at[lane];

		memset(to, 0, op->to.align);
		if (readers >> lane & 1)
			memcpy(to, (const void *)(uintptr_t)out->addr[lane], bytes[lane]);
	}
	out->exec_mask = out->copy_mask = k.shared;
	out->complete.bytes = 0;
	out->space = SIMT_MEM_GLOBAL;
	out->access_mask = readers;
	return SIMT_NEXT;
}

/* ---- cp.async.bulk ---- */

/* A part of a thread's copy; to and from: of that lane. False: a fault. */
static bool bulk_part(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, uint32_t lane,
		      uint64_t *to, uint64_t *from)
{
	const struct simt_copy_op *op = e->copy;
	const uint32_t bit = 1u << lane;
	const bool is_store = e->ptx->mods.complete == PTX_COMPLETE_GROUP;
	struct simt_mem_lanes writes = {.global = is_store ? bit : 0, .shared = is_store ? 0 : bit};
	struct simt_mem_lanes reads = {.global = is_store ? 0 : bit, .shared = is_store ? bit : 0};

	if (w->cta->check) {
		simt_check_lanes(l, w, e, &op->to, true, to, &writes);
		simt_check_lanes(l, w, e, &op->from, false, from, &reads);
	}
	if (simt_mem_check(l, w, e, &op->to, true, &writes, to) != SIMT_NEXT ||
	    simt_mem_check(l, w, e, &op->from, false, &reads, from) != SIMT_NEXT)
		return false;
	if (!(writes.global | writes.shared) || !(reads.global | reads.shared))
		return true;
	if (is_store)
		memcpy((void *)(uintptr_t)to[lane], w->cta->shared + from[lane], SIMT_BULK_BYTES);
	else
		memcpy(w->cta->shared + to[lane], (const void *)(uintptr_t)from[lane], SIMT_BULK_BYTES);
	return true;
}

/* The mbarrier hears of the bytes now, or from the timing model when they are there. False: a fault. */
static bool bulk_tell(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, uint32_t lane,
		      uint32_t bytes, struct simt_step *out)
{
	const struct simt_mem_op *op = &e->copy->object;
	uint64_t at[SIMT_LANES];
	const struct simt_mem_lanes k = simt_mem_lanes(w->state, op, 1u << lane, at);

	if (simt_mem_check(l, w, e, op, true, &k, at) != SIMT_NEXT)
		return false;
	if (w->cta->check)
		simt_check_mbarrier(l, w, e, true, k.shared, at);
	const struct simt_complete what = {.at = at[lane], .bytes = bytes};

	if (w->owner)
		out->complete = what;
	else
		simt_mbarrier_complete(w->cta, &what);
	return true;
}

/* Up to 32 parts of one thread's copy, the next one's when that has all; and again until all threads have. */
SIMT_RUN(simt_run_bulk)
{
	const struct simt_copy_op *op = e->copy;
	struct simt_warp_state *s = w->state;
	const bool is_store = e->ptx->mods.complete == PTX_COMPLETE_GROUP;
	uint64_t to[SIMT_LANES], from[SIMT_LANES], to_at, from_at;

	if (!s->bulk_lanes) {
		s->bulk_lanes = mask;
		s->bulk_bytes = 0;
	}
	const uint32_t lane = (uint32_t)__builtin_ctz(s->bulk_lanes), bit = 1u << lane;
	const uint64_t all = simt_lane_get(simt_row(s, op->from_bytes), op->from_bytes.bytes, lane);
	const uint64_t left = all - s->bulk_bytes;
	const uint32_t bytes = left < SIMT_LANES * SIMT_BULK_BYTES ? (uint32_t)left : SIMT_LANES * SIMT_BULK_BYTES;

	if (all % SIMT_BULK_BYTES)
		return simt_fault(l, w, e, lane, SIMT_FAULT_INSTRUCTION, "cp.async.bulk of %u bytes, no multiple of %u",
				  (uint32_t)all, SIMT_BULK_BYTES);
	simt_mem_lanes(s, &op->to, bit, to);
	simt_mem_lanes(s, &op->from, bit, from);
	to_at = to[lane] + s->bulk_bytes;
	from_at = from[lane] + s->bulk_bytes;
	for (uint32_t k = 0; k < bytes / SIMT_BULK_BYTES; k++) {
		to[lane] = to_at + k * SIMT_BULK_BYTES;
		from[lane] = from_at + k * SIMT_BULK_BYTES;
		if (!bulk_part(l, w, e, lane, to, from))
			return SIMT_FAULTED;
		out->addr[k] = is_store ? to[lane] : from[lane];
		out->copy_at[k] = is_store ? from[lane] : to[lane];
	}
	out->complete.bytes = 0;
	if (!is_store && !bulk_tell(l, w, e, lane, bytes, out))
		return SIMT_FAULTED;
	out->exec_mask = bit;
	out->space = SIMT_MEM_GLOBAL;
	out->access_mask = out->copy_mask = (uint32_t)((1ull << bytes / SIMT_BULK_BYTES) - 1);
	s->bulk_bytes += bytes;
	if (s->bulk_bytes == all) {
		s->bulk_lanes &= ~bit;
		s->bulk_bytes = 0;
	}
	return s->bulk_lanes ? SIMT_REPEATS : SIMT_NEXT;
}

/* ---- mbarrier ---- */

/* The object, opaque to programs: arrivals of this phase that are missing, those of a whole phase, the phase, and the
 * bytes that the phase expects of bulk copies beside its arrivals, which may be counted before they are expected. */
enum { COUNT_BITS = 20, PHASE_BIT = 2 * COUNT_BITS, TX_BIT = PHASE_BIT + 1, TX_BITS = 22 };
#define COUNT_MASK ((1ull << COUNT_BITS) - 1)
#define TX_MASK ((1ull << TX_BITS) - 1)

static uint64_t object_of(uint64_t pending, uint64_t expected, uint64_t phase, uint64_t tx)
{
	return (pending & COUNT_MASK) | (expected & COUNT_MASK) << COUNT_BITS | (phase & 1) << PHASE_BIT |
	       (tx & TX_MASK) << TX_BIT;
}

static uint64_t phase_of(uint64_t object)
{
	return object >> PHASE_BIT & 1;
}

/* Modulo 2^TX_BITS, as a phase's bytes are below 2^20 either way (PTX ISA, tx-count). */
static uint64_t expecting(uint64_t object, uint64_t bytes)
{
	return object_of(object, object >> COUNT_BITS, phase_of(object), (object >> TX_BIT) + bytes);
}

/* A phase ends when nothing is missing. */
static uint64_t settled(uint64_t object)
{
	const uint64_t expected = object >> COUNT_BITS & COUNT_MASK;

	if (object & COUNT_MASK || object >> TX_BIT & TX_MASK)
		return object;
	return object_of(expected, expected, phase_of(object) + 1, 0);
}

static uint64_t arrived(uint64_t object, uint64_t count, bool is_dropped)
{
	uint64_t pending = object & COUNT_MASK, expected = object >> COUNT_BITS & COUNT_MASK;

	if (is_dropped)
		expected -= count < expected ? count : expected;
	pending -= count < pending ? count : pending;
	return settled(object_of(pending, expected, phase_of(object), object >> TX_BIT));
}

void simt_mbarrier_complete(struct simt_cta *c, const struct simt_complete *what)
{
	uint64_t object;

	memcpy(&object, c->shared + what->at, sizeof(object));
	object = settled(expecting(object, -(uint64_t)what->bytes));
	memcpy(c->shared + what->at, &object, sizeof(object));
}

/* What a lane's instruction makes of the object. */
static uint64_t object_after(const struct ptx_inst *i, uint64_t object, uint64_t count)
{
	if (i->op == PTX_OP_CP) /* with the increment that .noinc leaves out, its arrival changes nothing */
		return i->mods.variant == PTX_VARIANT_NOINC ? arrived(object, 1, false) : object;
	if (i->mods.variant == PTX_VARIANT_EXPECT_TX) {
		object = expecting(object, count);
		count = 1;
	}
	switch ((enum ptx_mbar)i->mods.mbar) {
	case PTX_MBAR_INIT:
		return object_of(count, count, 0, 0);
	case PTX_MBAR_ARRIVE:
		return arrived(object, count, false);
	case PTX_MBAR_ARRIVE_DROP:
		return arrived(object, count, true);
	default:
		return i->mods.variant == PTX_VARIANT_COMPLETE_TX ? settled(expecting(object, -count)) : object;
	}
}

static bool is_test(const struct ptx_inst *i)
{
	return i->mods.mbar == PTX_MBAR_TEST_WAIT || i->mods.mbar == PTX_MBAR_TRY_WAIT;
}

static void mbarrier_lane(struct simt_warp_state *s, const struct simt_exec *e, uint32_t lane, uint8_t *at,
			  uint32_t *done)
{
	const struct simt_mbar_op *op = e->mbar;
	const uint64_t count = op->count.bytes ? simt_lane_get(simt_row(s, op->count), op->count.bytes, lane) : 1;
	uint64_t object;

	memcpy(&object, at, sizeof(object));
	if (is_test(e->ptx)) {
		const uint64_t phase =
		    op->state.bytes ? phase_of(simt_lane_get(simt_row(s, op->state), 8, lane)) : count & 1;

		*done |= (uint32_t)(phase_of(object) != phase) << lane;
		return;
	}
	if (op->dst.bytes)
		simt_lane_set(simt_row_mut(s, op->dst), op->dst.bytes, lane, object);
	object = object_after(e->ptx, object, count);
	memcpy(at, &object, sizeof(object));
}

static enum simt_next pending_count(struct simt_warp_state *s, const struct simt_exec *e, uint32_t mask)
{
	const struct simt_mbar_op *op = e->mbar;

	SIMT_FOR_LANES(lane, mask)
		simt_lane_set(simt_row_mut(s, op->dst), op->dst.bytes, lane,
			      simt_lane_get(simt_row(s, op->state), 8, lane) & COUNT_MASK);
	return SIMT_NEXT;
}

SIMT_RUN(simt_run_mbarrier)
{
	const struct simt_mbar_op *op = e->mbar;
	struct simt_warp_state *s = w->state;
	uint32_t done = 0;

	if (e->ptx->mods.mbar == PTX_MBAR_PENDING_COUNT)
		return pending_count(s, e, mask);
	const struct simt_mem_lanes k = simt_mem_lanes(s, &op->at, mask, out->addr);
	const uint32_t outside = k.global | k.local;

	if (outside)
		return simt_fault_access(l, w, e, (uint32_t)__builtin_ctz(outside), true,
					 k.global ? SIMT_MEM_GLOBAL : SIMT_MEM_LOCAL, out->addr[__builtin_ctz(outside)],
					 op->at.align, 0);
	if (simt_mem_check(l, w, e, &op->at, true, &k, out->addr) != SIMT_NEXT)
		return SIMT_FAULTED;
	if (w->cta->check)
		simt_check_mbarrier(l, w, e, !is_test(e->ptx), k.shared, out->addr);
	s->polled |= e->polls;
	SIMT_FOR_LANES(lane, k.shared)
		mbarrier_lane(s, e, lane, w->cta->shared + out->addr[lane], &done);
	if (is_test(e->ptx))
		simt_pred_set(s, e->pred_dst, mask, done);
	simt_mem_report(&op->at, &k, out);
	return SIMT_NEXT;
}
