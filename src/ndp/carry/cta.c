/* cta.c - carries a running CTA from an SM of the GPU to one in a stack. Which CTA, when and where to is the policy's
 * decision.
 *
 *   carry_cta_gather: its warps go on until each stands where a CTA may leave -> the policy is asked -> as below
 *   carry_cta_move: its warps are held -> what they have in flight arrives -> latency -> [packets over crossbar, slice
 *   and TX] -> its place is free for the next CTA -> all packets are there -> its live warps resume where they stood
 *
 * The place at the other SM is kept from the order on, or from when its warps stand and there is one: so nothing waits
 * in the stack.
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
	struct sm *from, *to; /* to: NULL until it has a place */
	struct simt_cta *cta;
	uint64_t index, start_cycle; /* as in struct sm_cta */
	uint64_t order_cycle, leave_cycle;
	uint64_t bytes_left;	/* of its context: not yet sent */
	uint32_t packets_out;	/* sent, not arrived */
	uint32_t latency_cycles;
	bool is_free;
	bool is_gathering, converges, stops; /* until give_up_cycle */
	bool is_drained, has_left;
	uint64_t give_up_cycle;
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

/* Keeps a place for it, which is its own from now on. */
static void keep_place(struct gpu *g, struct migration *m, uint32_t to)
{
	CHECK(g->sms[to]->stack != UINT32_MAX && gpu_cta_room(g, to));
	m->to = g->sms[to];
	m->to->ctas_coming++;
}

static struct migration *migration_new(struct carry *c)
{
	struct migration *m = base_pool_take(&c->migration_pool, next);

	*m = (struct migration){0};
	base_fifo_push(&c->migrations, m, next);
	return m;
}

static void migration_free(struct carry *c, struct migration *m)
{
	base_fifo_remove(&c->migrations, m, next);
	base_pool_put(&c->migration_pool, m, next);
}

static struct migration *order(struct gpu *g, const struct carry_cta_order *o)
{
	struct carry *c = gpu_ext_self(g, &carry_cta_ops);
	struct sm *sm = g->sms[o->from_sm];
	struct sm_cta *cta = cta_of(g, o->from_sm, o->cta);
	struct migration *m = migration_new(c);

	CHECK(sm->stack == UINT32_MAX);
	m->from = sm;
	sm->ctas_followed++;
	m->cta = cta->cta;
	m->index = o->cta;
	m->start_cycle = cta->start_cycle;
	m->order_cycle = now_cycle(g);
	m->latency_cycles = o->latency_cycles;
	m->is_free = o->is_free;
	if (o->to_sm != CARRY_NO_SM)
		keep_place(g, m, o->to_sm);
	sm_touch(sm);
	return m;
}

/* Its warps stand from now on. */
static void stop(struct carry *c, struct migration *m)
{
	c->cta_stats.cta_moves++;
	hold(c, m->from, cta_of(c->gpu, m->from->index, m->index));
	carry_audit_stopped(c, m->index, m->cta, m->is_free);
}

void carry_cta_move(struct gpu *g, uint32_t from, uint64_t index, uint32_t to, uint32_t latency_cycles, bool is_free)
{
	struct carry *c = gpu_ext_self(g, &carry_cta_ops);
	const struct carry_cta_order o = {
	    .from_sm = from, .cta = index, .to_sm = to, .latency_cycles = latency_cycles, .is_free = is_free};

	stop(c, order(g, &o));
	look(c);
}

/* ---- gathering: warps stop one by one ---- */

static struct migration *gathering_of(const struct carry *c, const struct sm *sm, const struct sm_warp *w)
{
	struct migration *m = c->migrations.first;

	while (m && !(m->is_gathering && m->from == sm && m->index == sm->ctas[w->cta_slot].index))
		m = m->next;
	return m;
}

static bool is_at_barrier(const struct migration *m)
{
	for (uint32_t i = 0; i < simt_cta_warp_count(m->cta); i++) {
		const struct simt_warp *w = simt_cta_warp(m->cta, i);

		if (!w->is_done && w->at_barrier)
			return true;
	}
	return false;
}

/* Those of its warps that have stopped go on. */
static void go_on(struct sm *sm, const struct sm_cta *cta)
{
	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		for (uint64_t m = cta->masks[i] & sm->schedulers[i].waiting[SM_WAIT_MOVE]; m; m &= m - 1)
			sm_evaluate(sm, &sm->warps[(uint32_t)__builtin_ctzll(m) * sm->scheduler_count + i]);
	}
	sm_wake(sm, sm->now);
}

