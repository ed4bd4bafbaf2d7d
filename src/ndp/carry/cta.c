/* cta.c - carries a running CTA from an SM of the GPU to one in a stack. Which CTA, when and where to is the policy's
 * decision.
 *
 *   carry_cta_move: its warps are held -> what they have in flight arrives -> latency -> [packets over crossbar, slice
 *   and TX] -> its place is free for the next CTA -> all packets are there -> its live warps resume where they stood
 *
 * The place at the other SM is kept from the order on, so nothing waits in the stack.
 */
#include "ndp/carry/priv.h"

#include <glib.h>

static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct cta_stats
#include "sim/stat_rows.inc"
#include "ndp/carry/cta_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table carry_cta_stat_table = {"gpu", stat_rows, ARRAY_COUNT(stat_rows)};

/* A CTA on its way from one SM to another. */
struct migration {
	struct sm *from, *to;
	struct simt_cta *cta;
	uint64_t index, start_cycle; /* as in struct sm_cta */
	uint64_t order_cycle, leave_cycle;
	uint64_t bytes_left;	/* of its context: not yet sent */
	uint32_t packets_out;	/* sent, not arrived */
	uint32_t latency_cycles;
	bool is_free;
	bool is_drained, has_left;
	struct migration *next;
};

static struct sm_cta *cta_of(struct gpu *g, uint32_t sm, uint64_t index)
{
	struct sm_cta *c = sm_cta_find(g->sms[sm], index);

	CHECK(c);
	return c;
}

/* What the warps of a CTA have in flight, ended ones their stores, and the last cycle of results of fixed latency. */
struct flight {
	bool has_loads, has_stores;
	uint32_t ready;
};

static struct flight flight_of(const struct sm *sm, const struct sm_cta *c)
{
	struct flight f = {.has_stores = c->stores_pending != 0};

	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		for (uint64_t m = c->masks[i]; m; m &= m - 1) {
			const struct sm_warp *w = &sm->warps[(uint32_t)__builtin_ctzll(m) * sm->scheduler_count + i];

			f.has_loads |= w->loads_pending != 0;
			for (uint32_t k = 0; k < sm->sb_count; k++) {
				if (w->sb[k] != SM_SB_PENDING && w->sb[k] >> 1 > f.ready)
					f.ready = w->sb[k] >> 1;
			}
		}
	}
	return f;
}

struct carry_cta_state carry_cta_state(struct gpu *g, uint32_t sm, uint64_t index)
{
	const struct sm_cta *c = cta_of(g, sm, index);
	struct carry_cta_state s = {0};

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

/* ---- a migration's life ---- */

static struct migration *migration_new(struct carry *c)
{
	struct migration *m = c->migrations_free, **last = &c->migrations;

	if (m)
		base_stack_pop(&c->migrations_free, next);
	else
		m = g_new(struct migration, 1);
	*m = (struct migration){0};
	while (*last)
		last = &(*last)->next;
	*last = m;
	return m;
}

static void migration_free(struct carry *c, struct migration *m)
{
	struct migration **at = &c->migrations;

	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	base_stack_push(&c->migrations_free, m, next);
}

static uint64_t now_cycle(const struct gpu *g)
{
	return sim_cycle_now(g->engine, g->clocks.sm);
}

/* A CTA has one access less in flight, or there is one more CTA. */
static void look(void *self)
{
	struct carry *c = self;

	sim_wake_units(c->gpu->engine, c->migrate_comp, sim_now_units(c->gpu->engine));
}

static bool returned(void *self, struct sm *sm, struct sm_warp *w, bool is_load)
{
	(void)sm, (void)w;
	if (is_load)
		look(self);
	return false;
}

static void hold(struct carry *c, struct sm *sm, struct sm_cta *cta)
{
	cta->watcher = c->cta;
	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		for (uint64_t m = cta->masks[i]; m; m &= m - 1) {
			struct sm_warp *w = &sm->warps[(uint32_t)__builtin_ctzll(m) * sm->scheduler_count + i];

			sm_watch(c->cta, w, 1 << GPU_POINT_RETURNED);
			if (!w->w->is_done)
				sm_set_wait(sm, w, SM_WAIT_MOVE);
		}
	}
	sm_wake(sm, sm->now); /* the reason of its idle cycles has changed */
}

