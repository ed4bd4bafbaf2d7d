#include <strata/kernel.h>

#include "../common/attention.h"
#include "kvattention.h"

/* A split per warp, everything in registers. */
extern "C" __global__ void kvattention_registers(const unsigned short *keys, const unsigned short *values,
						 const float *queries, float *sums, float *marks, unsigned int context,
						 unsigned int length, unsigned int splits)
{
	attention_split<KVATTENTION_QUERIES>({keys, values, KVATTENTION_HEADS, context, context, length, splits}, queries,
					     sums, marks);
}

/* The scores of a CTA's positions, a position per warp. */
static __device__ __forceinline__ void scores_make(float (*scores)[KVATTENTION_SPLIT_MAX], const unsigned short *keys,
						   const float *queries, unsigned int count)
{
	unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	struct lanes_f4 query[KVATTENTION_QUERIES];

#pragma unroll
	for (int q = 0; q < KVATTENTION_QUERIES; q++)
		query[q] = lanes_load_f4(queries + q * ATTENTION_WIDTH + 4 * lane);
#pragma unroll 1
	for (unsigned int i = warp; i < count; i += KVATTENTION_BLOCK_THREADS / 32) {
		struct lanes_u2 k = lanes_load_u2(keys + (unsigned long long)i * ATTENTION_WIDTH + 4 * lane);

#pragma unroll
		for (int q = 0; q < KVATTENTION_QUERIES; q++) {
			float score = lanes_sum(lanes_dot_half(k.x, k.y, query[q]));

			if (lane == 0)
				scores[q][i] = score;
		}
	}
}

/* A query per warp: its scores become parts; its highest score and the sum of its parts go to marks. */
static __device__ __forceinline__ void parts_make(float *scores, unsigned int count, float *marks)
{
	unsigned int lane = threadIdx.x % 32;
	float most = -1e30f, sum = 0;

	for (unsigned int i = lane; i < count; i += 32)
		most = fmaxf(most, scores[i]);
	most = lanes_max(most);
	for (unsigned int i = lane; i < count; i += 32) {
		scores[i] = __expf(scores[i] - most);
		sum += scores[i];
	}
	sum = lanes_sum(sum);
	if (lane == 0)
		lanes_store_f2(marks, {most, sum});
}

/* A split per CTA: the scores of all its positions in shared memory, then the softmax, then the values. */
extern "C" __global__ void kvattention_shared(const unsigned short *keys, const unsigned short *values,
					      const float *queries, float *sums, float *marks, unsigned int context,
					      unsigned int length, unsigned int splits)
{
	__shared__ float scores[KVATTENTION_QUERIES][KVATTENTION_SPLIT_MAX];
	unsigned int head = blockIdx.x / splits, split = blockIdx.x % splits, begin = split * length, warp = threadIdx.x / 32;
	unsigned int count = begin + length < context ? length : context - begin;
	unsigned long long row = (unsigned long long)head * context + begin;
	unsigned int first = head * KVATTENTION_QUERIES;
	float sum[KVATTENTION_QUERIES] = {0};

	scores_make(scores, keys + row * ATTENTION_WIDTH, queries + first * ATTENTION_WIDTH, count);
	__syncthreads();
	parts_make(scores[warp], count, marks + 2 * ((first + warp) * splits + split));
	__syncthreads();
#pragma unroll 1
	for (unsigned int i = 0; i < count; i++) {
		float value = lanes_half(values[(row + i) * ATTENTION_WIDTH + threadIdx.x]);

#pragma unroll
		for (int q = 0; q < KVATTENTION_QUERIES; q++)
			sum[q] = fmaf(scores[q][i], value, sum[q]);
	}
#pragma unroll
	for (int q = 0; q < KVATTENTION_QUERIES; q++)
		sums[((first + q) * splits + split) * ATTENTION_WIDTH + threadIdx.x] = sum[q];
}

extern "C" __global__ void kvattention_combine(const float *sums, const float *marks, float *result,
					       unsigned int splits)
{
	attention_combine(sums, marks, result, splits);
}
