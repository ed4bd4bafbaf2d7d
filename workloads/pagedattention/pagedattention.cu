#include <strata/kernel.h>

#include "../common/attention.h"
#include "pagedattention.h"

/* The CTA's warps' sums, each by its part of the softmax: an element per thread. */
static __device__ __forceinline__ float warps_combine(const float (*sums)[ATTENTION_WIDTH], const float *most,
						      const float *parts)
{
	float highest = -1e30f, all = 0, sum = 0;

	for (unsigned int w = 0; w < PAGEDATTENTION_WARPS; w++)
		highest = fmaxf(highest, most[w]);
	for (unsigned int w = 0; w < PAGEDATTENTION_WARPS; w++) {
		float part = __expf(most[w] - highest);

		all = fmaf(part, parts[w], all);
		sum = fmaf(part, sums[w][threadIdx.x], sum);
	}
	return sum / all;
}

/*
 * A sequence and a head of its keys per CTA, whose warps take its pages in turn.  A page holds its positions head by
 * head; a sequence's row of `table` has the numbers of its pages.
 */
extern "C" __global__ void pagedattention_attend(const unsigned short *keys, const unsigned short *values,
						 const float *queries, const unsigned int *table,
						 const unsigned int *lengths, float *result, unsigned int table_width)
{
	__shared__ float sums[PAGEDATTENTION_QUERIES][PAGEDATTENTION_WARPS][ATTENTION_WIDTH];
	__shared__ float most[PAGEDATTENTION_QUERIES][PAGEDATTENTION_WARPS];
	__shared__ float parts[PAGEDATTENTION_QUERIES][PAGEDATTENTION_WARPS];
	unsigned int head = blockIdx.x, sequence = blockIdx.y, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	unsigned int first = (sequence * PAGEDATTENTION_HEADS + head) * PAGEDATTENTION_QUERIES;
	unsigned int length = lengths[sequence];
	struct attention<PAGEDATTENTION_QUERIES> a;

	attention_begin(&a, queries + first * ATTENTION_WIDTH, lane);
#pragma unroll 1
	for (unsigned int at = warp; at * PAGEDATTENTION_PAGE < length; at += PAGEDATTENTION_WARPS) {
		unsigned long long page = table[sequence * table_width + at] * (unsigned long long)PAGEDATTENTION_HEADS + head;
		const unsigned short *key = keys + page * PAGEDATTENTION_PAGE * ATTENTION_WIDTH;
		const unsigned short *value = values + page * PAGEDATTENTION_PAGE * ATTENTION_WIDTH;
		unsigned int left = length - at * PAGEDATTENTION_PAGE;

#pragma unroll 1
		for (unsigned int i = 0; i < PAGEDATTENTION_PAGE && i < left; i++) {
			attention_step(&a, key, value, lane);
			key += ATTENTION_WIDTH;
			value += ATTENTION_WIDTH;
		}
	}
#pragma unroll
	for (int q = 0; q < PAGEDATTENTION_QUERIES; q++) {
		float *sum = sums[q][warp] + 4 * lane;

		sum[0] = a.sum[q].x;
		sum[1] = a.sum[q].y;
		sum[2] = a.sum[q].z;
		sum[3] = a.sum[q].w;
		most[q][warp] = a.most[q];
		parts[q][warp] = a.parts[q];
	}
	__syncthreads();
	for (unsigned int q = 0; q < PAGEDATTENTION_QUERIES; q++)
		result[(first + q) * ATTENTION_WIDTH + threadIdx.x] = warps_combine(sums[q], most[q], parts[q]);
}
