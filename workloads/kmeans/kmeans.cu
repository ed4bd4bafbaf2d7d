#include <strata/kernel.h>

/*
 * The nearest cluster of each object; features and centres are both read from global memory.  A thread walks its
 * object's row, so that a warp's load touches up to 32 lines, and its next loads the same ones.
 */
extern "C" __global__ void kmeans_assign(const float *features, const float *centres, unsigned int *membership,
					 unsigned int objects_count, unsigned int clusters_count,
					 unsigned int features_count)
{
	unsigned int object = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned int nearest = 0;
	float least = 3.402823466e38f;

	if (object >= objects_count)
		return;
	for (unsigned int cluster = 0; cluster < clusters_count; cluster++) {
		const float *feature = features + object * features_count;
		const float *centre = centres + cluster * features_count;
		float distance = 0.0f;

#pragma unroll 1
		for (unsigned int f = 0; f < features_count; f++) {
			float d = *feature++ - *centre++;

			distance += d * d;
		}
		if (distance < least) {
			least = distance;
			nearest = cluster;
		}
	}
	membership[object] = nearest;
}
