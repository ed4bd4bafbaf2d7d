/* check_access.c - what a memory instruction runs through when a checker is attached.
 *
 * The lanes whose access is right go on to the instruction's own function; the others have a finding each, and a read
 * of theirs gives 0.
 */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "simt/check_hooks.h"
#include "simt/check_priv.h"
#include "simt/heap.h"

/* ---- findings ---- */

static const char *verb(const struct simt_check_access *a)
{
	return a->is_atomic ? "atomic" : a->is_store ? "write" : "read";
}

static void note_block(const struct simt_check_access *a, uint32_t lane, const char *space, uint64_t offset,
		       uint64_t limit)
{
	struct simt_finding *f = simt_check_note(a->l, a->w, a->e, lane, SIMT_FINDING_BOUNDS, NULL);

	if (f)
		simt_check_text(f, "%s of %u bytes at offset %lld of %s, which has %llu bytes", verb(a), a->bytes,
				(long long)offset, space, (unsigned long long)limit);
}

static void note_global(const struct simt_check_access *a, uint32_t lane, enum simt_finding_kind kind, uint64_t addr)
{
	struct simt_finding *f = simt_check_note(a->l, a->w, a->e, lane, kind, NULL);
	char text[512];

	if (!f)
		return;
	snprintf(text, sizeof(text), "%s of %u bytes at 0x%llx", verb(a), a->bytes, (unsigned long long)addr);
	simt_memory_describe(a->l->mem, addr, text, sizeof(text));
	simt_check_text(f, "%s", text);
}

static void note_heap(const struct simt_check_access *a, uint32_t lane, uint64_t addr)
{
	struct simt_finding *f = simt_check_note(a->l, a->w, a->e, lane, SIMT_FINDING_BOUNDS, NULL);

	if (f)
		simt_check_text(f,
				"%s of %u bytes at 0x%llx of the device heap, in no block that malloc() gave and "
				"free() has not taken back",
				verb(a), a->bytes, (unsigned long long)addr);
}

/* Only the kernel's parameters are. */
static void note_readonly(const struct simt_check_access *a, uint32_t lane, uint64_t addr)
{
	struct simt_finding *f = simt_check_note(a->l, a->w, a->e, lane, SIMT_FINDING_READONLY, NULL);

	if (f)
		simt_check_text(f, "%s of %u bytes at offset %llu of the kernel's parameters, which are read-only",
				verb(a), a->bytes, (unsigned long long)(addr - a->l->state->param_addr));
}

static uint32_t check_aligned(const struct simt_check_access *a, uint32_t mask, const uint64_t *addr)
{
	uint32_t good = mask;

	SIMT_FOR_LANES(lane, mask) {
		if (!(addr[lane] & (a->op->natural - 1u)))
			continue;
		good &= ~(1u << lane);
		struct simt_finding *f = simt_check_note(a->l, a->w, a->e, lane, SIMT_FINDING_MISALIGNED, NULL);

		if (f)
			simt_check_text(f, "%s of %u bytes at 0x%llx, which is no multiple of %u", verb(a), a->bytes,
					(unsigned long long)addr[lane], a->op->natural);
	}
	return good;
}

static uint32_t check_limit(const struct simt_check_access *a, uint32_t mask, const uint64_t *addr, uint64_t first,
			    uint64_t limit, const char *space)
{
	uint32_t good = mask;

	SIMT_FOR_LANES(lane, mask) {
		const uint64_t offset = addr[lane] - first;

		if (offset <= limit && limit - offset >= a->bytes)
			continue;
		good &= ~(1u << lane);
		note_block(a, lane, space, offset, limit);
	}
	return good;
}

/* The function's own frame and those of its callers: the unused stack below is nobody's. */
static uint32_t check_local(const struct simt_check_access *a, uint32_t mask, const uint64_t *addr)
{
	const struct simt_warp_state *s = a->w->state;
	const uint64_t frame = s->frame.local_at;

	return check_limit(a, mask, addr, frame, SIMT_LOCAL_BASE + s->local_bytes - frame, "local memory");
}

/* ---- global memory ---- */

/* Bounds of the allocation a lane of this instruction hit before; the device's heap has blocks of its own. */
static bool find_global(const struct simt_check_access *a, struct simt_hint *hint, uint32_t lane, uint64_t addr)
{
	const struct simt_alloc *found = simt_memory_find(a->l->mem, addr, a->bytes);
	enum simt_finding_kind kind = SIMT_FINDING_BOUNDS;

	if (found && found->kind == SIMT_ALLOC_HEAP) {
		if (simt_heap_is_used(a->l->mem, addr, a->bytes))
			return true;
		note_heap(a, lane, addr);
		return false;
	} else if (found && found->kind != SIMT_ALLOC_LOCAL) {
		if (!(a->is_store && found->is_readonly)) {
			*hint = (struct simt_hint){found->addr, found->addr + found->size_bytes, found->is_readonly};
			return true;
		}
		note_readonly(a, lane, addr);
		return false;
	} else if (!found) {
		const struct simt_alloc *near = simt_memory_nearest(a->l->mem, addr);

		if (near && !near->is_live && addr >= near->addr && addr - near->addr < near->size_bytes)
			kind = SIMT_FINDING_FREED;
	}
	note_global(a, lane, kind, addr);
	return false;
}

