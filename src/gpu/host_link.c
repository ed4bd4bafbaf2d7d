/* host_link.c - the way to the host's memory, for L2 misses and for what SMs and units in the stacks send: requests and
 * writes over the wires up, data over those down.
 *
 * Each direction sends one packet after the other at the rate of host.link (host.access_wires); an access takes
 * host.access_latency_ps besides. Answers come back in order for reads and for writes. Where the machine's host has a
 * memory (host.memory), an access that has arrived, after half of that time, goes to it in order and in parts of its
 * lines, and comes back when all of them are done; accesses may then overtake one another. Besides registered and
 * pinned memory, a mechanism may keep data there (is_host). The number of accesses under way is bounded by the L2's
 * MSHRs and by what SMs and units may have outstanding, so nothing is held back here but answers that a slice has no
 * room for. Pages that come on demand (pages.c) share the wires; copies of the driver do not compete.
 */
#include "base/units.h"
#include "gpu/accounting.h"
#include "gpu/priv.h"
#include "mem/memory.h"
#include "net/queue.h"

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
const struct sim_stat_table gpu_host_link_stat_table = {"host_link", stat_rows, ARRAY_COUNT(stat_rows)};

/* An access that its host's memory has parts of. */
struct host_access {
	struct mem_req *request;
	struct host_access *next; /* of the free ones */
	uint32_t parts_left;	  /* not done */
};

struct host_link {
	struct gpu *gpu;
	struct sim_comp comp; /* L2 clock: answers */
	struct host_wires wires;
	uint64_t latency_units;
	bool is_latency_only; /* for data that a mechanism keeps here, the wires take no time */
	uint64_t up_free_units, down_free_units;
	struct queue reads, writes; /* each in order of arrival at the GPU */
	struct gpu_host_memory memory; /* its memory is NULL: none */
	struct queue arrivals; /* at the host, in order: not all of the first's parts have been taken by the memory */
	struct host_access *offered; /* the first, from its first part on; NULL: it has not arrived, or there is none */
	uint32_t offered_bytes;	     /* of it, taken */
	BASE_POOL(struct host_access) accesses;
	uint32_t parts_count;	/* in the memory */
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

static uint64_t units_of(const struct host_link *h, uint64_t bytes)
{
	return sim_units_of_ps(h->gpu->engine, base_transfer_ps(bytes, h->wires.mbytes_per_s));
}

static uint64_t wire_units(const struct host_link *h, const struct mem_req *r, uint64_t bytes)
{
	return takes_wires(h, r) ? units_of(h, bytes) : 0;
}

/* The data leaves the host, not before begin_units. */
static void send_down(struct host_link *h, struct mem_req *r, uint64_t begin_units)
{
	h->down_free_units =
	    later(h->down_free_units, begin_units) + wire_units(h, r, host_wire_bytes(&h->wires, r->size_bytes));
	r->ready_units = h->down_free_units + h->latency_units - h->latency_units / 2;
}

/* ---- the host's memory ---- */

static uint32_t parts_of(const struct host_link *h, const struct mem_req *r)
{
	const uint64_t line = h->memory.line_bytes;

	return (uint32_t)((r->addr_bytes + r->size_bytes - 1) / line - r->addr_bytes / line + 1);
}

/* The next part of the first that has arrived, to the memory. */
static bool offer_part(struct host_link *h, struct host_access *a)
{
	const struct mem_req *r = a->request;
	const uint64_t addr = r->addr_bytes + h->offered_bytes;
	const uint64_t line_left = h->memory.line_bytes - addr % h->memory.line_bytes;
	const uint64_t left = r->size_bytes - h->offered_bytes;
	struct mem_req *part = mem_req_get(h->gpu->pool);

	*part = (struct mem_req){.addr_bytes = addr % h->memory.capacity_bytes,
				 .size_bytes = (uint16_t)(left < line_left ? left : line_left),
				 .issue_units = r->issue_units,
				 .owner = a};
	mem_req_set_access(part, r->op == MEM_READ ? MEM_READ : MEM_WRITE, MEM_KIND_DATA);
	if (!mem_memory_offer(h->memory.memory, part)) {
		mem_req_put(h->gpu->pool, part);
		return false; /* room() comes */
	}
	h->offered_bytes += part->size_bytes;
	h->parts_count++;
	return true;
}

static struct host_access *access_new(struct host_link *h, struct mem_req *r)
{
	struct host_access *a = base_pool_take(&h->accesses, next);

