/* directory.c - the Extended Coherence Directory of a channel: two bits for each line in the memory, a cache of them
 * (ECD-$), and a state for whole regions (ECD-S). */
#include "channel/priv.h"

#include "base/check.h"

enum { ITEMS_IN_LINE = LINE_BYTES / QUARTER_BYTES };

/* ---- the state of lines ---- */

/* Of all lines, before anybody has any: a peer's own memory is its own. */
static enum near_state first_state(const struct channel_system *s)
{
	return s->is_peer ? NEAR_NDP : NEAR_CPU;
}

/* ---- its lines in the memory and in the cache ---- */

/* What is written in the background is counted, not queued. */
static void written(void *manager, struct cpu_dram_access *a)
{
	struct directory_read *d = base_owner(a, struct directory_read, dram);
	struct ndp_m *m = manager;

	channel_items_written(m, d);
	base_map_set(&m->items_under_way, d->item, 0);
	base_pool_put(&m->s->directory_read_pool, d, links.next);
	if (a->class == CPU_DRAM_DIRECTORY) {
		m->directory_writes--;
		channel_queue_room(m);
	}
}

static struct directory_read *access_new(struct ndp_m *m, uint64_t item)
{
	struct directory_read *d = base_pool_take(&m->s->directory_read_pool, links.next);
	/* Behind what pages may have. */
	const uint64_t index = m->s->channel_lines + item / ITEMS_IN_LINE;

	*d = (struct directory_read){.m = m, .item = item};
	d->dram = (struct cpu_dram_access){.line = cpu_line_at(m->s->c, m->channel, index),
					   .offset = (uint32_t)(item % ITEMS_IN_LINE) * QUARTER_BYTES,
					   .bytes = QUARTER_BYTES,
					   .class = CPU_DRAM_DIRECTORY,
					   .self = m};
	m->s->stats.directory_bytes += QUARTER_BYTES;
	return d;
}

/* On its way to the memory; NULL: it is not. */
static struct directory_read *under_way(const struct ndp_m *m, uint64_t item)
{
	return (struct directory_read *)(uintptr_t)base_map_get(&m->items_under_way, item);
}

/* The item as it is now. One that is on its way takes what is new along, so that nothing older comes behind it. */
static void write_item(struct ndp_m *m, uint64_t item, enum cpu_dram_class class)
{
	struct directory_read *d = under_way(m, item);

	if (d) {
		m->s->stats.directory_merges++;
		if (!channel_items_mistake(m->s, CHANNEL_ITEM_OVERTAKEN))
			channel_items_write(m, d);
		return;
	}
	d = access_new(m, item);
	channel_items_write(m, d);
	base_map_set(&m->items_under_way, item, (uintptr_t)d);
	m->s->stats.directory_writes++;
	m->directory_writes += class == CPU_DRAM_DIRECTORY;
	d->dram.is_write = true;
	d->dram.class = (uint8_t)class;
	d->dram.done = written;
	cpu_dram_access_now(&m->s->channels->dram, &d->dram);
}

static bool may_write(const struct ndp_m *m)
{
	return likely(m->directory_writes < m->s->p->directory_queue_count);
}

bool channel_directory_may_set(const struct ndp_m *m, uint64_t index)
{
	return may_write(m) || cpu_tags_find(&m->directory_cache, index / ITEM_LINES);
}

static struct cpu_tag *cache_put(struct ndp_m *m, uint64_t item)
{
	struct cpu_tag *tag = cpu_tags_victim(&m->directory_cache, item);

	if (tag->state == CPU_MODIFIED && !channel_items_mistake(m->s, CHANNEL_ITEM_LOST))
		write_item(m, tag->line, CPU_DRAM_DIRECTORY);
	if (tag->state)
		channel_items_leave(m, tag->line);
	*tag = (struct cpu_tag){.line = item, .state = CPU_SHARED};
	cpu_tags_use(&m->directory_cache, tag);
	channel_items_come(m, under_way(m, item), item);
	return tag;
}

/* What the region's summary has said of it is in the memory soon; a copy in the cache is older than that. */
static void fill_item(struct ndp_m *m, uint64_t item)
{
	struct cpu_tag *tag = cpu_tags_find(&m->directory_cache, item);

	if (tag)
		tag->state = CPU_SHARED;
	channel_items_fill(m, under_way(m, item), item, tag != NULL);
	if (m->s->p->directory_fill)
		write_item(m, item, CPU_DRAM_BACKGROUND);
}

