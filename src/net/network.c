/* network.c - routers and links. A router ticks when a packet's head arrives, a place behind one of its links frees, or
 * its node takes packets again; it serves its inputs in turn.
 *
 * A place is taken when a packet is sent, and freed when its head is sent on: all wires have one rate, so the flits of
 * the packet that takes the place next arrive no sooner than those of the one before it leave. The link before it knows
 * credit_units later. Wires are reserved packet by packet, as in channel.c.
 */
#include "net/network.h"

#include <glib.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/list.h"

const struct sim_stat_desc net_network_stat_rows[] = {
#define STAT_STRUCT struct net_network_stats
#include "sim/stat_rows.inc"
#include "net/network_stats.def"
#include "sim/stat_end.inc"
};
const uint32_t net_network_stat_row_count = ARRAY_COUNT(net_network_stat_rows);

enum { VC_MAX = 2 * NET_CLASS_COUNT };

struct packet {
	struct mem_req *req;
	uint64_t sent_units;
	uint64_t head_units, tail_units; /* arrival of the first and of the last flit */
	uint32_t flits;
	uint16_t to, hops;
	bool has_crossed; /* the ring's dateline */
};

/* Packets in order of arrival: a virtual channel's buffer behind a link, or what a node has to send. */
struct buffer {
	BASE_RING(struct packet);
	struct {
		BASE_RING(uint64_t);
	} returns; /* of a virtual channel: when credits on their way back are usable, in order */
};

struct link {
	uint32_t from, to;
	uint64_t wire_free_units;
	struct buffer vcs[VC_MAX]; /* behind the wire */
	struct net_channel_stats stats;
};

struct router {
	struct net_network *network;
	struct sim_comp comp;
	uint32_t index;
	uint32_t in_count;
	struct link **in; /* links that end here */
	struct buffer source[NET_CLASS_COUNT];
	bool is_refused[NET_CLASS_COUNT]; /* the node asked for a place and got none */
	uint32_t turn;			  /* input served first */
	uint64_t next_units;		  /* of this tick: when a wire that is waited for frees */
};

struct net_network {
	struct net_network_config config;
	uint32_t vc_count, vcs_per_class;
	uint32_t link_count;
	struct link *links;
	uint32_t *out; /* [node * node_count + to]: link to take */
	struct router *routers;
	uint64_t pending_count;
	struct net_network_stats stats;
};

/* ---- shape ---- */

/* The next node on the way. */
static uint32_t next_node(enum net_topology t, uint32_t n, uint32_t at, uint32_t to)
{
	uint32_t column_bits, ahead;

	switch (t) {
	case NET_FULL:
		return to;
	case NET_HYPERCUBE:
		return at ^ ((at ^ to) & -(at ^ to)); /* the lowest bit that differs */
	case NET_RING:
		ahead = (to - at) & (n - 1);
		return (ahead <= n / 2 ? at + 1 : at - 1) & (n - 1);
	case NET_MESH2D:
		column_bits = (base_log2(n) + 1) / 2;
		ahead = (1u << column_bits) - 1;
		if ((at & ahead) != (to & ahead))
			return (to & ahead) > (at & ahead) ? at + 1 : at - 1;
		return to > at ? at + (1u << column_bits) : at - (1u << column_bits);
	}
	UNREACHABLE("a topology without routes");
}

uint32_t net_network_hops(enum net_topology topology, uint32_t node_count, uint32_t from, uint32_t to)
{
	uint32_t hops = 0;

	for (; from != to; hops++)
		from = next_node(topology, node_count, from, to);
	return hops;
}

/* Neighbours are those that are one step away. */
static bool is_link(enum net_topology t, uint32_t n, uint32_t from, uint32_t to)
{
	return from != to && next_node(t, n, from, to) == to;
}