/* A warp of a CTA that gathers has issued, or what it has waited for is there. */
static bool evaluate(void *self, struct sm *sm, struct sm_warp *w)
{
	struct carry *c = self;
	struct migration *m = gathering_of(c, sm, w);

	if (!m)
		return false;
	look(c); /* it may have been the last */
	if (!w->w->is_done && w->w->at_barrier)
		go_on(sm, cta_of(c->gpu, sm->index, m->index));
	if (w->w->is_done || is_at_barrier(m) || (m->converges && simt_warp_is_diverged(w->w)))
		return false;
	if (m->stops)
		sm_set_wait(sm, w, SM_WAIT_MOVE);
	return m->stops;
}

void carry_cta_gather(struct gpu *g, const struct carry_cta_order *o)
{
	struct carry *c = gpu_ext_self(g, &carry_cta_ops);
	struct migration *m = order(g, o);
	struct sm *sm = m->from;
	struct sm_cta *cta = cta_of(g, o->from_sm, o->cta);
	bool at_barrier = is_at_barrier(m);

	m->is_gathering = true;
	m->converges = o->converges;
	m->stops = o->stops;
	m->give_up_cycle = m->order_cycle + o->wait_cycles;
	sim_wake_cycle(g->engine, c->limit_comp, m->give_up_cycle);
	c->cta_stats.cta_gathers++;
	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		for (uint64_t k = cta->masks[i]; k; k &= k - 1) {
			struct sm_warp *w = &sm->warps[(uint32_t)__builtin_ctzll(k) * sm->scheduler_count + i];

			sm_watch(c->cta, w, 1 << GPU_POINT_EVALUATE);
			if (m->stops && !w->w->is_done && !at_barrier && !(m->converges && simt_warp_is_diverged(w->w)))
				sm_set_wait(sm, w, SM_WAIT_MOVE);
		}
	}
	sm_wake(sm, sm->now);
	look(c);
}

/* It gathers no longer: nothing is to be done when its time is up, and a kernel may end before. */
static void gather_end(struct carry *c, struct migration *m)
{
	struct sim_engine *e = c->gpu->engine;

	m->is_gathering = false;
	if (m->give_up_cycle <= now_cycle(c->gpu))
		return;
	sim_cancel(e, c->limit_comp, m->give_up_cycle);
	for (struct migration *x = c->migrations.first; x; x = x->next) {
		if (x->is_gathering && x->give_up_cycle == m->give_up_cycle)
			sim_wake_cycle(e, c->limit_comp, x->give_up_cycle);
	}
}

/* It gives a place that it has kept back, and somebody may wait for one. */
static void stay(struct carry *c, struct migration *m)
{
	bool is_awaited = false;

	c->cta_stats.cta_releases++;
	m->from->ctas_followed--;
	if (m->to) {
		m->to->ctas_coming--;
		for (const struct migration *x = c->migrations.first; x; x = x->next)
			is_awaited |= !x->to;
	}
	migration_free(c, m);
	if (is_awaited)
		look(c);
}

static void unwatch(struct carry *c, struct sm *sm, const struct sm_cta *cta)
{
	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		for (uint64_t m = cta->masks[i]; m; m &= m - 1)
			sm_unwatch(c->cta, &sm->warps[(uint32_t)__builtin_ctzll(m) * sm->scheduler_count + i],
				   1 << GPU_POINT_EVALUATE);
	}
}

/* Of a CTA whose warps do not stop. */
static bool may_leave(const struct migration *m)
{
	for (uint32_t i = 0; i < simt_cta_warp_count(m->cta); i++) {
		const struct simt_warp *w = simt_cta_warp(m->cta, i);

		if (!w->is_done && (w->at_barrier || (m->converges && simt_warp_is_diverged(w))))
			return false;
	}
	return true;
}

static bool all_stand(const struct sm *sm, const struct sm_cta *cta)
{
	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		for (uint64_t m = cta->masks[i] & ~sm->schedulers[i].waiting[SM_WAIT_MOVE]; m; m &= m - 1) {
			if (!sm->warps[(uint32_t)__builtin_ctzll(m) * sm->scheduler_count + i].w->is_done)
				return false;
		}
	}
	return true;
}

/* Has it a place, or is there one now? */
static bool has_place(struct carry *c, struct migration *m)
{
	uint32_t to;

	if (m->to)
		return true;
	to = c->policy->cta_place(c->policy_ctx, c->gpu);
	if (to != CARRY_NO_SM)
		keep_place(c->gpu, m, to);
	return m->to != NULL;
}

