/* lines.c - the lines of an NDP-M that have something under way. */
#include "channel/priv.h"

static uint32_t bucket_number(uint64_t line)
{
	return (uint32_t)(line * 0x9e3779b97f4a7c15u >> 54);
}

static struct near_line **bucket_of(struct ndp_m *m, uint64_t line)
{
	return &m->lines[bucket_number(line)];
}

void lines_fetch(const struct ndp_m *m, uint64_t granule)
{
	struct channel_system *s = m->s;
	const uint64_t line = granule >> s->granule_shift;

	holders_prefetch(m, granule);
	__builtin_prefetch(&m->lines[bucket_number(line)]);
	base_table_prefetch(&s->versions, line);
	base_table_prefetch(&s->channels->versions, line);
	if (s->observer.ahead)
		s->observer.ahead(s->observer.self, line);
}

struct near_line *lines_find(struct ndp_m *m, uint64_t line)
{
	struct near_line *l = *bucket_of(m, line);

	while (l && l->line != line)
		l = l->next;
	return l;
}

struct near_line *lines_get(struct ndp_m *m, uint64_t line, uint64_t index)
{
	struct near_line *l = lines_find(m, line), **bucket = bucket_of(m, line);

	if (l)
		return l;
	l = base_stack_take(&m->s->free_lines, next);
	*l = (struct near_line){.line = line, .index = index, .next = *bucket};
	*bucket = l;
	return l;
}

void lines_put(struct ndp_m *m, struct near_line *l)
{
	struct near_line **link = bucket_of(m, l->line);

	while (*link != l)
		link = &(*link)->next;
	*link = l->next;
	base_stack_push(&m->s->free_lines, l, next);
}