uint32_t net_network_link_count(enum net_topology topology, uint32_t node_count)
{
	uint32_t count = 0;

	for (uint32_t from = 0; from < node_count; from++) {
		for (uint32_t to = 0; to < node_count; to++)
			count += is_link(topology, node_count, from, to);
	}
	return count;
}

static struct packet *buffer_head(const struct buffer *b)
{
	return b->count ? base_ring_first(b) : NULL;
}

static void buffer_new(const struct net_network *n, struct buffer *b)
{
	b->items = g_new0(struct packet, n->config.depth_packets);
	b->returns.items = g_new0(uint64_t, n->config.depth_packets);
	b->cap = b->returns.cap = n->config.depth_packets;
}

static void buffer_free(struct buffer *b)
{
	g_free(b->items);
	g_free(b->returns.items);
}

static bool has_credit(const struct net_network *n, struct buffer *b, uint64_t now)
{
	while (b->returns.count && *base_ring_first(&b->returns) <= now)
		base_ring_pop(&b->returns);
	return b->count + b->returns.count < n->config.depth_packets;
}

/* ---- routers ---- */

static bool is_dateline(const struct net_network *n, const struct link *l)
{
	uint32_t last = n->config.node_count - 1;

	return n->config.topology == NET_RING && ((l->from == 0 && l->to == last) || (l->from == last && l->to == 0));
}

/* The head of an input at its destination. */
static bool deliver(struct router *r, enum net_class c, const struct packet *p)
{
	struct net_network *n = r->network;
	struct sim_engine *e = n->config.engine;
	uint64_t now = sim_now_units(e);
	const struct packet delivered = *p;

	if (p->tail_units > now) {
		r->next_units = p->tail_units < r->next_units ? p->tail_units : r->next_units;
		return false;
	}
	if (!n->config.take(n->config.ctx, r->index, c, p->req)) {
		n->stats.take_stalls++;
		return false;
	}
	n->stats.delivered++;
	n->stats.hops += delivered.hops;
	n->pending_count--;
	sim_hist_add(&n->stats.latency_ps, sim_ps_of_units(e, now - delivered.sent_units));
	return true;
}

/* The head of an input to the next router, when the link's wire is free before the next cycle. */
static bool forward(struct router *r, enum net_class c, const struct packet *p)
{
	struct net_network *n = r->network;
	struct sim_engine *e = n->config.engine;
	uint64_t now = sim_now_units(e), slack = sim_period_units(e, n->config.domain) - 1, start, busy;
	struct link *l = &n->links[n->out[r->index * n->config.node_count + p->to]];
	struct packet q = *p;
	struct buffer *b;

	q.has_crossed |= is_dateline(n, l);
	b = &l->vcs[c * n->vcs_per_class + (q.has_crossed && n->vcs_per_class > 1)];
	if (l->wire_free_units > now + slack) {
		r->next_units = l->wire_free_units - slack < r->next_units ? l->wire_free_units - slack : r->next_units;
		return false;
	}
	if (!has_credit(n, b, now)) {
		n->stats.credit_stalls++;
		l->stats.full_stalls++;
		return false; /* woken when a credit comes back */
	}
	start = l->wire_free_units > now ? l->wire_free_units : now;
	busy = q.flits * n->config.flit_units;
	l->wire_free_units = start + busy;
	q.head_units = start + n->config.flit_units + n->config.latency_units;
	q.tail_units = start + busy + n->config.latency_units;
	q.hops++;
	*base_ring_push(b) = q;
	l->stats.packets++;
	l->stats.flits += q.flits;
	l->stats.bytes += q.flits * n->config.flit_bytes;
	l->stats.wire_bytes += q.flits * n->config.flit_bytes;
	l->stats.busy_units += busy;
	l->stats.wait_units += start - now;
	if (b->count > l->stats.occupancy_max)
		l->stats.occupancy_max = b->count;
	sim_wake_units(e, n->routers[l->to].comp, q.to == l->to ? q.tail_units : q.head_units);
	return true;
}

