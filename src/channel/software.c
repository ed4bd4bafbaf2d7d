/* software.c - what programs and their runtime say to NDPs: claims of ranges, remote ranges that caches may keep. */
#include "base/check.h"
#include "channel/priv.h"

void channel_uninhibit(struct channel_system *s, uint64_t begin, uint64_t end)
{
	const struct channel_range range = {begin, end};

	g_array_append_val(s->uninhibited, range);
}

void channel_inhibit(struct channel_system *s, uint64_t begin, uint64_t end)
{
	for (uint32_t i = s->uninhibited->len; i--;) {
		const struct channel_range *r = &g_array_index(s->uninhibited, struct channel_range, i);

		if (r->begin >= begin && r->end <= end)
			g_array_remove_index(s->uninhibited, i);
	}
}

uint64_t channel_send(struct channel_system *s, uint64_t now_ps, uint32_t from, uint32_t to)
{
	uint64_t units = now_ps * s->c->per_ps;

	s->stats.sends++;
	if (from != UINT32_MAX)
		units = MAX(units, message_up(s, from)) + ps_units(s, s->p->core_link_ps);
	units = MAX(units + ps_units(s, s->p->point_ps + s->p->message_ps), message_down(s, to));
	return (units + s->c->per_ps - 1) / s->c->per_ps;
}

static uint64_t later_ps(const struct channel_system *s, uint64_t now_ps, uint64_t units, uint64_t more_ps)
{
	units = MAX(units, now_ps * s->c->per_ps) + ps_units(s, more_ps);
	return (units + s->c->per_ps - 1) / s->c->per_ps;
}

uint64_t channel_command(struct channel_system *s, uint64_t now_ps, uint32_t to)
{
	s->stats.messages_down++;
	s->stats.message_bytes += LINE_BYTES;
	return later_ps(s, now_ps, cpu_channels_down(s->channels, to, LINE_BYTES, s->p->message_ps), s->p->point_ps);
}

uint64_t channel_report(struct channel_system *s, uint64_t now_ps, uint32_t from)
{
	s->stats.messages_up++;
	s->stats.message_bytes += LINE_BYTES;
	return later_ps(s, now_ps, cpu_channels_up(s->channels, from, LINE_BYTES, s->p->message_ps), s->p->point_ps);
}

void channel_flush(struct channel_system *s, uint32_t core, uint64_t begin, uint64_t end)
{
	core_flush(&s->cores[core], begin, end);
}

void channel_tlb_commands(struct channel_system *s, uint64_t begin, uint64_t end, bool they_go)
{
	const uint64_t page_bytes = s->c->p->page_bytes, outwards = page_bytes - 1;
	const uint64_t first = (they_go ? begin + outwards : begin) / page_bytes;
	const uint64_t after = (they_go ? end : end + outwards) / page_bytes;

	for (uint64_t page = first; page < after; page++) {
		const uint32_t channel = cpu_pages_channel(s->pages, page);

		if (channel < s->p->ndp_count) /* it is touched */
			point_tlb_command(&s->ms[channel], cpu_pages_line(s->pages, 0, page));
	}
}

void channel_forget_pages(struct channel_system *s)
{
	for (uint64_t i = 0; i < s->p->ndp_count * s->p->core_count; i++)
		s->cores[i].last_page = UINT64_MAX;
	for (uint32_t i = 0; s->p->tlb_count && i < s->p->ndp_count; i++) {
		cpu_tags_clear(&s->ms[i].tlb);
		s->ms[i].tlb_pages = 0;
	}
}

void channel_cold(struct channel_system *s)
{
	for (uint64_t i = 0; i < s->p->ndp_count * s->p->core_count; i++)
		core_cold(&s->cores[i]);
	for (uint32_t i = 0; i < s->p->ndp_count; i++)
		manager_cold(&s->ms[i]);
	for (uint32_t i = 0; i < s->p->point_count; i++)
		point_cold(&s->points[i]);
	channel_forget_pages(s);
}

/* ---- claims ---- */

