/* beside.c - warps of several CTAs are stepped at a time, each by a thread of the host.
 *
 * An instruction touches its warp, what the warps of its CTA share, and what the launch does not change: then it needs
 * nobody's leave. Others have SIMT_OUTSIDE, and are stepped one after the other (simt_step). Loads stand between: while
 * warps are stepped beside each other nobody writes global memory, so that a load reads what was there before; whoever
 * lets others write then has the load read again if it was to see that.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "simt/build.h"
#include "simt/state.h"

/* ---- which instructions ---- */

/* Those that compute on the warp's registers and its own stack of masks, and on its CTA's barriers. */
static bool is_own(simt_run_fn run)
{
	static const simt_run_fn own[] = {
	    simt_run_alu,	   simt_run_alu_fixed, simt_run_mov,	    simt_run_mapa,	 simt_run_nop,
	    simt_run_pred_logic,   simt_run_pack,      simt_run_unpack,	    simt_run_vector_mov, simt_run_local_addr,
	    simt_run_isspacep,	   simt_run_cvta,      simt_run_lop3_pred,  simt_run_setp_pair,	 simt_run_video_parts,
	    simt_run_bra,	   simt_run_brx,       simt_run_ret,	    simt_run_barrier,	 simt_run_warp_sync,
	    simt_run_shfl,	   simt_run_vote,      simt_run_match,	    simt_run_activemask, simt_run_elect,
	    simt_run_redux,	   simt_run_mma,       simt_run_movmatrix,  simt_run_load,	 simt_run_load_param,
	    simt_run_load_frame,   simt_run_store_frame,
	};

	for (uint32_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (own[i] == run)
			return true;
	return false;
}

/* Those that tell a checker something, which keeps one record of all memory; what has no function of its own for that
 * (check_access.c) is here. */
static bool is_checked(simt_run_fn run)
{
	static const simt_run_fn checked[] = {
	    simt_run_barrier, simt_run_warp_sync, simt_run_shfl,  simt_run_vote, simt_run_match, simt_run_activemask,
	    simt_run_elect,   simt_run_redux,	  simt_run_mma,	  simt_run_movmatrix,
	};

	for (uint32_t i = 0; i < sizeof(checked) / sizeof(*checked); i++)
		if (checked[i] == run)
			return true;
	return false;
}

static bool is_outside(const struct simt_program_priv *p, const struct simt_inst *inst, const struct simt_exec *e)
{
	if (inst->flags & SIMT_EXIT || (simt_memory_check(p->module->mem) && is_checked(e->run)))
		return true;
	if (is_own(e->run))
		return false;
	if (e->run == simt_run_store)
		return e->mem->area != SIMT_AREA_SHARED && e->mem->area != SIMT_AREA_LOCAL;
	if (e->run == simt_run_atom)
		return e->mem->area != SIMT_AREA_SHARED;
	return e->run != simt_run_call || e->call->func == UINT32_MAX || p->funcs[e->call->func].builtin;
}

void simt_outside_mark(struct simt_program_priv *p)
{
	for (uint32_t pc = 0; pc < p->pub.inst_count; pc++)
		if (is_outside(p, &p->insts[pc], &p->execs[pc]))
			p->insts[pc].flags |= SIMT_OUTSIDE;
}

/* ---- the view ---- */

void simt_beside_begin(struct simt_beside *b, const struct simt_launch *l)
{
	const size_t hints_bytes = l->program->inst_count * sizeof(struct simt_hint);
	struct simt_launch_state *st = b->launch.state ? b->launch.state : calloc(1, sizeof(*st));
	struct simt_hint *hints = st ? realloc(st->hints, hints_bytes) : NULL;

	CHECK(hints);
	memset(hints, 0, hints_bytes);
	*st = *l->state;
	st->hints = hints;
	b->launch = *l;
	b->launch.state = st;
}

void simt_beside_end(struct simt_beside *b)
{
	if (b->launch.state)
		free(b->launch.state->hints);
	free(b->launch.state);
	b->launch.state = NULL;
}

/* ---- steps ---- */

/* Of an access that is checked, the lanes in global memory: others of a generic one have addresses of local memory's
 * backing, which no access to global memory may have. */
static uint32_t global_lanes(const struct simt_launch *l, const struct simt_mem_op *op, const struct simt_step *step)
{
	const struct simt_launch_state *st = l->state;
	uint32_t mask = step->access_mask;

	if (op->area == SIMT_AREA_GLOBAL)
		return mask;
	if (op->area != SIMT_AREA_GENERIC || step->space != SIMT_MEM_GLOBAL)
		return 0;
	SIMT_FOR_LANES(lane, step->access_mask) {
		const uint64_t a = step->addr[lane];

		if (a - st->local_addr < st->local_warp_bytes * st->local_slots ||
		    a - st->below_addr < st->below_warp_bytes * st->local_slots)
			mask &= ~(1u << lane);
	}
	return mask;
}

static void range_of(const uint64_t *addr, uint32_t mask, uint64_t bytes, uint64_t *first, uint64_t *last)
{
	uint64_t low = UINT64_MAX, high = 0;

	SIMT_FOR_LANES(lane, mask) {
		low = addr[lane] < low ? addr[lane] : low;
		high = addr[lane] > high ? addr[lane] : high;
	}
	*first = low;
	*last = high + bytes - 1;
}

bool simt_beside_step(struct simt_beside *b, struct simt_warp *w, struct simt_step *out, struct simt_reading *r)
{
	const struct simt_exec *e = &simt_program_of(&b->launch)->execs[w->pc];
	struct simt_warp_state *s = w->state;

	CHECK(!(b->launch.program->insts[w->pc].flags & SIMT_OUTSIDE));
	r->mask = 0;
	r->frame_at = (uint32_t)(s->base[SIMT_BASE_FRAME] - s->rows);
	if (!simt_step(&b->launch, w, out))
		return false;
	if (e->run != simt_run_load || !out->access_mask)
		return true;
	r->mask = global_lanes(&b->launch, e->mem, out);
	if (!r->mask)
		return true;
	r->warp = w;
	r->exec = e;
	memcpy(r->addr, out->addr, sizeof(r->addr));
	range_of(r->addr, r->mask, e->mem->align, &r->first, &r->last);
	return true;
}

void simt_read_again(const struct simt_reading *r)
{
	struct simt_warp_state *s = r->warp->state;
	const uint8_t *now = s->base[SIMT_BASE_FRAME];

	s->base[SIMT_BASE_FRAME] = s->rows + r->frame_at;
	simt_load_global(s, r->exec->mem, r->addr, r->mask);
	s->base[SIMT_BASE_FRAME] = now;
}

bool simt_written(const struct simt_step *step, uint64_t *first, uint64_t *last)
{
	const struct simt_inst *inst = step->inst;
	const uint32_t flags = inst->flags;

	if (!(flags & SIMT_OUTSIDE) || !step->exec_mask || flags & SIMT_EXIT)
		return false;
	if ((flags & (SIMT_LOAD | SIMT_STORE)) == SIMT_LOAD)
		return false;
	*first = 0; /* anywhere: a surface, a matrix, what a system call puts there */
	*last = UINT64_MAX;
	if (!(flags & SIMT_STORE) || flags & SIMT_MATRIX || inst->space == SIMT_MEM_TEXTURE)
		return true;
	if (!step->access_mask)
		return false;
	range_of(step->addr, step->access_mask, (uint64_t)inst->access_bytes * inst->vec, first, last);
	return true;
}
