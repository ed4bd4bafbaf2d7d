#include <strata/kernel.h>

#include "reduction.h"

/*
 * One pass of a reduction: every CTA adds its part of `input`, first in `rounds` full rounds over the grid of two
 * elements per thread, then what is left; then its threads' sums as a tree in shared memory, the last 32 of them by
 * shuffles.  One sum per CTA goes to `output`.
 */
extern "C" __global__ void reduce(const unsigned int *input, unsigned int *output, unsigned int count,
				  unsigned int rounds)
{
	__shared__ unsigned int sums[REDUCTION_BLOCK_THREADS];
	unsigned int tid = threadIdx.x;
	unsigned int stride = gridDim.x * (2 * REDUCTION_BLOCK_THREADS);
	unsigned int i = blockIdx.x * (2 * REDUCTION_BLOCK_THREADS) + tid;
	const unsigned int *next = input + i;
	unsigned int sum = 0;

	i += rounds * stride;
#pragma unroll 1
	for (; rounds > 0; rounds--) {
		sum += next[0];
		sum += next[REDUCTION_BLOCK_THREADS];
		next += stride;
	}
	if (i < count)
		sum += input[i];
	if (i + REDUCTION_BLOCK_THREADS < count)
		sum += input[i + REDUCTION_BLOCK_THREADS];
	sums[tid] = sum;
	__syncthreads();
#pragma unroll
	for (unsigned int half = REDUCTION_BLOCK_THREADS / 2; half > 32; half /= 2) {
		if (tid < half)
			sums[tid] = sum = sum + sums[tid + half];
		__syncthreads();
	}
	if (tid < 32) {
		sum += sums[tid + 32];
#pragma unroll
		for (unsigned int distance = 16; distance > 0; distance /= 2)
			sum += (unsigned int)__shfl_down_sync(0xffffffffu, (int)sum, distance);
		if (tid == 0)
			output[blockIdx.x] = sum;
	}
}
