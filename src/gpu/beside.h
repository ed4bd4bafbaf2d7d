/* beside.h - private to gpu/: SMs that tick beside each other, on several threads of the host.
 *
 * In a cycle the SMs tick in two halves. In the first, clusters of SMs are given to the threads of a team: each SM does
 * its cycle up to what concerns others, which is held. In the second, one thread takes what the others have to say,
 * added up by thread, and goes through the SMs that are held, in their order: they go on from where they stand. So all
 * that SMs do to each other happens in the order in which it does when one ticks after the other, and the result is the
 * same. What a load has read in the first half, it reads again in the second if an SM before it has written there in
 * this cycle.
 *
 * A line of memory that one core writes and another looks at costs as much as some hundred instructions. So a cluster
 * stays with its thread, and the second half looks at no SM whose cycle is over: what is to be heard of it is in its
 * thread's struct beside_hand.
 */
#ifndef STRATA_GPU_BESIDE_H
#define STRATA_GPU_BESIDE_H

#include "gpu/audit_log.h"
#include "gpu/priv.h"

enum {
	BESIDE_READINGS = 8, /* loads of an SM in a cycle */
	BESIDE_REQUESTS = 32, /* that an SM can make in a cycle before it is held */
};

/* Requests that an SM has sent to its cluster. */
struct beside_push {
	uint16_t sm, count;
	bool is_first; /* the SM had none */
};

struct beside_wake {
	uint32_t sm;
	uint64_t cycle;
};

/* What the SMs that a thread has ticked in the first half have to say to the others. Only that thread writes it, but
 * for the stash: it begins anew with each step. */
struct beside_hand {
	_Alignas(HOST_LINE_BYTES) uint64_t step;
	uint32_t threads; /* of instructions issued */
	uint16_t thread; /* its number */
	uint16_t requests;
	bool has_used_stash, has_left; /* has_left: answers */
	uint16_t push_count, wake_count;
	/* Bits by number of the SM: its cycle is held, or has failed; it ticks in the next cycle. */
	struct {
		uint64_t turns, next;
	} words[SIM_COMPS_MAX / 64];
	_Alignas(HOST_LINE_BYTES) uint64_t cycle;
	uint64_t reads[SIM_COMPS_MAX / 64]; /* the SM has read */
	_Alignas(HOST_LINE_BYTES) struct mem_req_stash stash;
	struct beside_push *pushes; /* [SM] */
	struct beside_wake *wakes;  /* [SM]: those that tick neither in the next cycle nor never */
	struct audit_log audit;
};

/* What an SM keeps in the first half. */
struct sm_beside {
	struct beside_hand *hand; /* of the thread that ticks it */
	uint64_t last_step;	  /* that it had to do with */
	bool waits; /* it has not begun */
	bool leaves; /* its answers from here on to the second half */
	bool was_empty; /* its queue to the cluster, before it sent the first of these */
	uint16_t pushed;
	uint64_t reads_before, misses_before; /* of its L1D, before the cycle; where gpu.follows_reads */
	uint32_t wake; /* when it ticks again, or SM_NEVER */
	uint32_t reading_count;
	struct sm_cycle cycle;
	struct simt_beside view;
	struct simt_step step;
	struct simt_reading readings[BESIDE_READINGS];
};

/* See gpu_use_threads. Returns how many threads there are. */
uint32_t beside_new(struct gpu *g, uint32_t thread_count);
/* The threads, which have nothing to do between cycles; NULL: there are none. */
struct sim_team *beside_team(const struct gpu *g);
/* Before the SMs are made. */
void beside_prepare(struct gpu *g);
/* Keeps an answer that has come to the cluster for the SMs' part of this cycle. */
void beside_answer(struct gpu *g, uint32_t cluster, struct mem_req *r);
void beside_end(struct gpu *g); /* before the SMs are freed */

/* What all extensions say. */
enum gpu_beside beside_allowed(const struct gpu *g);

void beside_launch_begin(struct gpu *g);
void beside_reset(struct gpu *g); /* the pool was emptied */
void beside_free(struct sm *sm);
static inline void beside_kernel_begin(struct sm *sm)
{
	simt_beside_begin(&sm->beside->view, sm->gpu->launch);
}
/* In the second half SMs behind the one whose turn it is have counted what they do in this cycle, and are not yet seen
 * to have: true, and what the SM's L1D had counted before. */
bool beside_reads_before(const struct gpu *g, uint32_t sm, uint64_t *reads, uint64_t *misses);
/* A step of an SM that has a beside, in either half. */
bool beside_step(struct sm *sm, struct simt_warp *t, struct simt_step *step);

/* ---- in the first half ---- */

/* Must the warp's instruction, and all that comes after it in this cycle, wait? */
static inline bool beside_holds(const struct sm *sm, const struct sm_warp *w)
{
	const struct simt_inst *inst = &sm->gpu->launch->program->insts[w->w->pc];
	const struct sm_beside *b = sm->beside;
	const uint32_t fetched = 4; /* two groups, the L1I's request and its place there for each */

	return inst->flags & SIMT_OUTSIDE || inst->mark || w->watch & sm->gpu->held_watch ||
	       b->reading_count == BESIDE_READINGS || b->hand->stash.count < fetched;
}

/* mem_req_get for an SM. */
static inline struct mem_req *sm_req_get(struct sm *sm)
{
	return unlikely(sm->is_beside) ? mem_req_stash_get(&sm->beside->hand->stash) : mem_req_get(sm->gpu->pool);
}

/* mem_req_put for an SM. */
static inline void sm_req_put(struct sm *sm, struct mem_req *r)
{
	if (unlikely(sm->is_beside))
		mem_req_stash_put(&sm->beside->hand->stash, r);
	else
		mem_req_put(sm->gpu->pool, r);
}

/* Whoever includes this is an SM's: beside others it must not reach into the pool that all share. */
#pragma GCC poison mem_req_get mem_req_put

/* The SM has put a request into its queue. */
static inline void beside_pushed(struct sm *sm)
{
	struct sm_beside *b = sm->beside;

	b->was_empty |= sm->out_count == 1;
	b->pushed++;
}

static inline void beside_wake(struct sm *sm, uint32_t at)
{
	struct sm_beside *b = sm->beside;

	b->wake = at < b->wake ? at : b->wake;
}

#endif
