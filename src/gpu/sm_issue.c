/* sm_issue.c - the warp schedulers: which warp that may issue does, and where the other cycles go. */
#include "base/bits.h"
#include "gpu/accounting.h"
#include "gpu/beside.h"
#include "gpu/priv.h"

static inline bool unit_is_shared(uint32_t unit)
{
	return unit == SIMT_UNIT_SFU;
}

/* Do its instructions go through the operand collectors? Those of the other units are as many as they need. */
static inline bool unit_collects(const struct sm *sm, uint32_t unit)
{
	return unit == SIMT_UNIT_INT || unit == SIMT_UNIT_IMUL || unit == SIMT_UNIT_FP32 ||
	       (sm->pipe && unit == SIMT_UNIT_CTRL);
}

/* The unit that does the instructions of this one. */
static inline uint32_t unit_doing(const struct sm *sm, uint32_t unit)
{
	return unit == SIMT_UNIT_FP64 && unlikely(sm->has_fp64_on_sfu) ? SIMT_UNIT_SFU : unit;
}

static inline uint32_t unit_free_at(const struct sm *sm, const struct sm_scheduler *s, uint32_t of)
{
	const uint32_t unit = unit_doing(sm, of);
	uint32_t at = unit_is_shared(unit) ? sm->unit_free[unit] : sm->issue_free[s->issue][unit];

	return unit_collects(sm, unit) && sm->collector_next > at ? sm->collector_next : at;
}

/* The unit works on what it is given for a share of so many cycles more. */
static inline void unit_hold(struct sm *sm, const struct sm_scheduler *s, uint32_t of, uint32_t cycles, uint32_t share)
{
	const uint32_t unit = unit_doing(sm, of);
	const bool is_shared = unit_is_shared(unit);
	uint32_t *free_at = is_shared ? &sm->unit_free[unit] : &sm->issue_free[s->issue][unit];
	uint8_t *taken = is_shared ? &sm->unit_parts[unit] : &sm->issue_parts[s->issue][unit];
	uint32_t parts;

	if (likely(!sm->divergence_is_free)) {
		*free_at = (*free_at > sm->now ? *free_at : sm->now) + cycles;
		return;
	}
	parts = cycles * share + (*free_at < sm->now ? 0 : *taken);
	*free_at = (*free_at > sm->now ? *free_at : sm->now) + parts / SM_WHOLE;
	*taken = parts % SM_WHOLE;
}

/* Warps that can issue now: operands and instruction there, unit free. */
static inline uint64_t candidates(const struct sm *sm, const struct sm_scheduler *s)
{
	uint64_t c = lsu_has_room(sm) ? s->ready[SIMT_UNIT_LDST] : 0;

	for (uint32_t u = 0; u < SIMT_UNIT_COUNT; u++) {
		if (u != SIMT_UNIT_LDST && s->ready[u] && unit_free_at(sm, s, u) <= sm->now)
			c |= s->ready[u];
	}
	/* What has begun elsewhere comes to its end: it may wait for what these warps send. */
	return unlikely(sm->gpu->is_paused && sm->stack == UINT32_MAX) ? c & s->unstopped : c;
}

/* Loose round robin: the next after the one that issued last. Greedy then oldest: the same warp again, else the first
 * of the oldest CTA. */
static uint32_t choose(const struct sm *sm, uint32_t scheduler, uint64_t c)
{
	const struct sm_scheduler *s = &sm->schedulers[scheduler];

	if (!sm->is_gto)
		return base_bit_after(c, s->last);
	if (c >> s->last & 1)
		return s->last;
	for (uint32_t i = 0; i < sm->cta_count; i++) {
		uint64_t m = c & sm->ctas[sm->cta_order[i]].masks[scheduler];

		if (m)
			return (uint32_t)__builtin_ctzll(m);
	}
	return (uint32_t)__builtin_ctzll(c); /* they belong to no CTA here */
}

