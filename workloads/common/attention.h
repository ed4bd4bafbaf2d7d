/*
 * A warp's attention over positions one after the other, with the softmax carried along (Milakov, Gimelshein, 2018):
 * several queries share the keys and values of one head (grouped queries).  A head has 128 elements, of which a lane
 * has four; keys and values are in half precision.
 */
#ifndef ATTENTION_H
#define ATTENTION_H

#include "lanes.h"

#define ATTENTION_WIDTH 128

template <int QUERIES> struct attention {
	struct lanes_f4 query[QUERIES], sum[QUERIES]; /* of the values, by their parts */
	float most[QUERIES], parts[QUERIES]; /* the highest score so far; the sum of the parts */
};

template <int QUERIES>
LANES_DEVICE void attention_begin(struct attention<QUERIES> *a, const float *queries, unsigned int lane)
{
#pragma unroll
	for (int q = 0; q < QUERIES; q++) {
		a->query[q] = lanes_load_f4(queries + q * ATTENTION_WIDTH + 4 * lane);
		a->sum[q] = {0, 0, 0, 0};
		a->most[q] = -1e30f;
		a->parts[q] = 0;
	}
}

LANES_DEVICE struct lanes_f4 attention_scaled(struct lanes_f4 sum, float old, struct lanes_f4 value, float part)
{
	return {fmaf(part, value.x, old * sum.x), fmaf(part, value.y, old * sum.y), fmaf(part, value.z, old * sum.z),
		fmaf(part, value.w, old * sum.w)};
}

/* One position; `key` and `value` are its rows. */
template <int QUERIES>
LANES_DEVICE void attention_step(struct attention<QUERIES> *a, const unsigned short *key, const unsigned short *value,
				 unsigned int lane)
{
	struct lanes_u2 k = lanes_load_u2(key + 4 * lane), v = lanes_load_u2(value + 4 * lane);
	struct lanes_f4 four = {lanes_half_low(v.x), lanes_half_high(v.x), lanes_half_low(v.y), lanes_half_high(v.y)};

#pragma unroll
	for (int q = 0; q < QUERIES; q++) {
		float score = lanes_sum(lanes_dot_half(k.x, k.y, a->query[q]));
		float most = fmaxf(a->most[q], score);
		float old = __expf(a->most[q] - most), part = __expf(score - most);

		a->most[q] = most;
		a->parts[q] = fmaf(a->parts[q], old, part);
		a->sum[q] = attention_scaled(a->sum[q], old, four, part);
	}
}

/*
 * A context in splits of `length` positions, one per warp and head of keys: what the combination below wants of each.
 * A head's keys, and its values, are `stride` positions apart from the next one's.
 */
struct attention_cache {
	const unsigned short *keys, *values;
	unsigned int heads, stride, context, length, splits;
};

template <int QUERIES>
LANES_DEVICE void attention_split(struct attention_cache c, const float *queries, float *sums, float *marks)
{
	unsigned int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
	unsigned int head = warp / c.splits, split = warp % c.splits, begin = split * c.length;
	unsigned int end = begin + c.length < c.context ? begin + c.length : c.context;
	unsigned long long row = (unsigned long long)head * c.stride + begin;
	const unsigned short *key = c.keys + row * ATTENTION_WIDTH, *value = c.values + row * ATTENTION_WIDTH;
	struct attention<QUERIES> a;

	if (head >= c.heads)
		return;
	attention_begin(&a, queries + head * QUERIES * ATTENTION_WIDTH, lane);
#pragma unroll 1
	for (unsigned int i = begin; i < end; i++) {
		attention_step(&a, key, value, lane);
		key += ATTENTION_WIDTH;
		value += ATTENTION_WIDTH;
	}
#pragma unroll
	for (int q = 0; q < QUERIES; q++) {
		unsigned int at = (head * QUERIES + q) * c.splits + split;

		lanes_store_f4(sums + at * ATTENTION_WIDTH + 4 * lane, a.sum[q]);
		if (lane == 0)
			lanes_store_f2(marks + 2 * at, {a.most[q], a.parts[q]});
	}
}

/* A query per CTA of 128 threads: its splits' sums, each by its part of the softmax. */
LANES_DEVICE void attention_combine(const float *sums, const float *marks, float *result, unsigned int splits)
{
	unsigned int query = blockIdx.x, first = query * splits;
	float most = -1e30f, parts = 0, sum = 0;

	for (unsigned int s = first; s < first + splits; s++)
		most = fmaxf(most, marks[2 * s]);
	for (unsigned int s = first; s < first + splits; s++) {
		float part = __expf(marks[2 * s] - most);

		parts = fmaf(part, marks[2 * s + 1], parts);
		sum = fmaf(part, sums[s * ATTENTION_WIDTH + threadIdx.x], sum);
	}
	result[query * ATTENTION_WIDTH + threadIdx.x] = sum / parts;
}

#endif
