/* block.c - carries a block of instructions from a GPU SM to a stack SM and back, once the policy has said so (ask.c).
 *
 *   home warp stands at a block's begin, or at its first access -> block_leave -> [stores of the SM in memory] -> delay
 *     -> request packet -> take_request     (or at once, when it is free)
 *     -> a warp slot of a stack SM -> runs -> stepped -> what it has in flight arrives
 *     -> answer packet -> finish: live-outs written, home warp goes on after the block
 */
#include "ndp/carry/priv.h"

#include <glib.h>
#include <string.h>

static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct block_stats
#include "sim/stat_rows.inc"
#include "ndp/carry/block_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table carry_block_stat_table = {"gpu", stat_rows, ARRAY_COUNT(stat_rows)};

/* Where a home warp is looked at once it is about to leave, and its guest. */
enum { LEAVING = 1 << GPU_POINT_DUE | 1 << GPU_POINT_RETURNED,
       GUEST = 1 << GPU_POINT_STEPPED | 1 << GPU_POINT_ACCESS | 1 << GPU_POINT_STORE,
       ENDING = 1 << GPU_POINT_EVALUATE | 1 << GPU_POINT_RETURNED };

static struct guest *guest_new(struct carry *c, struct sm_warp *home)
{
	struct guest *o = c->guests_free;
	struct lines lines;

	if (o)
		base_stack_pop(&c->guests_free, next);
	else
		o = g_new0(struct guest, 1);
	lines = o->lines;
	lines_clear(&lines);
	*o = (struct guest){.home = home, .offload = entry_of(c, home)->offload, .lines = lines};
	entry_of(c, home)->away = o;
	base_list_push(&c->guests_live, o, live);
	return o;
}

static void guest_free(struct carry *c, struct guest *o)
{
	base_list_remove(&c->guests_live, o, live);
	base_stack_push(&c->guests_free, o, next);
}

/* Registers that the block holds in a stack SM. */
static uint32_t registers_of(const struct carry *c, const struct carry_block *b)
{
	const uint32_t unit = (uint32_t)c->gpu->config->sm.register_alloc_count;

	return (b->register_count * SIMT_LANES + unit - 1) / unit * unit;
}

/* A slot and registers, or nobody else's guests there. */
static bool has_place(const struct carry *c, const struct sm *sm, const struct carry_block *b)
{
	const uint32_t held = c->guest_registers[sm->index];

	return sm->resident_warps < sm->warp_slot_count &&
	       (!held || !c->gpu->config->gpu.stack_sm_registers ||
		held + registers_of(c, b) <= c->gpu->config->sm.register_count);
}

/* The stack SM with a place for the block that has the most free slots, the first on ties; NULL when there is none. */
static struct sm *find_sm(const struct carry *c, const struct guest *o)
{
	struct sm *best = NULL;

	for (uint32_t i = 0; i < c->gpu->stack_sm_count; i++) {
		struct sm *sm = gpu_stack_sm(c->gpu, o->offload.stack, i);

		if (has_place(c, sm, o->offload.block) && (!best || sm->resident_warps < best->resident_warps))
			best = sm;
	}
	return best;
}

static bool is_written(const void *written, uint64_t addr_bytes)
{
	return carry_is_written(written, addr_bytes);
}

/* A line may hold the first bytes of an allocation that is not the one its address is in: allocations begin on lines
 * (SIMT_ARENA_ALIGN_BYTES), so that none does. */
static void forget_lines(struct carry *c, struct sm *sm, const struct carry_written *written)
{
	if (!written || written->all)
		mem_cache_invalidate_all(sm->l1d);
	else
		c->block_stats.offload_kept_lines += mem_cache_invalidate_some(sm->l1d, is_written, written);
}

static void start(struct carry *c, struct sm *sm, struct guest *o)
{
	const struct carry_block *b = o->offload.block;
	const struct simt_warp *home = o->home->w;
	struct sm_warp *w;

	sm_touch(sm);
	if (o->offload.invalidate_lines)
		forget_lines(c, sm, o->offload.written);
	if (!o->w)
		o->w = simt_guest_begin(c->gpu->launch, home, b->begin_pc, home->active_mask, b->live_in_sb,
					b->live_in_count, sm->index);
	sm->stats.guest_warps++;
	account_trip_step(c->gpu, o->home, ACCOUNT_TRIP_SLOT);
	c->guest_registers[sm->index] += registers_of(c, b);
	o->placed_units = sim_now_units(c->gpu->engine);
	w = sm_warp_place(sm, o->w, sm_slot_find(sm), SM_NO_CTA, sm->now + o->offload.start_cycles);
	entry_of(c, w)->guest = o;
	sm_watch(c->block, w, GUEST);
	sm_wake(sm, sm->now);
}

