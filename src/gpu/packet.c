/* packet.c - packets of partitioned blocks (NSU, SC'17, Figure 4): a header flit with packet id, address, mask and
 * target, and the payload. A packet is a memory request with a struct packet as its owner; on its way it changes its
 * kind: a read becomes the data, a write its acknowledgment.
 */
#include <glib.h>
#include <string.h>

#include "gpu/priv.h"

enum { POOL_CHUNK = 256 };

static enum mem_op op_of(enum packet_kind kind)
{
	if (kind == PACKET_WRITE)
		return MEM_WRITE;
	return kind == PACKET_READ || kind == PACKET_FETCH ? MEM_READ : MEM_MESSAGE;
}

/* Where the packet, or what it asks for, goes. */
static uint16_t port_of(const struct gpu *g, enum packet_kind kind, const struct partition *p)
{
	switch (kind) {
	case PACKET_INVALIDATE:
		return g->invalidate_port;
	case PACKET_CREDIT:
		return g->credit_port;
	case PACKET_ANSWER:
		return p->home->sm->packet_port;
	default:
		return p ? nsu_port(g->nsus[p->target]) : 0;
	}
}

struct mem_req *packet_new(struct gpu *g, enum packet_kind kind, struct partition *p)
{
	struct packet *k = g->packets_free;
	struct mem_req *r = mem_req_get(g->pool);

	if (!k) {
		struct packet *chunk = g_new(struct packet, POOL_CHUNK);

		g_ptr_array_add(g->packet_chunks, chunk);
		for (uint32_t i = 0; i < POOL_CHUNK; i++)
			chunk[i].next_free = i + 1 < POOL_CHUNK ? &chunk[i + 1] : NULL;
		k = chunk;
	}
	g->packets_free = k->next_free;
	g->packet_count++;
	*k = (struct packet){.p = p, .kind = (uint8_t)kind, .target = p ? p->target : 0};
	*r = (struct mem_req){
	    .issue_units = sim_now_units(g->engine),
	    .owner = k,
	    .tag = SM_NO_ACCESS,
	    .op = op_of(kind) & 3,
	    .kind = MEM_KIND_PASSING,
	    .port = port_of(g, kind, p),
	};
	return r;
}

void packet_free(struct gpu *g, struct mem_req *r)
{
	struct packet *k = packet_of(r);

	k->next_free = g->packets_free;
	g->packets_free = k;
	g->packet_count--;
	mem_req_put(g->pool, r);
}

void packet_count(struct gpu *g, const struct mem_req *r)
{
	const struct link_params *l = &g->config->link;
	const struct packet *k = packet_of(r);
	uint64_t bytes = l->header_bytes + r->payload_bytes;

	g->packet_stats.packets[k->kind]++;
	g->packet_stats.bytes[k->kind] += (bytes + l->flit_bytes - 1) / l->flit_bytes * l->flit_bytes;
}

static void packet_becomes(struct gpu *g, struct mem_req *r, enum packet_kind kind, uint32_t payload_bytes)
{
	struct packet *k = packet_of(r);

	k->kind = (uint8_t)kind;
	r->payload_bytes = payload_bytes;
	r->op = MEM_MESSAGE;
	packet_count(g, r);
}

uint32_t packet_data_bytes(const struct packet *k)
{
	const struct partition_entry *e = &k->p->entries[k->seq];

	return (uint32_t)__builtin_popcount(k->lanes) * (e->lane_bytes + (k->fills && e->is_misaligned));
}

void packet_becomes_data(struct gpu *g, struct mem_req *r)
{
	packet_becomes(g, r, PACKET_DATA, packet_data_bytes(packet_of(r)));
}

/* After each write of a unit, the line must not stay in the GPU's caches (NSU section 4.2): in the L2, and in the L1 of
 * the SM that the packet id names. */
static struct mem_req *invalidation(struct gpu *g, uint32_t stack, const struct mem_req *written)
{
	struct mem_req *r = packet_new(g, PACKET_INVALIDATE, NULL);

	r->addr_bytes = written->addr_bytes;
	r->tag = packet_of(written)->p->home->sm->packet_port;
	r->stack = (uint8_t)stack;
	r->slice = slice_of(g, stack, written->vault);
	packet_count(g, r);
	return r;
}

void packet_served(struct gpu *g, struct mem_req *r, uint32_t where)
{
	switch ((enum packet_kind)packet_of(r)->kind) {
	case PACKET_READ:
		if (where == GPU_AT_L2) {
			g->partition_stats.read_l2_hits++;
			packet_of(r)->p->rdf_hit_count++;
		}
		packet_becomes_data(g, r);
		return;
	case PACKET_WRITE:
		if (where == GPU_AT_HOST)
			l2_slice_take(g->slices[r->slice], invalidation(g, r->stack, r));
		else
			stack_port_reply(g->stacks[where], invalidation(g, where, r));
		packet_becomes(g, r, PACKET_WRITTEN, 0);
		return;
	default:
		return;
	}
}

/* ---- writes under way, per stack ---- */

void packet_write_begins(struct gpu *g, uint32_t stack)
{
	if (++g->write_lines[stack] > g->partition_stats.write_max)
		g->partition_stats.write_max = g->write_lines[stack];
}

static void write_ends(struct gpu *g, uint32_t stack)
{
	CHECK(g->write_lines[stack]);
	g->write_lines[stack]--;
}

/* An invalidation has come to its slice; from there it goes on to its SM. */
static void take_invalidation(void *self, struct mem_req *r)
{
	struct gpu *g = self;
	struct l2_slice *s = g->slices[r->slice];

	write_ends(g, r->stack);
	l2_slice_drop(s, r->addr_bytes);
	nsu_cache_drop(g, r->addr_bytes);
	r->port = (uint16_t)r->tag;
	l2_slice_reply(s, r);
}

/* Credits came along with it, see stack_port.c. */
static void take_credit(void *self, struct mem_req *r)
{
	packet_free(self, r);
}

void packet_ports_new(struct gpu *g)
{
	static const struct net_port_ops invalidate_ops = {.done = take_invalidation};
	static const struct net_port_ops credit_ops = {.done = take_credit}, sm_ops = {.done = partition_take};

	g->invalidate_port = net_port_add(&g->ports, &invalidate_ops, g, GPU_PLACE_SLICE, 0);
	g->credit_port = net_port_add(&g->ports, &credit_ops, g, GPU_PLACE_LINK, 0);
	for (uint32_t i = 0; i < g->sm_count; i++)
		g->sms[i]->packet_port =
		    net_port_add(&g->ports, &sm_ops, g->sms[i], GPU_PLACE_CLUSTER, g->sms[i]->cluster);
}

void packets_reset(struct gpu *g)
{
	memset(g->write_lines, 0, g->stack_count * sizeof(*g->write_lines));
	g->packets_free = NULL;
	g->packet_count = 0;
	for (uint32_t i = 0; i < g->packet_chunks->len; i++) {
		struct packet *chunk = g->packet_chunks->pdata[i];

		for (uint32_t k = 0; k < POOL_CHUNK; k++) {
			chunk[k].next_free = g->packets_free;
			g->packets_free = &chunk[k];
		}
	}
}
