/* offload.c - carries a block of instructions from a GPU SM to a stack SM and back: the part that every mechanism of
 * this kind shares. Which block, when and where to is the mechanism's decision (guest.h).
 *
 *   home warp stands at a marked instruction -> offload_begin -> [trial: up to the block's first access]
 *     -> [stores of the SM in memory] -> delay -> request packet -> offload_arrive     (or at once, when it is free)
 *     -> a warp slot of a stack SM -> runs -> offload_step_done -> what it has in flight arrives
 *     -> answer packet -> offload_finish: live-outs written, home warp goes on after the block
 */
#include "gpu/priv.h"

#include <glib.h>

static struct sm_guest *guest_new(struct gpu *g, struct sm_warp *home)
{
	struct sm_guest *o = g->guests_free;
	uint64_t *lines = o ? o->lines : NULL;
	uint32_t line_cap = o ? o->line_cap : 0;

	if (o)
		g->guests_free = o->next;
	else
		o = g_new(struct sm_guest, 1);
	*o = (struct sm_guest){.home = home, .offload = home->offload, .lines = lines, .line_cap = line_cap};
	o->live_next = g->guests_live;
	if (o->live_next)
		o->live_next->live_prev = o;
	g->guests_live = o;
	return o;
}

static void guest_free(struct gpu *g, struct sm_guest *o)
{
	if (o->live_prev)
		o->live_prev->live_next = o->live_next;
	else
		g->guests_live = o->live_next;
	if (o->live_next)
		o->live_next->live_prev = o->live_prev;
	o->next = g->guests_free;
	g->guests_free = o;
}

/* The stack SM with the most free slots, the first on ties; NULL when all are full. */
static struct sm *find_sm(struct gpu *g, uint32_t stack)
{
	struct sm *best = NULL;

	for (uint32_t i = 0; i < g->stack_sm_count; i++) {
		struct sm *sm = gpu_stack_sm(g, stack, i);

		if (sm->resident_warps < sm->warp_slot_count && (!best || sm->resident_warps < best->resident_warps))
			best = sm;
	}
	return best;
}

static void start(struct gpu *g, struct sm *sm, struct sm_guest *o)
{
	const struct gpu_block *b = o->offload.block;
	const struct simt_warp *home = o->home->w;
	struct sm_warp *w;

	sm_touch(sm);
	if (o->offload.invalidate_lines)
		mem_cache_invalidate_all(sm->l1d);
	if (!o->w)
		o->w = simt_guest_begin(g->launch, home, b->begin_pc, home->active_mask, b->live_in_sb,
					b->live_in_count, sm->index);
	sm->stats.guest_warps++;
	w = sm_warp_place(sm, o->w, sm_slot_find(sm), sm->now + o->offload.start_cycles);
	w->guest = o;
	sm_wake(sm, sm->now);
}

/* At the stack: takes a warp slot or waits for one. */
static void place(struct gpu *g, struct sm_guest *o)
{
	uint32_t stack = o->offload.stack;
	struct guest_queue *waiting = &g->guest_queues[stack];
	struct sm *sm = find_sm(g, stack);

	if (sm) {
		start(g, sm, o);
		return;
	}
	base_fifo_push(waiting, o, next);
	if (++waiting->count > g->totals.offload_wait_max)
		g->totals.offload_wait_max = waiting->count;
}

static void slot_freed(struct gpu *g, uint32_t stack)
{
	struct guest_queue *waiting = &g->guest_queues[stack];
	struct sm *sm = waiting->first ? find_sm(g, stack) : NULL;

	if (!sm)
		return;
	waiting->count--;
	start(g, sm, base_fifo_pop(waiting, next));
}

/* ---- the home side: decision, trial, departure ---- */