/* At the stack: takes a warp slot or waits for one. */
static void place(struct carry *c, struct guest *o)
{
	struct block_stack *s = &c->stacks[o->offload.stack];
	struct sm *sm = find_sm(c, o);

	if (sm) {
		start(c, sm, o);
		return;
	}
	base_fifo_push(&s->waiting, o, next);
	if (++s->waiting_count > c->block_stats.offload_wait_max)
		c->block_stats.offload_wait_max = s->waiting_count;
}

static void slot_freed(struct carry *c, uint32_t stack)
{
	struct block_stack *s = &c->stacks[stack];
	struct sm *sm;

	while (s->waiting.first && (sm = find_sm(c, s->waiting.first))) {
		s->waiting_count--;
		start(c, sm, base_fifo_pop(&s->waiting, next));
	}
}

static void count_guest(struct sm *sm, const struct simt_step *step)
{
	uint32_t threads = simt_lane_count(step->exec_mask);

	sm->stats.guest_thread_instructions += threads;
	if (step->inst->unit == SIMT_UNIT_LDST)
		sm->stats.guest_memory_threads += threads;
}

static void guest_stepped(struct carry *c, struct sm *sm, struct sm_warp *w, const struct simt_step *step)
{
	struct guest *o = entry_of(c, w)->guest;

	count_guest(sm, step);
	o->is_ending = simt_guest_reached(w->w, o->offload.block->end_pc);
	if (!o->is_ending)
		return;
	account_trip_step(c->gpu, o->home, ACCOUNT_TRIP_RUN);
	sm_watch(c->block, w, ENDING);
}

static void stepped(void *self, struct sm *sm, struct sm_warp *w, const struct simt_step *step)
{
	if (entry_of(self, w)->guest)
		guest_stepped(self, sm, w, step);
	else
		ask_stepped(self, w, step);
}

/* ---- departure ---- */

/* The packet carries live-ins, so they must be there; and the stack SM must see all stores that its SM issued before
 * (TOM section 4.4.2): the warp's own, and those of other warps of its CTA, which a barrier may have ordered before the
 * block. */
static bool may_leave(struct carry *c, struct sm *sm, struct sm_warp *w)
{
	struct entry *e = entry_of(c, w);
	const struct carry_block *b = e->offload.block;
	uint32_t ready = 0;

	for (uint32_t i = 0; i < b->live_in_count; i++)
		ready = w->sb[b->live_in_sb[i]] > ready ? w->sb[b->live_in_sb[i]] : ready;
	e->waits = ready == SM_SB_PENDING || (e->offload.invalidate_lines && !sm_stores_drained(sm, &e->drain));
	if (e->waits)
		return false;
	if (ready >> 1 <= sm->now)
		return true;
	w->ready = ready >> 1;
	sm_wheel_add(sm, w);
	return false;
}

static struct guest *depart(struct carry *c, struct sm_warp *w)
{
	struct entry *e = entry_of(c, w);
	struct guest *o = guest_new(c, w);

	o->w = e->trial;
	o->decided_units = e->decided_units;
	if (c->policy->block_sent)
		c->policy->block_sent(c->policy_ctx, c->gpu, &o->offload);
	c->promises_coherence &= o->offload.invalidate_lines;
	e->trial = NULL;
	return o;
}

static void send_request(struct carry *c, struct sm *sm, struct sm_warp *w)
{
	struct guest *o = depart(c, w);
	struct mem_req *r;

	r = mem_req_get(c->gpu->pool);
	r->addr_bytes = 0;
	mem_req_set_message(r, o->offload.request_bytes);
	if (unlikely(c->gpu->account != NULL))
		account_block_at(c->gpu, o->offload.block->begin_pc)->request_bytes += o->offload.request_bytes;
	r->port = c->stacks[o->offload.stack].port;
	r->stack = (uint8_t)o->offload.stack;
	r->vault = (uint8_t)w->slot; /* any slice of the stack: they share the packets */
	r->owner = o;
	port_push(sm, r);
	sm_wake(sm, sm->now);
}

