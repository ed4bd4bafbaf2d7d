// Kernels that read and write the host's pinned memory beside the device's, in straight lines and in loops, with more
// warps than a machine holds: near-data machines offload them too.
#include <stdlib.h>

#include "program.h"

enum { N = 1 << 17, ROUNDS = 16 };

__global__ void add(const int *a, const int *b, int *sum)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	sum[i] = a[i] + b[i];
}

__global__ void fold(const int *far, const int *near, int *to_far, int *to_near, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, stride = N / rounds, total = 0;

	for (int k = 0; k < rounds; k++)
		total = total * 3 + far[i + k * stride] + near[i + k * stride];
	to_far[i] = total;
	to_near[i] = -total;
}

int main()
{
	int *far, *near, *to_far, *to_near;
	int *back = (int *)malloc(N * sizeof(int));

	OK(cudaMallocHost(&far, N * sizeof(int)));
	OK(cudaMallocHost(&to_far, N * sizeof(int)));
	OK(cudaMalloc(&near, N * sizeof(int)));
	OK(cudaMalloc(&to_near, N * sizeof(int)));
	for (int i = 0; i < N; i++) {
		far[i] = i * 7 + 1;
		back[i] = i ^ 0x5555;
	}
	OK(cudaMemcpy(near, back, N * sizeof(int), cudaMemcpyHostToDevice));

	add<<<N / 128, 128>>>(far, near, to_far);
	LAUNCHED();
	for (int i = 0; i < N; i++)
		CHECK(to_far[i] == far[i] + (i ^ 0x5555));
	add<<<N / 128, 128>>>(near, far, to_near);
	LAUNCHED();
	OK(cudaMemcpy(back, to_near, N * sizeof(int), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		CHECK(back[i] == to_far[i]);

	fold<<<N / ROUNDS / 128, 128>>>(far, near, to_far, to_near, ROUNDS);
	LAUNCHED();
	OK(cudaMemcpy(back, to_near, N * sizeof(int), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N / ROUNDS; i++) {
		int total = 0;

		for (int k = 0; k < ROUNDS; k++) {
			int j = i + k * (N / ROUNDS);

			total = total * 3 + far[j] + (j ^ 0x5555);
		}
		CHECK(to_far[i] == total && back[i] == -total);
	}
	OK(cudaFree(near));
	OK(cudaFree(to_near));
	OK(cudaFreeHost(far));
	OK(cudaFreeHost(to_far));
	free(back);
	return 0;
}
