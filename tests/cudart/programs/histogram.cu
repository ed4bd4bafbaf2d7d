// A histogram of bytes: one per block in shared memory, then added up with atomics.
#include "program.h"

enum { BINS = 256, N = 20000 };

__global__ void histogram(const unsigned char *data, int n, unsigned int *bins)
{
	__shared__ unsigned int local[BINS];

	for (int i = threadIdx.x; i < BINS; i += blockDim.x)
		local[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&local[data[i]], 1u);
	__syncthreads();
	for (int i = threadIdx.x; i < BINS; i += blockDim.x)
		atomicAdd(&bins[i], local[i]);
}

int main()
{
	static unsigned char data[N];
	unsigned int bins[BINS], expected[BINS] = {0}, *device_bins, state = 3;
	unsigned char *device;

	for (int i = 0; i < N; i++) {
		unsigned int x = next_random(&state) >> 16;

		data[i] = (unsigned char)((x & 0xff) * (x >> 8 & 0xff) >> 8);
		expected[data[i]]++;
	}
	OK(cudaMalloc(&device, N));
	OK(cudaMalloc(&device_bins, sizeof(bins)));
	OK(cudaMemcpy(device, data, N, cudaMemcpyHostToDevice));
	OK(cudaMemset(device_bins, 0, sizeof(bins)));
	histogram<<<8, 128>>>(device, N, device_bins);
	LAUNCHED();
	OK(cudaMemcpy(bins, device_bins, sizeof(bins), cudaMemcpyDeviceToHost));
	for (int i = 0; i < BINS; i++)
		CHECK(bins[i] == expected[i]);
	return 0;
}
