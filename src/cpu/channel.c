/* channel.c - channels between bus and memory: a rate up, a rate down, a latency. */
#include "cpu/channel.h"

#include "base/check.h"
#include "cpu/pages.h"

static uint32_t channel_of(const struct cpu_channels *h, uint64_t line)
{
	return cpu_dram_channel_of(&h->dram, line);
}

/* ---- wires ---- */

uint64_t cpu_channels_up(struct cpu_channels *h, uint32_t channel, uint64_t bytes, uint64_t latency_ps)
{
	struct net_wire *up = &h->up[channel];

	h->c->stats.up_bytes += bytes;
	h->c->stats.up_busy_ps += net_wire_units(up, bytes) / h->c->per_ps;
	return net_wire_send(up, cpu_now_units(h->c), bytes) + latency_ps * h->c->per_ps;
}

uint64_t cpu_channels_down(struct cpu_channels *h, uint32_t channel, uint64_t bytes, uint64_t latency_ps)
{
	struct net_wire *down = &h->down[channel];

	h->c->stats.down_bytes += bytes;
	h->c->stats.down_busy_ps += net_wire_units(down, bytes) / h->c->per_ps;
	return net_wire_send(down, cpu_now_units(h->c), bytes) + latency_ps * h->c->per_ps;
}

/* ---- lines ---- */

static struct cpu_channel_access *access_new(struct cpu_channels *h, uint64_t line)
{
	struct cpu_channel_access *a = base_pool_take(&h->accesses, next);

	*a = (struct cpu_channel_access){
	    .dram = {.line = line, .bytes = (uint32_t)h->c->p->line_bytes, .class = CPU_DRAM_CPU, .self = h}};
	return a;
}

static void access_put(struct cpu_channels *h, struct cpu_channel_access *a)
{
	base_pool_put(&h->accesses, a, next);
}

/* When the queue of writes before the channel has room again: now, or later. */
static uint64_t write_queue_end(const struct cpu_channels *h, uint32_t channel)
{
	const struct net_wire *down = &h->down[channel];
	const uint64_t full_units = h->c->p->write_queue_count * net_wire_units(down, h->c->p->line_bytes);

	return MAX(cpu_now_units(h->c) + full_units, down->free_units) - full_units;
}

void cpu_channels_line_up(struct cpu_channels *h, struct cpu_request *r, cpu_version version)
{
	const uint64_t end =
	    cpu_channels_up(h, channel_of(h, r->line), h->c->p->line_bytes, cpu_channel_latency_ps(h->c->p));

	r->version = version;
	cpu_trail_step(r->trail, CPU_PART_UP, end);
	cpu_bus_end_at(h->bus, r, end);
}

static cpu_version version_of(const void *channels, uint64_t line)
{
	const struct cpu_channels *h = channels;

	return base_table_get(&h->versions, line);
}

static void line_read(void *channels, struct cpu_dram_access *d)
{
	struct cpu_channels *h = channels;
	struct cpu_channel_access *a = base_owner(d, struct cpu_channel_access, dram);

	cpu_channels_line_up(h, a->request, version_of(h, a->request->line));
	access_put(h, a);
}

static void read_there(void *channels, struct cpu_event *e)
{
	struct cpu_channels *h = channels;
	struct cpu_channel_access *a = base_owner(e, struct cpu_channel_access, dram.event);

	if (h->near && h->near->read(h->near->self, a->request)) {
		access_put(h, a);
		return;
	}
	a->dram.done = line_read;
	a->dram.self = h;
	cpu_dram_access_now(&h->dram, &a->dram);
}

/* Units that a line of another socket's memory takes over the link, with the question for it; the link has its place
 * for the line from now on. 0: it is the own socket's. */
static uint64_t link_units(struct cpu_channels *h, const struct cpu_request *r, uint32_t channel)
{
	struct cpu_sockets *s = &h->bus->sockets;
	const uint32_t to = cpu_socket_of_agent(s, r->agent), from = cpu_socket_of_channel(s, channel);

	if (likely(from == to))
		return 0;
	h->c->stats.socket_reads++;
	return s->latency_units + cpu_sockets_send(s, from, to);
}

