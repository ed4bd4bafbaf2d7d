/* ask.c - asks the policy wherever a warp of the GPU comes to a marked block, for the block carrier and for the split
 * carrier, and tells it what the blocks touch that it observes.
 *
 *   home warp stands at a marked instruction -> ask_enter -> [trial: up to the block's first access] -> block_leave
 */
#include "ndp/carry/priv.h"

/* Where a home warp is looked at: once it has been asked, on trial. */
enum { ASKED = 1 << GPU_POINT_STEPPED, OBSERVED = 1 << GPU_POINT_STEPPED | 1 << GPU_POINT_ACCESS,
       ON_TRIAL = 1 << GPU_POINT_STEPPED | 1 << GPU_POINT_ENTER };

/* ---- the ledger ---- */

/* The policy is asked: for an entry, or again for a later round of one whose time here already runs. */
static void ledger_asked(struct carry *c, struct sm_warp *w)
{
	struct entry *e = entry_of(c, w);
	const struct carry_block *b = e->offload.block;

	if (likely(!c->gpu->account) || (b && e->home_block == b))
		return;
	account_block_at(c->gpu, b ? b->begin_pc : w->w->pc)->entries++;
	e->home_block = b;
	e->home_units = sim_now_units(c->gpu->engine);
}

/* An entry of which a part leaves is no entry that was here. */
static void ledger_offered(struct carry *c, struct sm_warp *w, const char *why)
{
	struct entry *e = entry_of(c, w);
	const struct carry_block *b = e->offload.block;

	if (likely(!c->gpu->account))
		return;
	account_block_offered(c->gpu, b ? b->begin_pc : w->w->pc, why);
	if (!why)
		e->home_block = NULL;
}

static const char *why_of(const struct carry_verdict *v)
{
	return v->why ? v->why : "the mechanism lets it stay";
}

/* A warp that has stayed: has it left the block? */
static void ledger_stepped(struct carry *c, struct sm_warp *w)
{
	struct entry *e = entry_of(c, w);
	const struct carry_block *b = e->home_block;
	struct account_block *row;

	if (!w->w->is_done && w->w->pc >= b->begin_pc && w->w->pc <= b->last_pc)
		return;
	row = account_block_at(c->gpu, b->begin_pc);
	row->here_count++;
	row->here_ps += sim_ps_of_units(c->gpu->engine, sim_now_units(c->gpu->engine) - e->home_units);
	e->home_block = NULL;
}

/* ---- asking ---- */

static void trial_begin(struct carry *c, struct sm_warp *w)
{
	struct entry *e = entry_of(c, w);
	const struct carry_block *b = e->offload.block;

	e->trial = simt_guest_begin(c->gpu->launch, w->w, b->begin_pc, w->w->active_mask, b->live_in_sb,
				    b->live_in_count, w->sm->index);
	e->trial_steps = e->trial_threads = 0;
	sm_watch(c->block, w, ON_TRIAL);
	simt_trial_begin(w->w);
}

static void trial_drop(struct carry *c, struct sm_warp *w)
{
	struct entry *e = entry_of(c, w);

	if (e->trial)
		simt_guest_drop(c->gpu->launch, e->trial);
	e->trial = NULL;
	sm_unwatch(c->block, w, 1 << GPU_POINT_ENTER);
}

static struct carry_verdict ask_access(struct carry *c, struct sm_warp *w, const struct coalesced_line *lines,
				     uint32_t count)
{
	const struct entry *e = entry_of(c, w);
	const struct simt_warp *t = e->trial ? e->trial : w->w;
	const uint32_t accesses = carry_accesses(c);
	uint64_t addr[CARRY_ACCESSES_MAX * COALESCE_LINES_MAX];
	struct carry_access a = {.sm = w->sm->index, .slot = w->slot, .lines = addr, .count = count,
				 .known_count = count};

	for (uint32_t i = 0; i < count; i++)
		addr[i] = lines[i].addr_bytes;
	if (unlikely(count && accesses > 1))
		a.known_count += carry_lines_ahead(c->gpu, w->w, w->w->pc, e->offload.block, accesses - 1,
						   addr + count);
	return c->policy->block_access(c->policy_ctx, c->gpu, &a, t->active_mask, e->mark,
				       e->trial ? e->trial_steps : 0);
}

