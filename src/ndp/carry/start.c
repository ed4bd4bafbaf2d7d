/* start.c - has CTAs begin on SMs of stacks. Which CTA, and on which SM, is the policy's decision.
 *
 *   the next CTA of the grid -> the policy is asked -> latency -> a message over the crossbar and TX -> it begins
 *   it has ended -> a message over RX -> its place is free for another
 *
 * The place is kept from the decision on, so nothing waits in the stack.
 */
#include "ndp/carry/priv.h"

#include <glib.h>

/* A CTA that no SM has yet. */
struct start {
	struct sm *to, *by; /* by whose port of the crossbar it is told: the scheduler has none of its own */
	struct simt_cta *cta;
	uint64_t index, order_cycle, leave_cycle;
	uint32_t bytes_left, packets_out; /* of the message: not yet sent; sent, not arrived */
	struct start *next;
};

static uint64_t now_cycle(const struct gpu *g)
{
	return sim_cycle_now(g->engine, g->clocks.sm);
}

static void start_free(struct carry *c, struct start *s)
{
	struct start **at = &c->starts;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	base_stack_push(&c->starts_free, s, next);
}

/* Behind those that were decided before. */
static struct start *start_new(struct carry *c)
{
	struct start *s = c->starts_free, **last = &c->starts;

	if (s)
		base_stack_pop(&c->starts_free, next);
	else
		s = g_new(struct start, 1);
	*s = (struct start){0};
	while (*last)
		last = &(*last)->next;
	*last = s;
	return s;
}

static bool starts(void *self, uint64_t index)
{
	struct carry *c = self;
	struct gpu *g = c->gpu;
	struct simt_cta *cta = simt_cta_begin(g->launch, index, g->sm_count);
	struct carry_start where;
	struct start *s;

	if (!c->policy->cta_start(c->policy_ctx, g, cta, index, &where)) {
		simt_cta_end(cta);
		return false;
	}
	CHECK(where.message_bytes && gpu_sm_stack(g, where.sm) != UINT32_MAX && gpu_cta_room(g, where.sm));
	s = start_new(c);
	s->to = g->sms[where.sm];
	s->by = g->sms[index % g->sm_count];
	s->cta = cta;
	s->index = index;
	s->order_cycle = now_cycle(g);
	s->leave_cycle = s->order_cycle + where.latency_cycles;
	s->bytes_left = where.message_bytes;
	s->to->ctas_coming++;
	c->cta_stats.cta_starts++;
	c->cta_stats.cta_start_bytes += where.message_bytes;
	carry_audit_starts(c, index, cta, where.message_bytes);
	carry_cta_offered(g, NULL);
	sim_wake_cycle(g->engine, c->start_comp, s->leave_cycle);
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
	for (struct start *s = c->starts; s; s = s->next) {
		if (s->bytes_left && s->leave_cycle <= cycle)
			send(c, s);
		if (s->bytes_left)
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
	sm_cta_begin(s->to, s->cta, s->index, s->order_cycle);
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
	if (!c->gpu->stop)
		gpu_ctas_offer(c->gpu);
}

void carry_ctas_start(struct gpu *g)
{
	struct carry *c = carry_of(g);

	CHECK(c->start);
	g->cta_starter = c->start;
	c->promises_coherence = true;
}

/* ---- a kernel ---- */

static void check_end(void *self)
{
	const struct carry *c = self;

	CHECK(!c->starts);
}

static void reset(void *self)
{
	struct carry *c = self;

	while (c->starts) {
		simt_cta_end(c->starts->cta);
		start_free(c, c->starts);
	}
}

static void each_cta(void *self, void (*fn)(void *ctx, struct simt_cta *cta), void *ctx)
{
	const struct carry *c = self;

	for (struct start *s = c->starts; s; s = s->next)
		fn(ctx, s->cta);
}

static void build(void *self, struct gpu *g, const struct gpu_ext *e)
{
	static const struct net_port_ops start_ops = {.done = take_start}, end_ops = {.done = take_end};
	struct carry *c = self;

	c->start = e;
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

	g_free(c->start_ports);
	g_free(c->end_ports);
	while (c->starts_free)
		g_free(base_stack_pop(&c->starts_free, next));
}

const struct gpu_ext_ops carry_start_ops = {
    .build = build,
    .free = start_ext_free,
    .check_end = check_end,
    .reset = reset,
    .each_cta = each_cta,
    .cta_starts = starts,
    .cta_done = cta_done,
};
