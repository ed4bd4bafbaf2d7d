/* Channels and the crossbar: latency and throughput in closed form, credits, fairness among waiting senders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "net/channel.h"

enum { SENDERS = 6, PERIOD = 1000 };

struct rig;

struct sender {
	struct rig *rig;
	struct sim_comp comp;
	uint32_t index, output;
	uint64_t left, sent;
	bool is_spread; /* next output after each packet */
};

struct receiver {
	struct rig *rig;
	struct sim_comp comp;
	uint32_t output;
	uint64_t received, last_units;
	uint64_t pop_gap_cycles;
};

struct rig {
	struct sim_engine *engine;
	struct sim_stats *stats;
	struct net_channel *ch;
	struct net_xbar *xbar;
	struct mem_req_pool *pool;
	struct sender senders[SENDERS];
	struct receiver receivers[SENDERS];
	uint32_t packet_bytes, output_count;
};

static void send_tick(void *component, uint64_t cycle)
{
	struct sender *s = component;
	struct rig *g = s->rig;

	(void)cycle;
	while (s->left) {
		uint64_t now = sim_now_units(g->engine);
		bool is_ready = g->ch ? net_channel_ready(g->ch, &s->comp) :
					net_xbar_ready(g->xbar, s->index, s->output, &s->comp);

		if (!is_ready)
			return;

		struct mem_req *r = mem_req_get(g->pool);

		r->port = (uint16_t)s->index;
		s->left--;
		s->sent++;
		if (g->ch) {
			net_channel_send(g->ch, r, g->packet_bytes, now);
			if (s->left)
				sim_wake_units(g->engine, s->comp, now + 1);
			return;
		}
		net_xbar_send(g->xbar, s->index, s->output, r, g->packet_bytes, now);
		if (s->is_spread)
			s->output = (s->output + 1) % g->output_count;
	}
}

static void receive_tick(void *component, uint64_t cycle)
{
	struct receiver *v = component;
	struct rig *g = v->rig;
	struct mem_req *r;

	while ((r = g->ch ? net_channel_peek(g->ch) : net_xbar_peek(g->xbar, v->output))) {
		assert_ptr_equal(g->ch ? net_channel_pop(g->ch) : net_xbar_pop(g->xbar, v->output), r);
		v->received++;
		v->last_units = r->ready_units;
		mem_req_put(g->pool, r);
		if (v->pop_gap_cycles) {
			sim_wake_cycle(g->engine, v->comp, cycle + v->pop_gap_cycles);
			return;
		}
	}
}

static void rig_begin(struct rig *g, uint64_t period_ps)
{
	uint32_t domain;

	memset(g, 0, sizeof(*g));
	g->engine = sim_engine_new();
	assert_true(sim_domain_add(g->engine, "core", sim_period_of_ps(period_ps), &domain));
	g->stats = sim_stats_new();
	g->pool = mem_req_pool_new();
	for (uint32_t i = 0; i < SENDERS; i++) {
		g->senders[i] = (struct sender){.rig = g, .index = i};
		g->senders[i].comp = sim_engine_add(g->engine, 0, "sender", send_tick, &g->senders[i]);
	}
	for (uint32_t i = 0; i < SENDERS; i++) {
		g->receivers[i] = (struct receiver){.rig = g, .output = i};
		g->receivers[i].comp = sim_engine_add(g->engine, 0, "receiver", receive_tick, &g->receivers[i]);
	}
}

static uint64_t stat(const struct rig *g, const char *key)
{
	uint64_t value = 0;

	assert_true(sim_stats_value(g->stats, key, &value));
	return value;
}

static void rig_end(struct rig *g)
{
	if (g->ch)
		assert_true(net_channel_is_idle(g->ch));
	if (g->xbar)
		assert_true(net_xbar_is_idle(g->xbar));
	net_channel_free(g->ch);
	net_xbar_free(g->xbar);
	mem_req_pool_free(g->pool);
	sim_stats_free(g->stats);
	sim_engine_free(g->engine);
}

static struct net_channel_config channel_config(struct rig *g, uint32_t depth)
{
	return (struct net_channel_config){
		.engine = g->engine,
		.flit_units = 300,
		.flit_bytes = 32,
		.latency_units = 5000,
		.credit_units = 700,
		.depth_packets = depth,
		.receiver = g->receivers[0].comp,
		.has_receiver = true,
		.stats = g->stats,
		.stats_prefix = "link_tx",
	};
}