static void leave_later(struct sm *sm, struct sm_warp *w)
{
	sm->gpu->totals.offloads++;
	w->decided_units = sim_now_units(sm->gpu->engine);
	sm_set_wait(sm, w, SM_WAIT_OFFLOAD);
	w->is_draining = false;
	w->ready = sm->now + (w->offload.is_free ? 0 : w->offload.latency_cycles);
	if (w->ready == sm->now)
		offload_leave(sm, w);
	else
		sm_wheel_add(sm, w);
}

static void trial_begin(struct gpu *g, struct sm_warp *w)
{
	const struct gpu_block *b = w->offload.block;

	w->trial = simt_guest_begin(g->launch, w->w, b->begin_pc, w->w->active_mask, b->live_in_sb, b->live_in_count,
				    w->sm->index);
	w->trial_steps = w->trial_threads = 0;
	simt_trial_begin(w->w);
}

static void trial_drop(struct gpu *g, struct sm_warp *w)
{
	if (w->trial)
		simt_guest_drop(g->launch, w->trial);
	w->trial = NULL;
}

static struct gpu_offload ask_access(struct sm *sm, struct sm_warp *w, const struct coalesced_line *lines,
				     uint32_t count)
{
	struct gpu *g = sm->gpu;
	const struct simt_warp *t = w->trial ? w->trial : w->w;
	uint64_t addr[COALESCE_LINES_MAX];

	for (uint32_t i = 0; i < count; i++)
		addr[i] = lines[i].addr_bytes;
	return g->guest->block_access(g->guest_ctx, g, sm->index, t->active_mask, w->trial_mark, addr, count,
				      w->trial ? w->trial_steps : 0);
}

/* The block's destination depends on its first access. The warp runs the block here until it stands at one; the
 * registers that the block needs were read at its begin (they are in the guest that may leave), so that what the trial
 * writes does no harm. True: it leaves. */
static bool trial_step(struct sm *sm, struct sm_warp *w)
{
	struct gpu *g = sm->gpu;
	struct simt_warp *t = w->w;
	const struct gpu_block *b = w->offload.block;
	const struct simt_inst *inst = &g->launch->program->insts[t->pc];
	bool is_inside = t->pc >= b->begin_pc && t->pc <= b->last_pc;
	struct coalesced_line lines[COALESCE_LINES_MAX];
	uint64_t addr[SIMT_LANES];
	uint32_t mask = is_inside ? simt_peek_access(g->launch, t, addr) : 0;
	struct gpu_offload answer;
	uint32_t bytes = inst->access_bytes ? (uint32_t)inst->access_bytes * (inst->vec ? inst->vec : 1) : 4;

	if (is_inside && !mask) {
		if (!w->trial)
			trial_begin(g, w);
		return false;
	}
	answer = ask_access(sm, w, lines, mask ? coalesce_lines(addr, mask, bytes, lines) : 0);
	if (!mask || !answer.is_offloaded) {
		w->offload.needs_access = false;
		trial_drop(g, w);
		return false;
	}
	if (w->trial) {
		simt_trial_undo(w->w);
		g->thread_budget += w->trial_threads;
		sm->stats.trial_instructions += w->trial_steps;
	}
	w->offload = answer;
	return true;
}

bool offload_begin(struct sm *sm, struct sm_warp *w)
{
	struct gpu *g = sm->gpu;

	if (w->trial) {
		if (trial_step(sm, w)) {
			leave_later(sm, w);
			return true;
		}
		if (w->trial || !g->launch->program->insts[w->w->pc].mark)
			return false;
	}
	if (w->partition)
		return false;
	if (w->is_partitioned)
		return partition_begin(sm, w);
	if (w->is_asked || !g->guest->block_begin)
		return false;
	w->trial_mark = g->launch->program->insts[w->w->pc].mark;
	w->offload = g->guest->block_begin(g->guest_ctx, g, sm->index, w->w, w->trial_mark);
	w->is_asked = true;
	w->is_observed = w->offload.is_observed;
	if (w->offload.is_partitioned) {
		CHECK(g->nsus);
		w->is_partitioned = true;
		return partition_begin(sm, w);
	}
	if (w->offload.needs_access ? !trial_step(sm, w) : !w->offload.is_offloaded)
		return false;
	CHECK(w->offload.stack < g->stack_count && g->stack_sm_count);
	leave_later(sm, w);
	return true;
}

