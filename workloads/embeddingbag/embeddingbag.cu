#include <strata/kernel.h>

#include "../common/lanes.h"
#include "embeddingbag.h"

/* A bag per warp, two elements of each row per lane. */
extern "C" __global__ void embeddingbag_sum(const float *table, const unsigned int *indices, float *sums,
					    unsigned int bags, unsigned int each)
{
	unsigned int bag = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
	const unsigned int *index = indices + (unsigned long long)bag * each;
	struct lanes_f2 sum = {0, 0};

	if (bag >= bags)
		return;
#pragma unroll 1
	for (unsigned int i = 0; i < each; i++) {
		const float *row = table + (unsigned long long)*index++ * EMBEDDINGBAG_WIDTH;
		struct lanes_f2 two = lanes_load_f2(row + 2 * lane);

		sum.x += two.x;
		sum.y += two.y;
	}
	lanes_store_f2(sums + (unsigned long long)bag * EMBEDDINGBAG_WIDTH + 2 * lane, sum);
}
