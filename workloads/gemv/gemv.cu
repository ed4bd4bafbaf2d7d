#include <strata/kernel.h>

#include "../common/lanes.h"
#include "gemv.h"

/* One row of the matrix, and the vector. */
struct gemv_row {
	const char *weights;
	const float *scales; /* of int4 only */
	const char *vector;
};

/*
 * Each type: the columns that a lane takes at a time, and their part of the row's sum.  A lane loads 16 bytes of
 * weights of f32 and f16, and 4 bytes of int4.  WEIGHT_FIRST says whether the weights or the vector are loaded first.
 */
struct gemv_f32 {
	enum { WEIGHT_BITS = 32, COLUMNS = 4 };
	template <bool WEIGHT_FIRST> LANES_DEVICE float part(struct gemv_row row, unsigned int i)
	{
		const float *w = (const float *)row.weights + i * COLUMNS, *x = (const float *)row.vector + i * COLUMNS;
		struct lanes_f4 a, b;

		if (WEIGHT_FIRST)
			a = lanes_load_f4(w);
		b = lanes_load_f4(x);
		if (!WEIGHT_FIRST)
			a = lanes_load_f4(w);
		return lanes_dot(a, b);
	}
};

struct gemv_f16 {
	enum { WEIGHT_BITS = 16, COLUMNS = 8 };
	static __device__ __forceinline__ float pair(unsigned int a, unsigned int b)
	{
		return fmaf(lanes_half_low(a), lanes_half_low(b), lanes_half_high(a) * lanes_half_high(b));
	}
	template <bool WEIGHT_FIRST> LANES_DEVICE float part(struct gemv_row row, unsigned int i)
	{
		const char *w = row.weights + i * 16, *x = row.vector + i * 16;
		struct lanes_u4 a, b;

		if (WEIGHT_FIRST)
			a = lanes_load_u4(w);
		b = lanes_load_u4(x);
		if (!WEIGHT_FIRST)
			a = lanes_load_u4(w);
		return pair(a.x, b.x) + pair(a.y, b.y) + (pair(a.z, b.z) + pair(a.w, b.w));
	}
};

/* Eight weights of four bits, from 0 to 15 and 8 too large, with a scale for each group of 32 weights. */
struct gemv_int4 {
	enum { WEIGHT_BITS = 4, COLUMNS = 8 };
	static __device__ __forceinline__ float weight(unsigned int word, unsigned int i)
	{
		return (float)((int)(word >> 4 * i & 15) - 8);
	}
	template <bool WEIGHT_FIRST> LANES_DEVICE float part(struct gemv_row row, unsigned int i)
	{
		const unsigned int *w = (const unsigned int *)row.weights + i;
		const float *scales = row.scales + i / (GEMV_GROUP / COLUMNS);
		const float *x = (const float *)row.vector + i * COLUMNS;
		struct lanes_f4 low, high;
		unsigned int a = 0;
		float scale = 0;

		if (WEIGHT_FIRST) {
			a = lanes_load_u1(w);
			scale = lanes_load_f1(scales);
		}
		low = lanes_load_f4(x);
		high = lanes_load_f4(x + 4);
		if (!WEIGHT_FIRST) {
			a = lanes_load_u1(w);
			scale = lanes_load_f1(scales);
		}
		return scale * (lanes_dot({weight(a, 0), weight(a, 1), weight(a, 2), weight(a, 3)}, low) +
				lanes_dot({weight(a, 4), weight(a, 5), weight(a, 6), weight(a, 7)}, high));
	}
};

/* What one thread of `threads` adds up of a row. */
template <class TYPE, bool WEIGHT_FIRST>
LANES_DEVICE float gemv_thread(struct gemv_row row, unsigned int columns, unsigned int thread, unsigned int threads)
{
	float sum = 0;

#pragma unroll 1
	for (unsigned int i = thread; i < columns / TYPE::COLUMNS; i += threads)
		sum += TYPE::template part<WEIGHT_FIRST>(row, i);
	return sum;
}

template <class TYPE>
LANES_DEVICE struct gemv_row gemv_row_at(const char *weights, const float *scales, const char *vector, unsigned int row,
					 unsigned int columns)
{
	return {weights + (unsigned long long)row * columns * TYPE::WEIGHT_BITS / 8,
		scales + (unsigned long long)row * (columns / GEMV_GROUP), vector};
}

template <class TYPE, bool WEIGHT_FIRST>
LANES_DEVICE void gemv_warp(const char *weights, const float *scales, const char *vector, float *result,
			    unsigned int rows, unsigned int columns)
{
	unsigned int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
	float sum;

	if (row >= rows)
		return;
	sum = lanes_sum(gemv_thread<TYPE, WEIGHT_FIRST>(gemv_row_at<TYPE>(weights, scales, vector, row, columns), columns,
							lane, 32));
	if (lane == 0)
		result[row] = sum;
}

template <class TYPE, bool WEIGHT_FIRST>
LANES_DEVICE void gemv_cta(const char *weights, const float *scales, const char *vector, float *result,
			   unsigned int rows, unsigned int columns)
{
	__shared__ float sums[GEMV_BLOCK_THREADS / 32];
	float sum;

	if (blockIdx.x >= rows)
		return;
	sum = lanes_sum(gemv_thread<TYPE, WEIGHT_FIRST>(
		gemv_row_at<TYPE>(weights, scales, vector, blockIdx.x, columns), columns, threadIdx.x, GEMV_BLOCK_THREADS));
	if (threadIdx.x % 32 == 0)
		sums[threadIdx.x / 32] = sum;
	__syncthreads();
	if (threadIdx.x != 0)
		return;
	sum = 0;
	for (unsigned int warp = 0; warp < GEMV_BLOCK_THREADS / 32; warp++)
		sum += sums[warp];
	result[blockIdx.x] = sum;
}

#define GEMV_KERNELS(type, first, weight_first)                                                                        \
	extern "C" __global__ void gemv_##type##_##first##_warp(const char *weights, const float *scales,              \
								const char *vector, float *result, unsigned int rows,  \
								unsigned int columns)                                  \
	{                                                                                                              \
		gemv_warp<gemv_##type, weight_first>(weights, scales, vector, result, rows, columns);                  \
	}                                                                                                              \
	extern "C" __global__ void gemv_##type##_##first##_cta(const char *weights, const float *scales,               \
							       const char *vector, float *result, unsigned int rows,   \
							       unsigned int columns)                                   \
	{                                                                                                              \
		gemv_cta<gemv_##type, weight_first>(weights, scales, vector, result, rows, columns);                   \
	}

GEMV_KERNELS(f32, vector, false)
GEMV_KERNELS(f32, weight, true)
GEMV_KERNELS(f16, vector, false)
GEMV_KERNELS(f16, weight, true)
GEMV_KERNELS(int4, vector, false)
GEMV_KERNELS(int4, weight, true)