void offload_observe(struct sm_warp *w, const struct simt_step *step, const struct coalesced_line *lines,
		     uint32_t count)
{
	const struct sm_warp *home = w->guest ? w->guest->home : w;
	struct gpu *g = home->sm->gpu;

	if (count)
		g->guest->block_touch(g->guest_ctx, g, home->sm->index, home->slot, step, lines, count);
}

void offload_observe_left(struct sm_warp *home)
{
	struct gpu *g = home->sm->gpu;

	home->is_observed = false;
	g->guest->block_left(g->guest_ctx, g, home->sm->index, home->slot);
}

void offload_observe_end(struct sm_warp *w)
{
	const struct gpu_block *b = w->offload.block;

	if (w->w->is_done || w->w->pc < b->begin_pc || w->w->pc > b->last_pc)
		offload_observe_left(w);
}

void offload_branched(struct sm_warp *w, uint32_t from_pc)
{
	const struct gpu_block *b = w->offload.block;

	w->is_asked = b && w->w->pc == b->begin_pc && from_pc >= b->begin_pc && from_pc <= b->last_pc;
}

void offload_forget_entries(struct sm *sm)
{
	for (uint32_t i = 0; i < sm->warp_slot_count; i++) {
		struct sm_warp *w = &sm->warps[i];

		if (!w->w || w->trial || w->wait == SM_WAIT_OFFLOAD)
			continue;
		w->is_asked = w->is_observed = false;
		w->offload = (struct gpu_offload){0};
	}
}

/* ---- stores that must be in memory before a request leaves ----
 *
 * A request waits for all stores that its SM issued before (TOM section 4.4.2): the warp's own, and those of other
 * warps of its CTA, which a barrier may have ordered before the block. Two counters do: stores are counted in the
 * current epoch's; a request closes the epoch as soon as the one before is empty, and leaves when its own is. Later
 * stores cannot hold it. */

static bool stores_drained(struct sm *sm, struct sm_warp *w)
{
	uint32_t *counts = sm->store_counts;

	if (counts[0] + counts[1] == 0)
		return true;
	if (!w->is_draining) {
		w->is_draining = true;
		w->drain_epoch = sm->store_epoch;
	}
	if (w->drain_epoch == sm->store_epoch && counts[(sm->store_epoch + 1) & 1] == 0)
		sm->store_epoch++;
	return sm->store_epoch - w->drain_epoch > 1 ||
	       (sm->store_epoch != w->drain_epoch && counts[w->drain_epoch & 1] == 0);
}

void sm_store_end(struct sm *sm, uint8_t bank)
{
	CHECK(sm->store_counts[bank]);
	if (--sm->store_counts[bank])
		return;
	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		for (uint64_t m = sm->schedulers[i].waiting[SM_WAIT_OFFLOAD]; m; m &= m - 1) {
			uint32_t bit = (uint32_t)__builtin_ctzll(m);
			struct sm_warp *w = &sm->warps[bit * sm->scheduler_count + i];

			if (!w->offload_waits)
				continue;
			offload_leave(sm, w);
			sm_wake(sm, sm->now);
		}
	}
}

/* The packet carries live-ins, so they must be there; and the stack SM must see the SM's stores. */
static bool may_leave(struct sm *sm, struct sm_warp *w)
{
	const struct gpu_block *b = w->offload.block;
	uint32_t ready = 0;

	for (uint32_t i = 0; i < b->live_in_count; i++)
		ready = w->sb[b->live_in_sb[i]] > ready ? w->sb[b->live_in_sb[i]] : ready;
	w->offload_waits = ready == SM_SB_PENDING || (w->offload.invalidate_lines && !stores_drained(sm, w));
	if (w->offload_waits)
		return false;
	if (ready >> 1 <= sm->now)
		return true;
	w->ready = ready >> 1;
	sm_wheel_add(sm, w);
	return false;
}

