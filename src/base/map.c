/* map.c - a map grows, and closes the gap behind what is taken out. */
#include "base/map.h"

#include <glib.h>

enum { FIRST_BITS = 8 };

static void make(struct base_map *m, uint32_t bits)
{
	m->slots = g_new0(struct base_map_slot, UINT64_C(1) << bits);
	m->mask = (UINT64_C(1) << bits) - 1;
	m->shift = 64 - (bits - 2);
	m->count = 0;
}

void base_map_init(struct base_map *m)
{
	make(m, FIRST_BITS);
}

void base_map_free(struct base_map *m)
{
	g_free(m->slots);
}

static void grow(struct base_map *m)
{
	const struct base_map old = *m;

	make(m, (uint32_t)__builtin_popcountll(old.mask) + 1);
	for (uint64_t i = 0; i <= old.mask; i++)
		if (old.slots[i].value)
			base_map_set(m, old.slots[i].key, old.slots[i].value);
	g_free(old.slots);
}

/* Those behind the gap that may not stand behind it move into it, and leave one. */
static void take_out(struct base_map *m, uint64_t gap)
{
	for (uint64_t i = (gap + 1) & m->mask; m->slots[i].value; i = (i + 1) & m->mask) {
		const uint64_t home = base_map_home(m, m->slots[i].key);

		if (((i - home) & m->mask) < ((i - gap) & m->mask))
			continue;
		m->slots[gap] = m->slots[i];
		gap = i;
	}
	m->slots[gap] = (struct base_map_slot){0, 0};
	m->count--;
}

void base_map_set(struct base_map *m, uint64_t key, uint64_t value)
{
	uint64_t i = base_map_home(m, key);

	while (m->slots[i].value && m->slots[i].key != key)
		i = (i + 1) & m->mask;
	if (!value) {
		if (m->slots[i].value)
			take_out(m, i);
		return;
	}
	m->count += !m->slots[i].value;
	m->slots[i] = (struct base_map_slot){key, value};
	if (m->count > m->mask / 2)
		grow(m);
}
