/* sharers.c - which of an NDP's caches share which bytes: the NDP-M's copy of their tags.
 *
 * Open addressing, at most half full; two granules that follow one another share a line of the host's cache, so that
 * one fetch brings all that is asked of a granule.
 */
#include "channel/priv.h"

enum { FIRST_BITS = 6 };

static void make(struct ndp_m *m, uint32_t bits)
{
	m->sharers = g_aligned_alloc0(UINT64_C(1) << bits, sizeof(*m->sharers), HOST_LINE_BYTES);
	m->sharer_mask = (1u << bits) - 1;
	m->sharer_shift = 64 - (bits - 1);
	m->sharer_count = 0;
}

/* The place at which to begin to look for it. */
static uint32_t home_of(const struct ndp_m *m, uint64_t granule)
{
	return (uint32_t)((granule >> 1) * 0x9e3779b97f4a7c15u >> m->sharer_shift << 1 | (granule & 1));
}

/* Where it is, or the free place for it. */
static struct sharers *place_of(const struct ndp_m *m, uint64_t granule)
{
	uint32_t i = home_of(m, granule);

	while (m->sharers[i].cores && m->sharers[i].key != granule)
		i = (i + 1) & m->sharer_mask;
	return &m->sharers[i];
}

void channel_sharers_prefetch(const struct ndp_m *m, uint64_t granule)
{
	__builtin_prefetch(&m->sharers[home_of(m, granule)]);
}

struct sharers *channel_sharers_find(const struct ndp_m *m, uint64_t granule)
{
	struct sharers *h;

	if (!m->sharer_count)
		return NULL;
	h = place_of(m, granule);
	return h->cores ? h : NULL;
}

static void grow(struct ndp_m *m)
{
	struct sharers *old = m->sharers;
	const uint32_t mask = m->sharer_mask, count = m->sharer_count;

	make(m, (uint32_t)__builtin_popcount(mask) + 1);
	for (uint32_t i = 0; i <= mask; i++)
		if (old[i].cores)
			*place_of(m, old[i].key) = old[i];
	m->sharer_count = count;
	g_aligned_free(old);
}

void channel_sharers_add(struct ndp_m *m, uint64_t granule, uint32_t core, bool is_owner)
{
	struct sharers *h = place_of(m, granule);

	if (!h->cores) {
		if (m->sharer_count++ > m->sharer_mask / 2) {
			grow(m);
			h = place_of(m, granule);
		}
		h->key = granule;
	}
	h->cores |= UINT64_C(1) << core;
	h->owner = is_owner ? (uint8_t)(core + 1) : 0;
}

/* Those behind the gap that may not stand behind it move into it, and leave one. */
static void take_out(struct ndp_m *m, uint32_t gap)
{
	for (uint32_t i = (gap + 1) & m->sharer_mask; m->sharers[i].cores; i = (i + 1) & m->sharer_mask) {
		const uint32_t home = home_of(m, m->sharers[i].key);

		if (((i - home) & m->sharer_mask) < ((i - gap) & m->sharer_mask))
			continue;
		m->sharers[gap] = m->sharers[i];
		gap = i;
	}
	m->sharers[gap] = (struct sharers){0};
	m->sharer_count--;
}

void channel_sharers_drop(struct ndp_m *m, uint64_t granule, uint32_t core)
{
	struct sharers *h = place_of(m, granule);

	if (!h->cores)
		return;
	h->cores &= ~(UINT64_C(1) << core);
	if (h->owner == core + 1)
		h->owner = 0;
	if (!h->cores)
		take_out(m, (uint32_t)(h - m->sharers));
}

void channel_sharers_init(struct ndp_m *m)
{
	make(m, FIRST_BITS);
}

void channel_sharers_free(struct ndp_m *m)
{
	g_aligned_free(m->sharers);
}
