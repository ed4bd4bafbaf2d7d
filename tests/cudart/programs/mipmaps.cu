// A mipmapped array: levels of a picture, each filled on the host, read by number from one texture object; one written
// through a surface.
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

__global__ void fill(cudaSurfaceObject_t s, int size)
{
	surf2Dwrite(100.0f * size + threadIdx.x, s, (threadIdx.x % size) * (int)sizeof(float), threadIdx.x / size);
}

// A level is written by a kernel although the array was made without the flag for surfaces.
static void written_by_a_kernel(cudaMipmappedArray_t levels)
{
	struct cudaResourceDesc resource = {};
	cudaSurfaceObject_t surface;
	float back[16];

	resource.resType = cudaResourceTypeArray;
	OK(cudaGetMipmappedArrayLevel(&resource.res.array.array, levels, LEVELS - 1));
	OK(cudaCreateSurfaceObject(&surface, &resource));
	fill<<<1, 16>>>(surface, 4);
	LAUNCHED();
	OK(cudaMemcpy2DFromArray(back, 4 * sizeof(float), resource.res.array.array, 0, 0, 4 * sizeof(float), 4,
				 cudaMemcpyDeviceToHost));
	for (int i = 0; i < 16; i++)
		CHECK(back[i] == 400.0f + i);
	OK(cudaDestroySurfaceObject(surface));
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
	written_by_a_kernel(levels);
	OK(cudaFreeMipmappedArray(levels));
	FAILS(cudaErrorInvalidResourceHandle, cudaGetMipmappedArrayLevel(&array, levels, 0));
	return 0;
}