static void return_credit(struct net_network *n, const struct link *l, struct buffer *b)
{
	const uint64_t usable = sim_now_units(n->config.engine) + n->config.credit_units;

	if (n->config.credit_units)
		*base_ring_push(&b->returns) = usable;
	sim_wake_units(n->config.engine, n->routers[l->from].comp, usable);
}

static void source_popped(struct router *r, enum net_class c)
{
	struct net_network *n = r->network;

	if (!r->is_refused[c])
		return;
	r->is_refused[c] = false;
	n->config.room(n->config.ctx, r->index, c);
}

/* Serves the head of one input. Inputs are numbered link by link and virtual channel by virtual channel, then what the
 * node sends, class by class. */
static bool serve(struct router *r, uint32_t input)
{
	struct net_network *n = r->network;
	uint32_t links = r->in_count * n->vc_count;
	struct link *l = input < links ? r->in[input / n->vc_count] : NULL;
	uint32_t vc = l ? input % n->vc_count : 0;
	enum net_class c = (enum net_class)(l ? vc / n->vcs_per_class : input - links);
	struct buffer *b = l ? &l->vcs[vc] : &r->source[c];
	const struct packet *p = buffer_head(b);

	if (!p)
		return false;
	if (p->head_units > sim_now_units(n->config.engine)) {
		r->next_units = p->head_units < r->next_units ? p->head_units : r->next_units;
		return false;
	}
	if (!(p->to == r->index ? deliver(r, c, p) : forward(r, c, p)))
		return false;
	base_ring_pop(b);
	if (l)
		return_credit(n, l, b);
	else
		source_popped(r, c);
	return true;
}

static void router_tick(void *component, uint64_t cycle)
{
	struct router *r = component;
	struct net_network *n = r->network;
	uint32_t inputs = r->in_count * n->vc_count + NET_CLASS_COUNT;
	bool has_moved = true;

	(void)cycle;
	while (has_moved) {
		has_moved = false;
		r->next_units = SIM_NEVER;
		for (uint32_t i = 0; i < inputs; i++) {
			uint32_t input = r->turn + i;

			has_moved |= serve(r, input >= inputs ? input - inputs : input);
		}
	}
	r->turn = r->turn + 1 == inputs ? 0 : r->turn + 1;
	if (r->next_units != SIM_NEVER)
		sim_wake_units(n->config.engine, r->comp, r->next_units);
}

/* ---- the nodes' side ---- */

bool net_network_ready(struct net_network *n, uint32_t node, enum net_class c)
{
	struct router *r = &n->routers[node];

	if (r->source[c].count < n->config.depth_packets)
		return true;
	r->is_refused[c] = true;
	return false;
}

void net_network_send(struct net_network *n, uint32_t node, uint32_t to, enum net_class c, struct mem_req *req,
		      uint32_t bytes)
{
	uint64_t now = sim_now_units(n->config.engine);
	const struct packet p = {
	    .req = req,
	    .sent_units = now,
	    .head_units = now,
	    .tail_units = now,
	    .flits = (bytes + n->config.flit_bytes - 1) / n->config.flit_bytes,
	    .to = (uint16_t)to,
	};

	CHECK(node != to && to < n->config.node_count && bytes);
	*base_ring_push(&n->routers[node].source[c]) = p;
	n->stats.packets++;
	n->stats.bytes += p.flits * n->config.flit_bytes;
	n->pending_count++;
	sim_wake_units(n->config.engine, n->routers[node].comp, now);
}

void net_network_wake(struct net_network *n, uint32_t node)
{
	sim_wake_units(n->config.engine, n->routers[node].comp, sim_now_units(n->config.engine));
}

bool net_network_is_idle(const struct net_network *n)
{
	for (uint32_t i = 0; i < n->link_count; i++) {
		for (uint32_t v = 0; v < n->vc_count; v++) {
			if (n->links[i].vcs[v].count)
				return false;
		}
	}
	return n->pending_count == 0;
}

