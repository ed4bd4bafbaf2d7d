/* queue.c - what has come to an NDP-M and finds no room waits with its sender, in the order of coming. */
#include "channel/priv.h"

void channel_queue_wait(struct ndp_m *m, struct ndp_gate *g, struct cpu_event *e, channel_queue_go *go)
{
	base_ring_grow(g);
	*base_ring_push(g) = (struct gate_item){e, go};
	m->waiting++;
}

static void try_again(struct ndp_m *m, struct ndp_gate *g)
{
	while (g->count) {
		const struct gate_item first = *base_ring_first(g);

		if (!first.go(first.event))
			return;
		base_ring_pop(g);
		m->waiting--;
	}
}

void channel_queue_room(struct ndp_m *m)
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

void channel_queue_free(struct ndp_m *m)
{
	for (uint32_t i = 0; i < GATE_COUNT; i++)
		g_free(m->gates[i].items);
}