/* A home warp's delay is over: the request leaves. It leaves with the promise of a place at its stack, so it never
 * stops on the way and holds nobody up: requests and what they need to be answered cannot wait for one another in a
 * circle. The acknowledgment brings the credit back. */
static void leave(struct carry *c, struct sm *sm, struct sm_warp *w)
{
	struct entry *e = entry_of(c, w);
	struct block_stack *s = &c->stacks[e->offload.stack];

	if (!may_leave(c, sm, w))
		return;
	sm_unwatch(c->block, w, LEAVING);
	account_trip_step(c->gpu, w, ACCOUNT_TRIP_LEAVE);
	if (e->offload.is_free) {
		place(c, depart(c, w));
		return;
	}
	if (s->credits) {
		s->credits--;
		send_request(c, sm, w);
		return;
	}
	c->block_stats.offload_credit_waits++;
	base_fifo_push(&s->credit_line, e, credit_next);
}

void block_leave(struct carry *c, struct sm *sm, struct sm_warp *w)
{
	struct entry *e = entry_of(c, w);

	c->block_stats.offloads++;
	e->decided_units = sim_now_units(c->gpu->engine);
	e->drain.has_begun = false;
	account_trip_begin(c->gpu, w, e->offload.block->begin_pc);
	sm_watch(c->block, w, LEAVING);
	sm_set_wait(sm, w, SM_WAIT_OFFLOAD);
	w->ready = sm->now + (e->offload.is_free ? 0 : e->offload.latency_cycles);
	if (w->ready == sm->now)
		leave(c, sm, w);
	else
		sm_wheel_add(sm, w);
}

static void due(void *self, struct sm *sm, struct sm_warp *w)
{
	if (ask_is_reading(entry_of(self, w)))
		ask_reads_due(self, sm, w);
	else
		leave(self, sm, w);
}

static void stores_done(void *self, struct sm *sm)
{
	struct carry *c = self;

	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		for (uint64_t m = sm->schedulers[i].waiting[SM_WAIT_OFFLOAD]; m; m &= m - 1) {
			uint32_t bit = (uint32_t)__builtin_ctzll(m);
			struct sm_warp *w = &sm->warps[bit * sm->scheduler_count + i];

			if (!entry_of(c, w)->waits)
				continue;
			leave(c, sm, w);
			sm_wake(sm, sm->now);
		}
	}
}

static bool returned(void *self, struct sm *sm, struct sm_warp *w, bool is_load)
{
	struct carry *c = self;
	struct entry *e = entry_of(c, w);

	if (e->guest)
		return !is_load && e->guest->is_ending;
	if (is_load && e->waits)
		leave(c, sm, w);
	else if (is_load && e->reading == READS_REGISTERS)
		ask_reads_due(c, sm, w);
	return false;
}

static void credit_returned(struct carry *c, uint32_t stack)
{
	struct block_stack *s = &c->stacks[stack];
	struct sm_warp *w;

	if (!s->credit_line.first) {
		s->credits++;
		return;
	}
	w = base_fifo_pop(&s->credit_line, credit_next)->w;
	sm_touch(w->sm);
	send_request(c, w->sm, w);
}

/* ---- at the stack ---- */

/* A request has reached its stack. */
static void take_request(void *self, struct mem_req *r)
{
	struct carry *c = self;
	struct guest *o = r->owner;

	o->start_units = r->issue_units;
	account_trip_out(c->gpu, o->home, r);
	mem_req_put(c->gpu->pool, r);
	c->gpu->memory_stats.answers++;
	place(c, o);
}

/* The guest has written a line. */
static void store(void *self, struct sm_warp *w, uint64_t line_addr_bytes)
{
	struct guest *o = entry_of(self, w)->guest;

	if (o->offload.invalidate_lines)
		lines_add(&o->lines, line_addr_bytes);
}

static void finish(struct carry *c, struct guest *o);