	*a = (struct host_access){.request = r, .parts_left = parts_of(h, r)};
	return a;
}

static void offer_arrivals(struct host_link *h, uint64_t now)
{
	struct mem_req *r;

	while ((r = h->arrivals.first) && (h->offered || r->ready_units <= now)) {
		if (!h->offered)
			h->offered = access_new(h, r);
		do {
			if (!offer_part(h, h->offered))
				return;
		} while (h->offered_bytes < r->size_bytes);
		h->offered = NULL;
		h->offered_bytes = 0;
		queue_pop(&h->arrivals);
	}
}

/* All parts are done: the answer is on its way. */
static void access_done(struct host_link *h, struct mem_req *r)
{
	const uint64_t now = sim_now_units(h->gpu->engine);
	const bool is_read = r->op == MEM_READ;

	if (is_read)
		send_down(h, r, now);
	else
		r->ready_units = now + h->latency_units - h->latency_units / 2;
	mem_req_answer(r);
	queue_push(is_read ? &h->reads : &h->writes, r);
	sim_wake_units(h->gpu->engine, h->comp, r->ready_units);
}

void gpu_host_memory_done(void *gpu, struct mem_req *part)
{
	struct host_link *h = ((struct gpu *)gpu)->host_link;
	struct host_access *a = part->owner;

	mem_req_put(h->gpu->pool, part);
	h->parts_count--;
	if (--a->parts_left)
		return;
	access_done(h, a->request);
	base_pool_put(&h->accesses, a, next);
}

void gpu_host_memory_room(void *gpu)
{
	struct host_link *h = ((struct gpu *)gpu)->host_link;

	sim_wake_units(h->gpu->engine, h->comp, sim_now_units(h->gpu->engine));
}

void gpu_host_memory_set(struct gpu *g, const struct gpu_host_memory *m)
{
	g->host_link->memory = *m;
}

uint64_t gpu_host_latency_ps(const struct gpu *g)
{
	return g->host->access_latency_ps;
}

/* ---- the link ---- */

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
		if (!h->memory.memory)
			send_down(h, r, h->up_free_units + h->latency_units / 2);
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
	if (h->memory.memory) {
		r->ready_units = h->up_free_units + h->latency_units / 2;
		queue_push(&h->arrivals, r);
	} else {
		mem_req_answer(r);
		queue_push(is_read ? &h->reads : &h->writes, r);
	}
	sim_wake_units(h->gpu->engine, h->comp, r->ready_units);
}

uint64_t host_link_ask(struct host_link *h, uint64_t now_units)
{
	const uint64_t bytes = h->wires.overhead_bytes;

	h->stats.up_wire_bytes += bytes;
	h->up_free_units = later(h->up_free_units, now_units) + (h->is_latency_only ? 0 : units_of(h, bytes));
	return h->up_free_units;
}

uint64_t host_link_bring(struct host_link *h, uint64_t bytes, uint64_t now_units)
{
	const uint64_t wire_bytes = host_wire_bytes(&h->wires, bytes);

	h->stats.down_wire_bytes += wire_bytes;
	h->down_free_units =
	    later(h->down_free_units, now_units) + (h->is_latency_only ? 0 : units_of(h, wire_bytes));
	return h->down_free_units;
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
		account_arrived(h->gpu, r, NET_STAGE_HOST);
		l2_slice_take(s, r);
	}
}

static void tick(void *component, uint64_t cycle)
{
	struct host_link *h = component;
	uint64_t now = sim_now_units(h->gpu->engine);

	offer_arrivals(h, now);
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
	sim_stats_add_table(g->stats, &gpu_host_link_stat_table, &h->stats, sizeof(h->stats));
	return h;
}

void host_link_free(struct host_link *h)
{
	if (!h)
		return;
	base_pool_free(&h->accesses);
	g_free(h);
}

bool host_link_is_idle(const struct host_link *h)
{
	return !h->reads.first && !h->writes.first && !h->arrivals.first && !h->parts_count;
}

void host_link_settle(struct host_link *h, bool is_between_kernels)
{
	if (h->memory.memory)
		mem_memory_settle(h->memory.memory, is_between_kernels);
}

void host_link_reset(struct host_link *h)
{
	h->reads = h->writes = h->arrivals = (struct queue){0};
	h->offered = NULL;
	h->offered_bytes = h->parts_count = 0;
	base_pool_reset(&h->accesses, next);
	if (h->memory.memory)
		mem_memory_reset(h->memory.memory);
	h->up_free_units = h->down_free_units = 0;
}
