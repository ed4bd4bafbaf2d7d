/* holders.c - which of an NDP's caches have which bytes: the NDP-M's copy of their tags. */
#include "channel/priv.h"

static uint32_t bucket_number(uint64_t granule)
{
	return (uint32_t)(granule * 0x9e3779b97f4a7c15u >> 54);
}

static struct near_holder **bucket_of(struct ndp_m *m, uint64_t granule)
{
	return &m->holders[bucket_number(granule)];
}

void holders_prefetch(struct ndp_m *m, uint64_t granule)
{
	__builtin_prefetch(bucket_of(m, granule));
}

struct near_holder *holders_find(const struct ndp_m *m, uint64_t granule)
{
	struct near_holder *h;

	if (!m->holder_count)
		return NULL;
	h = m->holders[bucket_number(granule)];
	while (h && h->key != granule)
		h = h->next;
	return h;
}

void holders_add(struct ndp_m *m, uint64_t granule, uint32_t core, bool is_owner)
{
	struct near_holder *h = holders_find(m, granule);

	if (!h) {
		struct near_holder **bucket = bucket_of(m, granule);

		h = TAKE(m->s->free_holders, struct near_holder);
		*h = (struct near_holder){.key = granule, .next = *bucket};
		*bucket = h;
		m->holder_count++;
	}
	h->cores |= UINT64_C(1) << core;
	h->owner = is_owner ? (uint8_t)(core + 1) : 0;
}

void holders_drop(struct ndp_m *m, uint64_t granule, uint32_t core)
{
	struct near_holder **link = bucket_of(m, granule), *h;

	while (*link && (*link)->key != granule)
		link = &(*link)->next;
	h = *link;
	if (!h)
		return;
	h->cores &= ~(UINT64_C(1) << core);
	if (h->owner == core + 1)
		h->owner = 0;
	if (h->cores)
		return;
	*link = h->next;
	m->holder_count--;
	PUT(m->s->free_holders, h);
}

void holders_free(struct ndp_m *m)
{
	for (uint32_t i = 0; i < HOLDER_BUCKETS; i++)
		while (m->holders[i]) {
			struct near_holder *next = m->holders[i]->next;

			g_free(m->holders[i]);
			m->holders[i] = next;
		}
}
