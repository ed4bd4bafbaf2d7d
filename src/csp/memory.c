/* memory.c - lines between registers and vaults: the memory unit of a core, the link of a stack.
 *
 * A line goes in blocks over the link of the stack that holds it, interleaved over the vaults of the core's address
 * space. A core sends a block a cycle; loads go before stores. The link's credits hold back cores when it is full, and
 * a full vault holds back the link.
 */
#include "csp/priv.h"

#include <glib.h>

#include "base/bits.h"
#include "base/check.h"
#include "net/stamp.h"

/* ---- the memory unit ---- */

static struct csp_access *queue_first(struct csp_access_queue *q)
{
	return q->count ? base_ring_first(q) : NULL;
}

static void queue_drop(struct csp_access_queue *q)
{
	base_ring_pop(q);
}

static struct csp_register_time *times_of(struct csp_core *c, enum csp_space space, uint32_t reg)
{
	return space == CSP_VECTORS ? &c->ssrf_times[reg] : &c->rf_times[reg];
}

/* The cycle from which the next line may go: a load when its register may be written, a store when it has been
 * computed. */
static uint64_t may_go(struct csp_core *c, const struct csp_access *a, bool is_store)
{
	if (is_store)
		return a->ready_cycle;
	return times_of(c, a->space, (uint32_t)(a->reg + a->next * a->reg_stride))->free;
}

static void transfer_begin(struct csp_core *c, struct csp_access *a, bool is_store, uint64_t cycle)
{
	const uint32_t reg = (uint32_t)(a->reg + a->next * a->reg_stride);
	struct csp_register_time *t = times_of(c, a->space, reg);
	struct csp_transfer *x = base_stack_pop(&c->free, next);

	*x = (struct csp_transfer){.core = c,
				   .target = a->target,
				   .line = (uint64_t)(a->line + a->next * a->line_stride),
				   .reg = reg,
				   .space = a->space,
				   .is_store = is_store,
				   .blocks_left = c->machine->blocks_per_line};
	if (is_store && --t->stores == 0) {
		t->free = cycle + 1;
		sim_wake_cycle(c->machine->ctx->engine, c->comp, cycle + 1); /* the controller may wait for it */
	}
	c->under_way++;
	c->stores_under_way += is_store;
	c->current = x;
	if (++a->next == a->count) {
		queue_drop(is_store ? &c->stores : &c->loads);
		sim_wake_cycle(c->machine->ctx->engine, c->comp, cycle + 1);
	}
}

/* Makes the next line the current one. False: none may go now; it is tried again when one may. */
static bool transfer_find(struct csp_core *c, uint64_t cycle)
{
	struct csp_access *a[2] = {queue_first(&c->loads), queue_first(&c->stores)};

	if (!c->free) /* an answer wakes */
		return false;
	for (uint32_t i = 0; i < ARRAY_COUNT(a); i++) {
		const uint64_t from = a[i] ? may_go(c, a[i], i == 1) : CSP_PENDING;

		if (from <= cycle) {
			transfer_begin(c, a[i], i == 1, cycle);
			return true;
		}
		if (from != CSP_PENDING)
			sim_wake_cycle(c->machine->ctx->engine, c->comp, from);
	}
	return false;
}

/* A number that neighbours and powers of two apart do not share. */
static uint64_t scattered(uint64_t n)
{
	return n * 0x9e3779b97f4a7c15ull >> 40;
}

/* Skewed: a round of vaults begins at one that depends on the round, and so does the bank on the row; no two blocks
 * share a place. */
static void block_place(const struct csp_machine *m, const struct csp_core *owner, uint64_t block, struct mem_req *r)
{
	const struct dram_params *d = &m->config->dram;
	const uint32_t banks = dram_vault_bank_count(d);
	const bool is_skewed = m->config->csp.address_map == CSP_MAP_SKEWED;
	const uint64_t round = block / owner->vault_count, offset = round * m->block_bytes, row = offset / d->row_bytes;
	const uint64_t turn = is_skewed ? scattered(round) : 0, twist = is_skewed ? scattered(row / banks) : 0;

	r->stack = (uint8_t)owner->stack;
	r->vault = (uint8_t)(owner->first_vault + (block + turn) % owner->vault_count);
	r->column = (uint16_t)(offset % d->row_bytes);
	r->bank = (uint8_t)((row ^ twist) % banks);
	r->row = (uint32_t)(row / banks);
}

void csp_block_send(struct csp_machine *m, struct csp_transfer *x, struct net_channel *tx)
{
	const struct csp_core *owner = &m->cores[x->target];
	const uint64_t block = x->line * m->blocks_per_line + x->sent_blocks;
	struct mem_req *r = mem_req_get(m->ctx->pool);
	const uint64_t now = sim_now_units(m->ctx->engine);

	*r = (struct mem_req){.addr_bytes = block * m->block_bytes,
			      .issue_units = now,
			      .owner = x,
			      .size_bytes = (uint16_t)m->block_bytes};
	if (unlikely(m->is_accounted))
		net_stamps_clear(r);
	block_place(m, owner, block, r);
	mem_req_set_access(r, x->is_store ? MEM_WRITE : MEM_READ, MEM_KIND_DATA);
	net_channel_send(tx, r, (uint32_t)m->config->csp.packet_bytes + r->payload_bytes, now);
	x->sent_blocks++;
}

