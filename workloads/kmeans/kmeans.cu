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

/* The nearest cluster of an object, whose features lie `step` words apart; they and the centres are in global memory. */
static __device__ __forceinline__ unsigned int nearest_centre(const float *features, unsigned int step,
							       const float *centres, unsigned int clusters_count,
							       unsigned int features_count)
{
	unsigned int nearest = 0;
	float least = 3.402823466e38f;

	for (unsigned int cluster = 0; cluster < clusters_count; cluster++) {
		const float *feature = features;
		const float *centre = centres + cluster * features_count;
		float distance = 0.0f;

#pragma unroll 1
		for (unsigned int f = 0; f < features_count; f++) {
			float d = *feature - *centre++;

			distance += d * d;
			feature += step;
		}
		if (distance < least) {
			least = distance;
			nearest = cluster;
		}
	}
	return nearest;
}

extern "C" __global__ void kmeans_assign(const float *by_feature, const float *centres, unsigned int *membership,
					 unsigned int objects_count, unsigned int clusters_count,
					 unsigned int features_count)
{
	unsigned int object = blockIdx.x * blockDim.x + threadIdx.x;

	if (object < objects_count)
		membership[object] = nearest_centre(by_feature + object, objects_count, centres, clusters_count,
						    features_count);
}

/* The same where the features were not turned: a thread reads a row of its own. */
extern "C" __global__ void kmeans_assign_rows(const float *by_object, const float *centres, unsigned int *membership,
					      unsigned int objects_count, unsigned int clusters_count,
					      unsigned int features_count)
{
	unsigned int object = blockIdx.x * blockDim.x + threadIdx.x;

	if (object < objects_count)
		membership[object] = nearest_centre(by_object + object * features_count, 1, centres, clusters_count,
						    features_count);
}
