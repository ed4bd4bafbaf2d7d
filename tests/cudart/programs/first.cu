// The smallest of programs: a kernel, a variable, an error state.
#include <stdio.h>

__device__ int total = 5;

__global__ void add(int n)
{
	atomicAdd(&total, n);
	printf("thread %d\n", (int)threadIdx.x);
}

int main()
{
	add<<<1, 2>>>(3);
	puts(cudaGetErrorName(cudaGetLastError()));
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
	return 0;
}
