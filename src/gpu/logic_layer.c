/* logic_layer.c - a stack's logic layer: the TX and RX channels to the GPU, the mesh to the other stacks,
 * and the way to the vaults.
 *
 * Requests from TX enter the vaults in order of arrival; a full vault holds those behind it, unless the switch has a
 * queue per vault (gpu.stack_switch_entry_count): then it holds those to the same vault, and the others once that
 * queue is full. Answers for the GPU wait here for the RX channel; while link.depth_count of them wait, nothing more
 * is taken from TX. Requests from the mesh and from SMs of this stack are not held back so: their number is bounded by
 * what stack SMs may have outstanding, and holding them back could close a cycle of stacks that wait for one another.
 *
 * Where stacks hold SIMD units (ndp/carry/split/), packets of partitioned blocks come by TX, a routed network takes the
 * place of the mesh, and RX carries the units' credits along. Units always take what is addressed to them, and RX
 * always drains; so here requests may be held back until RX and the network have taken what they cause.
 */
#include "gpu/accounting.h"
#include "gpu/priv.h"
#include "net/queue.h"

#include <glib.h>

enum { NOBODY = UINT32_MAX };

/* Who has been refused by a full vault: the first to come is the first to enter. Without lines the one that ticks first
 * would enter whenever a vault has room, and starve the others. Numbers: the stacks' SMs, then TX, then the mesh's
 * channels from each stack, then the switch's queues. Everybody brings his oldest request until it has entered, and is
 * in one line at most. */
struct line {
	uint32_t first, last; /* last: valid unless first is NOBODY */
};

struct switch_stats {
#include "sim/stat_fields.inc"
#include "gpu/switch_stats.def"
#include "sim/stat_end.inc"
};

