/* network.h - a routed network between memory stacks: links with bandwidth, latency, bounded buffers and real credits,
 * and one router per node.
 *
 * Routing is minimal and in dimension order. Switching is virtual cut-through: a packet goes on as soon as its first
 * flit is there, and always finds place for the whole of it. Every link has virtual channels of its own per class of
 * message; a ring has two per class, the second for packets that have passed the ring's dateline. So no packet waits in
 * a circle, whatever the depth of the buffers, as long as the receivers take responses and acknowledgments in the end
 * without waiting for requests.
 */
#ifndef STRATA_NET_NETWORK_H
#define STRATA_NET_NETWORK_H

#include "net/channel.h"
#include "sim/param.h"

/* mesh2d: 2^ceil(d/2) columns for 2^d nodes. */
#define NET_TOPOLOGIES(X) X(NET_FULL, full) X(NET_HYPERCUBE, hypercube) X(NET_RING, ring) X(NET_MESH2D, mesh2d)
enum net_topology { NET_TOPOLOGIES(SIM_PARAM_ENUMERATOR) };

enum net_class { NET_REQUEST, NET_RESPONSE, NET_ACK, NET_CLASS_COUNT };

struct net_network_stats {
#include "sim/stat_fields.inc"
#include "net/network_stats.def"
#include "sim/stat_end.inc"
};
extern const struct sim_stat_desc net_network_stat_rows[];
extern const uint32_t net_network_stat_row_count;

struct net_network;

struct net_network_config {
	struct sim_engine *engine;
	uint32_t domain; /* the routers' clock */
	enum net_topology topology;
	uint32_t node_count; /* a power of two */
	uint64_t flit_units; /* time one flit occupies a link */
	uint32_t flit_bytes;
	uint64_t latency_units; /* of a link and the router behind it: from a flit sent to usable there */
	uint64_t credit_units;	/* from a packet's head leaving its place to the link before it knowing */
	uint32_t depth_packets; /* buffer places of a virtual channel, >= 1 */
	/* Hands a packet to its node. False: not now; the owner calls net_network_wake when it may try again. Responses
	 * and acknowledgments must not be refused for ever because of requests. */
	bool (*take)(void *ctx, uint32_t node, enum net_class c, struct mem_req *r);
	/* A node that was refused (net_network_ready) may send again. */
	void (*room)(void *ctx, uint32_t node, enum net_class c);
	void *ctx;
	struct sim_stats *stats;
	const char *stats_prefix;      /* kept */
	const char *link_stats_prefix; /* one instance per directed link, by node and then by neighbour; kept */
};

struct net_network *net_network_new(const struct net_network_config *c);
void net_network_free(struct net_network *n);

/* Has the node a place for one more packet of this class? If not, room() is called when there is one. */
bool net_network_ready(struct net_network *n, uint32_t node, enum net_class c);
/* Sends r (bytes > 0, rounded up to flits) to another node. Requires net_network_ready. */
void net_network_send(struct net_network *n, uint32_t node, uint32_t to, enum net_class c, struct mem_req *r,
		      uint32_t bytes);
/* The node takes packets again. */
void net_network_wake(struct net_network *n, uint32_t node);
/* Nothing on its way, all credits home. */
bool net_network_is_idle(const struct net_network *n);
void net_network_reset(struct net_network *n);

/* Directed links of a topology, for what they could carry and what they need when idle. */
uint32_t net_network_link_count(enum net_topology topology, uint32_t node_count);
/* Links between two nodes on the way that packets take. */
uint32_t net_network_hops(enum net_topology topology, uint32_t node_count, uint32_t from, uint32_t to);

#endif
