/* port.h - who asks and who serves.
 *
 * A request carries the number of the port to which its answer goes; who holds it on the way home looks at that and at
 * nothing else of it. A message (MEM_MESSAGE) is a request that nobody answers: its port is where it goes. What place
 * and number mean is up to those who carry requests; a port that its answer has reached is called.
 */
#ifndef STRATA_NET_PORT_H
#define STRATA_NET_PORT_H

#include "net/req.h"

struct net_port_ops {
	/* The answer, or a message, is here; the port takes it over. */
	void (*done)(void *self, struct mem_req *r);
	/* A memory, at `where`, has done the access; its answer has not left yet. May be NULL, and may change what the
	 * answer carries and where it goes. */
	void (*served)(void *self, struct mem_req *r, uint32_t where);
	/* The answer will be here soon: has the host fetch what done() reads. May be NULL; changes nothing in the
	 * model. */
	void (*soon)(void *self, const struct mem_req *r);
};

struct net_port {
	const struct net_port_ops *ops;
	void *self;
	uint16_t place, number; /* number: among those of its place */
};

/* All ports of a machine, by their numbers; zeroed, there is none. */
struct net_ports {
	struct net_port *items;
	uint32_t count;
};

/* ops and self are kept. Returns the port's number. */
uint16_t net_port_add(struct net_ports *ports, const struct net_port_ops *ops, void *self, uint16_t place,
		      uint32_t number);
void net_ports_free(struct net_ports *ports);

static inline const struct net_port *net_port_of(const struct net_ports *ports, const struct mem_req *r)
{
	return &ports->items[r->port];
}

static inline void net_port_done(const struct net_port *p, struct mem_req *r)
{
	p->ops->done(p->self, r);
}

static inline void net_port_served(const struct net_port *p, struct mem_req *r, uint32_t where)
{
	if (p->ops->served)
		p->ops->served(p->self, r, where);
}

static inline void net_port_soon(const struct net_port *p, const struct mem_req *r)
{
	if (p->ops->soon)
		p->ops->soon(p->self, r);
}

#endif