static void count_threads(struct sm_stats *st, uint32_t unit, uint32_t threads)
{
	switch (unit) {
	case SIMT_UNIT_INT:
		st->int_threads += threads;
		break;
	case SIMT_UNIT_IMUL:
		st->imul_threads += threads;
		break;
	case SIMT_UNIT_FP32:
		st->fp32_threads += threads;
		break;
	case SIMT_UNIT_FP64:
		st->fp64_threads += threads;
		break;
	case SIMT_UNIT_SFU:
		st->sfu_threads += threads;
		break;
	case SIMT_UNIT_LDST:
		st->memory_threads += threads;
		break;
	case SIMT_UNIT_TENSOR:
		st->tensor_threads += threads;
		break;
	default:
		st->control_threads += threads;
		break;
	}
}

void sm_count_threads(struct gpu *g, uint32_t threads)
{
	g->thread_budget -= threads;
	if (unlikely(g->thread_budget <= 0)) {
		g->limit_reached = true;
		sim_stop(g->engine);
	}
}

void sm_count_issue(struct sm *sm, const struct simt_step *step)
{
	struct sm_stats *st = &sm->stats;
	uint32_t threads = simt_lane_count(step->exec_mask);

	st->warp_instructions++;
	st->thread_instructions += threads;
	st->register_reads += step->inst->read_count;
	st->register_writes += step->inst->write_count;
	count_threads(st, step->inst->unit, threads);
	if (unlikely(step->inst->unit == SIMT_UNIT_TENSOR && threads))
		st->tensor_slots += step->inst->issue_slots;
	if (unlikely(sm->is_beside))
		sm->beside->hand->threads += threads;
	else
		sm_count_threads(sm->gpu, threads);
}

/* The barrier of the warp's CTA has opened: its warps run again. */
static void open_barrier(struct sm *sm, const struct sm_warp *w)
{
	const struct sm_cta *c = &sm->ctas[w->cta_slot];

	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		struct sm_scheduler *s = &sm->schedulers[i];

		for (uint64_t m = s->waiting[SM_WAIT_BARRIER] & c->masks[i]; m; m &= m - 1)
			sm_evaluate(sm, sm_warp_at(sm, i, (uint32_t)__builtin_ctzll(m)));
	}
}

/* A collector reads registers, so many a cycle, each when its bank is free. Returns the cycle of the last. */
static ALWAYS_INLINE uint32_t collect(struct sm *sm, const struct sm_warp *w, const uint16_t *reads,
				      uint32_t count)
{
	uint32_t at = sm->now, last = at, mine = 0, next = SM_NEVER;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t read;

		if (i % sm->collector_reads == 0)
			at = last + 1;
		read = at;
		if (sm->register_banks) {
			uint32_t *bank = &sm->bank_free[(reads[i] + w->slot) % sm->register_banks];

			read = *bank > at ? *bank : at;
			*bank = read + 1;
		}
		last = read > last ? read : last;
	}
	while (sm->collector_free[mine] > sm->now)
		mine++; /* one is: else the unit would not have been */
	sm->collector_free[mine] = last + 1;
	for (uint32_t i = 0; i < sm->collector_count; i++)
		next = sm->collector_free[i] < next ? sm->collector_free[i] : next;
	sm->collector_next = next;
	return last;
}

uint32_t sm_registers_read(struct sm *sm, const struct sm_warp *w, const uint16_t *ids, uint32_t count, bool *is_taken)
{
	*is_taken = sm->collector_count && sm->collector_next > sm->now;
	if (*is_taken)
		return sm->collector_next;
	sm->stats.register_reads += count;
	if (!sm->collector_count)
		return sm->now + 1;
	return (sm->pipe ? pipe_read(sm, w, ids, count) : collect(sm, w, ids, count)) + 1;
}