/* Something is under way that would find another state than it went by. */
static bool is_busy(struct ndp_m *m, uint64_t line)
{
	return manager_is_busy(m, line) || cpu_bus_under_way(m->s->bus, line) ||
	       cpu_bus_is_locked(m->s->bus, line) || base_map_get(&m->s->channels->writes, line);
}

/* The copies that stand against the state go, those that are modified to the memory. */
static void make_so(struct ndp_m *m, uint64_t line, enum near_state state)
{
	struct channel_system *s = m->s;
	const enum near_state before = directory_state(m, line);
	cpu_version version;

	if (before != state)
		point_changed(m, directory_region(m, line));
	if (before == NEAR_CPU && cpu_bus_take(s->bus, line, state == NEAR_NDP, &version)) {
		cpu_channels_down(s->channels, m->channel, LINE_BYTES, 0);
		manager_store(m, line, version);
	} else if (before == NEAR_SHR && state == NEAR_NDP) {
		cpu_bus_take(s->bus, line, true, &version);
	}
	if (before != NEAR_CPU && state != NEAR_NDP)
		manager_take(m, line, state == NEAR_CPU);
	directory_set(m, line, state);
}

/* All lines of the region that have a page are in the state, and stay there; the others go with them. */
static bool is_whole(const struct ndp_m *m, uint64_t region, enum near_state state)
{
	const struct channel_system *s = m->s;
	const uint64_t page_lines = s->c->p->page_bytes / LINE_BYTES;
	const uint64_t used = s->pages->frame_counts[m->channel] * page_lines, first = region * s->region_lines;

	if (m->regions[region].in_transit)
		return false;
	for (uint64_t i = first; i < MIN(first + s->region_lines, used); i++)
		if (directory_state(m, cpu_line_at(s->c, m->channel, i)) != state)
			return false;
	return true;
}

uint64_t channel_claim(struct channel_system *s, uint64_t now_ps, uint64_t begin, uint64_t end,
		       enum channel_owner owner)
{
	static const enum near_state states[] = {NEAR_CPU, NEAR_NDP, NEAR_SHR};
	const enum near_state state = states[owner];
	const uint64_t page_bytes = s->c->p->page_bytes, page_lines = page_bytes / LINE_BYTES;
	uint64_t done_units = now_ps * s->c->per_ps;
	GHashTable *regions = g_hash_table_new(NULL, NULL);
	GHashTableIter each;
	gpointer key;

	for (uint64_t page = begin / page_bytes; page * page_bytes < end; page++) {
		const uint32_t channel = cpu_pages_channel(s->pages, page);
		uint64_t first;
		struct ndp_m *m;

		if (channel >= s->p->ndp_count) /* not touched, or plain */
			continue;
		m = &s->ms[channel];
		first = cpu_pages_line(s->pages, 0, page);
		for (uint64_t line = first; line < first + page_lines; line++) {
			const uint64_t at = page * page_bytes + (line - first) * LINE_BYTES;

			if (at + LINE_BYTES > begin && at < end && !is_busy(m, line))
				make_so(m, line, state);
		}
		g_hash_table_add(regions, (gpointer)(directory_region(m, first) * CPU_AGENTS_BESIDE * 8 + channel));
	}
	g_hash_table_iter_init(&each, regions);
	while (g_hash_table_iter_next(&each, &key, NULL)) {
		const uint64_t region = (uint64_t)(uintptr_t)key / (CPU_AGENTS_BESIDE * 8);
		struct ndp_m *m = &s->ms[(uint64_t)(uintptr_t)key % (CPU_AGENTS_BESIDE * 8)];

		if (directory_is_summarised(s, region) && m->regions[region].state != state &&
		    is_whole(m, region, state))
			directory_summarise(m, region, state);
		s->stats.region_claims++;
		message_up(s, m->channel);
		done_units = MAX(done_units, message_down(s, m->channel) + ps_units(s, s->p->message_ps));
	}
	g_hash_table_destroy(regions);
	return (done_units + s->c->per_ps - 1) / s->c->per_ps;
}