static const struct sim_stat_desc switch_stat_rows[] = {
#define STAT_STRUCT struct switch_stats
#include "sim/stat_rows.inc"
#include "gpu/switch_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table gpu_switch_stat_table = {"switch", switch_stat_rows, ARRAY_COUNT(switch_stat_rows)};

struct logic_layer {
	struct gpu *gpu;
	struct sim_comp comp;    /* DRAM clock: TX and mesh arrivals */
	struct sim_comp rx_comp; /* L2 clock: RX arrivals, GPU side */
	uint32_t index;
	struct net_channel *tx, *rx;
	struct net_channel **mesh; /* [stack]: from this stack to that one; NULL without stack SMs */
	struct mem_stack *stack;
	struct queue answers;       /* wait for RX */
	struct queue *mesh_answers; /* [stack] wait for the mesh */
	uint64_t ack_left_bytes;    /* of acknowledgments that have not filled a flit */
	struct line *lines;         /* [vault] */
	uint32_t *behind;           /* [number] who is behind him in the line that he is in */
	bool *is_in_line;           /* [number] */
	uint8_t *ops;               /* [number] in a line: enum mem_op of what he waits with */
	struct queue *queues;	    /* [vault] of the switch; NULL: it has none */
	uint64_t queued_vaults;	    /* whose queue is not empty, bit per vault */
	struct switch_stats switch_stats;
	/* with a SIMD unit */
	struct queue net_out[NET_CLASS_COUNT]; /* wait for the network; their targets are their packets' */
	bool unit_waits, network_waits;	       /* refused a write or a fetch */
};

/* Acknowledgments smaller than a flit share one: only the one that fills it takes wire time. */
static uint32_t answer_bytes(struct logic_layer *p, const struct mem_req *r)
{
	const struct link_params *l = &p->gpu->config->link;
	uint32_t bytes = packet_bytes(r, (uint32_t)l->header_bytes, 0);

	if (bytes)
		return bytes;
	p->ack_left_bytes += l->ack_bytes;
	bytes = (uint32_t)(p->ack_left_bytes / l->flit_bytes * l->flit_bytes);
	p->ack_left_bytes -= bytes;
	return bytes;
}

static void drain_rx(struct logic_layer *p)
{
	while (p->answers.first && net_channel_ready(p->rx, &p->comp)) {
		struct mem_req *r = queue_pop(&p->answers);

		net_channel_send(p->rx, r, answer_bytes(p, r), sim_now_units(p->gpu->engine));
		GPU_EXT_EACH(p->gpu, e, rx_sent)
			e->ops->rx_sent(e->self, p->index, r);
	}
}

static void drain_mesh(struct logic_layer *p, uint32_t to)
{
	const struct link_params *l = &p->gpu->config->mesh;

	while (p->mesh_answers[to].first && net_channel_ready(p->mesh[to], &p->comp)) {
		struct mem_req *r = queue_pop(&p->mesh_answers[to]);

		net_channel_send(p->mesh[to], r, packet_bytes(r, (uint32_t)l->header_bytes, (uint32_t)l->ack_bytes),
				 sim_now_units(p->gpu->engine));
	}
}

static void drain_network(struct logic_layer *p, enum net_class c)
{
	const struct link_params *l = &p->gpu->config->mesh;
	struct net_network *n = p->gpu->network;

	while (p->net_out[c].first && net_network_ready(n, p->index, c)) {
		struct mem_req *r = queue_pop(&p->net_out[c]);

		net_network_send(n, p->index, net_port_of(&p->gpu->ports, r)->number, c, r,
				 packet_bytes(r, (uint32_t)l->header_bytes, (uint32_t)l->ack_bytes));
	}
}

void logic_layer_invalidate(struct logic_layer *p, const struct mem_req *r)
{
	struct mem_req *m = mem_req_get(p->gpu->pool);

	*m = *r;
	m->port = l2_slice_drop_port(p->gpu->slices[r->slice]);
	mem_req_set_message(m, 0); /* the header holds the address */
	p->gpu->totals.l2_invalidations++;
	queue_push(&p->answers, m);
	drain_rx(p);
}

/* To a port in another stack. */
static void to_stack(struct logic_layer *p, enum net_class c, uint32_t stack, struct mem_req *r)
{
	if (p->gpu->network) {
		queue_push(&p->net_out[c], r);
		drain_network(p, c);
	} else {
		queue_push(&p->mesh_answers[stack], r);
		drain_mesh(p, stack);
	}
}

/* A vault is done with r. */
static void vault_done(void *ctx, struct mem_req *r)
{
	struct logic_layer *p = ctx;
	struct gpu *g = p->gpu;
	const struct net_port *to = net_port_of(&g->ports, r);
	enum net_class c = r->op == MEM_WRITE ? NET_ACK : NET_RESPONSE;

	mem_req_answer(r);
	net_port_served(to, r, p->index);
	if (unlikely(g->audit))
		g->audit->memory(g->audit_self, r, r->op == MEM_WRITE && to->place != GPU_PLACE_SLICE);
	if (to->place != GPU_PLACE_STACK) {
		l2_slice_prefetch(g->slices[r->slice], r->addr_bytes);
		queue_push(&p->answers, r);
		drain_rx(p);
	} else if (to->number == p->index || (g->config->gpu.mesh_is_free && !g->network)) {
		net_port_done(to, r);
	} else {
		to_stack(p, c, to->number, r);
	}
}

static uint32_t number_of_tx(const struct logic_layer *p)
{
	return p->gpu->sm_total - p->gpu->sm_count;
}

static uint32_t number_of_mesh(const struct logic_layer *p, uint32_t from)
{
	return number_of_tx(p) + 1 + from;
}

static uint32_t number_of_queue(const struct logic_layer *p, uint32_t vault)
{
	return number_of_mesh(p, p->gpu->stack_count) + vault;
}

static uint32_t numbers_count(const struct logic_layer *p)
{
	return number_of_queue(p, (uint32_t)p->gpu->config->dram.vault_count);
}

static void line_wake(struct logic_layer *p, uint32_t vault)
{
	struct gpu *g = p->gpu;
	uint32_t first = p->lines[vault].first;

	if (first != NOBODY)
		sim_wake_units(g->engine, first < number_of_tx(p) ? g->sms[g->sm_count + first]->comp : p->comp,
			       sim_now_units(g->engine));
}

static void line_join(struct logic_layer *p, uint32_t vault, uint32_t who)
{
	struct line *l = &p->lines[vault];

	p->is_in_line[who] = true;
	p->behind[who] = NOBODY;
	if (l->first == NOBODY)
		l->first = who;
	else
		p->behind[l->last] = who;
	l->last = who;
}

/* May he enter the vault now? Else he is in its line. */
static bool line_admits(struct logic_layer *p, uint32_t who, const struct mem_req *r)
{
	uint32_t first = p->lines[r->vault].first;

	if ((first == NOBODY || first == who) && mem_stack_can_accept(p->stack, r->vault, (enum mem_op)r->op))
		return true;
	if (!p->is_in_line[who])
		line_join(p, r->vault, who);
	p->ops[who] = r->op;
	return false;
}

/* He has entered, or cannot for another reason than the vault: the next one's turn. */
static void line_leave(struct logic_layer *p, uint32_t who, uint32_t vault)
{
	struct line *l = &p->lines[vault];

	if (l->first == who) {
		l->first = p->behind[who];
		p->is_in_line[who] = false;
	}
	/* A vault that has no room tells when it has. */
	if (l->first != NOBODY && mem_stack_can_accept(p->stack, vault, (enum mem_op)p->ops[l->first]))
		line_wake(p, vault);
}

static void lines_clear(struct logic_layer *p)
{
	for (uint32_t v = 0; v < p->gpu->config->dram.vault_count; v++)
		p->lines[v].first = NOBODY;
	for (uint32_t i = 0; i < numbers_count(p); i++)
		p->is_in_line[i] = false;
}

static void vault_room(void *ctx, uint32_t vault)
{
	struct logic_layer *p = ctx;

	sim_wake_units(p->gpu->engine, p->comp, sim_now_units(p->gpu->engine));
	line_wake(p, vault);
}

static bool vault_takes(struct logic_layer *p, struct mem_req *r)
{
	return mem_stack_can_accept(p->stack, r->vault, (enum mem_op)r->op);
}

/* What has been read or written waits to leave: nothing more is begun. */
static bool is_backed_up(const struct logic_layer *p)
{
	const struct gpu_config *c = p->gpu->config;

	return p->answers.count >= c->link.depth_count || p->net_out[NET_RESPONSE].count >= c->mesh.depth_count ||
	       p->net_out[NET_ACK].count >= c->mesh.depth_count;
}

/* ---- the switch ---- */

/* From a vault's queue into the vault, as far as it takes them. */
static void queue_drain(struct logic_layer *p, uint32_t vault)
{
	struct queue *q = &p->queues[vault];
	const uint32_t who = number_of_queue(p, vault);

	while (q->first) {
		if (is_backed_up(p)) {
			line_leave(p, who, vault);
			return;
		}
		if (!line_admits(p, who, q->first))
			return;

		struct mem_req *r = queue_pop(q);
		const uint64_t waited = sim_now_units(p->gpu->engine) - r->ready_units;

		p->switch_stats.waits += waited > 0;
		p->switch_stats.wait_units += waited;
		mem_stack_accept(p->stack, r);
		line_leave(p, who, vault);
	}
	p->queued_vaults &= ~(1ull << vault);
}

static void queues_drain(struct logic_layer *p)
{
	for (uint64_t left = p->queued_vaults; left; left &= left - 1)
		queue_drain(p, (uint32_t)__builtin_ctzll(left));
}

/* The first of TX into the queue of its vault. False: that is full. */
static bool queue_takes_tx(struct logic_layer *p, uint32_t vault)
{
	struct queue *q = &p->queues[vault];

	if (q->count == p->gpu->config->gpu.stack_switch_entry_count) {
		p->switch_stats.full_stalls++;
		return false;
	}

	struct mem_req *r = net_channel_pop(p->tx);

	account_arrived(p->gpu, r, NET_STAGE_TX);
	r->ready_units = sim_now_units(p->gpu->engine);
	queue_push(q, r);
	p->queued_vaults |= 1ull << vault;
	p->switch_stats.requests++;
	if (q->count > p->switch_stats.occupancy_max)
		p->switch_stats.occupancy_max = q->count;
	if (q->count == 1)
		queue_drain(p, vault);
	return true;
}

static void queues_clear(struct logic_layer *p)
{
	for (uint32_t v = 0; p->queues && v < p->gpu->config->dram.vault_count; v++)
		p->queues[v] = (struct queue){0};
	p->queued_vaults = 0;
}

static void take_tx(struct logic_layer *p)
{
	struct mem_req *r;

	while ((r = net_channel_peek(p->tx))) {
		if (r->op == MEM_MESSAGE || r->is_reply) { /* is_reply: from the host's memory */
			net_port_done(net_port_of(&p->gpu->ports, r), net_channel_pop(p->tx));
			continue;
		}
		if (is_backed_up(p)) {
			if (!p->queues)
				line_leave(p, number_of_tx(p), r->vault);
			return;
		}
		if (p->queues) {
			if (!queue_takes_tx(p, r->vault))
				return;
			continue;
		}
		if (!line_admits(p, number_of_tx(p), r))
			return;
		account_arrived(p->gpu, r, NET_STAGE_TX);
		mem_stack_accept(p->stack, net_channel_pop(p->tx));
		line_leave(p, number_of_tx(p), r->vault);
	}
}

static void take_mesh(struct logic_layer *p, uint32_t stack)
{
	struct net_channel *from = p->gpu->stacks[stack]->mesh[p->index];
	uint32_t who = number_of_mesh(p, stack);
	struct mem_req *r;

	while ((r = net_channel_peek(from))) {
		if (r->is_reply) {
			account_arrived(p->gpu, r, NET_STAGE_MESH_HOME);
			net_port_done(net_port_of(&p->gpu->ports, r), net_channel_pop(from));
		} else if (line_admits(p, who, r)) {
			account_arrived(p->gpu, r, NET_STAGE_MESH);
			mem_stack_accept(p->stack, net_channel_pop(from));
			line_leave(p, who, r->vault);
		} else {
			return;
		}
	}
}

/* ---- the unit's side ---- */

/* Over RX; the way back is the GPU's (l2.c). */
static void to_host(struct logic_layer *p, struct mem_req *r)
{
	r->slice = slice_of_place(p->gpu, p->index, r);
	logic_layer_reply(p, r);
}

bool logic_layer_unit_offer(struct logic_layer *p, struct mem_req *r)
{
	const struct link_params *l = &p->gpu->config->mesh;
	struct net_network *n = p->gpu->network;

	if (unlikely(r->is_host)) {
		p->unit_waits = is_backed_up(p);
		if (!p->unit_waits)
			to_host(p, r);
		return !p->unit_waits;
	}
	if (r->stack == p->index) {
		p->unit_waits = is_backed_up(p) || !vault_takes(p, r);
		if (p->unit_waits)
			return false;
		mem_stack_accept(p->stack, r);
		return true;
	}
	if (!net_network_ready(n, p->index, NET_REQUEST))
		return false;
	net_network_send(n, p->index, r->stack, NET_REQUEST, r, packet_bytes(r, (uint32_t)l->header_bytes, 0));
	return true;
}

static bool network_take(void *ctx, uint32_t node, enum net_class c, struct mem_req *r)
{
	struct gpu *g = ctx;
	struct logic_layer *p = g->stacks[node];

	if (c != NET_REQUEST) {
		net_port_done(net_port_of(&g->ports, r), r);
		return true;
	}
	p->network_waits = is_backed_up(p) || !vault_takes(p, r);
	if (p->network_waits)
		return false;
	mem_stack_accept(p->stack, r);
	return true;
}

/* The vaults or the network take requests from the logic layer again. */
static void room(struct gpu *g, uint32_t stack)
{
	GPU_EXT_EACH(g, e, stack_room)
		e->ops->stack_room(e->self, stack);
}

static void network_room(void *ctx, uint32_t node, enum net_class c)
{
	struct gpu *g = ctx;

	if (c == NET_REQUEST)
		room(g, node);
	else
		sim_wake_units(g->engine, g->stacks[node]->comp, sim_now_units(g->engine));
}

/* Something may have drained: those who were refused may try again. */
static void unit_side_tick(struct logic_layer *p)
{
	drain_network(p, NET_RESPONSE);
	drain_network(p, NET_ACK);
	if (is_backed_up(p))
		return;
	if (p->unit_waits)
		room(p->gpu, p->index);
	if (p->network_waits)
		net_network_wake(p->gpu->network, p->index);
	p->unit_waits = p->network_waits = false;
}

static void stack_tick(void *component, uint64_t cycle)
{
	struct logic_layer *p = component;
	struct gpu *g = p->gpu;

	(void)cycle;
	drain_rx(p);
	if (p->gpu->network)
		unit_side_tick(p);
	if (p->queues)
		queues_drain(p);
	take_tx(p);
	if (!p->mesh)
		return;
	for (uint32_t i = 0; i < g->stack_count; i++) {
		if (i == p->index)
			continue;
		drain_mesh(p, i);
		take_mesh(p, i);
	}
}

/* The GPU's end of RX: answers go to their slices; one that has no room holds those behind it. */
static void rx_tick(void *component, uint64_t cycle)
{
	struct logic_layer *p = component;
	struct mem_req *r;

	(void)cycle;
	GPU_EXT_EACH(p->gpu, e, rx_tick)
		e->ops->rx_tick(e->self, p->index);
	while ((r = net_channel_peek(p->rx))) {
		const struct net_port *to = net_port_of(&p->gpu->ports, r);
		struct l2_slice *s = p->gpu->slices[r->slice];

		if (unlikely(to->place == GPU_PLACE_LINK)) {
			net_port_done(to, net_channel_pop(p->rx));
			continue;
		}
		if (!l2_slice_can_take(s))
			return;
		account_arrived(p->gpu, r, NET_STAGE_RX);
		l2_slice_take(s, net_channel_pop(p->rx));
	}
}

void logic_layer_slice_room(struct logic_layer *p)
{
	sim_wake_units(p->gpu->engine, p->rx_comp, sim_now_units(p->gpu->engine));
}

bool logic_layer_offer(struct logic_layer *p, struct sm *sm, struct mem_req *r)
{
	const struct link_params *l = &p->gpu->config->mesh;

	if (unlikely(p->gpu->has_host_memory) && r->kind == MEM_KIND_DATA &&
	    host_link_has(p->gpu, r->addr_bytes)) {
		r->is_host = true;
		to_host(p, r);
		return true;
	}
	if (p->gpu->config->gpu.mesh_is_free)
		p = p->gpu->stacks[r->stack];
	if (r->stack == p->index) {
		if (!line_admits(p, sm->index - p->gpu->sm_count, r))
			return false;
		mem_stack_accept(p->stack, r);
		line_leave(p, sm->index - p->gpu->sm_count, r->vault);
		return true;
	}
	if (!net_channel_ready(p->mesh[r->stack], &sm->comp))
		return false;
	net_channel_send(p->mesh[r->stack], r, packet_bytes(r, (uint32_t)l->header_bytes, (uint32_t)l->ack_bytes),
			 sim_now_units(p->gpu->engine));
	return true;
}

void logic_layer_reply(struct logic_layer *p, struct mem_req *r)
{
	queue_push(&p->answers, r);
	drain_rx(p);
}

/* ---- building ---- */

/* bytes / (10^6 bytes/s) = 10^6 ps; a wire time that is no whole number of units is rounded up. */
static uint64_t flit_units(const struct gpu *g, const struct link_params *l)
{
	uint64_t d = sim_units_per_ps(g->engine);

	return (l->flit_bytes * 1000000 * d + l->bandwidth_mbytes_per_s - 1) / l->bandwidth_mbytes_per_s;
}

static struct net_channel *link_new(struct gpu *g, const struct link_params *l, const char *prefix)
{
	const struct net_channel_config c = {
	    .engine = g->engine,
	    .flit_units = flit_units(g, l),
	    .flit_bytes = (uint32_t)l->flit_bytes,
	    .latency_units = sim_units_of_ps(g->engine, l->latency_ps),
	    .credit_units = sim_units_of_ps(g->engine, l->credit_latency_ps),
	    .depth_packets = (uint32_t)l->depth_count,
	    .stats = g->stats,
	    .stats_prefix = prefix,
	};

	return net_channel_new(&c);
}

struct logic_layer *logic_layer_new(struct gpu *g, uint32_t index)
{
	struct logic_layer *p = g_new0(struct logic_layer, 1);

	p->gpu = g;
	p->index = index;
	p->tx = link_new(g, &g->config->link, "link_tx");
	p->rx = link_new(g, &g->config->link, "link_rx");
	p->comp = sim_engine_add(g->engine, g->clocks.dram, "logic_layer", stack_tick, p);
	p->rx_comp = sim_engine_add(g->engine, g->clocks.l2, "link_rx", rx_tick, p);
	net_channel_set_receiver(p->tx, p->comp);
	net_channel_set_receiver(p->rx, p->rx_comp);

	const struct mem_stack_config c = {
	    .dram = &g->config->dram,
	    .engine = g->engine,
	    .dram_domain = g->clocks.dram,
	    .index = index,
	    .done = vault_done,
	    .room = vault_room,
	    .ctx = p,
	    .stats = g->stats,
	    .stats_prefix = "vault",
	    .log = g->command_log,
	    .audit = g->audits,
	    .stamps = g->account != NULL,
	};

	p->stack = mem_stack_new(&c);
	p->lines = g_new(struct line, g->config->dram.vault_count);
	p->behind = g_new(uint32_t, numbers_count(p));
	p->is_in_line = g_new(bool, numbers_count(p));
	p->ops = g_new(uint8_t, numbers_count(p));
	lines_clear(p);
	if (g->config->gpu.stack_switch_entry_count) {
		p->queues = g_new0(struct queue, g->config->dram.vault_count);
		sim_stats_add_table(g->stats, &gpu_switch_stat_table, &p->switch_stats, sizeof(p->switch_stats));
	}
	return p;
}

struct net_network *logic_layer_network_new(struct gpu *g)
{
	const struct link_params *l = &g->config->mesh;
	const struct net_network_config c = {
	    .engine = g->engine,
	    .domain = g->clocks.dram,
	    .topology = (enum net_topology)g->config->nsu.topology,
	    .node_count = g->stack_count,
	    .flit_units = flit_units(g, l),
	    .flit_bytes = (uint32_t)l->flit_bytes,
	    .latency_units = sim_units_of_ps(g->engine, l->latency_ps),
	    .credit_units = sim_units_of_ps(g->engine, l->credit_latency_ps),
	    .depth_packets = (uint32_t)l->depth_count,
	    .take = network_take,
	    .room = network_room,
	    .ctx = g,
	    .stats = g->stats,
	    .stats_prefix = "network",
	    .link_stats_prefix = "mesh",
	};

	return net_network_new(&c);
}

void logic_layer_connect(struct gpu *g)
{
	if (g->stack_sm_count == 0 || g->stack_count == 1 || g->config->gpu.mesh_is_free)
		return;
	for (uint32_t i = 0; i < g->stack_count; i++) {
		struct logic_layer *p = g->stacks[i];

		p->mesh = g_new0(struct net_channel *, g->stack_count);
		p->mesh_answers = g_new0(struct queue, g->stack_count);
		for (uint32_t k = 0; k < g->stack_count; k++) {
			if (k == i)
				continue;
			p->mesh[k] = link_new(g, &g->config->mesh, "mesh");
			net_channel_set_receiver(p->mesh[k], g->stacks[k]->comp);
		}
	}
}

void logic_layer_free(struct logic_layer *p)
{
	if (!p)
		return;
	for (uint32_t k = 0; p->mesh && k < p->gpu->stack_count; k++)
		net_channel_free(p->mesh[k]);
	g_free(p->mesh);
	g_free(p->mesh_answers);
	net_channel_free(p->tx);
	net_channel_free(p->rx);
	mem_stack_free(p->stack);
	g_free(p->lines);
	g_free(p->behind);
	g_free(p->is_in_line);
	g_free(p->ops);
	g_free(p->queues);
	g_free(p);
}

struct net_channel *logic_layer_tx(struct logic_layer *p)
{
	return p->tx;
}

struct net_channel *logic_layer_rx(struct logic_layer *p)
{
	return p->rx;
}

uint32_t logic_layer_vault_requests(const struct logic_layer *p)
{
	return mem_stack_queued(p->stack);
}

bool logic_layer_is_idle(const struct logic_layer *p)
{
	for (uint32_t k = 0; p->mesh && k < p->gpu->stack_count; k++) {
		if (k != p->index && (p->mesh_answers[k].count || !net_channel_is_idle(p->mesh[k])))
			return false;
	}
	for (uint32_t c = 0; c < NET_CLASS_COUNT; c++) {
		if (p->net_out[c].count)
			return false;
	}
	return p->answers.count == 0 && !p->queued_vaults && net_channel_is_idle(p->tx) && net_channel_is_idle(p->rx) &&
	       mem_stack_is_idle(p->stack);
}

void logic_layer_settle(struct logic_layer *p, bool is_between_kernels)
{
	mem_stack_settle(p->stack, is_between_kernels);
}

void logic_layer_reset(struct logic_layer *p)
{
	for (uint32_t k = 0; p->mesh && k < p->gpu->stack_count; k++) {
		p->mesh_answers[k] = (struct queue){0};
		if (k != p->index)
			net_channel_reset(p->mesh[k]);
	}
	for (uint32_t c = 0; c < NET_CLASS_COUNT; c++)
		p->net_out[c] = (struct queue){0};
	p->unit_waits = p->network_waits = false;
	p->answers = (struct queue){0};
	p->ack_left_bytes = 0;
	lines_clear(p);
	queues_clear(p);
	net_channel_reset(p->tx);
	net_channel_reset(p->rx);
	mem_stack_reset(p->stack);
}

void gpu_settle_stacks(struct gpu *g, bool is_between_kernels)
{
	for (uint32_t i = 0; i < g->stack_count; i++)
		logic_layer_settle(g->stacks[i], is_between_kernels);
	host_link_settle(g->host_link, is_between_kernels);
}
