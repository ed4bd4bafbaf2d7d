// Device printf: lines come out in the order of launches and of threads in a warp, before what the host prints after a
// synchronisation, with the formats of C.
#include <stdio.h>

__global__ void hello(int launch)
{
	if (threadIdx.x < 3)
		printf("launch %d thread %d\n", launch, (int)threadIdx.x);
}

__global__ void formats()
{
	printf("%d %5d|%-5d|%05d %u %x %#o %c %%\n", -3, 42, 42, 42, 4000000000u, 255, 8, 'x');
	printf("%.3f %8.2e %g %s %lld %llx\n", 3.14159, 12345.678, 0.5f, "text", -(1ll << 40), 1ull << 40);
	printf("no arguments\n");
}

int main()
{
	cudaStream_t s;
	cudaEvent_t e;

	cudaStreamCreate(&s);
	cudaEventCreate(&e);
	hello<<<1, 32>>>(1);
	cudaDeviceSynchronize();
	puts("host 1");
	hello<<<1, 32, 0, s>>>(2);
	cudaStreamSynchronize(s);
	puts("host 2");
	hello<<<1, 32, 0, s>>>(3);
	cudaEventRecord(e, s);
	cudaEventSynchronize(e);
	puts("host 3");
	formats<<<1, 1>>>();
	cudaDeviceSynchronize();
	puts("host 4");
	return cudaGetLastError() != cudaSuccess;
}
