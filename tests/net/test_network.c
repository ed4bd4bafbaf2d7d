/* The routed network: hand-computed ways and times; random traffic of three classes on every shape, with buffers of one
 * place and receivers that refuse, loses nothing, keeps the order of a pair of nodes and ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "net/network.h"

enum { NODES_MAX = 16, PERIOD_PS = 1000, FLIT_BYTES = 16, LATENCY_PS = 3000 };

struct node {
	struct rig *rig;
	struct sim_comp comp;
	uint32_t index;
	uint32_t left[NET_CLASS_COUNT];
	uint32_t owed_count; /* answers to requests that the node took and has not sent */
	uint32_t owed_to[4];
	uint32_t next_out[NODES_MAX][NET_CLASS_COUNT], next_in[NODES_MAX][NET_CLASS_COUNT];
};

struct rig {
	struct sim_engine *engine;
	struct sim_stats *stats;
	struct mem_req_pool *pool;
	struct net_network *network;
	struct node nodes[NODES_MAX];
	uint32_t packet_bytes; /* 0: drawn */
	uint32_t node_count, taken[NET_CLASS_COUNT], random;
	uint64_t last_units;
	bool answers; /* a request is answered; a node that owes four takes none */
	bool refuses; /* nodes take a packet only in some of their cycles */
};

static uint32_t draw(struct rig *g, uint32_t bound)
{
	g->random = g->random * 1664525 + 1013904223;
	return (g->random >> 8) % bound;
}

static bool take(void *ctx, uint32_t node, enum net_class c, struct mem_req *r)
{
	struct rig *g = ctx;
	struct node *n = &g->nodes[node];

	if (g->refuses && draw(g, 3) == 0) {
		sim_wake_units(g->engine, n->comp, sim_now_units(g->engine) + 2 * PERIOD_PS);
		return false;
	}
	if (g->answers && c == NET_REQUEST) {
		if (n->owed_count == 4)
			return false;
		n->owed_to[n->owed_count++] = r->port;
		sim_wake_units(g->engine, n->comp, sim_now_units(g->engine) + 1);
	}
	assert_int_equal(r->stack, node);
	assert_int_equal(r->tag, n->next_in[r->port][c]++);
	g->taken[c]++;
	g->last_units = sim_now_units(g->engine);
	mem_req_put(g->pool, r);
	return true;
}

static void room(void *ctx, uint32_t node, enum net_class c)
{
	struct rig *g = ctx;

	(void)c;
	sim_wake_units(g->engine, g->nodes[node].comp, sim_now_units(g->engine));
}

static void put(struct rig *g, uint32_t from, uint32_t to, enum net_class c, uint32_t bytes)
{
	struct mem_req *r = mem_req_get(g->pool);

	r->port = (uint16_t)from;
	r->stack = (uint8_t)to;
	r->tag = g->nodes[from].next_out[to][c]++;
	net_network_send(g->network, from, to, c, r, bytes);
}

static void node_tick(void *component, uint64_t cycle)
{
	struct node *n = component;
	struct rig *g = n->rig;

	(void)cycle;
	while (n->owed_count && net_network_ready(g->network, n->index, NET_RESPONSE))
		put(g, n->index, n->owed_to[--n->owed_count], NET_RESPONSE, 144);
	for (uint32_t c = 0; c < NET_CLASS_COUNT; c++) {
		while (n->left[c] && net_network_ready(g->network, n->index, (enum net_class)c)) {
			uint32_t to = draw(g, g->node_count - 1);

			n->left[c]--;
			put(g, n->index, to >= n->index ? to + 1 : to, (enum net_class)c,
			    g->packet_bytes ? g->packet_bytes : 1 + draw(g, 160));
		}
	}
	net_network_wake(g->network, n->index);
}

