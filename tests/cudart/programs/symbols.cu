// A convolution with its filter in constant memory; __device__ variables by name, their addresses, sizes and parts.
#include <string.h>

#include "program.h"

enum { RADIUS = 3, TAPS = 2 * RADIUS + 1, N = 500 };

__constant__ float filter[TAPS];
__device__ int calls;
__device__ double table[4] = {1.5, 2.5, 3.5, 4.5};
static __device__ float scaled[N];

struct parameters {
	float scale;
	int shift;
};
__constant__ parameters settings = {2.0f, 1};

__global__ void convolve(const float *in)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (i >= N)
		return;
	for (int t = 0; t < TAPS; t++) {
		int k = i + t - RADIUS;

		if (k >= 0 && k < N)
			sum += filter[t] * in[k];
	}
	scaled[i] = sum * settings.scale + settings.shift;
	atomicAdd(&calls, 1);
}

__global__ void raise_table(double by)
{
	table[threadIdx.x] += by;
}

int main()
{
	static float in[N], out[N];
	const float taps[TAPS] = {0.5f, 1, 2, 4, 2, 1, 0.5f};
	float *device;
	double numbers[4];
	int n = 0;
	size_t bytes = 0;
	void *address = NULL;

	for (int i = 0; i < N; i++)
		in[i] = (float)(i % 17 - 8);
	OK(cudaMalloc(&device, sizeof(in)));
	OK(cudaMemcpy(device, in, sizeof(in), cudaMemcpyHostToDevice));
	OK(cudaMemcpyToSymbol(filter, taps, sizeof(taps)));

	for (int run = 0; run < 2; run++) {
		parameters s = {run ? 0.25f : 2.0f, run ? -3 : 1};

		if (run) /* the second member by its offset, then the first */ {
			OK(cudaMemcpyToSymbol(settings, &s.shift, sizeof(int), sizeof(float)));
			OK(cudaMemcpyToSymbolAsync(settings, &s.scale, sizeof(float), 0, cudaMemcpyHostToDevice, 0));
		}
		convolve<<<(N + 63) / 64, 64>>>(device);
		LAUNCHED();
		OK(cudaMemcpyFromSymbol(out, scaled, sizeof(out)));
		for (int i = 0; i < N; i++) {
			float sum = 0;

			for (int t = 0; t < TAPS; t++) {
				int k = i + t - RADIUS;

				sum += k >= 0 && k < N ? taps[t] * in[k] : 0;
			}
			CHECK(out[i] == sum * s.scale + s.shift);
		}
	}
	OK(cudaMemcpyFromSymbol(&n, calls, sizeof(n)));
	CHECK(n == 2 * N);

	OK(cudaGetSymbolSize(&bytes, table));
	CHECK(bytes == sizeof(numbers));
	OK(cudaGetSymbolAddress(&address, table));
	raise_table<<<1, 4>>>(10.0);
	LAUNCHED();
	OK(cudaMemcpy(numbers, address, sizeof(numbers), cudaMemcpyDeviceToHost));
	CHECK(numbers[0] == 11.5 && numbers[3] == 14.5);
	OK(cudaMemset(address, 0, sizeof(double)));
	OK(cudaMemcpyFromSymbol(numbers, table, 2 * sizeof(double), sizeof(double)));
	CHECK(numbers[0] == 12.5 && numbers[1] == 13.5);

	FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbol(filter, taps, sizeof(taps), 4));
	FAILS(cudaErrorInvalidSymbol, cudaMemcpyToSymbol((const void *)in, taps, 4));
	FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpyToSymbol(filter, taps, 4, 0, cudaMemcpyDeviceToHost));
	return 0;
}
