// A mipmapped array: levels of a picture, each filled on the host, read by number from one texture object.
#include <string.h>

#include "program.h"

enum { SIZE = 32, LEVELS = 4 };

__global__ void read_levels(cudaTextureObject_t t, float *out)
{
	for (int level = 0; level < LEVELS; level++) {
		int size = SIZE >> level, x = threadIdx.x % size, y = blockIdx.x % size;

		out[(level * SIZE + blockIdx.x) * SIZE + threadIdx.x] =
			tex2DLod<float>(t, (x + 0.5f) / size, (y + 0.5f) / size, (float)level);
	}
}

int main()
{
	static float host[LEVELS][SIZE * SIZE];
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaMipmappedArray_t levels;
	cudaArray_t array;
	cudaResourceDesc resource;
	cudaTextureDesc sampling;
	cudaTextureObject_t texture;
	float *out;

	OK(cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(SIZE, SIZE, 0), LEVELS));
	for (int level = 0; level < LEVELS; level++) {
		int size = SIZE >> level;
		cudaExtent extent;

		for (int i = 0; i < size * size; i++)
			host[level][i] = 1000.0f * level + i;
		OK(cudaGetMipmappedArrayLevel(&array, levels, level));
		OK(cudaArrayGetInfo(NULL, &extent, NULL, array));
		CHECK(extent.width == (size_t)size && extent.height == (size_t)size);
		OK(cudaMemcpy2DToArray(array, 0, 0, host[level], size * sizeof(float), size * sizeof(float), size,
				       cudaMemcpyHostToDevice));
	}
	memset(&resource, 0, sizeof(resource));
	resource.resType = cudaResourceTypeMipmappedArray;
	resource.res.mipmap.mipmap = levels;
	memset(&sampling, 0, sizeof(sampling));
	sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeClamp;
	sampling.filterMode = sampling.mipmapFilterMode = cudaFilterModePoint;
	sampling.readMode = cudaReadModeElementType;
	sampling.normalizedCoords = 1;
	sampling.maxMipmapLevelClamp = LEVELS - 1;
	OK(cudaCreateTextureObject(&texture, &resource, &sampling, NULL));
	OK(cudaMallocManaged(&out, LEVELS * SIZE * SIZE * sizeof(float)));
	read_levels<<<SIZE, SIZE>>>(texture, out);
	LAUNCHED();
	for (int level = 0; level < LEVELS; level++) {
		int size = SIZE >> level;

		for (int i = 0; i < SIZE * SIZE; i++)
			CHECK(out[level * SIZE * SIZE + i] == host[level][i / SIZE % size * size + i % SIZE % size]);
	}
	OK(cudaDestroyTextureObject(texture));
	OK(cudaFreeMipmappedArray(levels));
	FAILS(cudaErrorInvalidResourceHandle, cudaGetMipmappedArrayLevel(&array, levels, 0));
	return 0;
}
