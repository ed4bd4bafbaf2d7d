/* far_shared.c - shared memory that stays at the SM of the GPU which a CTA has left (gpu.stack_sm_shared_stays): "the
 * threads in that case will have to make access to the shared memory present on the host" (BOM, MSc thesis 2017,
 * section 5.2, point 5).
 *
 *   LSU of the stack's SM -> RX, crossbar -> home: passes over its banks, latency of shared memory
 *     -> crossbar, TX -> the access is done
 *
 * What only writes is done when it is home. Until the CTA has ended it keeps its place in that SM's shared memory.
 */
#include <glib.h>

#include "ndp/carry/priv.h"

/* An access on its way. */
struct far_access {
	struct sm *sm, *home;
	uint32_t access, passes, back_bytes;
	uint64_t ready_cycle; /* at home */
	struct far_access *next;
	BASE_LINKS(struct far_access) live; /* all that are on their way */
};

void far_shared_issue(void *self, struct sm *sm, const struct lsu_entry *e)
{
	struct carry *c = self;
	struct gpu *g = c->gpu;
	struct sm *home = g->sms[sm->ctas[sm->warps[e->slot].cta_slot].home_sm];
	struct mem_req *r = mem_req_get(g->pool);
	struct far_access *a = c->far_free;

	if (a)
		base_stack_pop(&c->far_free, next);
	else
		a = g_new(struct far_access, 1);
	*a = (struct far_access){.sm = sm, .home = home, .access = e->access, .passes = e->passes,
				 .back_bytes = e->far_back_bytes};
	base_list_push(&c->far_live, a, live);
	r->addr_bytes = 0;
	r->issue_units = sim_now_units(g->engine);
	if (unlikely(g->account != NULL))
		net_stamps_clear(r);
	mem_req_set_message(r, e->far_bytes);
	r->port = c->far_home_ports[home->cluster];
	r->stack = (uint8_t)sm->stack;
	r->slice = slice_of(g, r->stack, e->slot);
	r->owner = a;
	g->memory_stats.requests++;
	c->cta_stats.far_accesses++;
	logic_layer_reply(g->stacks[sm->stack], r);
}

static void done(struct carry *c, struct far_access *a)
{
	c->cta_stats.far_done++;
	base_list_remove(&c->far_live, a, live);
	base_stack_push(&c->far_free, a, next);
}

/* It is home, where it waits for what the load-store unit is doing, and takes it for its passes. */
static void take_home(void *self, struct mem_req *r)
{
	struct carry *c = self;
	struct far_access *a = r->owner;
	struct sm *home = a->home;

	sm_touch(home);
	home->lsu_free = (home->lsu_free > home->now ? home->lsu_free : home->now) + a->passes;
	c->gpu->memory_stats.answers++;
	mem_req_put(c->gpu->pool, r);
	if (a->access == SM_NO_ACCESS && !a->back_bytes) {
		done(c, a);
		return;
	}
	a->ready_cycle = home->base + home->lsu_free - 1 + (uint32_t)c->gpu->config->sm.shared_latency_cycles;
	base_fifo_push(&c->far_waiting, a, next);
	sim_wake_cycle(c->gpu->engine, c->far_comp, a->ready_cycle);
}

/* False: its SM's queue to the crossbar is full. */
static bool answer(struct carry *c, struct far_access *a)
{
	struct mem_req *r;

	if (!port_has_room(a->home, 1))
		return false;
	sm_touch(a->home);
	r = mem_req_get(c->gpu->pool);
	r->addr_bytes = 0;
	mem_req_set_message(r, a->back_bytes);
	r->port = c->far_stack_ports[a->sm->stack];
	r->stack = (uint8_t)a->sm->stack;
	r->vault = (uint8_t)a->access; /* any slice of the stack: they share the packets */
	r->owner = a;
	port_push(a->home, r);
	sm_wake(a->home, a->home->now);
	return true;
}

static void tick(void *component, uint64_t cycle)
{
	struct carry *c = component;
	struct far_access *a = c->far_waiting.first, *next;

	if (c->gpu->has_failed)
		return;
	c->far_waiting.first = c->far_waiting.last = NULL;
	for (; a; a = next) {
		next = a->next;
		if (a->ready_cycle <= cycle && answer(c, a))
			continue;
		if (a->ready_cycle <= cycle)
			sim_wake_cycle(c->gpu->engine, c->far_comp, cycle + 1);
		base_fifo_push(&c->far_waiting, a, next);
	}
}

static void take_back(void *self, struct mem_req *r)
{
	struct carry *c = self;
	struct far_access *a = r->owner;

	c->gpu->memory_stats.answers++;
	mem_req_put(c->gpu->pool, r);
	sm_touch(a->sm);
	if (a->access != SM_NO_ACCESS)
		lsu_access_part(a->sm, a->access, a->sm->now + 1);
	sm_wake(a->sm, a->sm->now);
	done(c, a);
}

void far_shared_new(struct carry *c)
{
	static const struct net_port_ops home_ops = {.done = take_home}, back_ops = {.done = take_back};
	struct gpu *g = c->gpu;

	if (!g->config->gpu.stack_sm_shared_stays)
		return;
	c->far_home_ports = g_new(uint16_t, g->cluster_count);
	for (uint32_t i = 0; i < g->cluster_count; i++)
		c->far_home_ports[i] = net_port_add(&g->ports, &home_ops, c, GPU_PLACE_CLUSTER, i);
	c->far_stack_ports = g_new(uint16_t, g->stack_count);
	for (uint32_t i = 0; i < g->stack_count; i++)
		c->far_stack_ports[i] = net_port_add(&g->ports, &back_ops, c, GPU_PLACE_STACK, i);
	c->far_comp = sim_engine_add(g->engine, g->clocks.sm, "far shared memory", tick, c);
	sim_stats_law(g->stats, "gpu.far_accesses = gpu.far_done");
}

void far_shared_reset(struct carry *c)
{
	c->far_waiting.first = c->far_waiting.last = NULL;
	while (c->far_live) {
		struct far_access *a = c->far_live;

		base_list_remove(&c->far_live, a, live);
		base_stack_push(&c->far_free, a, next);
	}
}

void far_shared_free(struct carry *c)
{
	far_shared_reset(c);
	while (c->far_free)
		g_free(base_stack_pop(&c->far_free, next));
	g_free(c->far_home_ports);
	g_free(c->far_stack_ports);
}
