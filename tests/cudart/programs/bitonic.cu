// Sorting by a bitonic network: small distances in shared memory, large ones in global memory.
#include <algorithm>

#include "program.h"

enum { N = 2048, BLOCK = 256 };

__device__ void order(unsigned int *a, unsigned int *b, bool is_rising)
{
	if ((*a > *b) == is_rising) {
		unsigned int t = *a;

		*a = *b;
		*b = t;
	}
}

__global__ void merge_far(unsigned int *data, int distance, int size)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, low = 2 * i - (i & (distance - 1));

	order(&data[low], &data[low + distance], !(low & size));
}

__global__ void merge_near(unsigned int *data, int distance, int size)
{
	__shared__ unsigned int tile[2 * BLOCK];
	int first = blockIdx.x * 2 * BLOCK, t = threadIdx.x;

	tile[t] = data[first + t];
	tile[t + BLOCK] = data[first + t + BLOCK];
	for (; distance; distance /= 2) {
		int low = 2 * t - (t & (distance - 1));

		__syncthreads();
		order(&tile[low], &tile[low + distance], !((first + low) & size));
	}
	__syncthreads();
	data[first + t] = tile[t];
	data[first + t + BLOCK] = tile[t + BLOCK];
}

int main()
{
	static unsigned int host[N], sorted[N];
	unsigned int *device, state = 99;

	for (int i = 0; i < N; i++)
		host[i] = next_random(&state) >> (i % 9);
	OK(cudaMalloc(&device, sizeof(host)));
	OK(cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice));
	for (int size = 2; size <= N; size *= 2) {
		int distance = size / 2;

		for (; distance > BLOCK; distance /= 2)
			merge_far<<<N / 2 / BLOCK, BLOCK>>>(device, distance, size);
		merge_near<<<N / 2 / BLOCK, BLOCK>>>(device, distance, size);
	}
	LAUNCHED();
	OK(cudaMemcpy(sorted, device, sizeof(sorted), cudaMemcpyDeviceToHost));
	std::sort(host, host + N);
	for (int i = 0; i < N; i++)
		CHECK(sorted[i] == host[i]);
	return 0;
}