/* True: all its warps have stopped, and it leaves. */
static bool gather(struct carry *c, struct migration *m, uint64_t cycle)
{
	struct gpu *g = c->gpu;
	struct sm *sm = m->from;
	struct sm_cta *cta = cta_of(g, sm->index, m->index);
	bool is_in_time;

	sm_touch(sm);
	is_in_time = (m->stops ? all_stand(sm, cta) : may_leave(m)) && has_place(c, m);
	if (!is_in_time && cycle < m->give_up_cycle)
		return false;
	unwatch(c, sm, cta);
	gather_end(c, m);
	if (c->policy->cta_gathered(c->policy_ctx, g, sm->index, m->index, is_in_time) && is_in_time) {
		sim_hist_add(&c->cta_stats.cta_gather_cycles, now_cycle(g) - m->order_cycle);
		stop(c, m);
		return true;
	}
	go_on(sm, cta);
	stay(c, m);
	return false;
}

/* One that gathers has ended first; or one in a stack has, and there is room. */
static void cta_done(void *self, struct sm *sm, uint64_t index)
{
	struct carry *c = self;

	if (sm->stack != UINT32_MAX && c->migrations.first) /* somebody may wait for its place */
		look(c);
	for (struct migration *m = c->migrations.first; m; m = m->next) {
		if (m->is_gathering && m->from == sm && m->index == index) {
			gather_end(c, m);
			stay(c, m);
			return;
		}
	}
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
		m->bytes_left = carry_context_bytes(c, g->launch, m->cta);
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
	sm_cta_find(m->to, m->index)->home_sm = m->from->index;
	carry_audit_arrived(c, m->index, m->to);
	migration_free(c, m);
}

static void leave(struct carry *c, struct migration *m)
{
	struct sm *sm = m->from;
	struct sm_cta *cta = cta_of(c->gpu, sm->index, m->index);

	sm_touch(sm);
	m->has_left = true;
	sm->ctas_followed--;
	carry_audit_leaves(c, sm, cta);
	sm_cta_leave(sm, cta);
	sm->ctas_away += c->far_home_ports != NULL;
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

	if (m->has_left || (m->is_gathering && !gather(c, m, cycle)))
		return;
	if (!m->is_drained && !drain(c, m))
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
	for (struct migration *m = c->migrations.first, *next; m; m = next) {
		next = m->next;
		advance(c, m, cycle);
	}
}

/* ---- a kernel ---- */

static void check_end(void *self)
{
	const struct carry *c = self;

	CHECK(!c->migrations.first);
}

static void reset(void *self)
{
	struct carry *c = self;

	far_shared_reset(c);
	while (c->migrations.first) {
		if (c->migrations.first->has_left)
			simt_cta_end(c->migrations.first->cta);
		migration_free(c, c->migrations.first);
	}
}

static void each_cta(void *self, void (*fn)(void *ctx, struct simt_cta *cta), void *ctx)
{
	const struct carry *c = self;

	for (struct migration *m = c->migrations.first; m; m = m->next) {
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
	far_shared_new(c);
	c->migrate_comp = sim_engine_add(g->engine, g->clocks.sm, "migrate", migrate_tick, c);
	c->limit_comp = sim_engine_add(g->engine, g->clocks.sm, "gather", migrate_tick, c);
	sim_stats_add_table(g->stats, &carry_cta_stat_table, &c->cta_stats, sizeof(c->cta_stats));
	sim_stats_law(g->stats, "gpu.cta_moves = gpu.cta_arrivals");
}

static void complete(void *self)
{
	struct carry *c = self;

	for (uint32_t i = c->gpu->sm_count; i < c->gpu->sm_total && c->far_home_ports; i++)
		c->gpu->sms[i]->far_shared = c->cta;
}

static void cta_free(void *self)
{
	struct carry *c = self;

	g_free(c->context_ports);
	far_shared_free(c);
	base_pool_free(&c->migration_pool);
}

const struct gpu_ext_ops carry_cta_ops = {
    .build = build,
    .complete = complete,
    .free = cta_free,
    .check_end = check_end,
    .reset = reset,
    .each_cta = each_cta,
    .evaluate = evaluate,
    .cta_done = cta_done,
    .returned = returned,
    .cta_stored = look,
    .far_shared = far_shared_issue,
};
