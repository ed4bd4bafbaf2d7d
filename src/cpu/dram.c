/* dram.c - accesses wait by channel and class, and go to the banks when there is room, or to a rate in their turn. */
#include "cpu/dram.h"

#include "base/check.h"
#include "cpu/pages.h"
#include "net/stamp.h"

uint32_t cpu_dram_channel_of(const struct cpu_dram *d, uint64_t line)
{
	if (d->c->p->placement != CPU_PLACE_LINE)
		return cpu_line_channel(d->c, line);
	return mem_memory_place(d->memory, cpu_line_address(d->c, line)).stack % (uint32_t)d->c->p->channel_count;
}

/* ---- the banks ---- */

static bool offer(struct cpu_dram *d, struct cpu_dram_access *a)
{
	const uint64_t address = cpu_line_address(d->c, a->line) + a->offset;
	const enum mem_op op = a->is_write ? MEM_WRITE : MEM_READ;

	if (!mem_memory_can_accept(d->memory, address, op))
		return false;

	struct mem_req *q = mem_req_get(d->c->ctx->pool);

	*q = (struct mem_req){.addr_bytes = address, .size_bytes = (uint16_t)a->bytes};
	mem_req_set_access(q, op, MEM_KIND_DATA);
	q->issue_units = cpu_now_units(d->c);
	q->owner = a;
	if (unlikely(d->c->account != NULL))
		net_stamps_clear(q);
	CHECK(mem_memory_offer(d->memory, q));
	return true;
}

void cpu_dram_done(struct cpu_dram *d, struct mem_req *q)
{
	struct cpu_dram_access *a = q->owner;

	if (unlikely(a->trail != NULL)) {
		cpu_trail_step(a->trail, CPU_PART_QUEUE, net_stamps_of(q)->left_units[NET_STAGE_QUEUE]);
		cpu_trail_step(a->trail, CPU_PART_BANK, net_stamps_of(q)->left_units[NET_STAGE_BANK]);
		cpu_trail_step(a->trail, CPU_PART_DATA, cpu_now_units(d->c));
	}
	mem_req_put(d->c->ctx->pool, q);
	d->under_way--;
	a->done(a->self, a);
}

/* ---- a rate and a latency ---- */

static void fire_done(void *self, struct cpu_event *e)
{
	struct cpu_dram_access *a = base_owner(e, struct cpu_dram_access, event);

	((struct cpu_dram *)self)->under_way--;
	a->done(a->self, a);
}

/* True: it has begun. */
static bool begin(struct cpu_dram_channel *h, struct cpu_dram_access *a)
{
	struct cpu_dram *d = h->dram;
	const struct cpu_common *c = d->c;
	const uint64_t now = cpu_now_units(c);
	uint64_t begin_units;

	if (now < h->wire.free_units) {
		if (!h->is_waiting) {
			h->is_waiting = true;
			cpu_event_at(&d->c->events, &h->event, h->wire.free_units);
		}
		return false;
	}
	/* Who has waited begins when it was free: events come a part of a clock later. */
	begin_units = h->is_late ? h->wire.free_units : now;
	h->is_late = false;
	d->c->stats.rated_bytes += a->bytes;
	net_wire_send(&h->wire, begin_units, a->bytes);
	cpu_trail_step(a->trail, CPU_PART_QUEUE, begin_units);
	cpu_trail_step(a->trail, CPU_PART_BANK, begin_units + d->latency_units);
	a->event.fire = fire_done;
	a->event.self = d;
	cpu_event_at(&d->c->events, &a->event, MAX(now, begin_units + d->latency_units));
	return true;
}

/* ---- the queues ---- */

/* False: it may not go now. */
static bool goes(struct cpu_dram_channel *h, struct cpu_dram_access *a)
{
	return h->dram->c->p->dram_mbytes_per_s ? begin(h, a) : offer(h->dram, a);
}

/* What can go goes, by priority; who may not go holds up those behind it. */
static void pump(struct cpu_dram_channel *h)
{
	while (h->waiting) {
		const uint32_t class = (uint32_t)__builtin_ctz(h->waiting);
		struct cpu_dram_queue *q = &h->queues[class];

		if (!goes(h, q->first))
			return;
		(void)base_fifo_pop(q, next);
		if (!q->first)
			h->waiting &= ~(1u << class);
	}
}

static void fire_free(void *channel, struct cpu_event *e)
{
	struct cpu_dram_channel *h = channel;

	(void)e;
	h->is_waiting = false;
	h->is_late = true;
	pump(h);
	h->is_late = false;
}

void cpu_dram_access_now(struct cpu_dram *d, struct cpu_dram_access *a)
{
	struct cpu_dram_channel *h = &d->channels[cpu_dram_channel_of(d, a->line)];
	struct cpu_dram_queue *q = &h->queues[a->class];
	const bool is_first = !h->waiting;

	d->under_way++;
	if (is_first && goes(h, a))
		return;
	base_fifo_push(q, a, next);
	h->waiting |= 1u << a->class;
	if (!is_first)
		pump(h);
}

uint32_t cpu_dram_waiting(const struct cpu_dram *d)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < d->c->p->channel_count; i++)
		for (uint32_t k = 0; k < CPU_DRAM_CLASS_COUNT; k++)
			for (const struct cpu_dram_access *a = d->channels[i].queues[k].first; a; a = a->next)
				count++;
	return count;
}

void cpu_dram_room(struct cpu_dram *d)
{
	for (uint32_t i = 0; i < d->c->p->channel_count; i++)
		pump(&d->channels[i]);
}

void cpu_dram_init(struct cpu_dram *d, struct cpu_common *c, struct mem_memory *memory)
{
	*d = (struct cpu_dram){
	    .c = c, .memory = memory, .channels = g_new0(struct cpu_dram_channel, c->p->channel_count)};
	d->latency_units = c->p->dram_latency_ps * c->per_ps;
	for (uint32_t i = 0; i < c->p->channel_count; i++) {
		struct cpu_dram_channel *h = &d->channels[i];

		h->dram = d;
		if (c->p->dram_mbytes_per_s)
			h->wire = net_wire_of_rate(c->p->dram_mbytes_per_s, c->per_ps);
		h->event.fire = fire_free;
		h->event.self = h;
	}
}

void cpu_dram_free(struct cpu_dram *d)
{
	g_free(d->channels);
}