/* Diverged instructions share their turns. Returns as collect. */
static uint32_t operands_collect(struct sm *sm, const struct sm_warp *w, const struct simt_inst *inst,
				 uint32_t latency, uint32_t interval, uint32_t share)
{
	uint32_t last;

	if (!sm->collector_count || !unit_collects(sm, inst->unit))
		return 0;
	sm->collect_parts += share;
	if (unlikely(sm->collect_parts < SM_WHOLE))
		return 0;
	sm->collect_parts -= SM_WHOLE;
	if (sm->pipe)
		return pipe_enter(sm, w, inst, latency, interval);
	/* The cycles beyond those of one operand. */
	last = collect(sm, w, sm->gpu->launch->program->sb + inst->sb_first, inst->read_count);
	return last > sm->now + 1 ? last - sm->now - 1 : 0;
}

/* Issue slots after the first stay on the unit, one interval each; or they are the steps that refine a special
 * function's result, each of which needs the one before. */
static void occupy_unit(struct sm *sm, struct sm_scheduler *s, struct sm_warp *w, const struct simt_inst *inst,
			uint32_t share)
{
	uint32_t unit = inst->unit, steps = inst->issue_slots ? inst->issue_slots - 1u : 0, step_unit = inst->step_unit;
	const bool has_kind = unit == SIMT_UNIT_INT || unit == SIMT_UNIT_IMUL || unit == SIMT_UNIT_FP32;
	uint32_t own_latency = has_kind ? sm->kind_latency[inst->kind] : 0;
	uint32_t own_interval = has_kind ? sm->kind_interval[inst->kind] : 0;
	uint32_t interval = own_interval ? own_interval : sm->interval[unit];
	uint32_t step_cycles = unit == step_unit ? interval : sm->latency[step_unit];
	uint32_t latency = (own_latency ? own_latency : sm->latency[unit]) + steps * step_cycles;
	uint32_t reading = operands_collect(sm, w, inst, latency, interval * (steps + 1), share);
	uint32_t cycles = sm_share_cycles(&w->latency_parts, latency, share);
	uint32_t at = sm->now + reading + cycles;
	uint32_t ready = (sm->pipe && unit_doing(sm, unit) == SIMT_UNIT_SFU ? pipe_result(sm->pipe, at) : at) << 1;
	const uint16_t *writes = sm->gpu->launch->program->sb + inst->sb_first + inst->read_count;

	if (!sm->pipe || !unit_collects(sm, unit)) {
		unit_hold(sm, s, unit, interval, share);
		if (steps)
			unit_hold(sm, s, step_unit, steps * sm->interval[step_unit], share);
	}
	for (uint32_t i = 0; i < inst->write_count; i++)
		w->sb[writes[i]] = ready;
}

/* Issues one instruction of the warp. Returns false when the launch has failed. */
static bool issue(struct sm *sm, struct sm_scheduler *s, struct sm_warp *w)
{
	struct gpu *g = sm->gpu;
	struct simt_step *step = unlikely(sm->is_beside) ? &sm->beside->step : &g->step;
	struct simt_warp *t = w->w;
	uint32_t depth = t->stack_depth, share = sm_share(sm, w);

	sm->slot_parts[s->issue] += share;
	w->has_marked = false;
	if (sm_is_watched(w, GPU_POINT_ISSUE) && gpu_ext_issue(sm, w))
		return !sm->breaks;
	if (unlikely(!(sm->beside ? beside_step(sm, t, step) : simt_step(g->launch, t, step)))) {
		sm_fail(sm);
		return false;
	}
	sm_count_issue(sm, step);
	if (step->inst->unit == SIMT_UNIT_LDST)
		lsu_issue(sm, w, step);
	else
		occupy_unit(sm, s, w, step->inst, share);
	if (unlikely(step->inst->flags & SIMT_COPY_COMMIT))
		w->copy_group++;
	if (step->branched)
		sm_fetch_start(sm, w, t->pc,
			       sm->now + sm_share_cycles(&w->fetch_parts, 1 + sm->branch_penalty, sm_share(sm, w)));
	else
		sm_fetch_advance(sm, w, t->pc);
	if (sm_is_watched(w, GPU_POINT_STEPPED))
		gpu_ext_stepped(sm, w, step);
	if (unlikely(step->branched && g->launch->program->insts[t->pc].mark))
		gpu_ext_branched(sm, w, step->pc);
	if (unlikely(t->stack_depth > depth && (step->inst->flags & SIMT_BRANCH)))
		sm->stats.divergent_branches++;
	if (unlikely(step->barrier_opened))
		open_barrier(sm, w);
	sm_evaluate(sm, w);
	return true;
}