/* Lanes that have parted on trial come to an instruction that looks across them. They would wait for one another, and
 * could not be set back: the block stays. */
static bool is_parted_at(const struct simt_program *p, const struct simt_warp *w, const struct simt_warp *begun)
{
	return w->active_mask != begun->active_mask && ptx_inst_is_warp_wide(p->insts[w->pc].ptx);
}

/* The block's destination depends on its first access. The warp runs the block here until it stands at one; the
 * registers that the block needs were read at its begin (they are in the guest that may leave), so that what the trial
 * writes does no harm. True: it leaves. */
static bool trial_step(struct carry *c, struct sm *sm, struct sm_warp *w)
{
	struct gpu *g = c->gpu;
	struct entry *e = entry_of(c, w);
	struct simt_warp *t = w->w;
	const struct carry_block *b = e->offload.block;
	bool is_inside = t->pc >= b->begin_pc && t->pc <= b->last_pc &&
			 !(e->trial && is_parted_at(g->launch->program, t, e->trial));
	struct coalesced_line lines[COALESCE_LINES_MAX];
	uint64_t addr[SIMT_LANES];
	uint32_t mask = is_inside ? simt_peek_access(g->launch, t, addr) : 0;
	struct carry_verdict answer;
	uint32_t bytes = carry_access_bytes(&g->launch->program->insts[t->pc]);

	if (is_inside && !mask) {
		if (!e->trial)
			trial_begin(c, w);
		return false;
	}
	answer = ask_access(c, w, lines, mask ? coalesce_lines(addr, mask, bytes, lines) : 0);
	ledger_offered(c, w, mask && answer.way == CARRY_OFFLOAD ? NULL : why_of(&answer));
	if (!mask || answer.way != CARRY_OFFLOAD) {
		e->offload.way = CARRY_STAY;
		e->offload.asks_again = mask && answer.asks_again;
		trial_drop(c, w);
		return false;
	}
	if (e->trial) {
		simt_trial_undo(w->w);
		g->thread_budget += e->trial_threads;
		sm->stats.trial_instructions += e->trial_steps;
		sm_unwatch(c->block, w, 1 << GPU_POINT_ENTER);
	}
	e->offload = answer;
	return true;
}

/* ---- what the policy reads ----
 *
 *   READS_WAIT -> [place in the LSU] -> READS_TABLE -> [passes, latency of shared memory] -> READS_REGISTERS
 *     -> [registers there, a collector free] -> READS_LAST -> READS_DONE: asked when the warp comes to issue
 */

enum { READING = 1 << GPU_POINT_DUE | 1 << GPU_POINT_RETURNED };

static void wait_until(struct sm *sm, struct sm_warp *w, uint32_t cycle)
{
	w->ready = cycle;
	sm_wheel_add(sm, w);
}

static void read_table(struct carry *c, struct sm *sm, struct sm_warp *w)
{
	struct entry *e = entry_of(c, w);

	if (!lsu_has_room(sm)) {
		e->reading = READS_WAIT;
		wait_until(sm, w, sm->now + 1);
		return;
	}
	e->reading = READS_TABLE;
	lsu_issue_passes(sm, w, c->block, e->reads.passes);
}

void ask_passed(void *self, struct sm_warp *w, uint32_t ready)
{
	struct entry *e = entry_of(self, w);

	CHECK(e->reading == READS_TABLE);
	e->reading = READS_REGISTERS;
	wait_until(w->sm, w, ready);
}

/* The warp is decided about when it comes to issue, as one that reads nothing is. */
static void read_done(struct carry *c, struct sm *sm, struct sm_warp *w)
{
	struct entry *e = entry_of(c, w);

	e->reading = READS_DONE;
	c->block_stats.offload_ask_ps +=
	    sim_ps_of_units(c->gpu->engine, sim_now_units(c->gpu->engine) - e->reading_units);
	sm_unwatch(c->block, w, READING);
	sm_evaluate(sm, w);
}

