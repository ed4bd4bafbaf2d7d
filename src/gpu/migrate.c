/* migrate.c - moves a running CTA from an SM of the GPU to one in a stack. Which CTA, when and where to is a
 * mechanism's decision (guest.h).
 *
 *   gpu_cta_move: its warps are held -> what they have in flight arrives -> latency -> [packets over crossbar, slice
 *   and TX] -> its place is free for the next CTA -> all packets are there -> its live warps resume where they stood
 *
 * The place at the other SM is kept from the order on, so nothing waits in the stack.
 */
#include "gpu/priv.h"

#include <glib.h>

enum { PACKET_BYTES = COALESCE_LINE_BYTES };

static struct sm_cta *cta_of(struct gpu *g, uint32_t sm, uint64_t index)
{
	struct sm_cta *c = sm_cta_find(g->sms[sm], index);

	CHECK(c);
	return c;
}

/* What the warps of a CTA have in flight, and the last cycle of results of fixed latency. */
struct flight {
	bool has_loads, has_stores;
	uint32_t ready;
};

static struct flight flight_of(const struct sm *sm, const struct sm_cta *c)
{
	struct flight f = {0};

	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		for (uint64_t m = c->masks[i]; m; m &= m - 1) {
			const struct sm_warp *w = &sm->warps[(uint32_t)__builtin_ctzll(m) * sm->scheduler_count + i];

			f.has_loads |= w->loads_pending != 0;
			f.has_stores |= w->stores_pending != 0;
			for (uint32_t k = 0; k < sm->sb_count; k++) {
				if (w->sb[k] != SM_SB_PENDING && w->sb[k] >> 1 > f.ready)
					f.ready = w->sb[k] >> 1;
			}
		}
	}
	return f;
}

struct gpu_cta_state gpu_cta_state(struct gpu *g, uint32_t sm, uint64_t index)
{
	const struct sm_cta *c = cta_of(g, sm, index);
	struct gpu_cta_state s = {0};

	sm_touch(g->sms[sm]);

	struct flight f = flight_of(g->sms[sm], c);

	s.has_loads = f.has_loads;
	s.has_stores = f.has_stores;
	s.is_issued = f.ready > g->sms[sm]->now;
	for (uint32_t i = 0; i < simt_cta_warp_count(c->cta); i++) {
		const struct simt_warp *w = simt_cta_warp(c->cta, i);

		if (w->is_done)
			continue;
		s.active_warps++;
		s.is_diverged |= simt_warp_is_diverged(w);
		s.at_barrier |= w->at_barrier;
	}
	return s;
}

uint32_t gpu_cta_room(const struct gpu *g, uint32_t index)
{
	const struct sm *sm = g->sms[index];
	uint32_t limit = sm->stack == UINT32_MAX ? g->ctas_per_sm : g->ctas_per_stack_sm;

	return limit - (sm->cta_count + sm->ctas_coming < limit ? sm->cta_count + sm->ctas_coming : limit);
}

/* ---- a migration's life ---- */

static struct migration *migration_new(struct gpu *g)
{
	struct migration *m = g->migrations_free, **last = &g->migrations;

	if (m)
		g->migrations_free = m->next;
	else
		m = g_new(struct migration, 1);
	*m = (struct migration){0};
	while (*last)
		last = &(*last)->next;
	*last = m;
	return m;
}

static void migration_free(struct gpu *g, struct migration *m)
{
	struct migration **at = &g->migrations;

	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	m->next = g->migrations_free;
	g->migrations_free = m;
}

static uint64_t now_cycle(const struct gpu *g)
{
	return sim_cycle_now(g->engine, g->clocks.sm);
}

static void hold(struct sm *sm, const struct sm_cta *c)
{
	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		for (uint64_t m = c->masks[i]; m; m &= m - 1) {
			struct sm_warp *w = &sm->warps[(uint32_t)__builtin_ctzll(m) * sm->scheduler_count + i];

			w->is_held = true;
			if (!w->w->is_done)
				sm_set_wait(sm, w, SM_WAIT_MOVE);
		}
	}
	sm_wake(sm, sm->now); /* the reason of its idle cycles has changed */
}

void gpu_cta_move(struct gpu *g, uint32_t from, uint64_t index, uint32_t to, uint32_t latency_cycles, bool is_free)
{
	struct sm *sm = g->sms[from];
	struct sm_cta *c = cta_of(g, from, index);
	struct migration *m = migration_new(g);

	CHECK(sm->stack == UINT32_MAX && g->sms[to]->stack != UINT32_MAX && gpu_cta_room(g, to));
	*m = (struct migration){
	    .from = sm,
	    .to = g->sms[to],
	    .cta = c->cta,
	    .index = index,
	    .start_cycle = c->start_cycle,
	    .order_cycle = now_cycle(g),
	    .latency_cycles = latency_cycles,
	    .is_free = is_free,
	};
	m->to->ctas_coming++;
	g->totals.cta_moves++;
	sm_touch(sm);
	hold(sm, c);
	if (g->audits)
		m->digest = simt_cta_digest(g->launch, m->cta);
	migrate_look(g);
}

