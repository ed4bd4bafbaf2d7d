/* spans.c - a timeline in a bounded number of entries. */
#include "sim/spans.h"

#include <glib.h>

#include "base/check.h"

struct sim_spans {
	uint32_t count, cap, track_count;
	uint32_t stretch_bits; /* log2 of a stretch in ps; 0: none have been merged */
	struct sim_span *items;
	uint32_t *last_of_track; /* [track_count] while merging: its newest entry + 1, or 0 */
};

enum { FIRST_STRETCH_BITS = 10, TRACK_ENTRIES_MIN = 4 };

struct sim_spans *sim_spans_new(uint32_t cap, uint32_t track_count)
{
	struct sim_spans *s = g_new0(struct sim_spans, 1);

	s->cap = MAX(cap, TRACK_ENTRIES_MIN * track_count);
	s->track_count = track_count;
	s->items = g_new(struct sim_span, s->cap);
	s->last_of_track = g_new(uint32_t, track_count);
	return s;
}

void sim_spans_free(struct sim_spans *s)
{
	if (!s)
		return;
	g_free(s->items);
	g_free(s->last_of_track);
	g_free(s);
}

static void absorb(struct sim_span *into, const struct sim_span *s)
{
	into->start_ps = MIN(into->start_ps, s->start_ps);
	into->end_ps = MAX(into->end_ps, s->end_ps);
	into->count += s->count;
	if (into->name != s->name)
		into->name = SIM_SPAN_SEVERAL;
}

static void merge(struct sim_spans *s)
{
	uint32_t kept = 0;

	for (uint32_t t = 0; t < s->track_count; t++)
		s->last_of_track[t] = 0;
	for (uint32_t i = 0; i < s->count; i++) {
		const struct sim_span item = s->items[i];
		const uint32_t last = s->last_of_track[item.track];

		if (last && s->items[last - 1].start_ps >> s->stretch_bits == item.start_ps >> s->stretch_bits) {
			absorb(&s->items[last - 1], &item);
		} else {
			s->items[kept++] = item;
			s->last_of_track[item.track] = kept;
		}
	}
	s->count = kept;
}

void sim_spans_add(struct sim_spans *s, uint32_t track, uint64_t name, uint64_t start_ps, uint64_t end_ps)
{
	CHECK(track < s->track_count && start_ps <= end_ps);
	s->items[s->count++] = (struct sim_span){start_ps, end_ps, name, track, 1};
	if (s->count < s->cap)
		return;
	while (s->count > s->cap / 2) {
		s->stretch_bits = s->stretch_bits ? s->stretch_bits + 1 : FIRST_STRETCH_BITS;
		merge(s);
	}
}

uint32_t sim_spans_read(const struct sim_spans *s, const struct sim_span **items)
{
	*items = s->items;
	return s->count;
}