/* A line that is on its way down is read behind it: the memory gets both in this order. */
static void read_line(void *channels, struct cpu_request *r)
{
	struct cpu_channels *h = channels;
	const uint32_t channel = channel_of(h, r->line);
	const uint64_t begin = write_queue_end(h, channel), link = link_units(h, r, channel);
	const uint64_t answered_ps = MAX(h->c->p->snoop_latency_ps, h->c->p->llc_miss_ps);
	struct cpu_channel_access *a = access_new(h, r->line);
	const struct cpu_channel_access *write = (void *)(uintptr_t)base_map_get(&h->writes, r->line);
	uint64_t at = begin + link + (answered_ps + cpu_channel_latency_ps(h->c->p)) * h->c->per_ps;

	h->c->stats.write_wait_ps += (begin - cpu_now_units(h->c)) / h->c->per_ps;
	if (write && write->dram.event.time_units > at) {
		h->c->stats.reads_behind++;
		h->c->stats.read_behind_ps += (write->dram.event.time_units - at) / h->c->per_ps;
		at = write->dram.event.time_units;
	}
	a->request = r;
	a->dram.trail = r->trail;
	cpu_trail_channel(r->trail, channel);
	cpu_trail_step(r->trail, CPU_PART_DOWN, begin);
	if (h->c->p->llc_miss_ps)
		cpu_trail_step(r->trail, CPU_PART_LLC, begin + h->c->p->llc_miss_ps * h->c->per_ps);
	if (link)
		cpu_trail_step(r->trail, CPU_PART_SOCKET, begin + link + h->c->p->llc_miss_ps * h->c->per_ps);
	cpu_trail_step(r->trail, CPU_PART_DOWN, at);
	a->dram.event.fire = read_there;
	a->dram.event.self = h;
	cpu_event_at(&h->c->events, &a->dram.event, at);
}

static void line_copied(void *channels, struct cpu_dram_access *d)
{
	access_put(channels, base_owner(d, struct cpu_channel_access, dram));
}

static void line_written(void *channels, struct cpu_dram_access *d)
{
	struct cpu_channels *h = channels;
	const uint64_t line = d->line;

	access_put(h, base_owner(d, struct cpu_channel_access, dram));
	if (h->near)
		h->near->written(h->near->self, line);
}

static void copy_access(struct cpu_channels *h, uint64_t line, bool is_write)
{
	struct cpu_channel_access *a = access_new(h, line);

	a->dram.is_write = is_write;
	a->dram.done = line_copied;
	cpu_dram_access_now(&h->dram, &a->dram);
}

/* Channels round which the lines of a page go. */
static uint64_t turns_of(const struct cpu_channels *h, uint64_t line)
{
	if (h->c->p->placement == CPU_PLACE_SOCKET)
		return h->c->p->channel_count / h->c->p->socket_count;
	return cpu_line_is_striped(h->c, line) ? h->c->p->striped_count : 1;
}

/* Over the wires of all channels that so many lines are behind; returns when the last one is. */
static uint64_t copy_over(struct cpu_channels *h, uint64_t line, uint64_t count,
			  uint64_t (*over)(struct cpu_channels *, uint32_t, uint64_t, uint64_t))
{
	const uint64_t turns = turns_of(h, line);
	uint64_t last = 0;

	for (uint64_t i = 0; i < turns; i++) {
		const uint64_t bytes = (count - i + turns - 1) / turns * h->c->p->line_bytes;
		const uint64_t end = over(h, channel_of(h, line + i), bytes, cpu_channel_latency_ps(h->c->p));

		last = MAX(last, end);
	}
	return last;
}

uint64_t cpu_channels_copy(struct cpu_channels *h, uint64_t from, uint64_t to, uint64_t count)
{
	uint64_t up, down;

	for (uint64_t i = 0; i < count; i++) {
		copy_access(h, from + i, false);
		copy_access(h, to + i, true);
	}
	up = copy_over(h, from, count, cpu_channels_up);
	down = copy_over(h, to, count, cpu_channels_down);
	return MAX(up, down);
}