/* To whom a cycle without issue belongs: the waiting warp that is nearest to issue decides. */
static uint32_t stall_reason(const struct sm_scheduler *s)
{
	uint64_t ready = 0;

	if (s->ready[SIMT_UNIT_LDST])
		return SM_WAIT_LSU;
	for (uint32_t u = 0; u < SIMT_UNIT_COUNT; u++)
		ready |= s->ready[u];
	if (ready)
		return SM_WAIT_UNIT;
	for (uint32_t r = SM_WAIT_FETCH; r < SM_WAIT_IDLE; r++) {
		if (s->waiting[r])
			return r;
	}
	return SM_WAIT_IDLE;
}

/* Before a marked instruction, one that says so takes an issue slot (gpu_marks_issue). False: it has before, or there
 * is none. */
static bool mark_issue(struct sm *sm, const struct sm_scheduler *s, struct sm_warp *w)
{
	if (!sm->gpu->marks_issue || w->has_marked)
		return false;
	w->has_marked = true;
	sm->slot_parts[s->issue] += SM_WHOLE;
	sm->stats.mark_instructions++;
	if (unlikely(sm->gpu->account != NULL))
		gpu_ext_issue(sm, w); /* the ledger's: it is an issue at the marked instruction */
	return true;
}

/* One scheduler's cycle. Returns true when it issued. */
static bool schedule_one(struct sm *sm, uint32_t index)
{
	struct sm_scheduler *s = &sm->schedulers[index];

	for (;;) {
		uint64_t c = candidates(sm, s);

		if (!c)
			return false;

		uint32_t bit = choose(sm, index, c);
		struct sm_warp *w = sm_warp_at(sm, index, bit);

		if (unlikely(sm->is_beside) && beside_holds(sm, w)) {
			sm->breaks |= SM_HELD;
			return false;
		}
		if ((unlikely(sm->gpu->launch->program->insts[w->w->pc].mark) || sm_is_watched(w, GPU_POINT_ENTER)) &&
		    sm->stack == UINT32_MAX) {
			if (sm->gpu->launch->program->insts[w->w->pc].mark && mark_issue(sm, s, w)) {
				s->last = bit;
				return true;
			}
			if (gpu_ext_enter(sm, w))
				continue;
		}
		s->last = bit;
		return issue(sm, s, w);
	}
}

/* One issue slot's cycle: one of its schedulers may issue. */
static bool schedule_slot(struct sm *sm, uint32_t slot)
{
	uint32_t i = sm->issue_turn[slot];

	if (likely(sm->scheduler_count == sm->issue_count))
		return schedule_one(sm, slot);
	do {
		if (schedule_one(sm, i)) {
			sm->issue_turn[slot] = (uint8_t)i;
			return true;
		}
		i = i + sm->issue_count < sm->scheduler_count ? i + sm->issue_count : slot;
	} while (i != sm->issue_turn[slot] && !sm->breaks);
	return false;
}

/* The same until the slot's cycle is taken: by one instruction, or by several of diverged warps. What the last one
 * takes beyond it is of the next cycle. */
