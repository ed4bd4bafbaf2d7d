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
	uint64_t units = now_ps * s->c->per_ps, down;

	s->stats.sends++;
	if (from != UINT32_MAX) {
		const uint64_t up = channel_message_up(s, from);

		units = MAX(units, up) + ps_units(s, s->p->core_link_ps);
	}
	down = channel_message_down(s, to);
	units = MAX(units + ps_units(s, s->p->point_ps + s->message_ps), down);
	return (units + s->c->per_ps - 1) / s->c->per_ps;
}

static uint64_t later_ps(const struct channel_system *s, uint64_t now_ps, uint64_t units, uint64_t more_ps)
{
	units = MAX(units, now_ps * s->c->per_ps) + ps_units(s, more_ps);
	return (units + s->c->per_ps - 1) / s->c->per_ps;
}

/* Where there is no NDP-AP a message is a line that the NDP-M finds among those that come down (section 5.2.2). */
static uint64_t point_ps(const struct channel_system *s)
{
	return s->asks_nobody ? 0 : s->p->point_ps;
}

uint64_t channel_command(struct channel_system *s, uint64_t now_ps, uint32_t to)
{
	s->stats.messages_down++;
	s->stats.message_bytes += LINE_BYTES;
	return later_ps(s, now_ps, cpu_channels_down(s->channels, to, LINE_BYTES, s->message_ps), point_ps(s));
}

uint64_t channel_report(struct channel_system *s, uint64_t now_ps, uint32_t from)
{
	s->stats.messages_up++;
	s->stats.message_bytes += LINE_BYTES;
	return later_ps(s, now_ps, cpu_channels_up(s->channels, from, LINE_BYTES, s->message_ps), point_ps(s));
}

uint64_t channel_flush(struct channel_system *s, uint32_t core, uint64_t now_ps, uint64_t begin, uint64_t end)
{
	const uint64_t cycles = channel_core_flush(&s->cores[core], begin, end) * s->p->flush_cycles;

	return cpu_ps_from(s->c, now_ps * s->c->per_ps + cycles_units(s, cycles));
}

void channel_cold(struct channel_system *s)
{
	for (uint64_t i = 0; i < s->p->ndp_count * s->p->core_count; i++)
		channel_core_cold(&s->cores[i]);
	for (uint32_t i = 0; i < s->p->ndp_count; i++)
		channel_manager_cold(&s->ms[i]);
	for (uint32_t i = 0; i < s->p->point_count; i++)
		channel_point_cold(&s->points[i]);
	for (uint64_t i = 0; i < s->p->ndp_count * s->p->core_count; i++)
		channel_core_forget_pages(&s->cores[i]);
	for (uint32_t i = 0; i < s->p->ndp_count; i++)
		channel_translate_cold(&s->ms[i]);
}

/* ---- pages that go or move ---- */

/* Something is under way that would find another state than it went by. */
static bool is_busy(struct ndp_m *m, uint64_t line)
{
	return channel_manager_is_busy(m, line) || cpu_bus_under_way(m->s->bus, line) ||
	       cpu_bus_is_locked(m->s->bus, line) || base_map_get(&m->s->channels->writes, line);
}

void channel_software_leave(void *system, uint64_t line)
{
	struct ndp_m *m = channel_manager_of(system, line);

	if (m && !is_busy(m, line))
		channel_manager_take(m, line, true);
}

/* Remote copies of the page, which no request of others takes from a core. */
static void leave_remote(struct channel_system *s, uint64_t page)
{
	const uint64_t first = cpu_pages_line(s->pages, 0, page);

	const bool may_have = s->has_remote_copies || s->uninhibited->len; /* or one is on its way */

	for (uint64_t i = 0; may_have && i < s->p->ndp_count * s->p->core_count; i++)
		channel_core_leave_remote(&s->cores[i], first, first + s->c->p->page_bytes / LINE_BYTES);
}

uint64_t channel_software_forget(void *system, uint64_t page, enum cpu_translation why)
{
	struct channel_system *s = system;
	const uint64_t address = page * s->c->p->page_bytes, line = cpu_pages_line(s->pages, 0, page);
	struct ndp_m *home = channel_manager_of(s, line);
	uint64_t answered = 0;

	if (why != CPU_TRANSLATION_CHANGES)
		leave_remote(s, page);
	for (uint64_t i = 0; i < s->p->ndp_count * s->p->core_count; i++)
		channel_core_forget(&s->cores[i], page);
	for (uint32_t i = 0; why == CPU_TRANSLATION_SILENT && i < s->p->ndp_count; i++)
		channel_translate_forget(&s->ms[i], address);
	if (why == CPU_TRANSLATION_SILENT)
		return 0;
	for (uint32_t i = 0; i < s->p->ndp_count; i++)
		if (&s->ms[i] == home || channel_translate_has(&s->ms[i], address)) {
			const uint64_t units = channel_point_tlb_command(&s->ms[i], line, address);

			answered = MAX(answered, units);
		}
	return answered;
}

