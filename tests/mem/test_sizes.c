/* Requesters with lines of 32, 64 and 128 bytes share one memory and its links: each gets the lines that it asked for,
 * at its own port, and pays for their size on the wires and in the banks. No part knows a size that it was not told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "mem/cache.h"
#include "mem/map.h"
#include "mem/stack.h"
#include "net/channel.h"
#include "net/port.h"

enum { REQUESTERS = 3, LINES = 500, HEADER_BYTES = 12, ACCESS_BYTES = 32, SPAN_BYTES = 1 << 20 };

struct rig;

/* Reads LINES words at random, then writes as many, through a cache of its own. */
struct requester {
	struct rig *rig;
	struct cache_params params;
	struct mem_cache *cache;
	uint16_t port;
	uint32_t asked_count, missed_count, read_count, written_count;
	uint64_t bytes; /* of the lines that have come */
};

struct rig {
	struct sim_engine *engine;
	struct sim_stats *stats;
	struct mem_req_pool *pool;
	struct net_ports ports;
	struct net_channel *out, *home;
	struct dram_params dram;
	struct mem_stack *stack;
	struct mem_map map;
	struct sim_comp sender, taker, receiver;
	struct requester requesters[REQUESTERS];
	struct mem_req *answers; /* wait for the way home */
	uint64_t seed;
};

static uint64_t rnd(struct rig *g)
{
	g->seed = g->seed * 6364136223846793005ull + 1442695040888963407ull;
	return g->seed >> 33;
}

static uint32_t wire_bytes(const struct mem_req *r)
{
	return HEADER_BYTES + r->payload_bytes;
}

/* ---- a requester ---- */

static struct mem_req *request(struct requester *q, uint64_t addr, enum mem_op op)
{
	struct rig *g = q->rig;
	struct mem_place at = mem_map_place(&g->map, addr);
	struct mem_req *r = mem_req_get(g->pool);

	*r = (struct mem_req){
	    .addr_bytes = addr,
	    .port = q->port,
	    .size_bytes = (uint16_t)mem_cache_line_bytes(q->cache),
	    .vault = (uint8_t)at.vault,
	    .bank = (uint8_t)at.bank,
	    .row = at.row,
	    .column = (uint16_t)at.column_bytes,
	};
	mem_req_set_access(r, op, MEM_KIND_DATA);
	return r;
}

/* The next request that goes to memory, or NULL: it waits for a line, or is done. */
static struct mem_req *next_request(struct requester *q)
{
	struct rig *g = q->rig;
	uint32_t mshr;

	while (q->asked_count < LINES) {
		struct mem_req *want = mem_req_get(g->pool), *r;

		*want = (struct mem_req){.addr_bytes = rnd(g) % SPAN_BYTES & ~3ull, .size_bytes = 4};
		switch (mem_cache_read(q->cache, want, &mshr)) {
		case MEM_CACHE_MISS:
			q->asked_count++;
			q->missed_count++;
			r = request(q, mem_cache_line_of(q->cache, want->addr_bytes), MEM_READ);
			r->tag = mshr;
			return r;
		case MEM_CACHE_STALL:
			mem_req_put(g->pool, want);
			return NULL;
		case MEM_CACHE_HIT:
			mem_req_put(g->pool, want);
			/* fallthrough */
		default:
			q->asked_count++;
		}
	}
	return NULL;
}

static void answer(void *self, struct mem_req *r)
{
	struct requester *q = self;
	struct rig *g = q->rig;
	uint32_t line_bytes = mem_cache_line_bytes(q->cache);
	uint64_t victim;

	assert_true(r->is_reply);
	assert_int_equal(r->size_bytes, line_bytes);
	assert_int_equal(r->addr_bytes % line_bytes, 0);
	if (r->op == MEM_READ) {
		assert_int_equal(r->payload_bytes, line_bytes);
		for (struct mem_req *w = mem_cache_fill(q->cache, r->tag, &victim), *next; w; w = next) {
			next = w->next;
			assert_int_equal(w->addr_bytes / line_bytes, r->addr_bytes / line_bytes);
			mem_req_put(g->pool, w);
		}
		q->bytes += line_bytes;
		q->read_count++;
	} else {
		assert_int_equal(r->payload_bytes, 0);
		q->written_count++;
	}
	mem_req_put(g->pool, r);
	sim_wake_units(g->engine, g->sender, sim_now_units(g->engine));
}

