/* items.c - what is in the directory's items, where these are: in the cache (ECD-$), on their way to the memory, in the
 * memory. Followed with cpu.values=bytes only. The NDP-M goes by them: what it finds in the cache, and what comes
 * there, is the lines' state. One that is stale, lost, or read before it is written differs from what was written
 * last, which ends the run, but where that mistake is planted (channel.item_fault): then lines are taken for what they
 * are not. */
#include "channel/priv.h"

#include "base/check.h"

struct items {
	GHashTable *cache, *memory; /* by item: ITEM_BYTES; memory: of those that have been written */
};

static uint8_t *states_of(GHashTable *table, uint64_t item)
{
	return g_hash_table_lookup(table, (gpointer)(item + 1));
}

/* A new one, or the one that is there. */
static uint8_t *states_at(GHashTable *table, uint64_t item)
{
	uint8_t *states = states_of(table, item);

	if (!states) {
		states = g_malloc0(ITEM_BYTES);
		g_hash_table_insert(table, (gpointer)(item + 1), states);
	}
	return states;
}

static enum near_state state_at(const uint8_t *states, uint64_t index)
{
	const uint64_t i = index % ITEM_LINES;

	return (enum near_state)(states[i / 4] >> 2 * (i % 4) & 3);
}

/* Of a region with a state in the summary nobody asks for items: they are not kept. */
static bool is_kept(const struct ndp_m *m, uint64_t item)
{
	const uint64_t region = item * ITEM_LINES >> m->s->region_shift;

	return m->regions[region].state == NEAR_UNDEFINED || !channel_region_is_summarised(m->s, region);
}

/* As the directory says. */
static void copy_region(const struct ndp_m *m, uint64_t item, uint8_t *states)
{
	const uint64_t first = item * ITEM_LINES;

	memset(states, 0, ITEM_BYTES);
	for (uint64_t i = 0; i < ITEM_LINES && first + i < m->s->channel_lines; i++)
		states[i / 4] |= (uint8_t)(channel_directory_state(m, first + i) << 2 * (i % 4));
}

static void copy_memory(const struct ndp_m *m, uint64_t item, uint8_t *states)
{
	const uint8_t *written = states_of(m->items->memory, item);

	if (written)
		memcpy(states, written, ITEM_BYTES);
	else
		memset(states, NEAR_CPU * 0x55, ITEM_BYTES); /* as it was in the beginning */
}

/* The line's state is what its item says. */
static void go_by(struct ndp_m *m, uint64_t index, const uint8_t *states)
{
	const enum near_state state = state_at(states, index);

	if (likely(state == channel_directory_state(m, index)))
		return;
	CHECK(m->s->p->item_fault != CHANNEL_ITEM_NONE);
	channel_region_believe(m, index, state);
}

void channel_items_found(struct ndp_m *m, uint64_t index)
{
	const uint8_t *states = likely(!m->items) ? NULL : states_of(m->items->cache, index / ITEM_LINES);

	if (likely(!m->items) || !is_kept(m, index / ITEM_LINES))
		return;
	CHECK(states != NULL);
	go_by(m, index, states);
}

bool channel_items_mistake(struct channel_system *s, enum channel_item_fault fault)
{
	return unlikely(s->p->item_fault == fault) && ++s->item_fault_chances % s->p->fault_every_count == 0;
}

void channel_items_come(struct ndp_m *m, const struct directory_read *d, uint64_t item)
{
	uint8_t *states;

	if (likely(!m->items))
		return;
	states = states_at(m->items->cache, item);
	if (d && !channel_items_mistake(m->s, CHANNEL_ITEM_STALE))
		memcpy(states, d->states, ITEM_BYTES);
	else
		copy_memory(m, item, states);
	if (!is_kept(m, item))
		return;
	for (uint64_t i = 0; i < ITEM_LINES && item * ITEM_LINES + i < m->s->channel_lines; i++)
		go_by(m, item * ITEM_LINES + i, states);
}

void channel_items_leave(struct ndp_m *m, uint64_t item)
{
	if (unlikely(m->items != NULL))
		g_hash_table_remove(m->items->cache, (gpointer)(item + 1));
}

void channel_items_set(struct ndp_m *m, uint64_t index, enum near_state state)
{
	const uint64_t i = index % ITEM_LINES;
	uint8_t *states;

	if (likely(!m->items))
		return;
	states = states_of(m->items->cache, index / ITEM_LINES);
	CHECK(states);
	states[i / 4] = (uint8_t)((states[i / 4] & ~(3u << 2 * (i % 4))) | (uint32_t)state << 2 * (i % 4));
}

void channel_items_write(struct ndp_m *m, struct directory_read *d)
{
	const uint8_t *states = likely(!m->items) ? NULL : states_of(m->items->cache, d->item);

	if (likely(!m->items))
		return;
	if (states)
		memcpy(d->states, states, ITEM_BYTES);
	else
		copy_region(m, d->item, d->states);
}

void channel_items_written(struct ndp_m *m, const struct directory_read *d)
{
	if (unlikely(m->items != NULL))
		memcpy(states_at(m->items->memory, d->item), d->states, ITEM_BYTES);
}

void channel_items_fill(struct ndp_m *m, struct directory_read *d, uint64_t item, bool is_cached)
{
	if (likely(!m->items))
		return;
	if (is_cached && !channel_items_mistake(m->s, CHANNEL_ITEM_KEPT))
		copy_region(m, item, states_at(m->items->cache, item));
	if (d)
		copy_region(m, item, d->states);
	if (!m->s->p->directory_fill)
		copy_region(m, item, states_at(m->items->memory, item));
}

/* The memory has all, and what is on its way there is no older. */
void channel_items_cold(struct ndp_m *m)
{
	const struct channel_system *s = m->s;

	if (likely(!m->items))
		return;
	g_hash_table_remove_all(m->items->cache);
	g_hash_table_remove_all(m->items->memory);
	for (uint64_t item = 0; item * ITEM_LINES < s->channel_lines; item++)
		if (m->regions[item * ITEM_LINES >> s->region_shift].state == NEAR_UNDEFINED)
			copy_region(m, item, states_at(m->items->memory, item));
	for (uint64_t i = 0; i <= m->items_under_way.mask; i++) {
		struct directory_read *d = (struct directory_read *)(uintptr_t)m->items_under_way.slots[i].value;

		if (d)
			copy_region(m, d->item, d->states);
	}
}

void channel_items_init(struct ndp_m *m)
{
	if (m->s->c->p->values != CPU_VALUES_BYTES || m->s->is_peer)
		return;
	m->items = g_new(struct items, 1);
	m->items->cache = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	m->items->memory = g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

void channel_items_free(struct ndp_m *m)
{
	if (!m->items)
		return;
	g_hash_table_destroy(m->items->cache);
	g_hash_table_destroy(m->items->memory);
	g_free(m->items);
}
