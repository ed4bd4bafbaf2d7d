/* stream.c - which loads are a stream: the third at equal distances. */
#include "cpu/stream.h"

#include <glib.h>

enum {
	STEPS_KNOWN = 2, /* equal steps after which it is a stream */
	REACH = 16,	 /* lines within which a load belongs to a stream that has another stride, or none yet */
};

static struct cpu_stream *nearest(struct cpu_streams *s, uint64_t page, int64_t line)
{
	struct cpu_stream *best = NULL;
	int64_t least = REACH + 1;

	for (uint32_t i = 0; i < s->count; i++) {
		struct cpu_stream *t = &s->items[i];
		const int64_t away = t->last > line ? t->last - line : line - t->last;

		if (!t->used || t->page != page)
			continue;
		if (line == t->last + t->stride)
			return t;
		if (away < least) {
			least = away;
			best = t;
		}
	}
	return best;
}

static struct cpu_stream *oldest(struct cpu_streams *s)
{
	struct cpu_stream *t = s->items;

	for (uint32_t i = 1; i < s->count; i++)
		if (s->items[i].used < t->used)
			t = &s->items[i];
	return t;
}

struct cpu_stream *cpu_streams_find(struct cpu_streams *s, uint64_t page, int64_t line)
{
	struct cpu_stream *t = nearest(s, page, line);
	int64_t step;

	if (!t) {
		t = oldest(s);
		*t = (struct cpu_stream){.page = page, .last = line, .used = ++s->clock};
		return NULL;
	}
	t->used = ++s->clock;
	step = line - t->last;
	if (!step)
		return NULL;
	t->last = line;
	if (step != t->stride) {
		t->stride = step;
		t->steps = 1;
		t->next = line + step;
		return NULL;
	}
	t->steps++;
	if (t->steps < STEPS_KNOWN)
		return NULL;
	if ((t->next - line) * (step > 0 ? 1 : -1) <= 0)
		t->next = line + step;
	return t;
}

void cpu_streams_init(struct cpu_streams *s, uint32_t count)
{
	*s = (struct cpu_streams){.items = g_new0(struct cpu_stream, count), .count = count};
}

void cpu_streams_free(struct cpu_streams *s)
{
	g_free(s->items);
}
