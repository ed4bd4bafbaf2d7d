/* start.c - has CTAs begin on SMs of stacks. Which CTA, and on which SM, is the policy's decision.
 *
 *   the next CTA of the grid -> the policy is asked -> [it waits for a place -> or is given back] -> latency
 *     -> a message over the crossbar and TX -> it begins
 *   it has ended -> a message over RX -> its place is free for another
 *
 * A place is kept before the message leaves, so nothing waits in the stack. What waits in the GPU is a number.
 */
#include "ndp/carry/priv.h"

#include <glib.h>
#include <string.h>

/* A CTA that no SM has yet. */
struct start {
	struct sm *to; /* NULL: it waits for a place in the stack */
	struct sm *by; /* by whose port of the crossbar it is told: the scheduler has none of its own */
	struct simt_cta *cta; /* once it has a place */
	uint32_t stack;
	uint64_t index, leave_cycle;
	uint32_t bytes_left, packets_out; /* of the message: not yet sent; sent, not arrived */
	struct start *next;
};

static uint64_t now_cycle(const struct gpu *g)
{
	return sim_cycle_now(g->engine, g->clocks.sm);
}

/* It has a place from now on. */
static void keep_place(struct carry *c, struct start *s, struct sm *to, struct simt_cta *cta)
{
	struct gpu *g = c->gpu;

	CHECK(to->stack == s->stack && gpu_cta_room(g, to->index));
	s->to = to;
	s->cta = cta;
	s->leave_cycle = MAX(s->leave_cycle, now_cycle(g));
	to->ctas_coming++;
	c->cta_stats.cta_starts++;
	c->cta_stats.cta_start_bytes += s->bytes_left;
	carry_audit_starts(c, s->index, cta, s->bytes_left);
	carry_cta_offered(g, NULL);
	sim_wake_cycle(g->engine, c->start_comp, s->leave_cycle);
}

/* Behind those that were decided before. */
static struct start *start_new(struct carry *c)
{
	struct start *s = base_pool_take(&c->start_pool, next);

	*s = (struct start){0};
	base_fifo_push(&c->starts, s, next);
	return s;
}

static void start_free(struct carry *c, struct start *s)
{
	base_fifo_remove(&c->starts, s, next);
	base_pool_put(&c->start_pool, s, next);
}

static bool starts(void *self, uint64_t index)
{
	struct carry *c = self;
	struct gpu *g = c->gpu;
	struct carry_start where;
	struct simt_cta *cta;
	struct start *s;

	if (!simt_cta_has_room(g->launch))
		return false;
	cta = simt_cta_begin(g->launch, index, g->sm_count);
	if (!c->policy->cta_start(c->policy_ctx, g, cta, index, &where)) {
		simt_cta_end(cta);
		return false;
	}
	CHECK(where.message_bytes && where.stack < g->stack_count);
	s = start_new(c);
	s->stack = where.stack;
	s->by = g->sms[index % g->sm_count];
	s->index = index;
	s->leave_cycle = now_cycle(g) + where.latency_cycles;
	s->bytes_left = where.message_bytes;
	if (where.sm != CARRY_NO_SM) {
		keep_place(c, s, g->sms[where.sm], cta);
		return true;
	}
	simt_cta_end(cta);
	c->starts_waiting[s->stack]++;
	return true;
}

uint32_t carry_ctas_waiting(struct gpu *g, uint32_t stack)
{
	const struct carry *c = gpu_ext_self(g, &carry_start_ops);

	return c->starts_waiting[stack];
}

/* The first that waits for the stack gets a place at the SM. */
static void serve(struct carry *c, struct sm *sm)
{
	struct start *s = c->starts.first;

	if (!c->starts_waiting[sm->stack] || !gpu_cta_room(c->gpu, sm->index) || !simt_cta_has_room(c->gpu->launch))
		return;
	while (s->to || s->stack != sm->stack)
		s = s->next;
	c->starts_waiting[sm->stack]--;
	keep_place(c, s, sm, simt_cta_begin(c->gpu->launch, s->index, sm->index));
}

static bool back(void *self, uint64_t *index)
{
	struct carry *c = self;
	const uint32_t stack = c->policy->cta_back(c->policy_ctx, c->gpu);
	struct start *last = NULL;

	if (stack == UINT32_MAX)
		return false;
	for (struct start *s = c->starts.first; s; s = s->next)
		if (!s->to && s->stack == stack)
			last = s;
	CHECK(last);
	c->starts_waiting[stack]--;
	*index = last->index;
	start_free(c, last);
	return true;
}

/* As much as the queue of the SM whose port it uses takes. */
static void send(struct carry *c, struct start *s)
{
	struct gpu *g = c->gpu;
	const uint32_t packet_bytes = (uint32_t)g->config->l2.line_bytes; /* what the links carry of an answer */

	sm_touch(s->by);
	while (s->bytes_left && port_has_room(s->by, 1)) {
		const uint32_t bytes = s->bytes_left < packet_bytes ? s->bytes_left : packet_bytes;
		struct mem_req *r = mem_req_get(g->pool);

		r->addr_bytes = 0;
		mem_req_set_message(r, bytes);
		r->port = c->start_ports[s->to->stack];
		r->stack = (uint8_t)s->to->stack;
		r->vault = (uint8_t)(s->index & (g->slices_per_stack - 1)); /* the stack's slices take turns */
		r->bank = 0;
		r->owner = s;
		port_push(s->by, r);
		s->packets_out++;
		s->bytes_left -= bytes;
	}
}