void csp_memory_tick(struct csp_core *c, uint64_t cycle)
{
	struct csp_machine *m = c->machine;
	struct net_channel *tx;

	if (c->sent_cycle > cycle || (!c->current && !transfer_find(c, cycle)))
		return;
	tx = m->stacks[m->cores[c->current->target].stack].tx;
	if (!net_channel_ready(tx, &c->comp))
		return;
	csp_block_send(m, c->current, tx);
	c->sent_cycle = cycle + 1;
	if (c->current->sent_blocks == m->blocks_per_line)
		c->current = NULL;
	if (c->current || c->loads.count || c->stores.count)
		sim_wake_cycle(m->ctx->engine, c->comp, cycle + 1);
}

/* A block is back: with the last one the line is. */
static void block_answered(struct csp_machine *m, struct mem_req *r)
{
	struct csp_transfer *x = r->owner;
	struct csp_core *c = x->core;
	const uint64_t now = sim_now_units(m->ctx->engine);

	if (--x->blocks_left == 0 && c && unlikely(m->is_accounted))
		csp_account_line(c, r, sim_cycle_now(m->ctx->engine, m->domain));
	mem_req_put(m->ctx->pool, r);
	if (x->blocks_left)
		return;
	if (!c) {
		csp_input_written(&m->input, x);
		return;
	}
	if (!x->is_store) {
		struct csp_register_time *t = times_of(c, x->space, x->reg);

		if (--t->loads == 0)
			t->ready = sim_cycle_now(m->ctx->engine, m->domain);
	}
	c->under_way--;
	c->stores_under_way -= x->is_store;
	base_stack_push(&c->free, x, next);
	sim_wake_units(m->ctx->engine, c->comp, now);
}

/* ---- a stack and its link ---- */

static void drain_answers(struct csp_stack *s)
{
	const uint64_t packet_bytes = s->machine->config->csp.packet_bytes;

	while (s->answers.first && net_channel_ready(s->rx, &s->far)) {
		struct mem_req *r = queue_pop(&s->answers);

		net_channel_send(s->rx, r, (uint32_t)packet_bytes + r->payload_bytes,
				 sim_now_units(s->machine->ctx->engine));
	}
}

static void far_tick(void *component, uint64_t cycle)
{
	struct csp_stack *s = component;
	struct mem_req *r;

	(void)cycle;
	drain_answers(s);
	while ((r = net_channel_peek(s->tx))) {
		if (!mem_stack_can_accept(s->stack, r->vault, (enum mem_op)r->op))
			return;
		if (unlikely(s->machine->is_accounted))
			net_stamp(r, NET_STAGE_TX, sim_now_units(s->machine->ctx->engine));
		mem_stack_accept(s->stack, net_channel_pop(s->tx));
	}
}

static void near_tick(void *component, uint64_t cycle)
{
	struct csp_stack *s = component;
	struct mem_req *r;

	(void)cycle;
	while ((r = net_channel_peek(s->rx))) {
		net_channel_pop(s->rx);
		block_answered(s->machine, r);
	}
}

static void served(void *ctx, struct mem_req *r)
{
	struct csp_stack *s = ctx;

	mem_req_answer(r);
	if (r->op == MEM_WRITE && s->machine->config->csp.posted_writes) {
		block_answered(s->machine, r);
		return;
	}
	queue_push(&s->answers, r);
	drain_answers(s);
}

static void has_room(void *ctx, uint32_t vault)
{
	struct csp_stack *s = ctx;

	(void)vault;
	sim_wake_units(s->machine->ctx->engine, s->far, sim_now_units(s->machine->ctx->engine));
}

static struct net_channel *channel_new(struct csp_stack *s, struct sim_comp receiver, const char *prefix)
{
	const struct csp_params *p = &s->machine->config->csp;
	struct sim_engine *e = s->machine->ctx->engine;
	enum { FLIT_BYTES = 16 }; /* HMC specification 2.1, section 9 */
	const uint64_t flit_units = FLIT_BYTES * 1000000 * sim_units_per_ps(e); /* at 10^6 bytes/s, in units */
	const struct net_channel_config c = {
	    .engine = e,
	    .flit_units = (flit_units + p->link_mbytes_per_s - 1) / p->link_mbytes_per_s,
	    .flit_bytes = FLIT_BYTES,
	    .latency_units = sim_units_of_ps(e, p->link_latency_ps),
	    .credit_units = sim_units_of_ps(e, p->link_latency_ps),
	    .depth_packets = (uint32_t)p->link_depth_count,
	    .receiver = receiver,
	    .has_receiver = true,
	    .stats = s->machine->ctx->stats,
	    .stats_prefix = prefix,
	};

	return net_channel_new(&c);
}

void csp_stack_init(struct csp_stack *s, struct csp_machine *m, uint32_t index)
{
	const struct mem_stack_config stack = {.dram = &m->config->dram,
					       .engine = m->ctx->engine,
					       .dram_domain = m->dram_domain,
					       .index = index,
					       .done = served,
					       .room = has_room,
					       .ctx = s,
					       .stats = m->ctx->stats,
					       .stats_prefix = "vault",
					       .audit = m->ctx->audit,
					       .stamps = m->is_accounted};

	s->machine = m;
	s->index = index;
	s->far = sim_engine_add(m->ctx->engine, m->dram_domain, "stack", far_tick, s);
	s->near = sim_engine_add(m->ctx->engine, m->domain, "link", near_tick, s);
	s->stack = mem_stack_new(&stack);
	s->tx = channel_new(s, s->far, "link_tx");
	s->rx = channel_new(s, s->near, "link_rx");
}

void csp_stack_release(struct csp_stack *s)
{
	net_channel_free(s->tx);
	net_channel_free(s->rx);
	mem_stack_free(s->stack);
}