static void rig_begin_credit(struct rig *g, enum net_topology t, uint32_t nodes, uint32_t depth, uint64_t credit_ps)
{
	uint32_t domain;

	memset(g, 0, sizeof(*g));
	g->engine = sim_engine_new();
	assert_true(sim_domain_add(g->engine, "core", sim_period_of_ps(PERIOD_PS), &domain));
	assert_int_equal(sim_units_per_ps(g->engine), 1);
	g->stats = sim_stats_new();
	g->pool = mem_req_pool_new();
	g->node_count = nodes;
	for (uint32_t i = 0; i < nodes; i++) {
		g->nodes[i] = (struct node){.rig = g, .index = i};
		g->nodes[i].comp = sim_engine_add(g->engine, 0, "node", node_tick, &g->nodes[i]);
	}

	const struct net_network_config c = {
	    .engine = g->engine,
	    .topology = t,
	    .node_count = nodes,
	    .flit_units = PERIOD_PS,
	    .flit_bytes = FLIT_BYTES,
	    .latency_units = LATENCY_PS,
	    .credit_units = credit_ps,
	    .depth_packets = depth,
	    .take = take,
	    .room = room,
	    .ctx = g,
	    .stats = g->stats,
	    .stats_prefix = "network",
	    .link_stats_prefix = "mesh",
	};

	g->network = net_network_new(&c);
}

static void rig_begin(struct rig *g, enum net_topology t, uint32_t nodes, uint32_t depth)
{
	rig_begin_credit(g, t, nodes, depth, 0);
}

static void rig_end(struct rig *g)
{
	assert_true(net_network_is_idle(g->network));
	net_network_free(g->network);
	mem_req_pool_free(g->pool);
	sim_stats_free(g->stats);
	sim_engine_free(g->engine);
}

static uint64_t stat(const struct rig *g, const char *key)
{
	uint64_t v;

	assert_true(sim_stats_value(g->stats, key, &v));
	return v;
}

static void test_shapes(void **state)
{
	(void)state;
	assert_int_equal(net_network_link_count(NET_FULL, 8), 56);
	assert_int_equal(net_network_link_count(NET_HYPERCUBE, 8), 24);
	assert_int_equal(net_network_link_count(NET_RING, 8), 16);
	assert_int_equal(net_network_link_count(NET_RING, 2), 2);
	assert_int_equal(net_network_link_count(NET_MESH2D, 8), 20); /* 4 x 2 */
	assert_int_equal(net_network_link_count(NET_MESH2D, 16), 48);
	assert_int_equal(net_network_link_count(NET_HYPERCUBE, 1), 0);
	assert_int_equal(net_network_hops(NET_HYPERCUBE, 8, 0, 7), 3);
	assert_int_equal(net_network_hops(NET_RING, 8, 1, 7), 2);
	assert_int_equal(net_network_hops(NET_RING, 8, 0, 4), 4);
	assert_int_equal(net_network_hops(NET_MESH2D, 8, 0, 7), 4);
	assert_int_equal(net_network_hops(NET_FULL, 8, 3, 5), 1);
}

/* Three hops of a packet of nine flits: the head takes a flit and the latency per hop, the tail eight flits more. */
static void test_time_of_way(void **state)
{
	struct rig g;

	(void)state;
	rig_begin(&g, NET_HYPERCUBE, 8, 4);
	put(&g, 0, 7, NET_REQUEST, 9 * FLIT_BYTES);
	sim_run(g.engine);
	assert_int_equal(g.taken[NET_REQUEST], 1);
	assert_int_equal(g.last_units, 3 * (PERIOD_PS + LATENCY_PS) + 8 * PERIOD_PS);
	assert_int_equal(stat(&g, "network.hops"), 3);
	assert_int_equal(stat(&g, "network.bytes"), 9 * FLIT_BYTES);
	assert_int_equal(stat(&g, "mesh.wire_bytes"), 3 * 9 * FLIT_BYTES);
	assert_int_equal(stat(&g, "mesh.busy_units"), 3 * 9 * PERIOD_PS);
	rig_end(&g);
}

/* Classes share a link's wire: it is never idle while packets wait. */
static void test_wire_is_shared(void **state)
{
	struct rig g;

	(void)state;
	rig_begin(&g, NET_RING, 8, 32);
	for (uint32_t i = 0; i < 20; i++) {
		put(&g, 2, 3, NET_REQUEST, 2 * FLIT_BYTES);
		put(&g, 2, 3, NET_ACK, 1);
	}
	sim_run(g.engine);
	assert_int_equal(g.last_units, 60 * PERIOD_PS + LATENCY_PS);
	rig_end(&g);
}

