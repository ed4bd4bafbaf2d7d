#include <strata/kernel.h>

/* The distance of every record from a place, a record per thread. */
extern "C" __global__ void nn_distances(const float *places, float *distances, unsigned int count, float latitude,
					float longitude)
{
	unsigned int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;

	if (i < count) {
		float across = latitude - places[2 * i], along = longitude - places[2 * i + 1];

		distances[i] = sqrtf(across * across + along * along);
	}
}