/* Pieces of the natural alignment do not cross a boundary of it. */
static bool is_written(const struct simt_check *c, const struct simt_check_access *a, uint64_t addr)
{
	const uint32_t piece = a->bytes < a->op->natural ? a->bytes : a->op->natural;

	for (uint32_t at = 0; at < a->bytes; at += piece)
		if (!simt_check_is_written(c, addr + at, piece))
			return false;
	return true;
}

static uint32_t check_global(const struct simt_check_access *a, uint32_t mask, const uint64_t *addr)
{
	struct simt_check *c = simt_memory_check(a->l->mem);
	struct simt_hint hint = {0};
	uint32_t good = 0;

	SIMT_FOR_LANES(lane, mask) {
		const bool is_hit = addr[lane] >= hint.lo && addr[lane] < hint.hi && hint.hi - addr[lane] >= a->bytes &&
				    !(a->is_store && hint.is_readonly);

		if (!is_hit && !find_global(a, &hint, lane, addr[lane]))
			continue;
		good |= 1u << lane;
		if (a->is_load && !is_written(c, a, addr[lane]))
			note_global(a, lane, SIMT_FINDING_UNINITIALISED, addr[lane]);
	}
	if (a->is_store) {
		SIMT_FOR_LANES(lane, good)
			simt_check_set(c, addr[lane], a->bytes, true);
	}
	return good;
}

/* ---- one instruction ---- */

static void clear_results(struct simt_warp_state *s, const struct simt_mem_op *op, uint32_t mask)
{
	for (uint32_t k = 0; k < op->vec; k++) {
		if (!op->elem[k].bytes)
			continue;
		void *row = simt_row_mut(s, op->elem[k]);

		SIMT_FOR_LANES(lane, mask)
			simt_lane_set(row, op->elem[k].bytes, lane, 0);
	}
}

static struct simt_check_access access_of(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e)
{
	const enum ptx_op o = e->ptx->op;
	const bool is_atomic = o == PTX_OP_ATOM || o == PTX_OP_RED;

	return (struct simt_check_access){
	    .l = l,
	    .w = w,
	    .e = e,
	    .op = e->mem,
	    .bytes = e->mem->align,
	    .is_load = is_atomic || o == PTX_OP_LD || o == PTX_OP_LDU,
	    .is_store = is_atomic || o == PTX_OP_ST,
	    .is_atomic = is_atomic,
	    .is_strong = is_atomic || e->ptx->mods.sem != PTX_SEM_WEAK,
	};
}

/* Leaves in k the lanes whose access is right, and returns them. */
static uint32_t filter(const struct simt_check_access *a, uint32_t mask, const uint64_t *addr, struct simt_mem_lanes *k)
{
	const uint32_t aligned = check_aligned(a, mask, addr);

	k->global = check_global(a, k->global & aligned, addr);
	k->shared = check_limit(a, k->shared & aligned, addr, 0, a->w->cta->shared_bytes, "shared memory");
	k->local = check_local(a, k->local & aligned, addr);
	k->param = check_limit(a, k->param & aligned, addr, 0, a->l->program->param_bytes, "the kernel's parameters");
	k->frame = check_limit(a, k->frame & aligned, addr, 0,
			       simt_program_of(a->l)->funcs[a->w->state->frame.func].ptx->frame_param_bytes,
			       "the function's parameters");
	if (k->shared)
		simt_check_shared(a, k->shared, addr);
	if (k->global)
		simt_check_device(a, k->global, addr);
	return k->global | k->shared | k->local | k->param | k->frame;
}

uint32_t simt_check_lanes(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e,
			  const struct simt_mem_op *op, bool is_store, const uint64_t *addr, struct simt_mem_lanes *k)
{
	const struct simt_check_access a = {
	    .l = l,
	    .w = w,
	    .e = e,
	    .op = op,
	    .bytes = op->align,
	    .is_load = !is_store,
	    .is_store = is_store,
	    .has_no_value = true,
	};

	return filter(&a, k->global | k->shared | k->local, addr, k);
}

void simt_check_mbarrier(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, bool is_arrival,
			 uint32_t mask, const uint64_t *offset)
{
	const struct simt_check_access a = {
	    .l = l, .w = w, .e = e, .is_load = true, .is_store = is_arrival, .is_strong = true};

	if (is_arrival)
		simt_check_fence(w, false);
	simt_check_strong(&a, mask, offset, true);
}

static SIMT_RUN(run_checked)
{
	struct simt_check_access a = access_of(l, w, e);
	uint64_t addr[SIMT_LANES];
	struct simt_mem_lanes k = simt_mem_lanes(w->state, e->mem, mask, addr);
	const uint32_t good = filter(&a, mask, addr, &k);

	if (good != mask) {
		out->exec_mask = good;
		if (a.is_load)
			clear_results(w->state, e->mem, mask & ~good);
	}
	return good ? e->mem->run(l, w, e, good, out) : SIMT_NEXT;
}

static SIMT_RUN(run_fence)
{
	simt_check_fence(w, simt_check_is_wide(e));
	return simt_run_nop(l, w, e, mask, out);
}

void simt_check_decode(struct simt_inst *inst, struct simt_exec *e)
{
	const enum ptx_op o = e->ptx->op;

	if (o == PTX_OP_LD || o == PTX_OP_LDU || o == PTX_OP_ST || o == PTX_OP_ATOM || o == PTX_OP_RED) {
		if (!e->mem || !e->run)
			return; /* the decoder gave a message */
		e->mem->run = e->run;
		e->run = run_checked;
	} else if (inst->flags & SIMT_FENCE) {
		e->run = run_fence;
	}
}