/* 136 bytes are 5 flits of 32: 5 x 300 on the wire, then the latency. */
static void test_unloaded_latency(void **state)
{
	struct rig g;

	(void)state;
	rig_begin(&g, PERIOD);

	const struct net_channel_config c = channel_config(&g, 4);

	g.ch = net_channel_new(&c);
	g.packet_bytes = 136;
	g.senders[0].left = 1;
	sim_wake_cycle(g.engine, g.senders[0].comp, 3);
	sim_run(g.engine);
	assert_int_equal(g.receivers[0].last_units, 3 * PERIOD + 5 * 300 + 5000);
	assert_int_equal(stat(&g, "link_tx.flits"), 5);
	assert_int_equal(stat(&g, "link_tx.wire_bytes"), 160);
	assert_int_equal(stat(&g, "link_tx.bytes"), 136);
	assert_int_equal(net_channel_busy_units(g.ch), 1500);
	rig_end(&g);
}

/* Enough credits for the round trip: n packets take n x flits x flit time. */
static void test_full_throughput(void **state)
{
	struct rig g;
	const uint64_t count = 3000;

	(void)state;
	rig_begin(&g, PERIOD);

	const struct net_channel_config c = channel_config(&g, 16);

	g.ch = net_channel_new(&c);
	g.packet_bytes = 160;
	g.senders[0].left = count;
	sim_wake_cycle(g.engine, g.senders[0].comp, 0);
	sim_run(g.engine);
	assert_int_equal(g.receivers[0].received, count);
	assert_int_equal(g.receivers[0].last_units, count * 1500 + 5000);
	rig_end(&g);
}

/* One credit: a packet per round trip of wire, latency, the receiver's edge, credit return and the sender's edge. */
static void test_credits_limit_throughput(void **state)
{
	struct rig g;

	(void)state;
	rig_begin(&g, PERIOD);

	const struct net_channel_config c = channel_config(&g, 1);

	g.ch = net_channel_new(&c);
	g.packet_bytes = 32;
	g.senders[0].left = 100;
	sim_wake_cycle(g.engine, g.senders[0].comp, 0);
	sim_run(g.engine);
	/* sent at 0, arrives 5300, popped at 6000, credit at 6700, sent again at 7000 */
	assert_int_equal(g.receivers[0].last_units, 99 * 7000 + 5300);
	assert_int_equal(stat(&g, "link_tx.occupancy_max"), 1);
	rig_end(&g);
}

/* Packets of a flit on a link of 40 GB/s, 8 ns and 32 places: with credits that are 8 ns on their way home a place is
 * taken again after 16.4 ns, of which the wire is busy 12.8; with credits at once it never rests. */
static void test_credits_come_home_late(void **state)
{
	enum { DEPTH = 32, WINDOWS = 10, FLIT = 400, LATENCY = 8000 };
	static const uint64_t credits[] = {0, LATENCY}, windows[] = {DEPTH * FLIT, FLIT + 2 * LATENCY};

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct rig g;

		rig_begin(&g, FLIT);

		struct net_channel_config c = channel_config(&g, DEPTH);

		c.flit_units = FLIT;
		c.latency_units = LATENCY;
		c.credit_units = credits[i];
		g.ch = net_channel_new(&c);
		g.packet_bytes = 32;
		g.senders[0].left = DEPTH * WINDOWS;
		sim_wake_cycle(g.engine, g.senders[0].comp, 0);
		sim_run(g.engine);
		assert_int_equal(g.receivers[0].received, DEPTH * WINDOWS);
		assert_int_equal(g.receivers[0].last_units, (WINDOWS - 1) * windows[i] + DEPTH * FLIT + LATENCY);
		rig_end(&g);
	}
}

/* Frames of four flits, packets of five, all there at once: nothing of the wire is lost, and each arrives with the end
 * of the frame that holds its last flit. One alone takes two frames, and the next, which comes when the second has
 * begun to leave, finds no room in it. */
