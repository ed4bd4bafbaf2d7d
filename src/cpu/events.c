/* events.c - a wheel of packs and a heap, on an engine that others share. */
#include "cpu/events.h"

#include "base/check.h"
#include "base/list.h"

#include <string.h>

/* ---- far away: a heap ---- */

static struct cpu_event *far_at(const struct cpu_events *q, uint32_t i)
{
	return q->far->pdata[i];
}

static bool is_before(const struct cpu_event *a, const struct cpu_event *b)
{
	return a->time_units != b->time_units ? a->time_units < b->time_units : a->order < b->order;
}

static struct cpu_event *far_take(struct cpu_events *q)
{
	struct cpu_event *first = far_at(q, 0), *last = far_at(q, q->far->len - 1);
	uint32_t count = q->far->len - 1, i = 0;

	g_ptr_array_set_size(q->far, (int)count);
	for (uint32_t child; (child = 2 * i + 1) < count; i = child) {
		if (child + 1 < count && is_before(far_at(q, child + 1), far_at(q, child)))
			child++;
		if (!is_before(far_at(q, child), last))
			break;
		q->far->pdata[i] = far_at(q, child);
	}
	if (count)
		q->far->pdata[i] = last;
	return first;
}

static void far_add(struct cpu_events *q, struct cpu_event *e)
{
	uint32_t i = q->far->len;

	g_ptr_array_add(q->far, e);
	for (; i && is_before(e, far_at(q, (i - 1) / 2)); i = (i - 1) / 2)
		q->far->pdata[i] = far_at(q, (i - 1) / 2);
	q->far->pdata[i] = e;
}

/* ---- the wheel ---- */

/* The first cycle at or after the time. The product with the inverse falls short of the quotient by at most 1. */
static inline uint64_t cycle_of(const struct cpu_events *q, uint64_t time_units)
{
	const uint64_t units = time_units + q->period_units - 1;
	const uint64_t cycles = (uint64_t)((unsigned __int128)units * q->period_inverse >> 64);

	return cycles + (units - cycles * q->period_units >= q->period_units);
}

/* Of the cycle that fires: behind those of its time. */
static void put_due(struct cpu_events *q, struct cpu_event *e)
{
	uint32_t i = q->due_count;

	if (q->due_count == q->due_room)
		q->due = g_renew(struct cpu_due, q->due, q->due_room = 2 * q->due_room);
	for (; i > q->due_next && q->due[i - 1].time_units > e->time_units; i--)
		q->due[i] = q->due[i - 1];
	q->due[i] = (struct cpu_due){e->time_units, e};
	q->due_count++;
}

static struct cpu_pack *pack_new(struct cpu_events *q, struct cpu_pack *before)
{
	struct cpu_pack *pack = base_pool_take(&q->packs, before);

	pack->before = before;
	pack->behind = before ? before->behind + CPU_PACK_EVENTS : 0;
	pack->count = 0;
	return pack;
}

/* True: it is the first of that cycle, which nobody has asked the engine for. */
static bool put(struct cpu_events *q, struct cpu_event *e, uint64_t cycle)
{
	const uint32_t slot = cycle % CPU_WHEEL_CYCLES;
	struct cpu_pack *pack = q->last[slot];
	const bool is_first = !pack;

	if (q->is_firing && cycle == q->first_cycle) {
		put_due(q, e);
		return false;
	}
	if (!pack || pack->count == CPU_PACK_EVENTS) {
		q->occupancy[slot / 64] |= UINT64_C(1) << (slot % 64);
		pack = q->last[slot] = pack_new(q, pack);
	}
	pack->items[pack->count++] = (struct cpu_due){e->time_units, e};
	return is_first;
}

/* To the first cycle with events, or to this one. */
static void advance(struct cpu_events *q, uint64_t cycle)
{
	const uint64_t end = MIN(cycle, q->near_end);

	while (q->first_cycle < end) {
		const uint32_t slot = q->first_cycle % CPU_WHEEL_CYCLES;
		const uint64_t bits = q->occupancy[slot / 64] >> (slot % 64);
		const uint32_t empty = bits ? (uint32_t)__builtin_ctzll(bits) : 64 - slot % 64;

		if (!empty)
			return;
		q->first_cycle = MIN(q->first_cycle + empty, end);
	}
	q->first_cycle = cycle;
}

