/* channel.h - one direction of a link: serialisation, latency, a bounded buffer at the far end, real credits.
 *
 * The same model for an SM's port, a crossbar output, a GPU-stack link, a stack-stack link. Sending reserves the wire:
 * a packet of n flits leaves when the wire is free, arrives latency after its last flit has been sent, and holds one
 * buffer place at the far end until the receiver pops it. With no place left the sender must wait; it is woken (in
 * the order of asking) when a credit comes back. No channel ever ticks.
 */
#ifndef STRATA_NET_CHANNEL_H
#define STRATA_NET_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "net/req.h"
#include "sim/engine.h"
#include "sim/stat.h"

struct net_channel_stats {
#include "sim/stat_fields.inc"
#include "net/channel_stats.def"
#include "sim/stat_end.inc"
};
extern const struct sim_stat_desc net_channel_stat_rows[];
extern const uint32_t net_channel_stat_row_count;

struct net_channel;

struct net_channel_config {
	struct sim_engine *engine;
	uint64_t flit_units;	/* time one flit occupies the wire (0: infinite bandwidth) */
	uint32_t flit_bytes;
	/* Flits that travel in frames, as the slots of a CXL flit do: a packet takes what the last frame has left, if
	 * that has not begun to leave, then new frames; it has been sent with the end of its last one. A frame leaves
	 * when the wire is free, full or not. flit_units is then not looked at. 0: flits travel by themselves. */
	uint32_t frame_flits, frame_bytes;
	uint64_t frame_units;	/* time one frame occupies the wire */
	uint64_t latency_units; /* from last flit sent to packet usable */
	uint64_t credit_units;	/* from pop to the credit being usable by the sender */
	uint32_t depth_packets; /* buffer places at the far end, >= 1 */
	struct sim_comp receiver; /* woken when a packet arrives */
	bool has_receiver;
	struct sim_stats *stats;
	const char *stats_prefix; /* "link_tx", "xbar_request", ...: kept */
};

struct net_channel *net_channel_new(const struct net_channel_config *c);
void net_channel_free(struct net_channel *ch);
void net_channel_set_receiver(struct net_channel *ch, struct sim_comp receiver);

/* Is there a credit for this sender now? If not, and waiter is not NULL, the waiter is woken (once) when there is one.
 * The credit is kept for a woken sender until it asks again with itself as waiter; a sender awake for it must ask again
 * or its successors wait two of its cycles longer. A sender that is told true sends in the same tick. NULL asks without
 * queueing. */
bool net_channel_ready(struct net_channel *ch, const struct sim_comp *waiter);
/* Sends r as a packet of bytes (rounded up to flits; 0: it shares an earlier packet's flit), not before earliest_units
 * (>= now). Requires a credit. Returns the time at which the wire has taken the last flit. */
uint64_t net_channel_send(struct net_channel *ch, struct mem_req *r, uint32_t bytes, uint64_t earliest_units);
/* Sends a packet that does not come out of the channel: it takes the wire and no place, and who sends it has it
 * from r->ready_units on. Whoever may send may send so instead. */
uint64_t net_channel_send_past(struct net_channel *ch, struct mem_req *r, uint32_t bytes, uint64_t earliest_units);
/* First packet that has arrived by now, or NULL. */
struct mem_req *net_channel_peek(struct net_channel *ch);
/* Removes what peek returned and returns the credit. */
struct mem_req *net_channel_pop(struct net_channel *ch);
/* How long a packet of bytes is on a wire without frames. */
uint64_t net_channel_wire_units(const struct net_channel *ch, uint32_t bytes);
bool net_channel_is_idle(const struct net_channel *ch); /* nothing in flight or buffered, all credits home */
void net_channel_reset(struct net_channel *ch);
/* Utilisation bookkeeping for busy monitors: wire-busy time since the beginning, up to now. */
uint64_t net_channel_busy_units(const struct net_channel *ch);

/* A crossbar: every input may send to every output; an input port and an output port each carry one packet at a time
 * at the flit rate; an output's buffer is bounded, and an input whose next packet finds it full blocks. An input port
 * is taken until the output's has taken the packet; or, with queues at the inputs, until it has taken the packet
 * itself, which then waits for its output in the queue for that, while what is for others passes. */
struct net_xbar;

struct net_xbar_config {
	struct sim_engine *engine;
	uint32_t input_count, output_count;
	uint64_t flit_units;
	uint32_t flit_bytes;
	uint64_t latency_units;
	uint32_t depth_packets; /* per output */
	uint32_t queue_packets; /* per output, what each input brings to a pool of all inputs' places; 0: no queues */
	struct sim_stats *stats;
	const char *stats_prefix;
};

struct net_xbar *net_xbar_new(const struct net_xbar_config *c);
void net_xbar_free(struct net_xbar *x);
void net_xbar_set_receiver(struct net_xbar *x, uint32_t output, struct sim_comp receiver);
/* Is the input port free before the waiter's next cycle (NULL: now), has the output a place? As net_channel_ready. */
bool net_xbar_ready(struct net_xbar *x, uint32_t input, uint32_t output, const struct sim_comp *waiter);
uint64_t net_xbar_send(struct net_xbar *x, uint32_t input, uint32_t output, struct mem_req *r, uint32_t bytes,
		       uint64_t earliest_units);
/* Sends a packet that does not come out of the crossbar, as net_channel_send_past does. */
uint64_t net_xbar_send_past(struct net_xbar *x, uint32_t input, uint32_t output, struct mem_req *r, uint32_t bytes,
			    uint64_t earliest_units);
struct mem_req *net_xbar_peek(struct net_xbar *x, uint32_t output);
struct mem_req *net_xbar_pop(struct net_xbar *x, uint32_t output);
bool net_xbar_is_idle(const struct net_xbar *x);
void net_xbar_reset(struct net_xbar *x);

#endif
