// Managed variables, read and written by host and device; for nvcc, since clang has none.
#include <stdio.h>

__managed__ int counter = 7;
__managed__ float table[4] = {1, 2, 3, 4};

__global__ void update(int n)
{
	counter += n;
	table[threadIdx.x] *= 2;
}

int main()
{
	int copy = 0;

	if (counter != 7 || table[3] != 4)
		return 1;
	counter = 10;
	update<<<1, 4>>>(5);
	if (cudaDeviceSynchronize() != cudaSuccess || counter != 15)
		return 1;
	for (int i = 0; i < 4; i++)
		if (table[i] != 2 * (i + 1))
			return 1;
	if (cudaMemcpyFromSymbol(&copy, counter, sizeof(copy)) != cudaSuccess || copy != 15)
		return 1;
	return 0;
}
