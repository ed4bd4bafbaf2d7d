// A program without PTX: the launch fails with its own code and the rest of the runtime goes on.
#include <stdio.h>

__global__ void nothing()
{
}

int main()
{
	void *p;

	nothing<<<1, 1>>>();
	puts(cudaGetErrorName(cudaGetLastError()));
	puts(cudaGetErrorName(cudaMalloc(&p, 16)));
	return 0;
}