/* The items, which may be there already, in the order of time, then of coming; they come nearly so. */
static void sort(struct cpu_due *due, const struct cpu_due *items, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct cpu_due item = items[i];
		uint32_t at = i;

		for (; at && due[at - 1].time_units > item.time_units; at--)
			due[at] = due[at - 1];
		due[at] = item;
	}
}

/* The events of the first cycle are due. */
static void gather(struct cpu_events *q)
{
	const uint32_t slot = q->first_cycle % CPU_WHEEL_CYCLES;
	struct cpu_pack *pack = q->last[slot];

	q->due_next = 0;
	q->due_count = pack ? pack->behind + pack->count : 0;
	q->last[slot] = NULL;
	q->occupancy[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
	while (unlikely(q->due_room < q->due_count))
		q->due = g_renew(struct cpu_due, q->due, q->due_room = 2 * q->due_room);
	if (likely(pack && !pack->before)) {
		sort(q->due, pack->items, pack->count);
		base_pool_put(&q->packs, pack, before);
		return;
	}
	while (pack) {
		struct cpu_pack *before = pack->before;

		for (uint32_t i = 0; i < pack->count; i++)
			q->due[pack->behind + i] = pack->items[i];
		base_pool_put(&q->packs, pack, before);
		pack = before;
	}
	sort(q->due, q->due, q->due_count);
}

/* Each touches memory that has long left the host's caches where thousands wait: that of those behind it comes
 * meanwhile. */
static void fire(struct cpu_events *q)
{
	enum { AHEAD = 3, HOST_LINE = 64 };

	q->is_firing = true;
	while (q->due_next < q->due_count) {
		struct cpu_event *e = q->due[q->due_next++].event;

		if (q->due_next + AHEAD <= q->due_count) {
			const char *ahead = (const char *)q->due[q->due_next + AHEAD - 1].event;

			__builtin_prefetch(ahead);
			__builtin_prefetch(ahead + HOST_LINE);
		}
		e->fire(e->self, e);
	}
	q->is_firing = false;
}

/* The wheel reaches further now. Before anybody puts an event there, those that waited for that are put. */
static void draw_near(struct cpu_events *q)
{
	q->near_end = q->first_cycle + CPU_WHEEL_CYCLES;
	while (q->far->len) {
		const uint64_t cycle = cycle_of(q, far_at(q, 0)->time_units);

		if (cycle >= q->near_end)
			return;
		put(q, far_take(q), cycle);
	}
}

static void tick(void *queue, uint64_t cycle)
{
	struct cpu_events *q = queue;

	q->open_end = cycle + 1;
	advance(q, cycle);
	draw_near(q);
	for (;; advance(q, cycle)) {
		gather(q);
		fire(q);
		if (q->first_cycle == cycle)
			break;
	}
	q->first_cycle = cycle + 1;
}

void cpu_event_at(struct cpu_events *q, struct cpu_event *e, uint64_t time_units)
{
	const uint64_t cycle = MAX(cycle_of(q, time_units), q->first_cycle);
	bool is_first = true;

	e->time_units = time_units;
	e->order = q->order++;
	if (likely(cycle < q->near_end))
		is_first = put(q, e, cycle);
	else
		far_add(q, e);
	if (is_first && cycle >= q->open_end)
		sim_wake_cycle(q->engine, q->comp, cycle);
}

void cpu_events_init(struct cpu_events *q, struct sim_engine *engine, uint32_t domain)
{
	*q = (struct cpu_events){.engine = engine, .far = g_ptr_array_new(), .near_end = CPU_WHEEL_CYCLES};
	q->due_room = CPU_PACK_EVENTS;
	q->due = g_new(struct cpu_due, q->due_room);
	q->period_units = sim_period_units(engine, domain);
	q->period_inverse = UINT64_MAX / q->period_units;
	q->comp = sim_engine_add(engine, domain, "cpu", tick, q);
}

void cpu_events_free(struct cpu_events *q)
{
	base_pool_free(&q->packs);
	g_free(q->due);
	g_ptr_array_free(q->far, TRUE);
}
