/* holders.c - which of an NDP's caches have which bytes: the NDP-M's copy of their tags.
 *
 * Open addressing, at most half full; two granules that follow one another share a line of the host's cache, so that
 * one fetch brings all that is asked of a granule.
 */
#include "channel/priv.h"

enum { FIRST_BITS = 6 };

static void make(struct ndp_m *m, uint32_t bits)
{
	m->holders = g_aligned_alloc0(UINT64_C(1) << bits, sizeof(*m->holders), HOST_LINE_BYTES);
	m->holder_mask = (1u << bits) - 1;
	m->holder_shift = 64 - (bits - 1);
	m->holder_count = 0;
}

/* The place at which to begin to look for it. */
static uint32_t home_of(const struct ndp_m *m, uint64_t granule)
{
	return (uint32_t)((granule >> 1) * 0x9e3779b97f4a7c15u >> m->holder_shift << 1 | (granule & 1));
}

/* Where it is, or the free place for it. */
static struct near_holder *place_of(const struct ndp_m *m, uint64_t granule)
{
	uint32_t i = home_of(m, granule);

	while (m->holders[i].cores && m->holders[i].key != granule)
		i = (i + 1) & m->holder_mask;
	return &m->holders[i];
}

void holders_prefetch(const struct ndp_m *m, uint64_t granule)
{
	__builtin_prefetch(&m->holders[home_of(m, granule)]);
}

struct near_holder *holders_find(const struct ndp_m *m, uint64_t granule)
{
	struct near_holder *h;

	if (!m->holder_count)
		return NULL;
	h = place_of(m, granule);
	return h->cores ? h : NULL;
}

static void grow(struct ndp_m *m)
{
	struct near_holder *old = m->holders;
	const uint32_t mask = m->holder_mask, count = m->holder_count;

	make(m, (uint32_t)__builtin_popcount(mask) + 1);
	for (uint32_t i = 0; i <= mask; i++)
		if (old[i].cores)
			*place_of(m, old[i].key) = old[i];
	m->holder_count = count;
	g_aligned_free(old);
}

void holders_add(struct ndp_m *m, uint64_t granule, uint32_t core, bool is_owner)
{
	struct near_holder *h = place_of(m, granule);

	if (!h->cores) {
		if (m->holder_count++ > m->holder_mask / 2) {
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
	for (uint32_t i = (gap + 1) & m->holder_mask; m->holders[i].cores; i = (i + 1) & m->holder_mask) {
		const uint32_t home = home_of(m, m->holders[i].key);

		if (((i - home) & m->holder_mask) < ((i - gap) & m->holder_mask))
			continue;
		m->holders[gap] = m->holders[i];
		gap = i;
	}
	m->holders[gap] = (struct near_holder){0};
	m->holder_count--;
}

void holders_drop(struct ndp_m *m, uint64_t granule, uint32_t core)
{
	struct near_holder *h = place_of(m, granule);

	if (!h->cores)
		return;
	h->cores &= ~(UINT64_C(1) << core);
	if (h->owner == core + 1)
		h->owner = 0;
	if (!h->cores)
		take_out(m, (uint32_t)(h - m->holders));
}

void holders_init(struct ndp_m *m)
{
	make(m, FIRST_BITS);
}

void holders_free(struct ndp_m *m)
{
	g_aligned_free(m->holders);
}
