/* beside.h - private to gpu/: SMs that tick beside each other, on several threads of the host.
 *
 * In a cycle the SMs tick in two halves. In the first, clusters of SMs are given to the threads of a team: each SM does
 * its cycle up to what concerns others, which is held. In the second, one thread goes through the SMs in their order:
 * what was sent and counted is added up, and held cycles go on from where they stand. So all that SMs do to each other
 * happens in the order in which it does when one ticks after the other, and the result is the same. What a load has
 * read in the first half, it reads again in the second if an SM before it has written there in this cycle.
 */
#ifndef STRATA_GPU_BESIDE_H
#define STRATA_GPU_BESIDE_H

#include "gpu/priv.h"

enum {
	BESIDE_READINGS = 8, /* loads of an SM in a cycle */
	BESIDE_REQUESTS = 32, /* that an SM can make in a cycle before it is held */
};

/* What an SM has done in the first half that the second is to hear of. */
struct sm_beside {
	bool waits; /* it has not begun */
	bool wakes_cluster;
	uint32_t wake; /* or SM_NEVER */
	uint32_t requests;
	uint32_t threads; /* of instructions issued */
	uint32_t reading_count;
	struct sm_cycle cycle;
	struct mem_req_stash stash;
	struct simt_beside view;
	struct simt_step step;
	struct simt_reading readings[BESIDE_READINGS];
};

/* See gpu_use_threads. Returns how many threads there are. */
uint32_t beside_new(struct gpu *g, uint32_t thread_count);
void beside_end(struct gpu *g); /* before the SMs are freed */

/* What all extensions say. */
enum gpu_beside beside_allowed(const struct gpu *g);

void beside_kernel_begin(struct sm *sm);
void beside_reset(struct sm *sm); /* the pool was emptied */
void beside_free(struct sm *sm);
/* A step of an SM that has a beside, in either half. */
bool beside_step(struct sm *sm, struct simt_warp *t, struct simt_step *step);

/* ---- in the first half ---- */

/* Must the warp's instruction, and all that comes after it in this cycle, wait? */
static inline bool beside_holds(const struct sm *sm, const struct sm_warp *w)
{
	const struct simt_inst *inst = &sm->gpu->launch->program->insts[w->w->pc];
	const struct sm_beside *b = sm->beside;
	const uint32_t fetched = 4; /* two groups, the L1I's request and its place there for each */

	return inst->flags & SIMT_OUTSIDE || inst->mark || w->watch || b->reading_count == BESIDE_READINGS ||
	       b->stash.count < fetched;
}

/* mem_req_get for an SM. */
static inline struct mem_req *sm_req_get(struct sm *sm)
{
	return unlikely(sm->is_beside) ? mem_req_stash_get(&sm->beside->stash) : mem_req_get(sm->gpu->pool);
}

/* Whoever includes this is an SM's: beside others it must not reach into the pool that all share. */
#pragma GCC poison mem_req_get

static inline void beside_wake(struct sm *sm, uint32_t at)
{
	struct sm_beside *b = sm->beside;

	b->wake = at < b->wake ? at : b->wake;
}

#endif
