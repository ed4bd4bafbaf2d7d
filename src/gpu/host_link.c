/* host_link.c - the way to the host's memory, for L2 misses and for what SMs and units in the stacks send: requests and
 * writes over the wires up, data over those down.
 *
 * Each direction sends one packet after the other at the rate of host.link (host.access_wires); an access takes
 * host.access_latency_ps besides. Answers come back in order for reads and for writes. Besides registered and pinned
 * memory, a mechanism may keep data there (is_host). The number of accesses under way is bounded by the L2's MSHRs and
 * by what SMs and units may have outstanding, so nothing is held back here but answers that a slice has no room for.
 * Copies of the driver do not compete with these accesses.
 */
#include "base/units.h"
#include "gpu/priv.h"
#include "gpu/queue.h"

#include <glib.h>

struct host_link_stats {
#include "sim/stat_fields.inc"
#include "gpu/host_link_stats.def"
#include "sim/stat_end.inc"
};

static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct host_link_stats
#include "sim/stat_rows.inc"
#include "gpu/host_link_stats.def"
#include "sim/stat_end.inc"
};

struct host_link {
	struct gpu *gpu;
	struct sim_comp comp; /* L2 clock: answers */
	struct host_wires wires;
	uint64_t latency_units;
	bool is_latency_only; /* for data that a mechanism keeps here, the wires take no time */
	uint64_t up_free_units, down_free_units;
	struct queue reads, writes; /* each in order of arrival at the GPU */
	struct host_link_stats stats;
};

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* host.access_wires is about data that a mechanism keeps here; what the program put here always takes the wires. */
static bool takes_wires(const struct host_link *h, const struct mem_req *r)
{
	return !h->is_latency_only || (h->gpu->has_host_memory && host_link_has(h->gpu, r->addr_bytes));
}

static uint64_t wire_units(const struct host_link *h, const struct mem_req *r, uint64_t bytes)
{
	if (!takes_wires(h, r))
		return 0;
	return sim_units_of_ps(h->gpu->engine, base_transfer_ps(bytes, h->wires.mbytes_per_s));
}

void host_link_send(struct host_link *h, struct mem_req *r, uint64_t now_units)
{
	bool is_read = r->op == MEM_READ;
	uint64_t data_bytes = host_wire_bytes(&h->wires, r->size_bytes);
	uint64_t up_bytes = is_read ? h->wires.overhead_bytes : data_bytes;

	h->up_free_units = later(h->up_free_units, now_units) + wire_units(h, r, up_bytes);
	h->stats.up_wire_bytes += up_bytes;
	r->ready_units = h->up_free_units + h->latency_units;
	if (is_read) {
		/* The answer leaves when the request has arrived, after half the latency. */
		h->down_free_units = later(h->down_free_units, h->up_free_units + h->latency_units / 2) +
				     wire_units(h, r, data_bytes);
		r->ready_units = h->down_free_units + h->latency_units - h->latency_units / 2;
		h->stats.down_wire_bytes += data_bytes;
		h->stats.reads++;
		h->stats.read_bytes += r->size_bytes;
	} else {
		h->stats.writes++;
		h->stats.write_bytes += r->size_bytes;
	}
	if (unlikely(h->gpu->audit))
		h->gpu->audit->memory(h->gpu->audit_self, r,
				      !is_read && net_port_of(&h->gpu->ports, r)->place != GPU_PLACE_SLICE);
	mem_req_answer(r);
	queue_push(is_read ? &h->reads : &h->writes, r);
	sim_wake_units(h->gpu->engine, h->comp, r->ready_units);
}

static void deliver(struct host_link *h, struct queue *q, uint64_t cycle, uint64_t now)
{
	while (q->first && q->first->ready_units <= now) {
		struct mem_req *r = q->first;
		struct l2_slice *s = h->gpu->slices[r->slice];

		if (!l2_slice_can_take(s)) {
			sim_wake_cycle(h->gpu->engine, h->comp, cycle + 1);
			return;
		}
		queue_pop(q);
		l2_slice_take(s, r);
	}
}

static void tick(void *component, uint64_t cycle)
{
	struct host_link *h = component;
	uint64_t now = sim_now_units(h->gpu->engine);

	deliver(h, &h->reads, cycle, now);
	deliver(h, &h->writes, cycle, now);
}

/* Lines begin at multiples of their size; registered memory may not. */
bool host_link_has(const struct gpu *g, uint64_t addr_bytes)
{
	const struct simt_memory *m = g->launch->mem;

	return simt_memory_is_host(m, addr_bytes) || simt_memory_is_host(m, addr_bytes + g->config->l2.line_bytes - 1);
}

struct host_link *host_link_new(struct gpu *g)
{
	struct host_link *h = g_new0(struct host_link, 1);

	h->gpu = g;
	h->wires = host_wires_of(g->host);
	h->latency_units = sim_units_of_ps(g->engine, g->host->access_latency_ps);
	h->is_latency_only = g->host->access_wires == HOST_ACCESS_LATENCY_ONLY;
	h->comp = sim_engine_add(g->engine, g->clocks.l2, "host_link", tick, h);
	sim_stats_add(g->stats, "host_link", stat_rows, ARRAY_COUNT(stat_rows), &h->stats, sizeof(h->stats));
	return h;
}

void host_link_free(struct host_link *h)
{
	g_free(h);
}

bool host_link_is_idle(const struct host_link *h)
{
	return !h->reads.first && !h->writes.first;
}

void host_link_reset(struct host_link *h)
{
	h->reads = h->writes = (struct queue){0};
	h->up_free_units = h->down_free_units = 0;
}
