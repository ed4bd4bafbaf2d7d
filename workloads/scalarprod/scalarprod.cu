#include <strata/kernel.h>

#include "scalarprod.h"

/*
 * Scalar products of pairs of vectors, one pair per CTA at a time.  Each of SCALARPROD_ACCUMULATORS sums walks the pair
 * with that stride (their length is a multiple of it); the sums meet in shared memory and are added as a tree.
 */
extern "C" __global__ void scalar_prod(const float *a, const float *b, float *products, unsigned int pairs_count,
				       unsigned int elements_count)
{
	__shared__ float sums[SCALARPROD_ACCUMULATORS];
	unsigned int rounds = elements_count / SCALARPROD_ACCUMULATORS;

	for (unsigned int pair = blockIdx.x; pair < pairs_count; pair += gridDim.x) {
		unsigned int begin = pair * elements_count;

		for (unsigned int k = threadIdx.x; k < SCALARPROD_ACCUMULATORS; k += blockDim.x) {
			const float *x = a + begin + k;
			const float *y = b + begin + k;
			float sum = 0.0f;

#pragma unroll 1
			for (unsigned int round = 0; round < rounds; round++) {
				sum += *x * *y;
				x += SCALARPROD_ACCUMULATORS;
				y += SCALARPROD_ACCUMULATORS;
			}
			sums[k] = sum;
		}
		for (unsigned int stride = SCALARPROD_ACCUMULATORS / 2; stride > 0; stride /= 2) {
			__syncthreads();
			for (unsigned int k = threadIdx.x; k < stride; k += blockDim.x)
				sums[k] += sums[k + stride];
		}
		/* Only thread 0 reads the last sum, and it wrote it; the next pair's first store of sums[0] is also its own. */
		if (threadIdx.x == 0)
			products[pair] = sums[0];
		__syncthreads();
	}
}