static struct sm_guest *depart(struct gpu *g, struct sm_warp *w)
{
	struct sm_guest *o = guest_new(g, w);

	o->w = w->trial;
	o->decided_units = w->decided_units;
	g->promises_coherence &= o->offload.invalidate_lines;
	w->trial = NULL;
	return o;
}

static void send_request(struct sm *sm, struct sm_warp *w)
{
	struct gpu *g = sm->gpu;
	struct sm_guest *o = depart(g, w);
	struct mem_req *r;

	r = mem_req_get(g->pool);
	r->addr_bytes = 0;
	r->op = MEM_MESSAGE;
	r->kind = MEM_KIND_DATA;
	r->port = g->offload_request_ports[o->offload.stack];
	r->row = o->offload.request_bytes; /* of a control packet: its bytes, see packet_bytes */
	r->stack = (uint8_t)o->offload.stack;
	r->vault = (uint8_t)w->slot; /* any slice of the stack: they share the packets */
	r->tag = w->slot;
	r->owner = o;
	port_push(sm, r);
	sm_wake(sm, sm->now);
}

/* A request leaves with the promise of a place at its stack, so it never stops on the way and holds nobody up: requests
 * and what they need to be answered cannot wait for one another in a circle. The acknowledgment brings the credit
 * back. */
void offload_leave(struct sm *sm, struct sm_warp *w)
{
	struct gpu *g = sm->gpu;
	uint32_t stack = w->offload.stack;

	if (!may_leave(sm, w))
		return;
	if (w->offload.is_free) {
		place(g, depart(g, w));
		return;
	}
	if (g->guest_credits[stack]) {
		g->guest_credits[stack]--;
		send_request(sm, w);
		return;
	}
	g->totals.offload_credit_waits++;
	base_fifo_push(&g->credit_queues[stack], w, credit_next);
}

static void credit_returned(struct gpu *g, uint32_t stack)
{
	struct sm_warp *w;

	if (!g->credit_queues[stack].first) {
		g->guest_credits[stack]++;
		return;
	}
	w = base_fifo_pop(&g->credit_queues[stack], credit_next);
	sm_touch(w->sm);
	send_request(w->sm, w);
}

/* A request has reached its stack. */
static void take_request(void *self, struct mem_req *r)
{
	struct gpu *g = self;
	struct sm_guest *o = r->owner;

	o->start_units = r->issue_units;
	mem_req_put(g->pool, r);
	g->memory_stats.answers++;
	place(g, o);
}

void offload_wrote(struct sm *sm, struct sm_warp *w, uint64_t line_addr_bytes)
{
	struct sm_guest *o = w->guest;

	(void)sm;
	if (!o->offload.invalidate_lines)
		return;
	for (uint32_t i = 0; i < o->line_count; i++) {
		if (o->lines[i] == line_addr_bytes)
			return;
	}
	if (o->line_count == o->line_cap) {
		o->line_cap = o->line_cap ? 2 * o->line_cap : 64;
		o->lines = g_renew(uint64_t, o->lines, o->line_cap);
	}
	o->lines[o->line_count++] = line_addr_bytes;
}

static void finish(struct gpu *g, struct sm_guest *o)
{
	struct sm_warp *home = o->home;
	struct sm *sm = home->sm;
	const struct gpu_block *b = o->offload.block;
	uint32_t wait_cycles = o->line_count * o->offload.invalidate_cycles;

	sm_touch(sm);
	for (uint32_t i = 0; i < o->line_count; i++) {
		mem_cache_invalidate_line(sm->l1d, o->lines[i]);
		port_invalidate(sm, o->lines[i]);
	}
	if (g->audit)
		coherence_audit_block_end(g->audit, o, sim_now_units(g->engine));
	simt_guest_end(g->launch, home->w, o->w, b->end_pc, b->live_out_sb, b->live_out_count);
	g->totals.offload_answers++;
	if (g->guest->block_end)
		g->guest->block_end(g->guest_ctx, g, sm->index, &o->offload, o->line_count);
	home->is_asked = false;
	if (home->is_observed)
		offload_observe_left(home);
	if (!o->offload.is_free)
		credit_returned(g, o->offload.stack);
	guest_free(g, o);
	sm_fetch_start(sm, home, home->w->pc, sm->now + wait_cycles);
	sm_evaluate(sm, home);
	sm_wake(sm, sm->now);
}