/* CTAs are in the ledger as the block that begins where a kernel does. */
enum { CTA_PC = 0 };

void carry_cta_offered(struct gpu *g, const char *why)
{
	struct account_block *row = account_block_at(g, CTA_PC);

	if (likely(!row))
		return;
	row->is_ctas = true;
	account_block_offered(g, CTA_PC, why);
}

void carry_cta_move(struct gpu *g, uint32_t from, uint64_t index, uint32_t to, uint32_t latency_cycles, bool is_free)
{
	struct carry *c = carry_of(g);
	struct sm *sm = g->sms[from];
	struct sm_cta *cta = cta_of(g, from, index);
	struct migration *m = migration_new(c);

	CHECK(sm->stack == UINT32_MAX && g->sms[to]->stack != UINT32_MAX && gpu_cta_room(g, to));
	*m = (struct migration){
	    .from = sm,
	    .to = g->sms[to],
	    .cta = cta->cta,
	    .index = index,
	    .start_cycle = cta->start_cycle,
	    .order_cycle = now_cycle(g),
	    .latency_cycles = latency_cycles,
	    .is_free = is_free,
	};
	m->to->ctas_coming++;
	c->cta_stats.cta_moves++;
	sm_touch(sm);
	hold(c, sm, cta);
	carry_audit_stopped(c, index, m->cta, is_free);
	look(c);
}

/* Waits for what the CTA has in flight. True: nothing is left; the latency begins. */
static bool drain(struct carry *c, struct migration *m)
{
	struct gpu *g = c->gpu;
	struct sm *sm = m->from;
	struct flight f;

	sm_touch(sm);
	f = flight_of(sm, cta_of(g, sm->index, m->index));
	if (f.has_loads || f.has_stores)
		return false; /* looked at again when one of them is done */
	if (f.ready > sm->now) {
		sim_wake_cycle(g->engine, c->migrate_comp, sm->base + f.ready);
		return false;
	}
	m->is_drained = true;
	m->leave_cycle = now_cycle(g) + m->latency_cycles;
	sim_hist_add(&c->cta_stats.cta_drain_cycles, now_cycle(g) - m->order_cycle);
	if (!m->is_free) {
		m->bytes_left = simt_cta_context_bytes(g->launch, m->cta);
		c->cta_stats.cta_context_bytes += m->bytes_left;
		if (unlikely(g->account != NULL))
			account_block_at(g, CTA_PC)->request_bytes += m->bytes_left;
	}
	return true;
}

/* As many packets as the SM's queue takes. */
static void send(struct carry *c, struct migration *m)
{
	struct gpu *g = c->gpu;
	const uint32_t packet_bytes = (uint32_t)g->config->l2.line_bytes; /* what the links carry of an answer */

	while (m->bytes_left && port_has_room(m->from, 1)) {
		uint32_t bytes = m->bytes_left < packet_bytes ? (uint32_t)m->bytes_left : packet_bytes;
		struct mem_req *r = mem_req_get(g->pool);

		r->addr_bytes = 0;
		mem_req_set_message(r, bytes);
		r->port = c->context_ports[m->to->stack];
		r->stack = (uint8_t)m->to->stack;
		r->vault = (uint8_t)(m->bytes_left / packet_bytes); /* the stack's slices take turns */
		r->owner = m;
		port_push(m->from, r);
		m->packets_out++;
		m->bytes_left -= bytes;
	}
}