/* ---- the way out and home ---- */

static void send(void *component, uint64_t cycle)
{
	struct rig *g = component;
	bool has_sent = true;

	while (has_sent) {
		has_sent = false;
		for (uint32_t i = 0; i < REQUESTERS; i++) {
			struct requester *q = &g->requesters[i];
			struct mem_req *r;

			if (!net_channel_ready(g->out, &g->sender))
				return;
			r = next_request(q);
			if (!r)
				continue;
			has_sent = true;
			net_channel_send(g->out, r, wire_bytes(r), sim_now_units(g->engine));
		}
	}
	(void)cycle;
}

static void take(void *component, uint64_t cycle)
{
	struct rig *g = component;
	struct mem_req *r;

	(void)cycle;
	while ((r = net_channel_peek(g->out))) {
		if (!mem_stack_can_accept(g->stack, r->vault, (enum mem_op)r->op))
			return;
		mem_stack_accept(g->stack, net_channel_pop(g->out));
	}
	while (g->answers && net_channel_ready(g->home, &g->taker)) {
		r = g->answers;
		g->answers = r->next;
		net_channel_send(g->home, r, wire_bytes(r), sim_now_units(g->engine));
	}
}

static void done(void *ctx, struct mem_req *r)
{
	struct rig *g = ctx;

	mem_req_answer(r);
	r->next = g->answers;
	g->answers = r;
	sim_wake_units(g->engine, g->taker, sim_now_units(g->engine));
}

static void room(void *ctx, uint32_t vault)
{
	struct rig *g = ctx;

	(void)vault;
	sim_wake_units(g->engine, g->taker, sim_now_units(g->engine));
}

static void receive(void *component, uint64_t cycle)
{
	struct rig *g = component;
	struct mem_req *r;

	(void)cycle;
	while ((r = net_channel_peek(g->home)))
		net_port_done(net_port_of(&g->ports, r), net_channel_pop(g->home));
}

static struct net_channel *channel_new(struct rig *g, struct sim_comp receiver, const char *prefix)
{
	const struct net_channel_config c = {
	    .engine = g->engine,
	    .flit_units = 1000,
	    .flit_bytes = 4,
	    .latency_units = 5000,
	    .depth_packets = 8,
	    .receiver = receiver,
	    .has_receiver = true,
	    .stats = g->stats,
	    .stats_prefix = prefix,
	};

	return net_channel_new(&c);
}

static void requester_new(struct rig *g, uint32_t i, uint32_t line_bytes)
{
	static const struct net_port_ops ops = {.done = answer};
	static const char *const names[REQUESTERS] = {"small", "middle", "large"};
	struct requester *q = &g->requesters[i];
	const struct sim_param_group group = {"cache", cache_param_rows, cache_param_row_count, &q->params, NULL};

	q->rig = g;
	sim_param_defaults(&group);
	q->params.line_bytes = line_bytes;
	q->params.size_bytes = 4096;
	q->params.way_count = 4;
	q->params.mshr_count = 8;
	q->cache = mem_cache_new(&q->params, g->stats, names[i]);
	q->port = net_port_add(&g->ports, &ops, q, 0, i);
}

