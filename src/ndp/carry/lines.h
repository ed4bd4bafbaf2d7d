/* lines.h - a set of line addresses in the order in which they came. Zeroed, it is empty; lines_free frees it. */
#ifndef STRATA_NDP_CARRY_LINES_H
#define STRATA_NDP_CARRY_LINES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct lines {
	uint64_t *addr_bytes; /* [count], each once */
	uint64_t *places;     /* [2 * cap], by hash: the round it is of, and above that the line's index */
	uint32_t count, cap;
	uint32_t round; /* places of other rounds are free */
};

static inline void lines_clear(struct lines *s)
{
	s->count = 0;
	s->round++;
}

static inline void lines_free(struct lines *s)
{
	g_free(s->addr_bytes);
	g_free(s->places);
}

/* The line's place, or the free one that it would take. */
static inline uint64_t *lines_place(const struct lines *s, uint64_t addr_bytes)
{
	uint32_t mask = 2 * s->cap - 1, i = (uint32_t)((addr_bytes * 0x9e3779b97f4a7c15ull) >> 32) & mask;

	while ((uint32_t)s->places[i] == s->round && s->addr_bytes[s->places[i] >> 32] != addr_bytes)
		i = (i + 1) & mask;
	return &s->places[i];
}

static inline void lines_add(struct lines *s, uint64_t addr_bytes)
{
	uint64_t *place;

	if (s->count == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 64;
		s->addr_bytes = g_renew(uint64_t, s->addr_bytes, s->cap);
		g_free(s->places);
		s->places = g_new0(uint64_t, 2 * s->cap);
		s->round = 1;
		for (uint32_t i = 0; i < s->count; i++)
			*lines_place(s, s->addr_bytes[i]) = (uint64_t)i << 32 | s->round;
	}
	place = lines_place(s, addr_bytes);
	if ((uint32_t)*place == s->round)
		return;
	*place = (uint64_t)s->count << 32 | s->round;
	s->addr_bytes[s->count++] = addr_bytes;
}

#endif
