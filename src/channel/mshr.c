/* mshr.c - miss status holding registers: the lines of an NDP-M that have something under way. */
#include "channel/priv.h"

static uint32_t bucket_number(uint64_t line)
{
	return (uint32_t)(line * 0x9e3779b97f4a7c15u >> 54);
}

static struct mshr **bucket_of(struct ndp_m *m, uint64_t line)
{
	return &m->lines[bucket_number(line)];
}

void channel_mshr_fetch(const struct ndp_m *m, uint64_t granule)
{
	struct channel_system *s = m->s;
	const uint64_t line = granule >> s->granule_shift;

	channel_sharers_prefetch(m, granule);
	__builtin_prefetch(&m->lines[bucket_number(line)]);
	base_table_prefetch(&s->versions, line);
	base_table_prefetch(&s->channels->versions, line);
	if (s->observer.ahead)
		s->observer.ahead(s->observer.self, line);
}

struct mshr *channel_mshr_find(struct ndp_m *m, uint64_t line)
{
	struct mshr *l = *bucket_of(m, line);

	while (l && l->line != line)
		l = l->next;
	return l;
}

struct mshr *channel_mshr_get(struct ndp_m *m, uint64_t line, uint64_t index)
{
	struct mshr *l = channel_mshr_find(m, line), **bucket = bucket_of(m, line);

	if (l)
		return l;
	l = base_pool_take(&m->s->mshr_pool, next);
	*l = (struct mshr){.line = line, .index = index, .next = *bucket};
	*bucket = l;
	return l;
}

void channel_mshr_put(struct ndp_m *m, struct mshr *l)
{
	struct mshr **link = bucket_of(m, l->line);

	while (*link != l)
		link = &(*link)->next;
	*link = l->next;
	base_pool_put(&m->s->mshr_pool, l, next);
}
