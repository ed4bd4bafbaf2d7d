/* xbar.c - a crossbar as one channel per output and a wire time per input port.
 *
 * Without queues at the inputs a port holds a packet until its output's wire has taken it. With a queue for each output
 * and twice the ports' rate inside, a crossbar does what one does that queues at its outputs alone (Chuang, Goel,
 * McKeown, Prabhakar, JSAC 1999): so it is modelled, an input is taken for what its packet's flits take.
 */
#include <glib.h>

#include "base/check.h"
#include "net/channel.h"

struct net_xbar {
	struct sim_engine *engine;
	uint32_t input_count, output_count;
	bool has_queues; /* at the inputs, one for each output */
	uint64_t *input_free_units;
	struct net_channel **outputs;
};

struct net_xbar *net_xbar_new(const struct net_xbar_config *c)
{
	struct net_xbar *x = g_new0(struct net_xbar, 1);
	const struct net_channel_config output = {
		.engine = c->engine,
		.flit_units = c->flit_units,
		.flit_bytes = c->flit_bytes,
		.latency_units = c->latency_units,
		.depth_packets = c->depth_packets + c->queue_packets * c->input_count,
		.stats = c->stats,
		.stats_prefix = c->stats_prefix,
	};

	x->engine = c->engine;
	x->input_count = c->input_count;
	x->output_count = c->output_count;
	x->has_queues = c->queue_packets != 0;
	x->input_free_units = g_new0(uint64_t, c->input_count);
	x->outputs = g_new0(struct net_channel *, c->output_count);
	for (uint32_t i = 0; i < c->output_count; i++)
		x->outputs[i] = net_channel_new(&output);
	return x;
}

void net_xbar_free(struct net_xbar *x)
{
	if (!x)
		return;
	for (uint32_t i = 0; i < x->output_count; i++)
		net_channel_free(x->outputs[i]);
	g_free(x->outputs);
	g_free(x->input_free_units);
	g_free(x);
}

void net_xbar_set_receiver(struct net_xbar *x, uint32_t output, struct sim_comp receiver)
{
	net_channel_set_receiver(x->outputs[output], receiver);
}

bool net_xbar_ready(struct net_xbar *x, uint32_t input, uint32_t output, const struct sim_comp *waiter)
{
	uint64_t now = sim_now_units(x->engine), input_free = x->input_free_units[input];
	/* A port that frees before the sender's next cycle may be taken now, else every packet would be rounded up to
	 * whole cycles of the sender. */
	uint64_t slack = waiter ? sim_period_units(x->engine, waiter->domain) - 1 : 0;

	CHECK(input < x->input_count && output < x->output_count);
	if (input_free > now + slack) {
		if (waiter)
			sim_wake_units(x->engine, *waiter, input_free - slack);
		return false;
	}
	return net_channel_ready(x->outputs[output], waiter);
}

typedef uint64_t send(struct net_channel *ch, struct mem_req *r, uint32_t bytes, uint64_t earliest_units);

static uint64_t send_by(struct net_xbar *x, uint32_t input, uint32_t output, struct mem_req *r, uint32_t bytes,
			uint64_t earliest_units, send *by)
{
	uint64_t input_free = x->input_free_units[input];
	uint64_t start = earliest_units > input_free ? earliest_units : input_free;

	uint64_t taken = by(x->outputs[output], r, bytes, start);

	x->input_free_units[input] =
	    x->has_queues ? start + net_channel_wire_units(x->outputs[output], bytes) : taken;
	return x->input_free_units[input];
}

uint64_t net_xbar_send(struct net_xbar *x, uint32_t input, uint32_t output, struct mem_req *r, uint32_t bytes,
		       uint64_t earliest_units)
{
	return send_by(x, input, output, r, bytes, earliest_units, net_channel_send);
}

uint64_t net_xbar_send_past(struct net_xbar *x, uint32_t input, uint32_t output, struct mem_req *r, uint32_t bytes,
			    uint64_t earliest_units)
{
	return send_by(x, input, output, r, bytes, earliest_units, net_channel_send_past);
}

struct mem_req *net_xbar_peek(struct net_xbar *x, uint32_t output)
{
	return net_channel_peek(x->outputs[output]);
}

struct mem_req *net_xbar_pop(struct net_xbar *x, uint32_t output)
{
	return net_channel_pop(x->outputs[output]);
}

bool net_xbar_is_idle(const struct net_xbar *x)
{
	for (uint32_t i = 0; i < x->output_count; i++) {
		if (!net_channel_is_idle(x->outputs[i]))
			return false;
	}
	return true;
}

void net_xbar_reset(struct net_xbar *x)
{
	uint64_t now = sim_now_units(x->engine);

	for (uint32_t i = 0; i < x->output_count; i++)
		net_channel_reset(x->outputs[i]);
	for (uint32_t i = 0; i < x->input_count; i++)
		x->input_free_units[i] = now;
}
