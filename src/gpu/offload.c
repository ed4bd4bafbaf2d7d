/* offload.c - carries a block of instructions from a GPU SM to a stack SM and back: the part that every mechanism of
 * this kind shares. Which block, when and where to is the mechanism's decision (guest.h).
 *
 *   home warp stands at a marked instruction -> offload_begin
 *     -> [stores acknowledged] -> delay -> request packet -> offload_arrive     (or at once, when it is free)
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
	o->w = simt_guest_begin(g->launch, home, b->begin_pc, home->active_mask, b->live_in_sb, b->live_in_count,
				sm->index);
	sm->stats.guest_warps++;
	w = sm_warp_place(sm, o->w, sm_slot_find(sm), sm->now);
	w->guest = o;
	sm_wake(sm, sm->now);
}

/* At the stack: takes a warp slot or waits for one. */
static void place(struct gpu *g, struct sm_guest *o)
{
	uint32_t stack = o->offload.stack;
	struct sm *sm = find_sm(g, stack);

	if (sm) {
		start(g, sm, o);
		return;
	}
	o->next = NULL;
	if (g->guest_queue_last[stack])
		g->guest_queue_last[stack]->next = o;
	else
		g->guest_queue_first[stack] = o;
	g->guest_queue_last[stack] = o;
	if (++g->guest_queue_count[stack] > g->totals.offload_wait_max)
		g->totals.offload_wait_max = g->guest_queue_count[stack];
}

static void slot_freed(struct gpu *g, uint32_t stack)
{
	struct sm_guest *o = g->guest_queue_first[stack];
	struct sm *sm = o ? find_sm(g, stack) : NULL;

	if (!sm)
		return;
	g->guest_queue_first[stack] = o->next;
	if (!o->next)
		g->guest_queue_last[stack] = NULL;
	g->guest_queue_count[stack]--;
	start(g, sm, o);
}

bool offload_begin(struct sm *sm, struct sm_warp *w)
{
	struct gpu *g = sm->gpu;
	struct gpu_offload offload;

	if (!g->guest->block_begin)
		return false;
	offload = g->guest->block_begin(g->guest_ctx, g, sm->index, w->w, g->launch->program->insts[w->w->pc].mark);
	w->is_asked = true;
	if (!offload.is_offloaded)
		return false;
	CHECK(offload.stack < g->stack_count && g->stack_sm_count);
	g->totals.offloads++;
	w->offload = offload;
	sm_set_wait(sm, w, SM_WAIT_OFFLOAD);
	w->ready = sm->now + (offload.is_free ? 0 : offload.latency_cycles);
	if (w->ready == sm->now)
		offload_leave(sm, w);
	else
		sm_wheel_add(sm, w);
	return true;
}

/* The packet carries live-ins, so they must be there; and the stack SM must see the warp's stores. */
static bool live_ins_ready(struct sm *sm, struct sm_warp *w)
{
	const struct gpu_block *b = w->offload.block;
	uint32_t ready = 0;

	for (uint32_t i = 0; i < b->live_in_count; i++)
		ready = w->sb[b->live_in_sb[i]] > ready ? w->sb[b->live_in_sb[i]] : ready;
	w->offload_waits = ready == SM_SB_PENDING || (w->offload.invalidate_lines && w->stores_pending);
	if (w->offload_waits)
		return false;
	if (ready >> 1 <= sm->now)
		return true;
	w->ready = ready >> 1;
	sm_wheel_add(sm, w);
	return false;
}

void offload_leave(struct sm *sm, struct sm_warp *w)
{
	struct gpu *g = sm->gpu;
	struct sm_guest *o;
	struct mem_req *r;

	if (!live_ins_ready(sm, w))
		return;
	o = guest_new(g, w);
	if (o->offload.is_free) {
		place(g, o);
		return;
	}
	r = mem_req_get(g->pool);
	r->addr_bytes = 0;
	r->op = MEM_WRITE;
	r->class = MEM_CLASS_CONTROL;
	r->size_bytes = (uint16_t)o->offload.request_bytes;
	r->stack = (uint8_t)o->offload.stack;
	r->vault = 0;
	r->tag = w->slot;
	r->owner = o;
	port_push(sm, r);
	sm_wake(sm, sm->now);
}

void offload_arrive(struct gpu *g, struct mem_req *r)
{
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
		offload_finish(g, o);
		return;
	}

	struct mem_req *r = mem_req_get(g->pool);

	r->issue_units = o->start_units;
	r->op = MEM_WRITE;
	r->class = MEM_CLASS_CONTROL;
	r->size_bytes = (uint16_t)o->offload.reply_bytes;
	r->is_reply = true;
	r->source = (uint16_t)o->home->sm->index;
	r->stack = (uint8_t)o->offload.stack;
	r->slice = (uint16_t)(r->stack * g->slices_per_stack);
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

void offload_finish(struct gpu *g, struct sm_guest *o)
{
	struct sm_warp *home = o->home;
	struct sm *sm = home->sm;
	const struct gpu_block *b = o->offload.block;

	sm_touch(sm);
	for (uint32_t i = 0; i < o->line_count; i++) {
		mem_cache_invalidate_line(sm->l1d, o->lines[i]);
		l2_slice_invalidate(g, o->lines[i]);
	}
	simt_guest_end(g->launch, home->w, o->w, b->end_pc, b->live_out_sb, b->live_out_count);
	if (g->guest->block_end)
		g->guest->block_end(g->guest_ctx, g, sm->index, &o->offload);
	home->is_asked = false;
	guest_free(g, o);
	sm_fetch_start(sm, home, home->w->pc, sm->now);
	sm_evaluate(sm, home);
	sm_wake(sm, sm->now);
}

void offload_reset(struct gpu *g)
{
	while (g->guests_live)
		guest_free(g, g->guests_live);
	for (uint32_t s = 0; s < g->stack_count; s++) {
		g->guest_queue_first[s] = g->guest_queue_last[s] = NULL;
		g->guest_queue_count[s] = 0;
	}
}