void cpu_channels_store(struct cpu_channels *h, uint64_t line, cpu_version version)
{
	if (h->is_observed)
		base_table_set(&h->versions, line, version);
}

void cpu_channels_take(struct cpu_channels *h, struct cpu_channel_access *a)
{
	if (base_map_get(&h->writes, a->dram.line) == (uintptr_t)a)
		base_map_set(&h->writes, a->dram.line, 0);
	a->dram.is_write = true;
	a->dram.done = line_written;
	a->dram.self = h;
	cpu_dram_access_now(&h->dram, &a->dram);
}

static void write_there(void *channels, struct cpu_event *e)
{
	struct cpu_channels *h = channels;
	struct cpu_channel_access *a = base_owner(e, struct cpu_channel_access, dram.event);

	if (!h->near || !h->near->write(h->near->self, a))
		cpu_channels_take(h, a);
}

/* The bus finds these bytes behind it from now on; the channel takes its time, and the link where it is another
 * socket's. */
static void write_back(void *channels, uint64_t line, cpu_version version, uint32_t socket)
{
	struct cpu_channels *h = channels;
	struct cpu_channel_access *a = access_new(h, line);
	const uint32_t channel = channel_of(h, line), to = cpu_socket_of_channel(&h->bus->sockets, channel);
	const uint64_t sent = cpu_sockets_send(&h->bus->sockets, socket, to);

	cpu_channels_store(h, line, version);
	a->version = version;
	a->dram.event.fire = write_there;
	a->dram.event.self = h;
	cpu_event_at(&h->c->events, &a->dram.event,
		     sent + cpu_channels_down(h, channel, h->c->p->line_bytes, cpu_channel_latency_ps(h->c->p)));
	base_map_set(&h->writes, line, (uintptr_t)a);
}

uint64_t cpu_channels_written(const struct cpu_channels *h, uint64_t line)
{
	return h->down[channel_of(h, line)].free_units + cpu_channel_latency_ps(h->c->p) * h->c->per_ps;
}

static bool invalidate(void *channels, struct cpu_request *r)
{
	const struct cpu_channels *h = channels;

	return h->near && h->near->invalidate(h->near->self, r);
}

static bool shares(void *channels, uint64_t line)
{
	const struct cpu_channels *h = channels;

	return h->near && h->near->shares(h->near->self, line);
}

static bool is_beyond(void *channels, uint64_t line)
{
	const struct cpu_channels *h = channels;

	return h->near && h->near->is_beyond(h->near->self, line);
}

static uint64_t snoop(void *channels, const struct cpu_request *r)
{
	const struct cpu_channels *h = channels;

	(void)r;
	return h->near && h->near->snoop ? h->near->snoop(h->near->self) : 0;
}

const struct cpu_home_ops cpu_channels_home = {
    .read = read_line, .write_back = write_back, .invalidate = invalidate, .shares = shares, .is_beyond = is_beyond,
    .snoop = snoop, .version = version_of};

void cpu_channels_init(struct cpu_channels *h, struct cpu_common *c, struct cpu_bus *bus, struct mem_memory *memory)
{
	*h = (struct cpu_channels){.c = c, .bus = bus};
	base_map_init(&h->writes);
	cpu_dram_init(&h->dram, c, memory);
	h->up = g_new(struct net_wire, c->p->channel_count);
	h->down = g_new(struct net_wire, c->p->channel_count);
	for (uint32_t i = 0; i < c->p->channel_count; i++) {
		h->up[i] = net_wire_of_rate(c->p->up_mbytes_per_s, c->per_ps);
		h->down[i] = net_wire_of_rate(c->p->down_mbytes_per_s, c->per_ps);
	}
}

void cpu_channels_observe(struct cpu_channels *h)
{
	h->is_observed = true;
}

void cpu_channels_free(struct cpu_channels *h)
{
	base_pool_free(&h->accesses);
	base_map_free(&h->writes);
	base_table_free(&h->versions);
	cpu_dram_free(&h->dram);
	g_free(h->up);
	g_free(h->down);
}