static void test_frames(void **state)
{
	enum { FRAME = 1000, LATENCY = 5000, COUNT = 8 };
	struct rig g;

	(void)state;
	rig_begin(&g, PERIOD);

	struct net_channel_config c = channel_config(&g, 32);

	c.flit_bytes = 16;
	c.frame_flits = 4;
	c.frame_bytes = 68;
	c.frame_units = FRAME;
	g.ch = net_channel_new(&c);
	for (uint64_t i = 0; i < COUNT; i++) {
		struct mem_req *r = mem_req_get(g.pool);
		const uint64_t frames = (5 * (i + 1) + 3) / 4;

		assert_int_equal(net_channel_send(g.ch, r, 5 * 16, 0), frames * FRAME);
		assert_int_equal(r->ready_units, frames * FRAME + LATENCY);
	}
	sim_run(g.engine);
	assert_int_equal(g.receivers[0].received, COUNT);
	assert_int_equal(stat(&g, "link_tx.flits"), COUNT * 5);
	assert_int_equal(stat(&g, "link_tx.wire_bytes"), COUNT * 5 / 4 * 68);
	assert_int_equal(stat(&g, "link_tx.busy_units"), COUNT * 5 / 4 * FRAME);

	const uint64_t begin = sim_now_units(g.engine) + 500;

	assert_int_equal(net_channel_send(g.ch, mem_req_get(g.pool), 5 * 16, begin), begin + 2 * FRAME);
	assert_int_equal(net_channel_send(g.ch, mem_req_get(g.pool), 16, begin + FRAME), begin + 2 * FRAME);
	assert_int_equal(net_channel_send(g.ch, mem_req_get(g.pool), 16, begin + FRAME + 1), begin + 3 * FRAME);
	assert_int_equal(net_channel_send(g.ch, mem_req_get(g.pool), 7 * 16, begin + FRAME + 2), begin + 4 * FRAME);
	assert_int_equal(net_channel_send(g.ch, mem_req_get(g.pool), 16, begin + FRAME + 2), begin + 5 * FRAME);
	sim_run(g.engine);
	rig_end(&g);
}

/* Six senders share a slow receiver: none sleeps for ever. */
static void test_waiting_senders_are_woken(void **state)
{
	struct rig g;

	(void)state;
	rig_begin(&g, PERIOD);

	const struct net_channel_config c = channel_config(&g, 3);

	g.ch = net_channel_new(&c);
	g.packet_bytes = 32;
	g.receivers[0].pop_gap_cycles = 9;
	for (uint32_t i = 0; i < SENDERS; i++) {
		g.senders[i].left = 200;
		sim_wake_cycle(g.engine, g.senders[i].comp, 0);
	}
	sim_run(g.engine);
	assert_int_equal(g.receivers[0].received, SENDERS * 200);
	for (uint32_t i = 0; i < SENDERS; i++)
		assert_int_equal(g.senders[i].sent, 200);
	rig_end(&g);
}

/* Credits on their way home are promised to senders that sleep. One that is awake all the time takes none that was
 * promised to another, who would sleep on: all end. */
static void test_promised_credits_are_kept(void **state)
{
	(void)state;
	for (uint32_t awake = 0; awake < 3; awake++) {
		struct rig g;

		rig_begin(&g, PERIOD);

		struct net_channel_config c = channel_config(&g, 2);

		c.credit_units = 9000;
		g.ch = net_channel_new(&c);
		g.packet_bytes = 320; /* credits come home three cycles apart */
		for (uint32_t i = 0; i < 3; i++) {
			g.senders[i].left = 100;
			sim_wake_cycle(g.engine, g.senders[i].comp, 0);
		}
		for (uint32_t cycle = 0; cycle < 10000; cycle++)
			sim_wake_cycle(g.engine, g.senders[awake].comp, cycle);
		sim_run(g.engine);
		for (uint32_t i = 0; i < 3; i++)
			assert_int_equal(g.senders[i].sent, 100);
		rig_end(&g);
	}
}

/* A sender that was promised a credit and does not come for it: the next one gets it, though nothing moves. */
static void test_promises_lapse(void **state)
{
	struct rig g;

	(void)state;
	rig_begin(&g, PERIOD);

	struct net_channel_config c = channel_config(&g, 1);

	c.credit_units = 9000;
	g.ch = net_channel_new(&c);
	g.packet_bytes = 32;
	g.senders[0].left = 2;
	g.senders[1].left = 1;
	sim_wake_cycle(g.engine, g.senders[0].comp, 0);
	sim_wake_cycle(g.engine, g.senders[1].comp, 2);
	sim_limit(g.engine, 8000);
	sim_run(g.engine);
	g.senders[0].left = 0; /* it changes its mind */
	sim_limit(g.engine, SIM_NEVER);
	sim_run(g.engine);
	assert_int_equal(g.senders[1].sent, 1);
	rig_end(&g);
}

