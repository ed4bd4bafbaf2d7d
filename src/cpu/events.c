/* events.c - a heap of events, on an engine that others share. */
#include "cpu/events.h"

static struct cpu_event *event_at(const struct cpu_events *q, uint32_t i)
{
	return q->heap->pdata[i];
}

static bool is_before(const struct cpu_event *a, const struct cpu_event *b)
{
	return a->time_units != b->time_units ? a->time_units < b->time_units : a->order < b->order;
}

static struct cpu_event *take_first(struct cpu_events *q)
{
	struct cpu_event *first = event_at(q, 0), *last = event_at(q, q->heap->len - 1);
	uint32_t count = q->heap->len - 1, i = 0;

	g_ptr_array_set_size(q->heap, (int)count);
	for (uint32_t child; (child = 2 * i + 1) < count; i = child) {
		if (child + 1 < count && is_before(event_at(q, child + 1), event_at(q, child)))
			child++;
		if (!is_before(event_at(q, child), last))
			break;
		q->heap->pdata[i] = event_at(q, child);
	}
	if (count)
		q->heap->pdata[i] = last;
	return first;
}

static void tick(void *queue, uint64_t cycle)
{
	struct cpu_events *q = queue;
	const uint64_t now = sim_now_units(q->engine);

	(void)cycle;
	while (q->heap->len && event_at(q, 0)->time_units <= now) {
		struct cpu_event *e = take_first(q);

		e->fire(e->self, e);
	}
}

void cpu_event_at(struct cpu_events *q, struct cpu_event *e, uint64_t time_units)
{
	uint32_t i = q->heap->len;

	e->time_units = time_units;
	e->order = q->order++;
	g_ptr_array_add(q->heap, e);
	for (; i && is_before(e, event_at(q, (i - 1) / 2)); i = (i - 1) / 2)
		q->heap->pdata[i] = event_at(q, (i - 1) / 2);
	q->heap->pdata[i] = e;
	sim_wake_units(q->engine, q->comp, time_units);
}

void cpu_events_init(struct cpu_events *q, struct sim_engine *engine, uint32_t domain)
{
	*q = (struct cpu_events){.engine = engine, .heap = g_ptr_array_new()};
	q->comp = sim_engine_add(engine, domain, "cpu", tick, q);
}

void cpu_events_free(struct cpu_events *q)
{
	g_ptr_array_free(q->heap, TRUE);
}
