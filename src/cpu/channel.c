/* channel.c - channels between bus and memory: a rate up, a rate down, a latency. */
#include "cpu/channel.h"

#include "base/check.h"

/* A line on its way through a channel and the memory. */
struct channel_access {
	struct cpu_event event; /* first */
	uint64_t line;
	struct channel_access *next;
	struct cpu_request *request; /* whose line it is; NULL: a write */
};

static uint32_t channel_of(const struct cpu_channels *h, uint64_t line)
{
	return mem_memory_place(h->memory, line * h->c->p->line_bytes).stack % (uint32_t)h->c->p->channel_count;
}

/* Offers what it reads or writes; false: it waits for room. */
static bool offer(struct cpu_channels *h, struct channel_access *a)
{
	const uint64_t address = a->line * h->c->p->line_bytes;
	const enum mem_op op = a->request ? MEM_READ : MEM_WRITE;

	if (!mem_memory_can_accept(h->memory, address, op))
		return false;

	struct mem_req *q = mem_req_get(h->c->ctx->pool);

	*q = (struct mem_req){.addr_bytes = address, .size_bytes = (uint16_t)h->c->p->line_bytes};
	mem_req_set_access(q, op, MEM_KIND_DATA);
	q->issue_units = cpu_now_units(h->c);
	q->owner = a;
	CHECK(mem_memory_offer(h->memory, q));
	return true;
}

static void fire_send(void *channels, struct cpu_event *e)
{
	struct cpu_channels *h = channels;
	struct channel_access *a = (struct channel_access *)e;

	if (!a->request && g_hash_table_lookup(h->writes, (gpointer)a->line) == a)
		g_hash_table_remove(h->writes, (gpointer)a->line);
	if (!h->refused && offer(h, a))
		return;
	a->next = NULL;
	*h->refused_end = a;
	h->refused_end = &a->next;
}

/* Offers it to the memory at units. */
static struct channel_access *send_at(struct cpu_channels *h, uint64_t line, struct cpu_request *r, uint64_t units)
{
	struct channel_access *a = h->free;

	if (a)
		h->free = a->next;
	else
		a = g_new(struct channel_access, 1);
	*a = (struct channel_access){.event = {.fire = fire_send, .self = h}, .line = line, .request = r};
	cpu_event_at(&h->c->events, &a->event, units);
	return a;
}

void cpu_channels_room(struct cpu_channels *h)
{
	while (h->refused) {
		struct channel_access *a = h->refused, *next = a->next;

		if (!offer(h, a))
			return;
		h->refused = next;
		if (!next)
			h->refused_end = &h->refused;
	}
}

/* When the queue of writes before the channel has room again: now, or later. */
static uint64_t write_queue_end(const struct cpu_channels *h, uint32_t channel)
{
	const uint64_t full_units = h->c->p->write_queue_count * h->down_ps * h->c->per_ps;

	return MAX(cpu_now_units(h->c) + full_units, h->down_free_units[channel]) - full_units;
}

/* A line that is on its way down is read behind it: the memory gets both in this order. */
static void read_line(void *channels, struct cpu_request *r)
{
	struct cpu_channels *h = channels;
	const uint64_t begin = write_queue_end(h, channel_of(h, r->line));
	const uint64_t ps = h->c->p->snoop_latency_ps + h->c->p->channel_latency_ps;
	const struct channel_access *write = g_hash_table_lookup(h->writes, (gpointer)r->line);
	uint64_t at = begin + ps * h->c->per_ps;

	h->c->stats.write_wait_ps += (begin - cpu_now_units(h->c)) / h->c->per_ps;
	if (write && write->event.time_units > at) {
		h->c->stats.reads_behind++;
		h->c->stats.read_behind_ps += (write->event.time_units - at) / h->c->per_ps;
		at = write->event.time_units;
	}
	send_at(h, r->line, r, at);
}

/* The memory has its bytes in the order of this, the channel takes its time. */
static void write_back(void *channels, uint64_t line, uint32_t version)
{
	struct cpu_channels *h = channels;
	uint64_t *free_units = &h->down_free_units[channel_of(h, line)];

	if (h->versions)
		g_hash_table_insert(h->versions, (gpointer)line, GUINT_TO_POINTER(version));
	h->c->stats.down_bytes += h->c->p->line_bytes;
	h->c->stats.down_busy_ps += h->down_ps;
	*free_units = MAX(cpu_now_units(h->c), *free_units) + h->down_ps * h->c->per_ps;
	g_hash_table_insert(
	    h->writes, (gpointer)line,
	    send_at(h, line, NULL, *free_units + h->c->p->channel_latency_ps * h->c->per_ps));
}

void cpu_channels_done(struct cpu_channels *h, struct mem_req *q)
{
	struct channel_access *a = q->owner;
	struct cpu_request *r = a->request;
	uint64_t *free_units = &h->up_free_units[q->stack % (uint32_t)h->c->p->channel_count];

	mem_req_put(h->c->ctx->pool, q);
	a->next = h->free;
	h->free = a;
	if (!r)
		return;
	h->c->stats.up_bytes += h->c->p->line_bytes;
	h->c->stats.up_busy_ps += h->up_ps;
	*free_units = MAX(cpu_now_units(h->c), *free_units) + h->up_ps * h->c->per_ps;
	cpu_bus_end_at(h->bus, r, *free_units + h->c->p->channel_latency_ps * h->c->per_ps);
}

static uint32_t version_of(const void *channels, uint64_t line)
{
	const struct cpu_channels *h = channels;

	return h->versions ? GPOINTER_TO_UINT(g_hash_table_lookup(h->versions, (gpointer)line)) : 0;
}

const struct cpu_home_ops cpu_channels_home = {
    .read = read_line, .write_back = write_back, .version = version_of};

void cpu_channels_init(struct cpu_channels *h, struct cpu_common *c, struct cpu_bus *bus, struct mem_memory *memory)
{
	*h = (struct cpu_channels){.c = c, .bus = bus, .memory = memory, .refused_end = &h->refused};
	h->writes = g_hash_table_new(NULL, NULL);
	h->up_free_units = g_new0(uint64_t, c->p->channel_count);
	h->down_free_units = g_new0(uint64_t, c->p->channel_count);
	h->up_ps = c->p->line_bytes * 1000000 / c->p->up_mbytes_per_s;
	h->down_ps = c->p->line_bytes * 1000000 / c->p->down_mbytes_per_s;
}

void cpu_channels_observe(struct cpu_channels *h)
{
	if (!h->versions)
		h->versions = g_hash_table_new(NULL, NULL);
}

void cpu_channels_free(struct cpu_channels *h)
{
	while (h->free) {
		struct channel_access *next = h->free->next;

		g_free(h->free);
		h->free = next;
	}
	g_hash_table_destroy(h->writes);
	if (h->versions)
		g_hash_table_destroy(h->versions);
	g_free(h->up_free_units);
	g_free(h->down_free_units);
}