static void answer_send(struct carry *c, struct guest *o)
{
	struct gpu *g = c->gpu;
	struct mem_req *r = mem_req_get(g->pool);

	r->issue_units = o->start_units;
	if (unlikely(g->account != NULL))
		net_stamps_clear(r);
	mem_req_set_message(r, o->offload.reply_bytes + o->lines.count * o->offload.reply_line_bytes);
	if (unlikely(g->account != NULL))
		account_block_at(g, o->offload.block->begin_pc)->answer_bytes +=
		    o->offload.reply_bytes + o->lines.count * o->offload.reply_line_bytes;
	r->port = c->answer_ports[o->home->sm->cluster];
	r->stack = (uint8_t)o->offload.stack;
	r->slice = slice_of(g, r->stack, o->home->slot);
	r->owner = o;
	g->memory_stats.requests++;
	logic_layer_reply(g->stacks[r->stack], r);
}

/* The guest has run its block: waits for its live-outs and, for coherence, its stores; then the answer leaves. */
static bool evaluate(void *self, struct sm *sm, struct sm_warp *w)
{
	struct carry *c = self;
	struct guest *o = entry_of(c, w)->guest;
	const struct carry_block *b = o->offload.block;
	uint32_t ready = 0;

	for (uint32_t i = 0; i < b->live_out_count; i++)
		ready = w->sb[b->live_out_sb[i]] > ready ? w->sb[b->live_out_sb[i]] : ready;
	sm_set_wait(sm, w, SM_WAIT_MEMORY);
	if (w->loads_pending || (o->offload.invalidate_lines && w->stores_pending))
		return true;
	if (ready >> 1 > sm->now) {
		w->ready = ready >> 1;
		sm_wheel_add(sm, w);
		return true;
	}
	gpu_span(c->gpu, GPU_SPANS_BLOCKS, o->offload.stack, c->gpu->launch->program->insts[b->begin_pc].line,
		 o->placed_units);
	c->block_stats.offload_place_ps +=
	    sim_ps_of_units(c->gpu->engine, sim_now_units(c->gpu->engine) - o->placed_units);
	account_trip_step(c->gpu, o->home, ACCOUNT_TRIP_DRAIN);
	sm_warp_retire(sm, w);
	c->guest_registers[sm->index] -= registers_of(c, b);
	slot_freed(c, o->offload.stack);
	if (o->offload.is_free)
		finish(c, o);
	else
		answer_send(c, o);
	return true;
}

/* The block has ended: its warp goes on behind it. */
static void finish(struct carry *c, struct guest *o)
{
	struct gpu *g = c->gpu;
	struct sm_warp *home = o->home;
	struct entry *e = entry_of(c, home);
	struct sm *sm = home->sm;
	const struct carry_block *b = o->offload.block;
	uint32_t wait_cycles = o->lines.count * o->offload.invalidate_cycles;

	sm_touch(sm);
	for (uint32_t i = 0; i < o->lines.count; i++) {
		mem_cache_invalidate_line(sm->l1d, o->lines.addr_bytes[i]);
		port_invalidate(sm, o->lines.addr_bytes[i]);
	}
	if (c->audit)
		coherence_audit_block_end(c->audit, o, sim_now_units(g->engine));
	simt_guest_end(g->launch, home->w, o->w, b->end_pc, b->live_out_sb, b->live_out_count);
	account_trip_end(g, home);
	c->block_stats.offload_answers++;
	if (c->policy->block_end)
		c->policy->block_end(c->policy_ctx, g, sm->index, &o->offload, o->lines.count);
	e->is_asked = false;
	e->away = NULL;
	if (e->is_observed)
		ask_left(c, home);
	if (!o->offload.is_free)
		credit_returned(c, o->offload.stack);
	guest_free(c, o);
	sm_fetch_start(sm, home, home->w->pc, sm->now + wait_cycles);
	sm_evaluate(sm, home);
	sm_wake(sm, sm->now);
}

/* An answer is home. */
static void take_answer(void *self, struct mem_req *r)
{
	struct carry *c = self;
	struct guest *o = r->owner;
	struct sm *sm = o->home->sm;

	port_answered(sm, r, &c->gpu->memory_stats.offload_latency_ps);
	account_trip_home(c->gpu, o->home, r);
	mem_req_put(c->gpu->pool, r);
	finish(c, o);
	sm_wake(sm, sm->now);
}