/* From the summary to items of its lines. */
static void fill(struct near_region *r, uint64_t lines)
{
	const uint8_t all = (uint8_t)(r->state * 0x55);

	r->items = g_malloc(lines / 4);
	memset(r->items, all, lines / 4);
	memset(r->counts, 0, sizeof(r->counts));
	r->counts[r->state] = (uint32_t)lines;
	r->state = NEAR_UNDEFINED;
}

void channel_directory_set(struct ndp_m *m, uint64_t index, enum near_state state)
{
	struct channel_system *s = m->s;
	const uint64_t region = index >> s->region_shift, item = index / ITEM_LINES;
	const uint64_t lines = channel_region_lines(s, region);
	struct near_region *r = &m->regions[region];
	struct cpu_tag *tag;

	if (channel_directory_state(m, index) == state)
		return;
	if (r->state != NEAR_UNDEFINED) {
		fill(r, lines);
		if (channel_region_is_summarised(s, region)) {
			s->stats.summary_changes++;
			for (uint64_t n = 0; n < (lines + ITEM_LINES - 1) / ITEM_LINES; n++)
				fill_item(m, region * (s->region_lines / ITEM_LINES) + n);
		}
	}
	if (s->is_peer) {
		channel_region_set(r, index & (s->region_lines - 1), state);
		return;
	}
	tag = cpu_tags_find(&m->directory_cache, item);
	if (!tag)
		tag = cache_put(m, item);
	channel_region_set(r, index & (s->region_lines - 1), state);
	channel_items_set(m, index, state);
	tag->state = CPU_MODIFIED;
	if (r->counts[state] == lines && !r->in_transit && s->p->summary_by_hardware &&
	    channel_region_is_summarised(s, region))
		channel_directory_summarise(m, region, state);
}

void channel_directory_rest(struct ndp_m *m, uint64_t index, enum coh_state state)
{
	if (state == COH_HOME_CPU)
		channel_directory_set(m, index, NEAR_CPU);
	else if (state == COH_HOME_NDP)
		channel_directory_set(m, index, NEAR_NDP);
	else if (state == COH_HOME_SHR)
		channel_directory_set(m, index, NEAR_SHR);
}

void channel_directory_cold(struct ndp_m *m, const uint64_t *lines, uint32_t count)
{
	struct channel_system *s = m->s;
	uint8_t *states = g_new(uint8_t, count);

	for (uint32_t i = 0; i < count; i++)
		states[i] = (uint8_t)channel_directory_state(m, index_of(m, lines[i]));
	for (uint64_t i = 0; i < s->regions_count; i++) {
		struct near_region *r = &m->regions[i];

		g_free(r->items);
		*r = (struct near_region){.state = (uint8_t)first_state(s), .in_transit = r->in_transit};
		s->shadow[m->channel][i] =
		    channel_region_is_summarised(s, i) && !r->in_transit ? NEAR_CPU : NEAR_UNDEFINED;
	}
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t region = channel_region_of(m, lines[i]);
		struct near_region *r = &m->regions[region];

		if (states[i] == (uint8_t)first_state(s))
			continue;
		if (r->state != NEAR_UNDEFINED)
			fill(r, channel_region_lines(s, region));
		channel_region_set(r, index_of(m, lines[i]) % s->region_lines, (enum near_state)states[i]);
		channel_point_changed(m, region);
	}
	cpu_tags_clear(&m->directory_cache);
	channel_items_cold(m);
	g_free(states);
}

void channel_directory_transit(struct ndp_m *m, uint64_t index, int32_t change)
{
	m->regions[index >> m->s->region_shift].in_transit += (uint32_t)change;
}

void channel_directory_summarise(struct ndp_m *m, uint64_t region, enum near_state state)
{
	struct near_region *r = &m->regions[region];

	CHECK(!r->in_transit);
	g_free(r->items);
	*r = (struct near_region){.state = (uint8_t)state};
	m->s->stats.summary_returns++;
	channel_point_summarised(m, region, state);
}

/* ---- how long it takes ---- */

static void fire_ready(void *self, struct cpu_event *e)
{
	(void)self;
	channel_manager_ready(request_of(e));
}

static void ready_at(struct near_request *r, uint64_t units)
{
	r->step.fire = fire_ready;
	r->step.self = r->m;
	cpu_event_at(&r->m->s->c->events, &r->step, units);
}

static bool fill_cache(struct cpu_event *e)
{
	struct directory_read *d = read_of(e);
	struct ndp_m *m = d->m;

	if (!may_write(m) && !cpu_tags_find(&m->directory_cache, d->item))
		return false;
	base_list_remove(&m->directory_reads, d, links);
	if (!cpu_tags_find(&m->directory_cache, d->item))
		cache_put(m, d->item);
	while (d->waiting.first)
		ready_at(base_fifo_pop(&d->waiting, next), now_units(m->s));
	base_pool_put(&m->s->directory_read_pool, d, links.next);
	m->directory_taken--;
	channel_queue_room(m);
	return true;
}

