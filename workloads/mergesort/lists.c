/* lists.c - lists of a part, and how two are merged. */
#include "sort.h"

#include <stdlib.h>

void merge_do(const struct merge *m)
{
	const struct item *a = m->a, *b = m->b, *const a_end = a + m->as, *const b_end = b + m->bs;
	struct item *to = m->to;

	while (a < a_end && b < b_end) {
		if (a->key <= b->key)
			*to++ = *a++;
		else
			*to++ = *b++;
	}
	while (a < a_end)
		*to++ = *a++;
	while (b < b_end)
		*to++ = *b++;
}

/* How many of the first `first` items of the output come from a: by halves, as its neighbours in both lists say. */
static uint64_t from_a(const struct merge *m, uint64_t first)
{
	uint64_t least = first > m->bs ? first - m->bs : 0, most = first < m->as ? first : m->as;

	while (least < most) {
		const uint64_t middle = (least + most) / 2;

		if (m->a[middle].key <= m->b[first - middle - 1].key)
			least = middle + 1;
		else
			most = middle;
	}
	return least;
}

struct merge merge_piece(const struct merge *m, uint32_t piece, uint32_t pieces)
{
	const uint64_t count = m->as + m->bs, begin = count * piece / pieces, end = count * (piece + 1) / pieces;
	const uint64_t a = from_a(m, begin), a_end = from_a(m, end), b = begin - a;

	return (struct merge){m->a + a, m->b + b, a_end - a, end - a_end - b, m->to + begin};
}

uint64_t part_lists(const struct part *p, unsigned int level)
{
	return (p->items + (UINT64_C(1) << level) - 1) >> level;
}

struct merge part_merge(const struct part *p, unsigned int level, uint64_t list)
{
	const uint64_t begin = list << level, half = UINT64_C(1) << (level - 1), left = p->items - begin;
	const struct item *from = p->buffers[(level - 1) % 2] + begin;

	return (struct merge){from, from + half, left < half ? left : half,
			      left < half ? 0 : left < 2 * half ? left - half : half, p->buffers[level % 2] + begin};
}

void part_least(const struct part *p, uint64_t list)
{
	for (unsigned int level = 1; level <= LEAST_LEVEL; level++) {
		const uint64_t begin = list << (LEAST_LEVEL - level), lists = part_lists(p, level);
		const uint64_t end = begin + (UINT64_C(1) << (LEAST_LEVEL - level));

		for (uint64_t i = begin; i < end && i < lists; i++) {
			const struct merge m = part_merge(p, level, i);

			merge_do(&m);
		}
	}
}

void part_sort(const struct part *p, unsigned int level, uint64_t list)
{
	if (level == LEAST_LEVEL) {
		part_least(p, list);
		return;
	}
	part_sort(p, level - 1, 2 * list);
	if (2 * list + 1 < part_lists(p, level - 1))
		part_sort(p, level - 1, 2 * list + 1);

	const struct merge m = part_merge(p, level, list);

	merge_do(&m);
}

void part_make(struct part *p, uint64_t items, uint32_t channel)
{
	const size_t bytes = items * sizeof(struct item);

	*p = (struct part){.items = items, .levels = LEAST_LEVEL};
	while (part_lists(p, p->levels) > 1)
		p->levels++;
	for (uint32_t i = 0; i < 2; i++) {
		p->buffers[i] = channel == STRATA_ANY ? strata_alloc_interleaved(bytes)
						      : strata_alloc_on(bytes, channel);
		if (!p->buffers[i])
			workload_fail("no memory for %zu bytes on channel %u", bytes, channel);
	}
}

void part_free(struct part *p)
{
	for (uint32_t i = 0; i < 2; i++)
		strata_free(p->buffers[i], p->items * sizeof(struct item));
}