/* The guest has run its block: waits for its live-outs and, for coherence, its stores; then the answer leaves. */
void offload_try_end(struct sm *sm, struct sm_warp *w)
{
	struct gpu *g = sm->gpu;
	struct sm_guest *o = w->guest;
	const struct gpu_block *b = o->offload.block;
	uint32_t ready = 0;

	for (uint32_t i = 0; i < b->live_out_count; i++)
		ready = w->sb[b->live_out_sb[i]] > ready ? w->sb[b->live_out_sb[i]] : ready;
	sm_set_wait(sm, w, SM_WAIT_MEMORY);
	if (w->loads_pending || (o->offload.invalidate_lines && w->stores_pending))
		return;
	if (ready >> 1 > sm->now) {
		w->ready = ready >> 1;
		sm_wheel_add(sm, w);
		return;
	}
	sm_warp_retire(sm, w);
	slot_freed(g, o->offload.stack);
	if (o->offload.is_free) {
		finish(g, o);
		return;
	}

	struct mem_req *r = mem_req_get(g->pool);

	r->issue_units = o->start_units;
	r->op = MEM_MESSAGE;
	r->kind = MEM_KIND_DATA;
	r->row = o->offload.reply_bytes + o->line_count * o->offload.reply_line_bytes;
	r->is_reply = true;
	r->port = g->offload_answer_ports[o->home->sm->cluster];
	r->stack = (uint8_t)o->offload.stack;
	r->slice = slice_of(g, r->stack, o->home->slot);
	r->owner = o;
	g->memory_stats.requests++;
	stack_port_reply(g->stacks[r->stack], r);
}

void offload_step_done(struct sm *sm, struct sm_warp *w)
{
	struct sm_guest *o = w->guest;

	o->is_ending = simt_guest_reached(w->w, o->offload.block->end_pc);
	sm_evaluate(sm, w);
}

/* An answer is home. */
static void take_answer(void *self, struct mem_req *r)
{
	struct gpu *g = self;
	struct sm_guest *o = r->owner;
	struct sm *sm = o->home->sm;

	port_answered(sm, r, &g->memory_stats.offload_latency_ps);
	mem_req_put(g->pool, r);
	finish(g, o);
	sm_wake(sm, sm->now);
}

void offload_ports_new(struct gpu *g)
{
	static const struct net_port_ops request_ops = {.done = take_request}, answer_ops = {.done = take_answer};

	g->offload_request_ports = g_new(uint16_t, g->stack_count);
	for (uint32_t i = 0; i < g->stack_count; i++)
		g->offload_request_ports[i] = net_port_add(&g->ports, &request_ops, g, GPU_PLACE_STACK, i);
	g->offload_answer_ports = g_new(uint16_t, g->cluster_count);
	for (uint32_t i = 0; i < g->cluster_count; i++)
		g->offload_answer_ports[i] = net_port_add(&g->ports, &answer_ops, g, GPU_PLACE_CLUSTER, i);
}

void offload_reset(struct gpu *g)
{
	while (g->guests_live)
		guest_free(g, g->guests_live);
	for (uint32_t s = 0; s < g->stack_count; s++) {
		g->guest_queues[s] = (struct guest_queue){0};
		g->guest_credits[s] = (uint32_t)(g->stack_sm_count * g->config->gpu.stack_sm_warp_slot_count +
						 g->config->gpu.stack_sm_request_count);
		g->credit_queues[s] = (struct credit_queue){0};
	}
}
