// A cooperative launch: a grid-wide barrier between two phases, every block of which reads what all others wrote, and
// the refusal of a grid that cannot be resident at once.
#include <stdio.h>

#ifdef __NVCC__
#include <cooperative_groups.h>
__device__ void grid_sync()
{
	cooperative_groups::this_grid().sync();
}
#else
// The same as nvcc makes of it: a counter in the grid's workspace whose top bit flips when the last block arrives.
__device__ void grid_sync()
{
	unsigned int high, low;

	asm volatile("mov.u32 %0, %%envreg1;" : "=r"(high));
	asm volatile("mov.u32 %0, %%envreg2;" : "=r"(low));
	unsigned int *counter = (unsigned int *)((unsigned long long)high << 32 | low) + 1;

	__syncthreads();
	if (!threadIdx.x) {
		unsigned int step = blockIdx.x ? 1 : 0x80000000u - (gridDim.x - 1);

		__threadfence();
		unsigned int old = atomicAdd(counter, step), now;

		do
			asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
		while (!((now ^ old) & 0x80000000u));
		__threadfence();
	}
	__syncthreads();
}
#endif

// Each round replaces every value by the sum of all values, modulo a prime.
__global__ void rounds(unsigned int *a, unsigned int *b, int count, int n)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

	for (int round = 0; round < n; round++) {
		unsigned int sum = i;

		for (int k = 0; k < count; k++)
			sum = (sum + a[k]) % 65521;
		b[i] = sum;
		grid_sync();
		unsigned int *other = a;

		a = b;
		b = other;
	}
}

enum { BLOCKS = 6, THREADS = 64, COUNT = BLOCKS * THREADS, ROUNDS = 3 };

int main()
{
	unsigned int want[2][COUNT], got[COUNT], *a, *b;
	int count = COUNT, n = ROUNDS, sms = 0;

	for (int i = 0; i < COUNT; i++)
		want[0][i] = i;
	cudaMalloc(&a, sizeof(got));
	cudaMalloc(&b, sizeof(got));
	cudaMemcpy(a, want[0], sizeof(got), cudaMemcpyHostToDevice);
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < COUNT; i++) {
			unsigned int sum = i;

			for (int k = 0; k < COUNT; k++)
				sum = (sum + want[round % 2][k]) % 65521;
			want[(round + 1) % 2][i] = sum;
		}

	void *arguments[] = {&a, &b, &count, &n};

	if (cudaLaunchCooperativeKernel((void *)rounds, dim3(BLOCKS), dim3(THREADS), arguments, 0, 0) != cudaSuccess)
		return 1;
	if (cudaMemcpy(got, ROUNDS % 2 ? b : a, sizeof(got), cudaMemcpyDeviceToHost) != cudaSuccess)
		return 1;
	for (int i = 0; i < COUNT; i++)
		if (got[i] != want[ROUNDS % 2][i]) {
			printf("element %d is %u, expected %u\n", i, got[i], want[ROUNDS % 2][i]);
			return 1;
		}
	cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
	if (cudaLaunchCooperativeKernel((void *)rounds, dim3(sms * 64), dim3(1024), arguments, 0, 0) !=
	    cudaErrorCooperativeLaunchTooLarge)
		return 1;
	return cudaGetLastError() != cudaErrorCooperativeLaunchTooLarge || cudaGetLastError() != cudaSuccess;
}