static bool fill_slot(struct sm *sm, uint32_t slot)
{
	bool has_issued = false;

	while (sm->slot_parts[slot] < SM_WHOLE && schedule_slot(sm, slot))
		has_issued = true;
	if (unlikely(sm->breaks & SM_HELD))
		return has_issued;
	sm->slot_parts[slot] -= sm->slot_parts[slot] < SM_WHOLE ? sm->slot_parts[slot] : SM_WHOLE;
	return has_issued;
}

/* Why the scheduler cannot issue as its sets are now, and when to look again: next cycle if a warp could then issue,
 * else when a unit frees or a warp's wait ends. */
static uint32_t next_look(const struct sm *sm, struct sm_scheduler *s)
{
	uint32_t next = SM_NEVER, soon = sm->now + 1;

	s->reason = (uint8_t)stall_reason(s);
	if (s->reason <= SM_WAIT_UNIT) {
		if (s->ready[SIMT_UNIT_LDST] && lsu_has_room(sm))
			return soon;
		for (uint32_t u = 0; u < SIMT_UNIT_COUNT; u++) {
			uint32_t at = u == SIMT_UNIT_LDST || !s->ready[u] ? SM_NEVER : unit_free_at(sm, s, u);

			next = at < next ? at : next;
		}
		if (next <= soon)
			return soon;
	}
	if (s->wheel_bits) {
		uint32_t shift = soon % SM_WHEEL_SLOTS;
		uint64_t rotated = s->wheel_bits >> shift | s->wheel_bits << ((64 - shift) & 63);
		uint32_t at = soon + (uint32_t)__builtin_ctzll(rotated);

		next = at < next ? at : next;
	}
	return next;
}

uint32_t sm_schedule(struct sm *sm, struct sm_cycle *c)
{
	uint32_t next = SM_NEVER, issued = c->issued;

	for (uint32_t k = c->slot; k < sm->issue_count; k++) {
		const uint32_t i = sm->pipe ? (k + sm->now) % sm->issue_count : k;

		issued |= (uint32_t)fill_slot(sm, i) << i;
		if (unlikely(sm->breaks & SM_HELD)) {
			c->slot = k;
			c->issued = issued;
			return SM_NEVER;
		}
		if (unlikely(sm->breaks))
			break;
	}
	/* After both: an issue may have opened a barrier or freed a CTA's place for warps of the other scheduler. */
	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		struct sm_scheduler *s = &sm->schedulers[i];
		uint32_t at = next_look(sm, s);
		struct sm_scheduler *first = &sm->schedulers[s->issue];

		/* The slot's reason, kept by its first scheduler: that of the warp nearest to issue. */
		first->reason = s->reason < first->reason ? s->reason : first->reason;
		next = at < next ? at : next;
	}
	for (uint32_t i = 0; i < sm->issue_count; i++) {
		if (unlikely(sm->slot_parts[i] != 0))
			next = sm->now + 1;
		if (issued >> i & 1)
			sm->stats.issued_cycles++;
		else
			sm->stats.stalls[sm->schedulers[i].reason]++;
	}
	if (unlikely(sm->gpu->account != NULL))
		account_ticked(sm->gpu->account, sm, issued);
	return next;
}

uint32_t sm_pause_cycle(struct sm *sm)
{
	uint8_t reason = sm->resident_warps ? SM_WAIT_PAUSE : SM_WAIT_IDLE;
	uint64_t wheel_bits = 0;

	for (uint32_t i = 0; i < sm->issue_count; i++)
		sm->schedulers[i].reason = reason;
	sm->stats.stalls[reason] += sm->issue_count;
	if (sm->gpu->account)
		account_ticked(sm->gpu->account, sm, 0);
	for (uint32_t i = 0; i < sm->scheduler_count; i++)
		wheel_bits |= sm->schedulers[i].wheel_bits;
	return wheel_bits ? sm->now + 1 : SM_NEVER; /* blocks that were to leave still do */
}
