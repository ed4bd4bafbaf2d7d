/* probe.c - which of an NDP's caches stand against a request, and what the NDP-M asks them for then. */
#include "channel/priv.h"

bool channel_probe_is_due(const struct near_request *r)
{
	const struct channel_system *s = r->m->s;
	const uint64_t first = r->core ? request_granule(r) : r->line * s->granules;
	const uint32_t count = !r->m->sharer_count ? 0 : r->core ? 1 : s->granules; /* 0: nobody has anything */
	const uint64_t self = r->core && count ? UINT64_C(1) << r->core->number : 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct sharers *h = channel_sharers_find(r->m, first + i);

		if (!h || !(h->cores & ~self))
			continue;
		if (h->owner && (!r->core || h->owner != r->core->number + 1))
			return true;
		if (r->event != COH_EV_N_READ && r->event != COH_EV_C_READ)
			return true;
	}
	return false;
}

static void fire_probe(void *self, struct cpu_event *e)
{
	struct channel_system *s = self;
	struct message *g = message_of(e);
	const struct probe_message probe = g->probe;

	base_pool_put(&s->message_pool, g, next);
	channel_core_probe(probe.core, probe.granule, probe.is_invalid);
}

void channel_probe_send(struct mshr *l, const struct near_request *r, bool is_invalid)
{
	struct channel_system *s = r->m->s;
	const uint64_t first = r->core ? request_granule(r) : r->line * s->granules;
	const uint32_t count = r->core ? 1 : s->granules;
	const uint64_t self = r->core ? UINT64_C(1) << r->core->number : 0;

	for (uint32_t i = 0; i < count; i++) {
		struct sharers *h = channel_sharers_find(r->m, first + i);
		uint64_t cores = !h ? 0 : is_invalid ? h->cores & ~self : h->owner ? UINT64_C(1) << (h->owner - 1) : 0;

		for (cores &= ~self; cores; cores &= cores - 1) {
			const uint32_t core = (uint32_t)__builtin_ctzll(cores);
			struct message *g = channel_message_new(s, fire_probe);

			g->probe = (struct probe_message){.core = &s->cores[r->m->channel * s->p->core_count + core],
							  .granule = first + i,
							  .is_invalid = is_invalid};
			l->probes++;
			s->stats.probes++;
			channel_core_send(g->probe.core, &g->event);
			if (is_invalid)
				channel_sharers_drop(r->m, first + i, core);
			else
				h->owner = 0;
		}
	}
}
