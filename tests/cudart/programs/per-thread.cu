// Compiled for per-thread default streams, so that launches and copies have other names in the library; threads launch
// at the same time.
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, COUNT = 256 };

__global__ void scale(int *p, int by)
{
	p[blockIdx.x * blockDim.x + threadIdx.x] *= by;
}

static void *work(void *argument)
{
	int number = *(int *)argument, *p, values[COUNT];

	*(int *)argument = -1;
	for (int i = 0; i < COUNT; i++)
		values[i] = i;
	if (cudaMalloc(&p, sizeof(values)) != cudaSuccess)
		return 0;
	cudaMemcpyAsync(p, values, sizeof(values), cudaMemcpyHostToDevice, 0);
	for (int i = 0; i < 3; i++)
		scale<<<COUNT / 64, 64>>>(p, number);
	cudaMemcpyAsync(values, p, sizeof(values), cudaMemcpyDeviceToHost, cudaStreamPerThread);
	if (cudaStreamSynchronize(0) != cudaSuccess || cudaFree(p) != cudaSuccess)
		return 0;
	for (int i = 0; i < COUNT; i++)
		if (values[i] != i * number * number * number)
			return 0;
	*(int *)argument = 0;
	return 0;
}

int main()
{
	pthread_t threads[THREADS];
	int arguments[THREADS];

	for (int i = 0; i < THREADS; i++) {
		arguments[i] = i + 2;
		pthread_create(&threads[i], 0, work, &arguments[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], 0);
		if (arguments[i]) {
			printf("thread %d failed: %s\n", i, cudaGetErrorString(cudaGetLastError()));
			return 1;
		}
	}
	return 0;
}
