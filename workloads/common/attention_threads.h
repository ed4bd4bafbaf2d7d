/* Attention by a thread over positions one after the other, with the softmax carried along, as attention.h has it for a
 * warp: for the programs of threads.
 */
#ifndef ATTENTION_THREADS_H
#define ATTENTION_THREADS_H

#include "common/attention_host.h"

/* What a query has of some positions: the values by their parts, the highest score, and the sum of the parts. */
struct attention_partial {
	float sum[ATTENTION_ELEMENTS];
	float most, parts;
};

static inline void attention_partial_begin(struct attention_partial *p)
{
	*p = (struct attention_partial){.most = -1e30f};
}

static inline void attention_row_read(const uint16_t *row, float *elements)
{
	for (size_t c = 0; c < ATTENTION_ELEMENTS; c++)
		elements[c] = half_value(row[c]);
}

static inline float attention_product(const float *a, const float *b)
{
	float sums[4] = {0};

	for (size_t c = 0; c < ATTENTION_ELEMENTS; c += 4)
		for (size_t i = 0; i < 4; i++)
			sums[i] += a[c + i] * b[c + i];
	return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static inline void attention_position_add(struct attention_partial *p, const float *query, const float *key,
					  const float *value)
{
	const float score = attention_product(query, key), most = fmaxf(p->most, score);
	const float old = expf(p->most - most), part = expf(score - most);

	p->most = most;
	p->parts = p->parts * old + part;
	for (size_t c = 0; c < ATTENTION_ELEMENTS; c++)
		p->sum[c] = p->sum[c] * old + part * value[c];
}

/* One position for `count` queries that share its head: their rows lie one after the other, their partials `stride`
 * apart. */
static inline void attention_position(struct attention_partial *partials, size_t stride, const float *queries,
				      size_t count, const uint16_t *key_row, const uint16_t *value_row)
{
	float key[ATTENTION_ELEMENTS], value[ATTENTION_ELEMENTS];

	attention_row_read(key_row, key);
	attention_row_read(value_row, value);
	for (size_t q = 0; q < count; q++)
		attention_position_add(&partials[q * stride], queries + q * ATTENTION_ELEMENTS, key, value);
}

/* All positions of a query, from `count` partials one after the other. */
static inline void attention_partials_combine(const struct attention_partial *p, size_t count, float *result)
{
	float most = -1e30f, parts = 0, sum[ATTENTION_ELEMENTS] = {0};

	for (size_t s = 0; s < count; s++)
		most = fmaxf(most, p[s].most);
	for (size_t s = 0; s < count; s++) {
		const float part = expf(p[s].most - most);

		parts += part * p[s].parts;
		for (size_t c = 0; c < ATTENTION_ELEMENTS; c++)
			sum[c] += part * p[s].sum[c];
	}
	for (size_t c = 0; c < ATTENTION_ELEMENTS; c++)
		result[c] = sum[c] / parts;
}

#endif