static void read_registers(struct carry *c, struct sm *sm, struct sm_warp *w)
{
	struct entry *e = entry_of(c, w);
	const struct carry_reads *r = &e->reads;
	uint32_t ready = 0, at;
	bool is_taken;

	for (uint32_t i = 0; i < r->register_count; i++)
		ready = w->sb[r->registers[i]] > ready ? w->sb[r->registers[i]] : ready;
	if (ready == SM_SB_PENDING)
		return; /* comes back when a load has returned */
	if (ready >> 1 > sm->now) {
		wait_until(sm, w, ready >> 1);
		return;
	}
	if (!r->register_count) {
		read_done(c, sm, w);
		return;
	}
	at = sm_registers_read(sm, w, r->registers, r->register_count, &is_taken);
	if (!is_taken)
		e->reading = READS_LAST;
	wait_until(sm, w, at);
}

void ask_reads_due(struct carry *c, struct sm *sm, struct sm_warp *w)
{
	struct entry *e = entry_of(c, w);

	switch (e->reading) {
	case READS_WAIT:
		read_table(c, sm, w);
		break;
	case READS_REGISTERS:
		if (w->ready <= sm->now)
			read_registers(c, sm, w);
		break;
	case READS_LAST:
		if (w->ready <= sm->now)
			read_done(c, sm, w);
		break;
	default:
		break;
	}
}

/* True: what the policy reads is read, or it reads nothing. False: the warp waits for it. */
static bool has_read(struct carry *c, struct sm *sm, struct sm_warp *w)
{
	struct entry *e = entry_of(c, w);

	if (likely(!c->policy->block_reads) || e->reading == READS_DONE) {
		e->reading = READS_NONE;
		return true;
	}
	e->reads = c->policy->block_reads(c->policy_ctx, c->gpu->launch->program->insts[w->w->pc].mark);
	if (!e->reads.passes)
		return true;
	CHECK(e->reads.register_count <= CARRY_REGISTERS_MAX);
	e->w = w;
	e->reading_units = sim_now_units(c->gpu->engine);
	sm_watch(c->block, w, READING);
	sm_set_wait(sm, w, SM_WAIT_OFFLOAD);
	read_table(c, sm, w);
	return false;
}

/* ---- the question ---- */

/* The policy's answer for a warp at a block's begin. */
static void ask(struct carry *c, struct sm *sm, struct sm_warp *w)
{
	struct entry *e = entry_of(c, w);

	e->w = w;
	e->mark = c->gpu->launch->program->insts[w->w->pc].mark;
	e->offload = c->policy->block_begin(c->policy_ctx, c->gpu, sm->index, w->w, e->mark);
	ledger_asked(c, w);
	if (e->offload.way != CARRY_ASK)
		ledger_offered(c, w, e->offload.way == CARRY_STAY ? why_of(&e->offload) : NULL);
	e->is_asked = true;
	e->is_observed = e->offload.is_observed;
	sm_unwatch(c->block, w, OBSERVED);
	sm_watch(c->block, w, e->is_observed ? OBSERVED : ASKED);
}

bool ask_enter(void *self, struct sm *sm, struct sm_warp *w)
{
	struct carry *c = self;
	struct entry *e = entry_of(c, w);

	if (e->trial) {
		if (trial_step(c, sm, w)) {
			block_leave(c, sm, w);
			return true;
		}
		if (e->trial || !c->gpu->launch->program->insts[w->w->pc].mark)
			return false;
	}
	if (e->is_split || e->is_asked || !c->policy->block_begin)
		return false;
	if (!has_read(c, sm, w))
		return true;
	ask(c, sm, w);
	if (e->offload.way == CARRY_SPLIT) {
		CHECK(c->split);
		e->is_split = true; /* the split carrier comes next */
		return false;
	}
	if (e->offload.way == CARRY_ASK ? !trial_step(c, sm, w) : e->offload.way != CARRY_OFFLOAD)
		return false;
	CHECK(e->offload.stack < c->gpu->stack_count && c->gpu->stack_sm_count);
	block_leave(c, sm, w);
	return true;
}