void migrate_look(struct gpu *g)
{
	sim_wake_units(g->engine, g->migrate_comp, sim_now_units(g->engine));
}

/* Waits for what the CTA has in flight. True: nothing is left; the latency begins. */
static bool drain(struct gpu *g, struct migration *m)
{
	struct sm *sm = m->from;
	struct flight f;

	sm_touch(sm);
	f = flight_of(sm, cta_of(g, sm->index, m->index));
	if (f.has_loads || f.has_stores)
		return false; /* looked at again when one of them is done */
	if (f.ready > sm->now) {
		sim_wake_cycle(g->engine, g->migrate_comp, sm->base + f.ready);
		return false;
	}
	m->is_drained = true;
	m->leave_cycle = now_cycle(g) + m->latency_cycles;
	sim_hist_add(&g->totals.cta_drain_cycles, now_cycle(g) - m->order_cycle);
	if (!m->is_free) {
		m->bytes_left = simt_cta_context_bytes(g->launch, m->cta);
		g->totals.cta_context_bytes += m->bytes_left;
	}
	return true;
}

/* As many packets as the SM's queue takes. */
static void send(struct gpu *g, struct migration *m)
{
	while (m->bytes_left && port_has_room(m->from, 1)) {
		uint32_t bytes = m->bytes_left < PACKET_BYTES ? (uint32_t)m->bytes_left : PACKET_BYTES;
		struct mem_req *r = mem_req_get(g->pool);

		r->addr_bytes = 0;
		r->op = MEM_MESSAGE;
		r->kind = MEM_KIND_DATA;
		r->port = g->context_ports[m->to->stack];
		r->row = bytes;
		r->stack = (uint8_t)m->to->stack;
		r->vault = (uint8_t)(m->bytes_left / PACKET_BYTES); /* the stack's slices take turns */
		r->tag = 0;
		r->owner = m;
		port_push(m->from, r);
		m->packets_out++;
		m->bytes_left -= bytes;
	}
}

static void arrive(struct gpu *g, struct migration *m)
{
	CHECK(!g->audits || simt_cta_digest(g->launch, m->cta) == m->digest);
	g->totals.cta_arrivals++;
	sim_hist_add(&g->totals.cta_move_cycles, now_cycle(g) - m->order_cycle);
	sm_cta_arrive(m->to, m->cta, m->index, m->start_cycle);
	migration_free(g, m);
}

static void leave(struct gpu *g, struct migration *m)
{
	struct sm *sm = m->from;

	sm_touch(sm);
	m->has_left = true;
	sm_cta_leave(sm, cta_of(g, sm->index, m->index));
	gpu_cta_next(g, sm);
	sm_wake(sm, sm->now);
	if (m->packets_out == 0)
		arrive(g, m);
}

/* A part of a CTA's context has reached its stack. */
static void take_context(void *self, struct mem_req *r)
{
	struct gpu *g = self;
	struct migration *m = r->owner;

	mem_req_put(g->pool, r);
	g->memory_stats.answers++;
	if (--m->packets_out == 0 && m->has_left)
		arrive(g, m);
}

void migrate_ports_new(struct gpu *g)
{
	static const struct net_port_ops ops = {.done = take_context};

	g->context_ports = g_new(uint16_t, g->stack_count);
	for (uint32_t i = 0; i < g->stack_count; i++)
		g->context_ports[i] = net_port_add(&g->ports, &ops, g, GPU_PLACE_STACK, i);
}

static void advance(struct gpu *g, struct migration *m, uint64_t cycle)
{
	if (m->has_left || (!m->is_drained && !drain(g, m)))
		return;
	if (cycle < m->leave_cycle) {
		sim_wake_cycle(g->engine, g->migrate_comp, m->leave_cycle);
		return;
	}
	sm_touch(m->from);
	send(g, m);
	if (m->bytes_left)
		sim_wake_cycle(g->engine, g->migrate_comp, cycle + 1);
	else
		leave(g, m);
}

void migrate_tick(void *component, uint64_t cycle)
{
	struct gpu *g = component;

	if (g->has_failed)
		return;
	for (struct migration *m = g->migrations, *next; m; m = next) {
		next = m->next;
		advance(g, m, cycle);
	}
}

void migrate_reset(struct gpu *g)
{
	while (g->migrations) {
		if (g->migrations->has_left)
			simt_cta_end(g->migrations->cta);
		migration_free(g, g->migrations);
	}
}
