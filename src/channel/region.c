/* region.c - regions of lines behind a channel: which are summarised, and the state of each line of one that is not. */
#include "channel/priv.h"

#include "base/check.h"

uint64_t channel_region_of(const struct ndp_m *m, uint64_t line)
{
	return index_of(m, line) >> m->s->region_shift;
}

bool channel_region_is_summarised(const struct channel_system *s, uint64_t region)
{
	/* Spread evenly, the same ones in every run. Without a directory all are the processors' and stay so. */
	return s->asks_nobody || (!s->is_peer && (region * 2654435761u % 1000) * 100 < s->p->summary_percent * 1000);
}

uint64_t channel_region_lines(const struct channel_system *s, uint64_t region)
{
	return MIN(s->region_lines, s->channel_lines - region * s->region_lines);
}

static uint8_t item_of(const struct near_region *r, uint64_t i)
{
	return r->items[i / 4] >> 2 * (i % 4) & 3;
}

void channel_region_set(struct near_region *r, uint64_t i, enum near_state state)
{
	r->counts[item_of(r, i)]--;
	r->counts[state]++;
	r->items[i / 4] = (uint8_t)((r->items[i / 4] & ~(3u << 2 * (i % 4))) | (uint32_t)state << 2 * (i % 4));
}

void channel_region_believe(struct ndp_m *m, uint64_t index, enum near_state state)
{
	struct near_region *r = &m->regions[index >> m->s->region_shift];

	CHECK(r->state == NEAR_UNDEFINED);
	channel_region_set(r, index & (m->s->region_lines - 1), state);
}