void net_network_reset(struct net_network *n)
{
	for (uint32_t i = 0; i < n->link_count; i++) {
		for (uint32_t v = 0; v < n->vc_count; v++)
			n->links[i].vcs[v].count = n->links[i].vcs[v].returns.count = 0;
		n->links[i].wire_free_units = sim_now_units(n->config.engine);
	}
	for (uint32_t i = 0; i < n->config.node_count; i++) {
		for (uint32_t c = 0; c < NET_CLASS_COUNT; c++) {
			n->routers[i].source[c].count = 0;
			n->routers[i].is_refused[c] = false;
		}
	}
	n->pending_count = 0;
}

/* ---- building ---- */

static void link_new(struct net_network *n, uint32_t index, uint32_t from, uint32_t to)
{
	struct link *l = &n->links[index];

	*l = (struct link){.from = from, .to = to};
	for (uint32_t v = 0; v < n->vc_count; v++)
		buffer_new(n, &l->vcs[v]);
	n->routers[to].in[n->routers[to].in_count++] = l;
	for (uint32_t k = 0; k < n->config.node_count; k++) {
		if (k != from && next_node(n->config.topology, n->config.node_count, from, k) == to)
			n->out[from * n->config.node_count + k] = index;
	}
	if (n->config.stats)
		sim_stats_add(n->config.stats, n->config.link_stats_prefix, net_channel_stat_rows,
			      net_channel_stat_row_count, &l->stats, sizeof(l->stats));
}

static void routers_new(struct net_network *n)
{
	uint32_t count = n->config.node_count;

	n->routers = g_new0(struct router, count);
	for (uint32_t i = 0; i < count; i++) {
		struct router *r = &n->routers[i];

		r->network = n;
		r->index = i;
		r->in = g_new0(struct link *, count);
		for (uint32_t c = 0; c < NET_CLASS_COUNT; c++)
			buffer_new(n, &r->source[c]);
		r->comp = sim_engine_add(n->config.engine, n->config.domain, "router", router_tick, r);
	}
}

struct net_network *net_network_new(const struct net_network_config *c)
{
	struct net_network *n = g_new0(struct net_network, 1);
	uint32_t links = 0;

	CHECK(c->depth_packets >= 1 && c->flit_bytes >= 1 && c->node_count >= 1 && c->node_count <= UINT16_MAX);
	n->config = *c;
	n->vcs_per_class = c->topology == NET_RING ? 2 : 1;
	n->vc_count = n->vcs_per_class * NET_CLASS_COUNT;
	n->link_count = net_network_link_count(c->topology, c->node_count);
	n->links = g_new0(struct link, n->link_count);
	n->out = g_new0(uint32_t, c->node_count * c->node_count);
	routers_new(n);
	for (uint32_t from = 0; from < c->node_count; from++) {
		for (uint32_t to = 0; to < c->node_count; to++) {
			if (is_link(c->topology, c->node_count, from, to))
				link_new(n, links++, from, to);
		}
	}
	if (c->stats)
		sim_stats_add(c->stats, c->stats_prefix, net_network_stat_rows, net_network_stat_row_count, &n->stats,
			      sizeof(n->stats));
	return n;
}

void net_network_free(struct net_network *n)
{
	if (!n)
		return;
	for (uint32_t i = 0; i < n->link_count; i++) {
		for (uint32_t v = 0; v < n->vc_count; v++)
			buffer_free(&n->links[i].vcs[v]);
	}
	for (uint32_t i = 0; i < n->config.node_count; i++) {
		for (uint32_t c = 0; c < NET_CLASS_COUNT; c++)
			buffer_free(&n->routers[i].source[c]);
		g_free(n->routers[i].in);
	}
	g_free(n->links);
	g_free(n->out);
	g_free(n->routers);
	g_free(n);
}
