#include <strata/kernel.h>

#include "hybridsort.h"

/* How many numbers each bucket has. */
extern "C" __global__ void hybridsort_count(const float *numbers, unsigned int count, unsigned int *sizes)
{
	for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
		atomicAdd(&sizes[hybridsort_bucket(numbers[i])], 1u);
}

/* Each number to a free place of its bucket. */
extern "C" __global__ void hybridsort_scatter(const float *numbers, unsigned int count, unsigned int *next,
					      float *buckets)
{
	for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
		buckets[atomicAdd(&next[hybridsort_bucket(numbers[i])], 1u)] = numbers[i];
}

/* Runs of four, a thread each, by insertion; a CTA per bucket. */
extern "C" __global__ void hybridsort_runs(float *numbers, const unsigned int *starts)
{
	unsigned int end = starts[blockIdx.x + 1];

	for (unsigned int first = starts[blockIdx.x] + threadIdx.x * HYBRIDSORT_FIRST; first < end;
	     first += blockDim.x * HYBRIDSORT_FIRST) {
		unsigned int last = first + HYBRIDSORT_FIRST < end ? first + HYBRIDSORT_FIRST : end;

		for (unsigned int i = first + 1; i < last; i++) {
			float value = numbers[i];
			unsigned int at = i;

			for (; at > first && numbers[at - 1] > value; at--)
				numbers[at] = numbers[at - 1];
			numbers[at] = value;
		}
	}
}

/* Pairs of sorted runs of `width` into one, a thread each; a CTA per bucket. */
extern "C" __global__ void hybridsort_merge(const float *from, float *to, const unsigned int *starts,
					    unsigned int width)
{
	unsigned int end = starts[blockIdx.x + 1];

	for (unsigned int first = starts[blockIdx.x] + threadIdx.x * 2 * width; first < end;
	     first += blockDim.x * 2 * width) {
		unsigned int middle = first + width < end ? first + width : end;
		unsigned int last = first + 2 * width < end ? first + 2 * width : end;
		unsigned int a = first, b = middle;

		for (unsigned int i = first; i < last; i++) {
			bool is_a = b >= last || (a < middle && from[a] <= from[b]);

			to[i] = from[is_a ? a : b];
			a += is_a;
			b += !is_a;
		}
	}
}
