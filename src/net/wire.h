/* wire.h - one direction of a link that carries bytes at a rate, one packet after the other: for a sender who keeps
 * what he sends himself. net/channel.h has packets, places at the far end and credits beside it.
 */
#ifndef STRATA_NET_WIRE_H
#define STRATA_NET_WIRE_H

#include <stdint.h>

#include "base/bits.h"
#include "base/divide.h"

/* Zeroed, it is there for nobody. Times are in units of its owner's. */
struct net_wire {
	struct base_divisor per_units; /* `scale` units of time for so many bytes */
	uint64_t scale;
	uint64_t free_units; /* when what was sent last has left */
	uint64_t bytes;	     /* sent, ever */
};

/* A wire on which `bytes` bytes take `units` units of time. */
static inline struct net_wire net_wire_of(uint64_t units, uint64_t bytes)
{
	return (struct net_wire){.per_units = base_divisor_of(bytes), .scale = units};
}

/* Sets the wire up by a rate, where a ps is so many units. */
static inline struct net_wire net_wire_of_rate(uint64_t mbytes_per_s, uint64_t units_per_ps)
{
	return net_wire_of(1000000 * units_per_ps, mbytes_per_s);
}

/* How long so many bytes are on the wire. */
static inline uint64_t net_wire_units(const struct net_wire *w, uint64_t bytes)
{
	uint64_t rest;

	return base_divide(bytes * w->scale, &w->per_units, &rest);
}

/* Sends them at `now` or behind what was sent before. Returns when the last of them has left. */
static inline uint64_t net_wire_send(struct net_wire *w, uint64_t now, uint64_t bytes)
{
	w->bytes += bytes;
	return w->free_units = base_max_u64(now, w->free_units) + net_wire_units(w, bytes);
}

#endif
