/* check_hooks.h - what the rest of simt/ tells the checker. Called only where one is attached. Not for other folders.
 */
#ifndef STRATA_SIMT_CHECK_HOOKS_H
#define STRATA_SIMT_CHECK_HOOKS_H

#include "simt/priv.h"

struct simt_check_cta; /* the shadow of one CTA */

/* ---- memory.c, heap.c ---- */

void simt_check_allocated(struct simt_check *c, uint64_t addr, uint64_t bytes, enum simt_alloc_kind kind);

/* ---- decode: replaces the record's function ---- */

void simt_check_decode(struct simt_inst *inst, struct simt_exec *e);

/* ---- accesses that no record's function stands for: matrices, asynchronous copies ---- */

struct simt_mem_lanes; /* simt/state.h */

/* Lanes in k access op->align bytes each at addr. Leaves those whose access is right in k, and returns them. */
uint32_t simt_check_lanes(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e,
			  const struct simt_mem_op *op, bool is_store, const uint64_t *addr, struct simt_mem_lanes *k);

/* An arrival at an object in shared memory hands over what the warp did before; a test takes it. */
void simt_check_mbarrier(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, bool is_arrival,
			 uint32_t mask, const uint64_t *offset);

/* ---- launch.c ---- */

struct simt_check_cta *simt_check_cta_new(const struct simt_launch *l, const struct simt_cta *c);
void simt_check_cta_free(struct simt_check_cta *s);
void simt_check_cta_begin(struct simt_check_cta *s, uint64_t linear_index);
/* What the CTAs of a launch know of each other. It lives as long as the launch's CTAs. */
struct simt_check_grid;
struct simt_check_grid *simt_check_grid_new(const struct simt_launch *l);
void simt_check_grid_free(struct simt_check_grid *g);
/* No CTA of the launch runs any more. */
void simt_check_global_end(struct simt_launch *l);
/* The launch has ended with l->fault set. */
void simt_check_fault(struct simt_launch *l);

/* ---- barriers and warp-wide synchronisation ---- */

/* The warp's accesses so far happen before what follows barrier id. mask: the lanes that arrive here. */
void simt_check_arrive(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, uint32_t id,
		       uint32_t mask);
/* Barrier id opens for warp w. */
void simt_check_release(struct simt_warp *w, uint32_t id);
/* Barrier id begins anew. */
void simt_check_barrier_reset(struct simt_cta *c, uint32_t id);
/* The warp has exited: nobody waits for it at barriers any more. */
void simt_check_warp_done(struct simt_warp *w);
void simt_check_warp_sync(struct simt_warp *w);
/* is_wide: for other CTAs, too. */
void simt_check_fence(struct simt_warp *w, bool is_wide);
/* The lane executes a .sync instruction whose member mask does not name it. */
void simt_check_unnamed_lane(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, uint32_t lane,
			     uint32_t members);
/* Lanes here execute a .sync instruction without those elsewhere, which their masks name and which wait at another. */
void simt_check_parted(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, uint32_t here,
		       uint32_t elsewhere);
/* The lane's shuffle reads lane `from`, which does not execute the shuffle. */
void simt_check_absent_source(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, uint32_t lane,
			      uint32_t from);

#endif