static void xbar_begin(struct rig *g, uint32_t outputs, uint32_t queue_packets)
{
	rig_begin(g, 700); /* no multiple of the flit time */
	g->output_count = outputs;
	g->packet_bytes = 128;

	const struct net_xbar_config c = {
		.engine = g->engine,
		.input_count = SENDERS,
		.output_count = outputs,
		.flit_units = 250,
		.flit_bytes = 32,
		.latency_units = 3000,
		.depth_packets = 16,
		.queue_packets = queue_packets,
		.stats = g->stats,
		.stats_prefix = "xbar_request",
	};

	g->xbar = net_xbar_new(&c);
	for (uint32_t i = 0; i < outputs; i++)
		net_xbar_set_receiver(g->xbar, i, g->receivers[i].comp);
}

/* All inputs to one output: the output port never pauses. Each input to its own: no port does. */
static void test_xbar_throughput(void **state)
{
	struct rig g;

	(void)state;
	xbar_begin(&g, 1, 0);
	for (uint32_t i = 0; i < SENDERS; i++) {
		g.senders[i].left = 500;
		sim_wake_cycle(g.engine, g.senders[i].comp, 0);
	}
	sim_run(g.engine);
	assert_int_equal(g.receivers[0].received, SENDERS * 500);
	assert_int_equal(g.receivers[0].last_units, SENDERS * 500 * 4 * 250 + 3000);
	rig_end(&g);

	xbar_begin(&g, SENDERS, 0);
	for (uint32_t i = 0; i < SENDERS; i++) {
		g.senders[i].left = 500;
		g.senders[i].output = (i + 2) % SENDERS;
		sim_wake_cycle(g.engine, g.senders[i].comp, 0);
	}
	sim_run(g.engine);
	for (uint32_t i = 0; i < SENDERS; i++) {
		assert_int_equal(g.receivers[i].received, 500);
		assert_int_equal(g.receivers[i].last_units, 500 * 4 * 250 + 3000);
	}
	rig_end(&g);
}

/* Inputs walk over the outputs: everything arrives, no port carries more than one packet at a time. */
static void test_xbar_conserves_packets(void **state)
{
	struct rig g;
	uint64_t received = 0, last = 0;

	(void)state;
	xbar_begin(&g, SENDERS, 0);
	for (uint32_t i = 0; i < SENDERS; i++) {
		g.senders[i].left = 600;
		g.senders[i].is_spread = true;
		g.receivers[i].pop_gap_cycles = i % 3;
		sim_wake_cycle(g.engine, g.senders[i].comp, i);
	}
	sim_run(g.engine);
	for (uint32_t i = 0; i < SENDERS; i++) {
		received += g.receivers[i].received;
		last = g.receivers[i].last_units > last ? g.receivers[i].last_units : last;
	}
	assert_int_equal(received, SENDERS * 600);
	assert_int_equal(stat(&g, "xbar_request.busy_units"), SENDERS * 600 * 1000);
	assert_true(last >= 600 * 1000 + 3000);
	rig_end(&g);
}

/* When the second packet of an input arrives whose first one is for an output that all others fill. */
static uint64_t behind_a_busy_output(uint32_t queue_packets)
{
	struct rig g;
	uint64_t last;

	xbar_begin(&g, SENDERS, queue_packets);
	for (uint32_t i = 0; i < SENDERS; i++) {
		g.senders[i].left = 2;
		sim_wake_cycle(g.engine, g.senders[i].comp, i ? 0 : 1);
	}
	g.senders[0].is_spread = true;
	sim_run(g.engine);
	last = g.receivers[1].last_units;
	rig_end(&g);
	return last;
}

/* It begins at 700 and is on its own wires alone, with a queue for each output; else after the others' first packets
 * and its own, of 1000 each. */
static void test_xbar_queues(void **state)
{
	(void)state;
	assert_int_equal(behind_a_busy_output(1), 700 + 2 * 1000 + 3000);
	assert_int_equal(behind_a_busy_output(0), SENDERS * 1000 + 1000 + 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unloaded_latency),
		cmocka_unit_test(test_full_throughput),
		cmocka_unit_test(test_credits_limit_throughput),
		cmocka_unit_test(test_credits_come_home_late),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_waiting_senders_are_woken),
		cmocka_unit_test(test_promised_credits_are_kept),
		cmocka_unit_test(test_promises_lapse),
		cmocka_unit_test(test_xbar_throughput),
		cmocka_unit_test(test_xbar_conserves_packets),
		cmocka_unit_test(test_xbar_queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
