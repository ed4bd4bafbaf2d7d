#include <strata/kernel.h>

/* Turn object-major features into feature-major ones, so that neighbouring threads then read neighbouring words. */
extern "C" __global__ void kmeans_invert(const float *by_object, float *by_feature, unsigned int objects_count,
					 unsigned int features_count)
{
	unsigned int object = blockIdx.x * blockDim.x + threadIdx.x;

	if (object >= objects_count)
		return;
#pragma unroll 1
	for (unsigned int f = 0; f < features_count; f++)
		by_feature[f * objects_count + object] = by_object[object * features_count + f];
}

/* The nearest cluster of each object; features and centres are both read from global memory. */
extern "C" __global__ void kmeans_assign(const float *by_feature, const float *centres, unsigned int *membership,
					 unsigned int objects_count, unsigned int clusters_count,
					 unsigned int features_count)
{
	unsigned int object = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned int nearest = 0;
	float least = 3.402823466e38f;

	if (object >= objects_count)
		return;
	for (unsigned int cluster = 0; cluster < clusters_count; cluster++) {
		const float *feature = by_feature + object;
		const float *centre = centres + cluster * features_count;
		float distance = 0.0f;

#pragma unroll 1
		for (unsigned int f = 0; f < features_count; f++) {
			float d = *feature - *centre++;

			distance += d * d;
			feature += objects_count;
		}
		if (distance < least) {
			least = distance;
			nearest = cluster;
		}
	}
	membership[object] = nearest;
}
