/* sm_wait.c - what the warps of an SM wait for: the set that each is in, and when it is looked at again. */
#include "gpu/priv.h"

/* Takes the warp out of the set it is in. */
static void set_remove(struct sm_scheduler *s, struct sm_warp *w)
{
	uint64_t mask = ~(1ull << w->bit);

	if (w->wait == SM_WAIT_COUNT)
		s->ready[w->unit] &= mask;
	else
		s->waiting[w->wait] &= mask;
}

void sm_set_wait(struct sm *sm, struct sm_warp *w, enum sm_wait reason)
{
	struct sm_scheduler *s = &sm->schedulers[w->scheduler];

	set_remove(s, w);
	w->wait = (uint8_t)reason;
	s->waiting[reason] |= 1ull << w->bit;
}

void sm_set_ready(struct sm *sm, struct sm_warp *w, uint32_t unit)
{
	struct sm_scheduler *s = &sm->schedulers[w->scheduler];

	set_remove(s, w);
	w->wait = SM_WAIT_COUNT;
	w->unit = (uint8_t)unit;
	s->ready[unit] |= 1ull << w->bit;
}

void sm_wheel_add(struct sm *sm, struct sm_warp *w)
{
	struct sm_scheduler *s = &sm->schedulers[w->scheduler];
	uint32_t delay = w->ready - sm->now;

	/* Further away than the wheel is long: looked at again on the way. */
	uint32_t slot = (sm->now + (delay < SM_WHEEL_SLOTS ? delay : SM_WHEEL_SLOTS - 1)) % SM_WHEEL_SLOTS;

	s->wheel[slot] |= 1ull << w->bit;
	s->wheel_bits |= 1ull << slot;
}

/* The latest of the scoreboard entries that the instruction reads or writes. */
static inline uint32_t operands_ready(const struct sm *sm, const struct sm_warp *w, const struct simt_inst *inst)
{
	const uint16_t *sb = sm->gpu->launch->program->sb + inst->sb_first;
	uint32_t count = (uint32_t)inst->read_count + inst->write_count, ready = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t r = w->sb[sb[i]];

		ready = r > ready ? r : ready;
	}
	return ready;
}

/* A fence waits for the warp's earlier accesses, asynchronous copies left out. */
static bool fence_holds(const struct sm_warp *w, const struct simt_inst *inst)
{
	return (inst->flags & SIMT_FENCE) && (w->loads_pending > w->copies_pending || w->stores_pending);
}

/* A wait for copies: for all, or for all committed groups but the last ones. A commit waits for the group whose counter
 * the next one takes. */
static bool copies_hold(const struct sm_warp *w, const struct simt_inst *inst)
{
	if (!w->copies_pending)
		return false;
	if (inst->flags & SIMT_COPY_COMMIT)
		return w->group_copies[(w->copy_group + 1) % SM_COPY_GROUPS] != 0;
	if (!(inst->flags & SIMT_COPY_WAIT))
		return false;
	if (inst->groups == SIMT_GROUPS_NONE)
		return true;
	for (uint32_t back = inst->groups + 1u; back < SM_COPY_GROUPS; back++)
		if (w->group_copies[(w->copy_group - back) % SM_COPY_GROUPS])
			return true;
	return false;
}

/* The warp has ended: it goes when nothing of it is under way any more. */
static void evaluate_done(struct sm *sm, struct sm_warp *w)
{
	sm->ending_warps += !w->is_ending;
	w->is_ending = true;
	if (w->loads_pending)
		sm_set_wait(sm, w, SM_WAIT_MEMORY);
	else if (w->stores_pending && sm->ends_stored)
		sm_set_wait(sm, w, SM_WAIT_FENCE);
	else
		sm_warp_retire(sm, w);
}

/* Puts the warp into the set that its next instruction belongs to at cycle sm->now. */
void sm_evaluate(struct sm *sm, struct sm_warp *w)
{
	const struct simt_warp *t = w->w;

	if (sm_is_watched(w, GPU_POINT_EVALUATE) && gpu_ext_evaluate(sm, w))
		return;
	if (unlikely(t->is_done)) {
		evaluate_done(sm, w);
		return;
	}
	if (t->at_barrier) {
		sm_set_wait(sm, w, SM_WAIT_BARRIER);
		return;
	}

	const struct simt_inst *inst = &sm->gpu->launch->program->insts[t->pc];
	uint32_t operands = operands_ready(sm, w, inst), cycle = operands >> 1;

	if (operands == SM_SB_PENDING) {
		sm_set_wait(sm, w, SM_WAIT_MEMORY);
		return;
	}
	if (w->fetch_ready > sm->now && w->fetch_ready > cycle) {
		sm_set_wait(sm, w, SM_WAIT_FETCH);
		w->ready = w->fetch_ready;
		if (w->fetch_ready != SM_NEVER)
			sm_wheel_add(sm, w);
		return;
	}
	if (cycle > sm->now) {
		sm_set_wait(sm, w, operands & 1 ? SM_WAIT_MEMORY : SM_WAIT_EXECUTION);
		w->ready = cycle;
		sm_wheel_add(sm, w);
		return;
	}
	if (unlikely(fence_holds(w, inst))) {
		sm_set_wait(sm, w, SM_WAIT_FENCE);
		return;
	}
	if (unlikely(copies_hold(w, inst))) {
		sm_set_wait(sm, w, SM_WAIT_MEMORY);
		return;
	}
	sm_set_ready(sm, w, inst->unit);
}

/* An extension's warp waits for a known cycle: this one, a later one, or it has gone by. */
static void wait_due(struct sm *sm, struct sm_warp *w)
{
	if (w->ready == sm->now)
		gpu_ext_due(sm, w);
	else if (w->ready > sm->now)
		sm_wheel_add(sm, w);
}

void sm_wheel_due(struct sm *sm)
{
	uint32_t slot = sm->now % SM_WHEEL_SLOTS;

	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		struct sm_scheduler *s = &sm->schedulers[i];
		uint64_t due = s->wheel[slot] & s->resident;

		s->wheel[slot] = 0;
		s->wheel_bits &= ~(1ull << slot);
		for (; due; due &= due - 1) {
			struct sm_warp *w = sm_warp_at(sm, i, (uint32_t)__builtin_ctzll(due));

			/* A warp that was woken earlier by something else may have an old entry here. */
			if (w->wait == SM_WAIT_EXECUTION || w->wait == SM_WAIT_MEMORY || w->wait == SM_WAIT_FETCH)
				sm_evaluate(sm, w);
			else if (w->wait == SM_WAIT_OFFLOAD && sm_is_watched(w, GPU_POINT_DUE))
				wait_due(sm, w);
		}
	}
}