static void item_read(void *manager, struct cpu_dram_access *a)
{
	struct ndp_m *m = manager;

	if (!channel_queue_enter(m, &m->gates[GATE_FILLS], &a->event, fill_cache))
		m->s->stats.directory_queue_waits++;
}

/* By the cache; by the queue, if the item is on its way to the memory; or by a read that takes a place of the queue or
 * is under way. */
static bool look_up(struct cpu_event *e)
{
	struct near_request *r = request_of(e);
	struct ndp_m *m = r->m;
	const uint64_t item = r->index / ITEM_LINES;
	struct cpu_tag *tag = cpu_tags_find(&m->directory_cache, item);
	struct directory_read *d = m->directory_reads;

	if (tag) {
		cpu_tags_use(&m->directory_cache, tag);
		channel_items_found(m, r->index);
		channel_manager_ready(r);
		return true;
	}
	if (under_way(m, item)) {
		if (!may_write(m))
			return false;
		m->s->stats.directory_forwards++;
		cache_put(m, item);
		channel_manager_ready(r);
		return true;
	}
	while (d && d->item != item)
		d = d->links.next;
	if (!d) {
		if (m->directory_taken == m->s->p->directory_queue_count)
			return false;
		m->directory_taken++;
		m->s->stats.directory_reads++;
		d = access_new(m, item);
		d->dram.done = item_read;
		base_list_push(&m->directory_reads, d, links);
		cpu_dram_access_now(&m->s->channels->dram, &d->dram);
	}
	base_fifo_push(&d->waiting, r, next);
	return true;
}

static void fire_look_up(void *manager, struct cpu_event *e)
{
	struct ndp_m *m = manager;
	struct near_request *r = request_of(e);
	struct cpu_tag *tag = cpu_tags_find(&m->directory_cache, r->index / ITEM_LINES);

	m->s->stats.directory_lookups++;
	m->s->stats.directory_misses += !tag;
	if (likely(tag && !m->gates[GATE_DIRECTORY].count)) {
		cpu_tags_use(&m->directory_cache, tag);
		channel_items_found(m, r->index);
		channel_manager_ready(r);
		return;
	}
	if (!channel_queue_enter(m, &m->gates[GATE_DIRECTORY], e, look_up))
		m->s->stats.directory_queue_waits++;
}

/* A region of the processors costs them nothing. */
void channel_directory_look_up(struct ndp_m *m, struct near_request *r, uint64_t units)
{
	struct channel_system *s = m->s;
	const uint64_t region = r->index >> s->region_shift;
	const bool is_summarised =
	    m->regions[region].state != NEAR_UNDEFINED && channel_region_is_summarised(s, region);

	if (s->is_peer) {
		s->stats.directory_lookups++;
		ready_at(r, units + ps_units(s, s->p->directory_ps));
		return;
	}
	if (s->asks_nobody) {
		if (r->bus)
			channel_manager_ready(r);
		else
			ready_at(r, units);
		return;
	}
	s->stats.summary_lookups++;
	if (is_summarised) {
		s->stats.summary_hits++;
		if (r->bus && m->regions[region].state == NEAR_CPU)
			channel_manager_ready(r);
		else
			ready_at(r, units + ps_units(s, s->p->summary_ps));
		return;
	}
	r->step.fire = fire_look_up;
	r->step.self = m;
	cpu_event_at(&s->c->events, &r->step, units + ps_units(s, s->p->summary_ps + s->p->directory_ps));
}

void channel_directory_init(struct ndp_m *m)
{
	m->regions = g_new0(struct near_region, m->s->regions_count);
	for (uint64_t i = 0; i < m->s->regions_count; i++)
		m->regions[i].state = (uint8_t)first_state(m->s);
	cpu_tags_init(&m->directory_cache, m->s->p->directory_cache_bytes,
		      (uint32_t)m->s->p->directory_cache_ways_count, QUARTER_BYTES);
	base_map_init(&m->items_under_way);
	channel_items_init(m);
}

void channel_directory_free(struct ndp_m *m)
{
	for (uint64_t i = 0; i < m->s->regions_count; i++)
		g_free(m->regions[i].items);
	g_free(m->regions);
	cpu_tags_free(&m->directory_cache);
	base_map_free(&m->items_under_way);
	channel_items_free(m);
}