/* ---- claims ---- */

/* May caches on the bus have a copy that stands against the state? */
static bool asks_bus(enum near_state before, enum near_state state)
{
	return (before == NEAR_CPU && state != NEAR_CPU) || (before == NEAR_SHR && state == NEAR_NDP);
}

/* The copies that stand against the state go, those that are modified to the memory. Where that needs the bus, it is by
 * a slot at units or later: returns when all caches have answered. */
static uint64_t make_so(struct ndp_m *m, uint64_t line, enum near_state state, uint64_t units)
{
	struct channel_system *s = m->s;
	const uint64_t index = index_of(m, line);
	const enum near_state before = channel_directory_state(m, index);
	cpu_version version;

	if (asks_bus(before, state))
		units = cpu_bus_slot_beside(s->bus, units) + ps_units(s, s->c->p->snoop_latency_ps);
	if (before != state)
		channel_point_changed(m, index >> s->region_shift);
	if (before == NEAR_CPU && cpu_bus_take(s->bus, line, state == NEAR_NDP, &version)) {
		cpu_channels_down(s->channels, m->channel, LINE_BYTES, 0);
		channel_manager_store(m, line, version);
	} else if (before == NEAR_SHR && state == NEAR_NDP) {
		cpu_bus_take(s->bus, line, true, &version);
	}
	if (before != NEAR_CPU && state != NEAR_NDP)
		channel_manager_take(m, line, state == NEAR_CPU);
	channel_directory_set(m, index, state);
	return units;
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
		if (channel_directory_state(m, i) != state)
			return false;
	return true;
}

/* The claim's lines of a page, at units or later. Returns when all caches have answered. */
static uint64_t claim_page(struct ndp_m *m, uint64_t page, uint64_t begin, uint64_t end, enum near_state state,
			   uint64_t units)
{
	const uint64_t page_bytes = m->s->c->p->page_bytes, first = cpu_pages_line(m->s->pages, 0, page);
	uint64_t answered_units = units;

	for (uint64_t line = first; line < first + page_bytes / LINE_BYTES; line++) {
		const uint64_t at = page * page_bytes + (line - first) * LINE_BYTES;

		if (at + LINE_BYTES > begin && at < end && !is_busy(m, line)) {
			const uint64_t answered = make_so(m, line, state, units);

			answered_units = MAX(answered_units, answered);
		}
	}
	m->regions[channel_region_of(m, first)].is_claimed = true;
	return answered_units;
}

/* The NDP-M is told of the region, once. Returns when it has answered. */
static uint64_t claim_region(struct ndp_m *m, uint64_t region, enum near_state state)
{
	struct channel_system *s = m->s;

	m->regions[region].is_claimed = false;
	if (channel_region_is_summarised(s, region) && m->regions[region].state != state &&
	    is_whole(m, region, state))
		channel_directory_summarise(m, region, state);
	s->stats.region_claims++;
	channel_message_up(s, m->channel);
	return channel_message_down(s, m->channel) + ps_units(s, s->message_ps);
}

/* NULL: the page is not touched, or its channel is plain. */
static struct ndp_m *manager_of_page(struct channel_system *s, uint64_t page)
{
	const uint32_t channel = cpu_pages_channel(s->pages, page);

	return channel < s->p->ndp_count ? &s->ms[channel] : NULL;
}

uint64_t channel_claim(struct channel_system *s, uint64_t now_ps, uint64_t begin, uint64_t end,
		       enum channel_owner owner)
{
	static const enum near_state states[] = {NEAR_CPU, NEAR_NDP, NEAR_SHR};
	const enum near_state state = states[owner];
	const uint64_t page_bytes = s->c->p->page_bytes;
	const uint64_t now = now_ps * s->c->per_ps;
	uint64_t done_units = now;

	if (s->asks_nobody) /* nobody keeps who has what */
		return now_ps;
	for (uint64_t page = begin / page_bytes; page * page_bytes < end; page++) {
		struct ndp_m *m = manager_of_page(s, page);
		const uint64_t answered = m ? claim_page(m, page, begin, end, state, now) : 0;

		done_units = MAX(done_units, answered);
	}
	for (uint64_t page = begin / page_bytes; page * page_bytes < end; page++) {
		struct ndp_m *m = manager_of_page(s, page);
		const uint64_t region = m ? channel_region_of(m, cpu_pages_line(s->pages, 0, page)) : 0;

		if (m && m->regions[region].is_claimed) {
			const uint64_t answered = claim_region(m, region, state);

			done_units = MAX(done_units, answered);
		}
	}
	return (done_units + s->c->per_ps - 1) / s->c->per_ps;
}