static void build(struct rig *g)
{
	const struct sim_param_group group = {"dram", dram_param_rows, dram_param_row_count, &g->dram, NULL};
	uint32_t dram, core;

	g->engine = sim_engine_new();
	g->stats = sim_stats_new();
	g->pool = mem_req_pool_new();
	sim_param_defaults(&group);
	g->dram.data_bits = ACCESS_BYTES * 8 / g->dram.burst_beats;
	assert_true(sim_domain_add(g->engine, "dram", sim_period_of_ps(g->dram.t_ck_ps), &dram));
	assert_true(sim_domain_add(g->engine, "core", sim_period_of_ps(1000), &core));
	mem_map_baseline(&g->map, 1, (uint32_t)g->dram.vault_count, (uint32_t)g->dram.bank_count,
			 (uint32_t)g->dram.row_bytes, 128);

	const struct mem_stack_config stack = {.dram = &g->dram, .engine = g->engine, .dram_domain = dram, .done = done,
					       .room = room, .ctx = g, .stats = g->stats, .stats_prefix = "vault",
					       .audit = true};

	g->stack = mem_stack_new(&stack);
	g->sender = sim_engine_add(g->engine, core, "sender", send, g);
	g->taker = sim_engine_add(g->engine, core, "taker", take, g);
	g->receiver = sim_engine_add(g->engine, core, "receiver", receive, g);
	g->out = channel_new(g, g->taker, "out");
	g->home = channel_new(g, g->receiver, "home");
	for (uint32_t i = 0; i < REQUESTERS; i++)
		requester_new(g, i, 32u << i);
}

static void release(struct rig *g)
{
	for (uint32_t i = 0; i < REQUESTERS; i++)
		mem_cache_free(g->requesters[i].cache);
	assert_true(mem_stack_is_idle(g->stack));
	mem_stack_free(g->stack);
	net_channel_free(g->out);
	net_channel_free(g->home);
	mem_req_pool_free(g->pool); /* CHECKs that every request came back */
	net_ports_free(&g->ports);
	sim_stats_free(g->stats);
	sim_engine_free(g->engine);
}

static uint64_t stat(const struct rig *g, const char *key)
{
	uint64_t value = 0;

	assert_true(sim_stats_value(g->stats, key, &value));
	return value;
}

static void test_reads(void **state)
{
	static struct rig rig;
	struct rig *g = &rig;
	uint64_t lines = 0, bytes = 0;

	(void)state;
	build(g);
	sim_wake_units(g->engine, g->sender, 0);
	sim_run(g->engine);
	for (uint32_t i = 0; i < REQUESTERS; i++) {
		const struct requester *q = &g->requesters[i];

		assert_int_equal(q->asked_count, LINES);
		assert_int_equal(q->read_count, q->missed_count);
		assert_int_equal(q->bytes, (uint64_t)q->missed_count * (32u << i));
		lines += q->missed_count;
		bytes += q->bytes;
	}
	assert_true(lines > LINES);
	assert_int_equal(stat(g, "out.bytes"), lines * HEADER_BYTES);
	assert_int_equal(stat(g, "home.bytes"), lines * HEADER_BYTES + bytes);
	assert_int_equal(stat(g, "vault.read_bytes"), bytes);
	assert_int_equal(stat(g, "vault.column_reads"), bytes / ACCESS_BYTES);
	release(g);
}

static void test_writes(void **state)
{
	static struct rig rig;
	struct rig *g = &rig;
	uint64_t bytes = 0;

	(void)state;
	build(g);
	for (uint32_t n = 0; n < 16; n++) {
		for (uint32_t i = 0; i < REQUESTERS; i++) {
			struct requester *q = &g->requesters[i];
			uint64_t addr = mem_cache_line_of(q->cache, rnd(g) % SPAN_BYTES);
			struct mem_req *r = request(q, addr, MEM_WRITE);

			q->asked_count = LINES; /* it reads nothing */
			bytes += r->size_bytes;
			assert_int_equal(wire_bytes(r), HEADER_BYTES + (32u << i));
			while (!net_channel_ready(g->out, NULL))
				sim_run(g->engine);
			net_channel_send(g->out, r, wire_bytes(r), sim_now_units(g->engine));
		}
	}
	sim_run(g->engine);
	for (uint32_t i = 0; i < REQUESTERS; i++)
		assert_int_equal(g->requesters[i].written_count, 16);
	assert_int_equal(stat(g, "out.bytes"), 16 * REQUESTERS * HEADER_BYTES + bytes);
	assert_int_equal(stat(g, "home.bytes"), 16 * REQUESTERS * HEADER_BYTES);
	assert_int_equal(stat(g, "vault.write_bytes"), bytes);
	release(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reads),
	    cmocka_unit_test(test_writes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
