#include <strata/kernel.h>

#include "../common/attention.h"
#include "llmdecode.h"

/* A token's row of the embedding. */
extern "C" __global__ void llmdecode_embed(const unsigned short *embedding, float *x, unsigned int token,
					   unsigned int width)
{
	unsigned int c = blockIdx.x * blockDim.x + threadIdx.x;

	if (c < width)
		x[c] = lanes_half(embedding[(unsigned long long)token * width + c]);
}

/* The root-mean-square norm of x, by one CTA. */
extern "C" __global__ void llmdecode_norm(const float *x, const float *gains, float *normed, unsigned int width)
{
	__shared__ float sums[LLMDECODE_BLOCK_THREADS / 32];
	float sum = 0, scale;

#pragma unroll 1
	for (unsigned int c = threadIdx.x; c < width; c += LLMDECODE_BLOCK_THREADS)
		sum = fmaf(x[c], x[c], sum);
	sum = lanes_sum(sum);
	if (threadIdx.x % 32 == 0)
		sums[threadIdx.x / 32] = sum;
	__syncthreads();
	sum = 0;
	for (unsigned int w = 0; w < LLMDECODE_BLOCK_THREADS / 32; w++)
		sum += sums[w];
	scale = 1 / sqrtf(sum / (float)width + LLMDECODE_EPSILON);
#pragma unroll 1
	for (unsigned int c = threadIdx.x; c < width; c += LLMDECODE_BLOCK_THREADS)
		normed[c] = gains[c] * (x[c] * scale);
}

/* A row of a matrix per warp, times a vector; `is_added`: to what is there. */
extern "C" __global__ void llmdecode_rows(const unsigned short *matrix, const float *vector, float *result,
					  unsigned int rows, unsigned int columns, unsigned int is_added)
{
	unsigned int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
	float sum;

	if (row >= rows)
		return;
	sum = lanes_row_half(matrix + (unsigned long long)row * columns, vector, columns, lane);
	if (lane == 0)
		result[row] = is_added ? result[row] + sum : sum;
}

/* The upper half of the feed-forward layer, a row of both matrices per warp: SiLU of one product, times the other. */
extern "C" __global__ void llmdecode_swiglu(const unsigned short *gates, const unsigned short *ups, const float *vector,
					    float *result, unsigned int rows, unsigned int columns)
{
	unsigned int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
	float gate, up;

	if (row >= rows)
		return;
	gate = lanes_row_half(gates + (unsigned long long)row * columns, vector, columns, lane);
	up = lanes_row_half(ups + (unsigned long long)row * columns, vector, columns, lane);
	if (lane == 0)
		result[row] = gate / (1 + __expf(-gate)) * up;
}

/*
 * The queries and the new key are turned by their position (RoPE); queries are scaled and stay, the key and the value
 * go to position `position` of the cache.  A thread has a pair of elements of a head: `heads` of queries, then those of
 * keys, then those of values.
 */
extern "C" __global__ void llmdecode_rotate(float *heads_of_all, const float *turns, unsigned short *keys,
					    unsigned short *values, unsigned int heads, unsigned int position,
					    unsigned int stride)
{
	unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x, head = thread / LLMDECODE_PAIRS;
	unsigned int i = thread % LLMDECODE_PAIRS, cached = heads / LLMDECODE_QUERIES;
	float *own = heads_of_all + head * LLMDECODE_HEAD, low, high, cosine, sine;
	unsigned short *to;

	if (head >= heads + 2 * cached)
		return;
	low = own[i];
	high = own[i + LLMDECODE_PAIRS];
	cosine = turns[2 * (position * LLMDECODE_PAIRS + i)];
	sine = turns[2 * (position * LLMDECODE_PAIRS + i) + 1];
	if (head < heads) {
		own[i] = (low * cosine - high * sine) * 0.08838834764831845f; /* 1 / sqrt(128) */
		own[i + LLMDECODE_PAIRS] = (high * cosine + low * sine) * 0.08838834764831845f;
		return;
	}
	if (head < heads + cached) {
		to = keys + ((unsigned long long)(head - heads) * stride + position) * LLMDECODE_HEAD;
		to[i] = lanes_half_from(low * cosine - high * sine);
		to[i + LLMDECODE_PAIRS] = lanes_half_from(high * cosine + low * sine);
		return;
	}
	to = values + ((unsigned long long)(head - heads - cached) * stride + position) * LLMDECODE_HEAD;
	to[i] = lanes_half_from(low);
	to[i + LLMDECODE_PAIRS] = lanes_half_from(high);
}

extern "C" __global__ void llmdecode_attend(const unsigned short *keys, const unsigned short *values,
					    const float *queries, float *sums, float *marks, unsigned int heads,
					    unsigned int stride, unsigned int context, unsigned int splits)
{
	attention_split<LLMDECODE_QUERIES>(
		{keys, values, heads / LLMDECODE_QUERIES, stride, context, LLMDECODE_SPLIT, splits}, queries, sums, marks);
}

extern "C" __global__ void llmdecode_combine(const float *sums, const float *marks, float *result, unsigned int splits)
{
	attention_combine(sums, marks, result, splits);
}