/* ---- a kernel ---- */

static void check_end(void *self)
{
	const struct carry *c = self;

	CHECK(!c->guests_live);
}

static bool is_idle(void *self)
{
	const struct carry *c = self;

	return !c->guests_live;
}

static void reset(void *self)
{
	struct carry *c = self;
	const struct gpu_params *p = &c->gpu->config->gpu;

	while (c->guests_live)
		guest_free(c, c->guests_live);
	memset(c->guest_registers, 0, c->gpu->sm_total * sizeof(*c->guest_registers));
	for (uint32_t s = 0; s < c->gpu->stack_count; s++)
		c->stacks[s] = (struct block_stack){
		    .port = c->stacks[s].port,
		    .credits = (uint32_t)(p->stack_sm_count * p->stack_sm_warp_slot_count + p->stack_sm_request_count),
		};
}

/* A warp whose block runs elsewhere stands where its guest does. */
static bool is_elsewhere(void *self, const struct sm_warp *w)
{
	const struct guest *o = entry_of(self, w)->away;

	return o && o->w;
}

bool block_run_untimed(struct gpu *g, struct simt_warp *home, struct simt_warp *guest, const struct carry_block *b)
{
	while (!simt_guest_reached(guest, b->end_pc)) {
		if (!gpu_untimed_step(g, guest))
			return false;
	}
	simt_guest_end(g->launch, home, guest, b->end_pc, b->live_out_sb, b->live_out_count);
	return true;
}

/* Blocks under way: one that has begun runs to its end; one that has not runs at home, where its warp still stands. */
static bool finish_untimed(void *self)
{
	struct carry *c = self;

	for (struct guest *o = c->guests_live; o; o = o->live.next) {
		if (o->w && !block_run_untimed(c->gpu, o->home->w, o->w, o->offload.block))
			return false;
	}
	for (uint32_t i = 0; i < c->gpu->sm_count; i++) {
		if (!ask_finish_untimed(c, c->gpu->sms[i]))
			return false;
	}
	return true;
}

/* ---- building ---- */

static void ports_new(struct carry *c)
{
	static const struct net_port_ops request_ops = {.done = take_request}, answer_ops = {.done = take_answer};
	struct gpu *g = c->gpu;

	c->stacks = g_new0(struct block_stack, g->stack_count);
	c->guest_registers = g_new0(uint32_t, g->sm_total);
	for (uint32_t i = 0; i < g->stack_count; i++)
		c->stacks[i].port = net_port_add(&g->ports, &request_ops, c, GPU_PLACE_STACK, i);
	c->answer_ports = g_new(uint16_t, g->cluster_count);
	for (uint32_t i = 0; i < g->cluster_count; i++)
		c->answer_ports[i] = net_port_add(&g->ports, &answer_ops, c, GPU_PLACE_CLUSTER, i);
}

static void build(void *self, struct gpu *g, const struct gpu_ext *e)
{
	struct carry *c = self;

	c->gpu = g;
	c->block = e;
	c->promises_coherence = true;
	ports_new(c);
	reset(c);
	sim_stats_add_table(g->stats, &carry_block_stat_table, &c->block_stats, sizeof(c->block_stats));
	sim_stats_law(g->stats, "gpu.offloads = gpu.offload_answers");
}

static void block_free(void *self)
{
	struct carry *c = self;

	while (c->guests_free) {
		struct guest *o = base_stack_pop(&c->guests_free, next);

		lines_free(&o->lines);
		g_free(o);
	}
	g_free(c->stacks);
	g_free(c->guest_registers);
	g_free(c->answer_ports);
}

const struct gpu_ext_ops carry_block_ops = {
    .warp_bytes = sizeof(struct entry),
    .build = build,
    .free = block_free,
    .check_end = check_end,
    .reset = reset,
    .is_idle = is_idle,
    .finish_untimed = finish_untimed,
    .is_elsewhere = is_elsewhere,
    .evaluate = evaluate,
    .enter = ask_enter,
    .stepped = stepped,
    .branched = ask_branched,
    .access = ask_accessed,
    .returned = returned,
    .store = store,
    .due = due,
    .passed = ask_passed,
    .stores_done = stores_done,
};
