/* sockets.c - what crosses the links between sockets: lines at a rate, questions and answers by their latency. */
#include "cpu/sockets.h"

uint64_t cpu_sockets_send(struct cpu_sockets *s, uint32_t from, uint32_t to)
{
	struct net_wire *link = &s->links[from * s->count + to];
	const uint64_t now = cpu_now_units(s->c), bytes = s->c->p->line_bytes;

	if (from == to)
		return 0;
	s->c->stats.socket_bytes += bytes;
	s->c->stats.socket_wait_ps += (base_max_u64(now, link->free_units) - now) / s->c->per_ps;
	return net_wire_send(link, now, bytes) - now + s->latency_units;
}

uint64_t cpu_sockets_ask(const struct cpu_sockets *s)
{
	return s->count > 1 ? 2 * (s->latency_units + s->c->p->llc_miss_ps * s->c->per_ps) : 0;
}

void cpu_sockets_init(struct cpu_sockets *s, struct cpu_common *c)
{
	*s = (struct cpu_sockets){
	    .c = c, .count = (uint32_t)c->p->socket_count, .latency_units = c->p->socket_latency_ps * c->per_ps};
	s->links = g_new(struct net_wire, s->count * s->count);
	for (uint32_t i = 0; i < s->count * s->count; i++)
		s->links[i] = net_wire_of_rate(c->p->socket_mbytes_per_s, c->per_ps);
}

void cpu_sockets_free(struct cpu_sockets *s)
{
	g_free(s->links);
}
