/* sockets.h - the processors that a system's cores, channels and last level are divided among, in equal parts in their
 * order, and a link between each two of them. A system of one socket has none.
 */
#ifndef STRATA_CPU_SOCKETS_H
#define STRATA_CPU_SOCKETS_H

#include "cpu/common.h"
#include "net/wire.h"

struct cpu_sockets {
	struct cpu_common *c;
	struct net_wire *links; /* from one to another: from * count + to */
	uint32_t count;
	uint64_t latency_units; /* of a link, one way */
};

void cpu_sockets_init(struct cpu_sockets *s, struct cpu_common *c);
void cpu_sockets_free(struct cpu_sockets *s);

/* Who is no core is in the first. */
static inline uint32_t cpu_socket_of_agent(const struct cpu_sockets *s, uint32_t agent)
{
	const struct cpu_params *p = s->c->p;

	return s->count > 1 && agent < p->core_count ? agent / (uint32_t)(p->core_count / p->socket_count) : 0;
}

static inline uint32_t cpu_socket_of_channel(const struct cpu_sockets *s, uint32_t channel)
{
	const struct cpu_params *p = s->c->p;

	return s->count > 1 ? channel / (uint32_t)(p->channel_count / p->socket_count) : 0;
}

/* A line is sent now: how many units until the other socket has it; 0, if it is the same one. */
uint64_t cpu_sockets_send(struct cpu_sockets *s, uint32_t from, uint32_t to);
/* All other sockets are asked for a line that the last level of one lacks: how many units from the request's slot until
 * they have answered. Each last level is looked up on the way, the asking one's first. 0: there is no other. */
uint64_t cpu_sockets_ask(const struct cpu_sockets *s);

#endif
