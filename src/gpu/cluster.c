/* cluster.c - the SM side of the crossbars: the SMs of a cluster share a port of each. They take turns in sending; what
 * arrives goes to its port.
 */
#include "gpu/accounting.h"
#include "gpu/beside.h"
#include "gpu/priv.h"

/* ---- out ---- */

/* Sends the SM's first request. False: the output has no place; the cluster is woken when it has. */
static bool cluster_send(struct cluster *c, struct sm *sm, uint64_t now)
{
	struct gpu *g = c->gpu;
	struct mem_req *r = sm->out.first, *next = r->next;
	uint32_t bytes;

	if (!net_xbar_ready(g->requests, c->index, r->slice, &c->tx_comp))
		return false;
	bytes = packet_bytes(r, (uint32_t)g->config->xbar.header_bytes, 0);
	if (l2_slice_is_passed(g, r)) {
		c->free_units = net_xbar_send_past(g->requests, c->index, r->slice, r, bytes, now);
		l2_slice_pass(g->slices[r->slice], r);
	} else {
		c->free_units = net_xbar_send(g->requests, c->index, r->slice, r, bytes, now);
		l2_slice_prefetch(g->slices[r->slice], r->addr_bytes);
	}
	c->queued_count--;
	port_pop(sm, next);
	if (sm->lsu_waits_port | sm->ext_waits_port) {
		sm->lsu_waits_port = 0;
		sm->ext_waits_port = false;
		sim_wake_units(g->engine, sm->comp, now);
	}
	return true;
}

static void tx_tick(void *component, uint64_t cycle)
{
	struct cluster *c = component;
	struct gpu *g = c->gpu;
	uint64_t now = sim_now_units(g->engine);
	uint64_t next_cycle = now + sim_period_units(g->engine, g->clocks.sm);
	uint32_t refused = 0;

	(void)cycle;
	while (c->queued_count && refused < c->sm_count) {
		if (c->free_units >= next_cycle) {
			cluster_wake(c);
			return;
		}

		uint32_t sm = c->sm_first + c->turn;

		c->turn = c->turn + 1 == c->sm_count ? 0 : c->turn + 1;
		refused = g->sm_has_request[sm] && cluster_send(c, g->sms[sm], now) ? 0 : refused + 1;
	}
}

/* ---- home ---- */

static void rx_tick(void *component, uint64_t cycle)
{
	struct cluster *c = component;
	struct mem_req *r;

	(void)cycle;
	while ((r = net_xbar_peek(c->gpu->replies, c->index))) {
		account_arrived(c->gpu, r, NET_STAGE_XBAR_HOME);
		net_xbar_pop(c->gpu->replies, c->index);
		if (unlikely(c->gpu->keeps_answers))
			beside_answer(c->gpu, c->index, r);
		else
			net_port_done(net_port_of(&c->gpu->ports, r), r);
	}
}

/* ---- building ---- */

/* Its packets reach the receiver after pipe_units more, up to pipe_packets on that way. */
static struct net_xbar *xbar_new(struct gpu *g, uint32_t inputs, uint32_t outputs, uint64_t pipe_units,
				 uint64_t pipe_packets, const char *prefix)
{
	const struct xbar_params *p = &g->config->xbar;
	uint64_t period = sim_period_units(g->engine, g->clocks.xbar);
	const struct net_xbar_config c = {
	    .engine = g->engine,
	    .input_count = inputs,
	    .output_count = outputs,
	    .flit_units = period,
	    .flit_bytes = (uint32_t)p->flit_bytes,
	    .latency_units = p->latency_cycles * period + pipe_units,
	    .depth_packets = (uint32_t)(p->depth_count + pipe_packets),
	    .queue_packets = (uint32_t)p->queue_count,
	    .stats = g->stats,
	    .stats_prefix = prefix,
	};

	return net_xbar_new(&c);
}

/* The pipeline before the tags of a slice is the end of a request's way through the crossbar. */
void xbars_new(struct gpu *g)
{
	const struct gpu_params *p = &g->config->gpu;
	uint64_t pipe_units = p->l2_entry_cycles * sim_period_units(g->engine, g->clocks.sm);
	uint64_t interval_units = p->l2_interval_cycles * sim_period_units(g->engine, g->clocks.l2);

	g->requests = xbar_new(g, g->cluster_count, g->slice_count, pipe_units,
			       (pipe_units + interval_units - 1) / interval_units, "xbar_request");
	g->replies = xbar_new(g, g->slice_count, g->cluster_count, 0, 0, "xbar_reply");
}

void clusters_new(struct gpu *g)
{
	uint32_t per_cluster = (uint32_t)g->config->gpu.sms_per_cluster_count;

	g->clusters = g_new0(struct cluster, g->cluster_count);
	for (uint32_t i = 0; i < g->cluster_count; i++) {
		struct cluster *c = &g->clusters[i];
		uint32_t first = i * per_cluster;

		*c = (struct cluster){.gpu = g, .index = i, .sm_first = first};
		c->sm_count = g->sm_count - first < per_cluster ? g->sm_count - first : per_cluster;
		c->rx_comp = sim_engine_add(g->engine, g->clocks.sm, "cluster_rx", rx_tick, c);
		net_xbar_set_receiver(g->replies, i, c->rx_comp);
	}
}

void clusters_complete(struct gpu *g)
{
	for (uint32_t i = 0; i < g->cluster_count; i++)
		g->clusters[i].tx_comp =
		    sim_engine_add(g->engine, g->clocks.sm, "cluster_tx", tx_tick, &g->clusters[i]);
}