/* One place behind a link: the next packet follows after a flit, the latency and the credit's way home. */
static void test_credits_come_home_late(void **state)
{
	enum { COUNT = 10 };
	static const uint64_t credits[] = {0, 2000};

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		const uint64_t trip = PERIOD_PS + LATENCY_PS + credits[i];
		struct rig g;

		rig_begin_credit(&g, NET_FULL, 2, 1, credits[i]);
		g.packet_bytes = FLIT_BYTES;
		g.nodes[1].left[NET_REQUEST] = COUNT;
		for (uint32_t cycle = 0; cycle < 100; cycle++)
			sim_wake_cycle(g.engine, g.nodes[1].comp, cycle); /* and its router, which looks too early */
		sim_run(g.engine);
		assert_int_equal(g.taken[NET_REQUEST], COUNT);
		assert_int_equal(g.last_units, (COUNT - 1) * trip + PERIOD_PS + LATENCY_PS);
		rig_end(&g);
	}
}

static void traffic(enum net_topology t, uint32_t nodes, uint32_t depth, bool answers, bool refuses,
		    uint64_t credit_ps)
{
	enum { EACH = 150 };
	uint32_t expected = 0;
	struct rig g;

	rig_begin_credit(&g, t, nodes, depth, credit_ps);
	g.answers = answers;
	g.refuses = refuses;
	for (uint32_t i = 0; i < nodes; i++) {
		for (uint32_t c = 0; c < NET_CLASS_COUNT; c++)
			g.nodes[i].left[c] = EACH;
		sim_wake_cycle(g.engine, g.nodes[i].comp, 0);
	}
	expected = EACH * nodes;
	sim_run(g.engine);
	assert_int_equal(g.taken[NET_REQUEST], expected);
	assert_int_equal(g.taken[NET_RESPONSE], answers ? 2 * expected : expected);
	assert_int_equal(g.taken[NET_ACK], expected);
	assert_int_equal(stat(&g, "network.delivered"), stat(&g, "network.packets"));
	assert_int_equal(stat(&g, "mesh.packets"), stat(&g, "network.hops"));
	if (depth == 1)
		assert_true(stat(&g, "network.credit_stalls") > 0);
	rig_end(&g);
}

static void test_random_traffic(void **state)
{
	static const enum net_topology shapes[] = {NET_FULL, NET_HYPERCUBE, NET_RING, NET_MESH2D};

	(void)state;
	for (uint32_t t = 0; t < 4; t++) {
		for (uint32_t nodes = 2; nodes <= NODES_MAX; nodes *= 2) {
			traffic(shapes[t], nodes, 1, false, false, 0);
			traffic(shapes[t], nodes, 1, true, false, 0);
			traffic(shapes[t], nodes, 1, true, true, 0);
			traffic(shapes[t], nodes, 8, true, true, 0);
			traffic(shapes[t], nodes, 2, true, true, 2500);
		}
	}
}

/* What an aborted kernel left on its way is gone, and the network works. */
static void test_reset(void **state)
{
	struct rig g;

	(void)state;
	rig_begin(&g, NET_RING, 4, 1);
	put(&g, 0, 2, NET_REQUEST, 16);
	put(&g, 1, 2, NET_ACK, 16);
	sim_cancel_all(g.engine);
	net_network_reset(g.network);
	mem_req_pool_reset(g.pool);
	assert_true(net_network_is_idle(g.network));
	g.nodes[0].next_out[2][NET_REQUEST] = 0;
	put(&g, 0, 2, NET_REQUEST, 16);
	sim_run(g.engine);
	assert_int_equal(g.taken[NET_REQUEST], 1);
	rig_end(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_shapes),
	    cmocka_unit_test(test_time_of_way),
	    cmocka_unit_test(test_wire_is_shared),
	    cmocka_unit_test(test_credits_come_home_late),
	    cmocka_unit_test(test_random_traffic),
	    cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