static void arrive(struct carry *c, struct migration *m)
{
	carry_audit_arrives(c, m->index, m->cta, m->to);
	c->cta_stats.cta_arrivals++;
	sim_hist_add(&c->cta_stats.cta_move_cycles, now_cycle(c->gpu) - m->order_cycle);
	sm_cta_arrive(m->to, m->cta, m->index, m->start_cycle);
	carry_audit_arrived(c, m->index, m->to);
	migration_free(c, m);
}

static void leave(struct carry *c, struct migration *m)
{
	struct sm *sm = m->from;
	struct sm_cta *cta = cta_of(c->gpu, sm->index, m->index);

	sm_touch(sm);
	m->has_left = true;
	carry_audit_leaves(c, sm, cta);
	sm_cta_leave(sm, cta);
	carry_audit_left(c, m->index, m->cta, sm);
	gpu_cta_next(c->gpu, sm);
	sm_wake(sm, sm->now);
	if (m->packets_out == 0)
		arrive(c, m);
}

/* A part of a CTA's context has reached its stack. */
static void take_context(void *self, struct mem_req *r)
{
	struct carry *c = self;
	struct migration *m = r->owner;

	carry_audit_packet(c, m->index, r);
	mem_req_put(c->gpu->pool, r);
	c->gpu->memory_stats.answers++;
	if (--m->packets_out == 0 && m->has_left)
		arrive(c, m);
}

static void advance(struct carry *c, struct migration *m, uint64_t cycle)
{
	struct sim_engine *e = c->gpu->engine;

	if (m->has_left || (!m->is_drained && !drain(c, m)))
		return;
	if (cycle < m->leave_cycle) {
		sim_wake_cycle(e, c->migrate_comp, m->leave_cycle);
		return;
	}
	sm_touch(m->from);
	send(c, m);
	if (m->bytes_left)
		sim_wake_cycle(e, c->migrate_comp, cycle + 1);
	else
		leave(c, m);
}

static void migrate_tick(void *component, uint64_t cycle)
{
	struct carry *c = component;

	if (c->gpu->has_failed)
		return;
	for (struct migration *m = c->migrations, *next; m; m = next) {
		next = m->next;
		advance(c, m, cycle);
	}
}

/* ---- a kernel ---- */

static void check_end(void *self)
{
	const struct carry *c = self;

	CHECK(!c->migrations);
}

static void reset(void *self)
{
	struct carry *c = self;

	while (c->migrations) {
		if (c->migrations->has_left)
			simt_cta_end(c->migrations->cta);
		migration_free(c, c->migrations);
	}
}

static void each_cta(void *self, void (*fn)(void *ctx, struct simt_cta *cta), void *ctx)
{
	const struct carry *c = self;

	for (struct migration *m = c->migrations; m; m = m->next) {
		if (m->has_left)
			fn(ctx, m->cta);
	}
}

static void build(void *self, struct gpu *g, const struct gpu_ext *e)
{
	static const struct net_port_ops port_ops = {.done = take_context};
	struct carry *c = self;

	c->gpu = g;
	c->cta = e;
	c->context_ports = g_new(uint16_t, g->stack_count);
	for (uint32_t i = 0; i < g->stack_count; i++)
		c->context_ports[i] = net_port_add(&g->ports, &port_ops, c, GPU_PLACE_STACK, i);
	c->migrate_comp = sim_engine_add(g->engine, g->clocks.sm, "migrate", migrate_tick, c);
	sim_stats_add_table(g->stats, &carry_cta_stat_table, &c->cta_stats, sizeof(c->cta_stats));
	sim_stats_law(g->stats, "gpu.cta_moves = gpu.cta_arrivals");
}

static void cta_free(void *self)
{
	struct carry *c = self;

	g_free(c->context_ports);
	while (c->migrations_free)
		g_free(base_stack_pop(&c->migrations_free, next));
}

const struct gpu_ext_ops carry_cta_ops = {
    .build = build,
    .free = cta_free,
    .check_end = check_end,
    .reset = reset,
    .each_cta = each_cta,
    .returned = returned,
    .cta_stored = look,
};