static void tick(void *component, uint64_t cycle)
{
	struct carry *c = component;
	uint64_t again = UINT64_MAX;

	if (c->gpu->has_failed)
		return;
	for (struct start *s = c->starts.first; s; s = s->next) {
		if (s->to && s->bytes_left && s->leave_cycle <= cycle)
			send(c, s);
		if (s->to && s->bytes_left)
			again = MIN(again, MAX(s->leave_cycle, cycle + 1));
	}
	if (again != UINT64_MAX)
		sim_wake_cycle(c->gpu->engine, c->start_comp, again);
}

/* A part of the message is there. */
static void take_start(void *self, struct mem_req *r)
{
	struct carry *c = self;
	struct start *s = r->owner;

	carry_audit_packet(c, s->index, r);
	mem_req_put(c->gpu->pool, r);
	c->gpu->memory_stats.answers++;
	if (--s->packets_out || s->bytes_left)
		return;
	carry_audit_arrives(c, s->index, s->cta, s->to);
	c->cta_stats.cta_begins++;
	sm_cta_begin(s->to, s->cta, s->index);
	carry_audit_arrived(c, s->index, s->to);
	start_free(c, s);
}

/* One of a stack has ended: its place is nobody's until that is known. */
static void cta_done(void *self, struct sm *sm, uint64_t index)
{
	struct carry *c = self;
	struct gpu *g = c->gpu;
	struct mem_req *r;

	(void)index;
	if (likely(!g->cta_starter) || sm->stack == UINT32_MAX)
		return;
	r = mem_req_get(g->pool);
	sm->ctas_coming++;
	r->addr_bytes = 0;
	r->issue_units = sim_now_units(g->engine);
	if (unlikely(g->account != NULL))
		net_stamps_clear(r);
	mem_req_set_message(r, 0); /* the header says which */
	r->port = c->end_ports[sm->index % g->cluster_count];
	r->stack = (uint8_t)sm->stack;
	r->slice = slice_of(g, r->stack, sm->index);
	r->owner = sm;
	g->memory_stats.requests++;
	logic_layer_reply(g->stacks[sm->stack], r);
}

static void take_end(void *self, struct mem_req *r)
{
	struct carry *c = self;
	struct sm *sm = r->owner;

	c->gpu->memory_stats.answers++;
	mem_req_put(c->gpu->pool, r);
	sm->ctas_coming--;
	if (c->gpu->stop)
		return;
	serve(c, sm);
	gpu_ctas_offer(c->gpu);
}

void carry_ctas_start(struct gpu *g)
{
	struct carry *c = gpu_ext_self(g, &carry_start_ops);

	CHECK(c->start);
	g->cta_starter = c->start;
	c->promises_coherence = true;
}

/* ---- a kernel ---- */

static void check_end(void *self)
{
	const struct carry *c = self;

	CHECK(!c->starts.first);
}

static void reset(void *self)
{
	struct carry *c = self;

	while (c->starts.first) {
		if (c->starts.first->cta)
			simt_cta_end(c->starts.first->cta);
		start_free(c, c->starts.first);
	}
	memset(c->starts_waiting, 0, c->gpu->stack_count * sizeof(*c->starts_waiting));
}

static void each_cta(void *self, void (*fn)(void *ctx, struct simt_cta *cta), void *ctx)
{
	const struct carry *c = self;

	for (struct start *s = c->starts.first; s; s = s->next)
		if (s->cta)
			fn(ctx, s->cta);
}

static bool is_stopped_in(struct gpu *g, struct simt_cta *cta)
{
	while (!simt_cta_is_done(cta)) {
		for (uint32_t i = 0; i < simt_cta_warp_count(cta); i++) {
			struct simt_warp *w = simt_cta_warp(cta, i);

			while (!w->is_done && !w->at_barrier)
				if (!gpu_untimed_step(g, w))
					return true;
		}
	}
	return false;
}

/* Those that wait: none waits for another. */
static bool finish_untimed(void *self)
{
	struct carry *c = self;

	for (struct start *s = c->starts.first, *next; s; s = next) {
		next = s->next;
		if (s->to)
			continue;
		s->cta = simt_cta_begin(c->gpu->launch, s->index, 0);
		if (is_stopped_in(c->gpu, s->cta))
			return false;
		simt_cta_end(s->cta);
		start_free(c, s);
	}
	return true;
}

static void build(void *self, struct gpu *g, const struct gpu_ext *e)
{
	static const struct net_port_ops start_ops = {.done = take_start}, end_ops = {.done = take_end};
	struct carry *c = self;

	c->start = e;
	c->starts_waiting = g_new0(uint32_t, g->stack_count);
	c->start_ports = g_new(uint16_t, g->stack_count);
	for (uint32_t i = 0; i < g->stack_count; i++)
		c->start_ports[i] = net_port_add(&g->ports, &start_ops, c, GPU_PLACE_STACK, i);
	c->end_ports = g_new(uint16_t, g->cluster_count);
	for (uint32_t i = 0; i < g->cluster_count; i++)
		c->end_ports[i] = net_port_add(&g->ports, &end_ops, c, GPU_PLACE_CLUSTER, i);
	c->start_comp = sim_engine_add(g->engine, g->clocks.sm, "start", tick, c);
	sim_stats_law(g->stats, "gpu.cta_starts = gpu.cta_begins");
}

static void start_ext_free(void *self)
{
	struct carry *c = self;

	g_free(c->starts_waiting);
	g_free(c->start_ports);
	g_free(c->end_ports);
	base_pool_free(&c->start_pool);
}

const struct gpu_ext_ops carry_start_ops = {
    .build = build,
    .free = start_ext_free,
    .check_end = check_end,
    .reset = reset,
    .each_cta = each_cta,
    .finish_untimed = finish_untimed,
    .cta_starts = starts,
    .cta_back = back,
    .cta_done = cta_done,
};
