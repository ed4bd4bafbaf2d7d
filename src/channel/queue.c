/* queue.c - what has come to an NDP-M and finds no room waits with its sender, in the order of coming. */
#include "channel/priv.h"

static void push(struct ndp_gate *g, struct cpu_event *e, queue_go *go)
{
	if (g->count == g->size) {
		const uint32_t size = g->size ? 2 * g->size : 4;
		struct gate_item *items = g_new(struct gate_item, size);

		for (uint32_t i = 0; i < g->count; i++)
			items[i] = g->items[(g->first + i) % g->size];
		g_free(g->items);
		*g = (struct ndp_gate){.items = items, .count = g->count, .size = size};
	}
	g->items[(g->first + g->count++) % g->size] = (struct gate_item){e, go};
}

void queue_wait(struct ndp_m *m, struct ndp_gate *g, struct cpu_event *e, queue_go *go)
{
	push(g, e, go);
	m->waiting++;
}

static void try_again(struct ndp_m *m, struct ndp_gate *g)
{
	while (g->count) {
		const struct gate_item first = g->items[g->first];

		if (!first.go(first.event))
			return;
		g->first = (g->first + 1) % g->size;
		g->count--;
		m->waiting--;
	}
}

void queue_room(struct ndp_m *m)
{
	struct channel_system *s = m->s;

	if (likely(!m->waiting))
		return;
	m->has_room = true;
	if (m->is_trying)
		return;
	m->is_trying = true;
	while (m->has_room) {
		m->has_room = false;
		for (uint32_t i = 0; i < GATE_COUNT; i++)
			try_again(m, &m->gates[i]);
		for (uint32_t i = 0; i < s->p->core_count; i++)
			try_again(m, &s->cores[m->channel * s->p->core_count + i].gate);
	}
	m->is_trying = false;
}

void queue_free(struct ndp_m *m)
{
	for (uint32_t i = 0; i < GATE_COUNT; i++)
		g_free(m->gates[i].items);
}
