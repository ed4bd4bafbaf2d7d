/* sm_port.c - where requests leave an SM, and its ports. A GPU SM's requests go through its cluster's crossbar port
 * to an L2 slice; a stack SM's go to the vaults of its stack, or over the mesh to another stack. */
#include "gpu/accounting.h"
#include "gpu/beside.h"
#include "gpu/priv.h"

void cluster_wake(struct cluster *c)
{
	struct sim_engine *e = c->gpu->engine;
	uint64_t slack = sim_period_units(e, c->gpu->clocks.sm) - 1;

	sim_wake_units(e, c->tx_comp, c->free_units > slack ? c->free_units - slack : 0);
}

/* A request behind others of its SM changes nothing for the cluster: it waits for the port or an output already. */
static inline void cluster_push(struct cluster *c, bool is_first)
{
	c->queued_count++;
	if (is_first)
		cluster_wake(c);
}

/* To an L2 slice in front of the stack. */
static inline __attribute__((always_inline)) void push(struct sm *sm, struct mem_req *r, uint32_t stack)
{
	struct gpu *g = sm->gpu;

	r->slice = near_slice(g, sm->cluster, slice_of_place(g, stack, r));
	base_fifo_push(&sm->out, r, next);
	sm->out_count++;
	if (unlikely(sm->is_beside)) {
		beside_pushed(sm);
		return;
	}
	g->sm_has_request[sm->index] = true;
	if (sm->stack == UINT32_MAX)
		cluster_push(&g->clusters[sm->cluster], sm->out_count == 1);
}

static void push_placed(struct sm *sm, struct mem_req *r)
{
	struct gpu *g = sm->gpu;

	r->issue_units = sim_now_units(g->engine);
	r->is_host = false;
	r->next = NULL;
	if (r->op != MEM_MESSAGE)
		sm_place(sm, r);
	if (unlikely(g->account != NULL))
		account_sent(r);
	if (unlikely(sm->is_beside))
		sm->beside->hand->requests++;
	else
		g->memory_stats.requests++;
	push(sm, r, r->stack);
}

/* What lies at the address of r, to the end of its line. */
static struct mem_req_bytes bytes_at(const struct mem_req *r)
{
	const uint32_t first = (uint32_t)r->addr_bytes % COALESCE_LINE_BYTES;
	struct mem_req_bytes b = {{0, 0}};

	for (uint32_t i = first; i < first + r->size_bytes && i < COALESCE_LINE_BYTES; i++)
		b.mask[i / 64] |= 1ull << i % 64;
	return b;
}

void port_push(struct sm *sm, struct mem_req *r)
{
	if (unlikely(sm->gpu->l2_has_sectors))
		*mem_req_bytes_of(r) = bytes_at(r);
	push_placed(sm, r);
}

void port_push_bytes(struct sm *sm, struct mem_req *r, const struct mem_req_bytes *bytes)
{
	*mem_req_bytes_of(r) = *bytes;
	push_placed(sm, r);
}

void port_invalidate(struct sm *sm, uint64_t line_addr_bytes)
{
	struct gpu *g = sm->gpu;
	struct mem_req *r = sm_req_get(sm);

	*r = (struct mem_req){.addr_bytes = line_addr_bytes};
	mem_req_set_message(r, 0); /* the header holds the address */
	gpu_place(g, sm->index, r);
	r->port = l2_slice_drop_port(g->slices[slice_of_place(g, r->stack, r)]);
	g->totals.l2_invalidations++;
	push(sm, r, r->stack);
}

void port_push_packet(struct sm *sm, struct mem_req *r)
{
	r->next = NULL;
	if (unlikely(sm->gpu->account != NULL))
		net_stamp(r, NET_STAGE_L1, sim_now_units(sm->gpu->engine));
	push(sm, r, r->op == MEM_READ ? r->stack : net_port_of(&sm->gpu->ports, r)->number);
}

void port_pop(struct sm *sm, struct mem_req *next)
{
	sm->out.first = next;
	sm->gpu->sm_has_request[sm->index] = next != NULL;
	sm->out_count--;
}

void port_drain(struct sm *sm)
{
	while (sm->out.first) {
		struct mem_req *r = sm->out.first, *next = r->next;

		if (!logic_layer_offer(sm->gpu->stacks[sm->stack], sm, r))
			break;
		port_pop(sm, next);
	}
}

void port_answered(struct sm *sm, const struct mem_req *r, struct sim_hist *latency_ps)
{
	struct gpu *g = sm->gpu;

	sm_touch(sm);
	if (unlikely(sm->is_beside || g->gives_answers))
		return; /* has been counted when it came */
	port_count(g, r, latency_ps);
	if (unlikely(g->units) && r->op != MEM_READ)
		g->units->ops->store_answered(g->units->self, r);
}