void ask_observe(struct carry *c, struct sm_warp *home, const struct simt_step *step,
		   const struct coalesced_line *lines, uint32_t count)
{
	if (count)
		c->policy->block_touch(c->policy_ctx, c->gpu, home->sm->index, home->slot, step, lines, count);
}

void ask_accessed(void *self, struct sm_warp *w, const struct simt_step *step, const struct coalesced_line *lines,
		   uint32_t count)
{
	struct carry *c = self;
	struct guest *o = entry_of(c, w)->guest;
	struct sm_warp *home = o ? o->home : w;

	if (unlikely(o && c->gpu->account)) {
		struct account_block *row = account_block_at(c->gpu, o->offload.block->begin_pc);

		*(step->inst->flags & SIMT_STORE ? &row->write_lines : &row->read_lines) += count;
	}
	if (entry_of(c, home)->is_observed)
		ask_observe(c, home, step, lines, count);
}

void ask_left(struct carry *c, struct sm_warp *home)
{
	entry_of(c, home)->is_observed = false;
	sm_unwatch(c->block, home, 1 << GPU_POINT_ACCESS);
	c->policy->block_left(c->policy_ctx, c->gpu, home->sm->index, home->slot);
}

static bool has_left(const struct entry *e, const struct simt_warp *t)
{
	return t->is_done || t->pc < e->offload.block->begin_pc || t->pc > e->offload.block->last_pc;
}

void ask_split_end(struct carry *c, struct sm_warp *w)
{
	struct entry *e = entry_of(c, w);

	e->is_split = e->is_asked = false;
	if (e->is_observed)
		ask_left(c, w);
}

void ask_stepped(struct carry *c, struct sm_warp *w, const struct simt_step *step)
{
	struct entry *e = entry_of(c, w);

	e->is_asked = false;
	if (e->trial) {
		e->trial_steps++;
		e->trial_threads += simt_lane_count(step->exec_mask);
	}
	if (e->is_observed && has_left(e, w->w))
		ask_left(c, w);
	if (unlikely(e->home_block != NULL))
		ledger_stepped(c, w);
	if (!e->trial && !e->is_observed && !e->home_block)
		sm_unwatch(c->block, w, 1 << GPU_POINT_STEPPED);
}

void ask_branched(void *self, struct sm_warp *w, uint32_t from_pc)
{
	struct carry *c = self;
	struct entry *e = entry_of(c, w);
	const struct carry_block *b = e->offload.block;

	e->is_asked = b && w->w->pc == b->begin_pc && from_pc >= b->begin_pc && from_pc <= b->last_pc;
	if (e->is_asked && e->offload.way == CARRY_STAY && e->offload.asks_again) {
		e->is_asked = false;
		if (e->is_observed)
			ask_left(c, w);
	}
	if (e->is_asked)
		sm_watch(c->block, w, ASKED);
}

void ask_forget(struct carry *c, struct sm *sm)
{
	for (uint32_t i = 0; i < sm->warp_slot_count; i++) {
		struct sm_warp *w = &sm->warps[i];
		struct entry *e = entry_of(c, w);

		if (!w->w || e->trial || w->wait == SM_WAIT_OFFLOAD)
			continue;
		e->is_asked = false;
		e->home_block = NULL;
		if (e->is_split) /* decided and counted: it begins when its live-ins are there; seen to its end */
			continue;
		e->is_observed = false;
		e->offload = (struct carry_verdict){0};
	}
}

bool ask_finish_untimed(struct carry *c, struct sm *sm)
{
	for (uint32_t i = 0; i < sm->warp_slot_count; i++) {
		struct sm_warp *w = &sm->warps[i];
		struct entry *e = entry_of(c, w);

		if (!w->w || !e->trial)
			continue;
		if (w->wait != SM_WAIT_OFFLOAD)
			simt_guest_drop(c->gpu->launch, e->trial);
		else if (!block_run_untimed(c->gpu, w->w, e->trial, e->offload.block))
			return false;
		e->trial = NULL;
	}
	return true;
}
