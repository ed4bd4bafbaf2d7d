// What CUDA leaves undefined and programs rely on: a sum whose last warp shuffles from lanes that do not take part (they
// give 0 on devices), and member masks that leave out the lanes that use them (a vote's result is cut by the mask).
#include "program.h"

enum { THREADS = 256, WARPS = THREADS / 32 };

__device__ int warp_sum(unsigned int mask, int sum)
{
	for (int offset = 16; offset > 0; offset /= 2)
		sum += __shfl_down_sync(mask, sum, offset);
	return sum;
}

__global__ void block_sum(const int *in, int *out)
{
	__shared__ int parts[WARPS];
	int t = threadIdx.x, sum = warp_sum(0xffffffffu, in[t]);

	if (t % 32 == 0)
		parts[t / 32] = sum;
	__syncthreads();

	unsigned int mask = __ballot_sync(0xffffffffu, t < WARPS);

	if (t < WARPS)
		sum = warp_sum(mask, parts[t]);
	if (t == 0)
		out[0] = sum;
}

__global__ void empty_masks(int *out)
{
	int t = threadIdx.x;

	__syncwarp(0);
	out[t] = __shfl_xor_sync(0, t, 1) + 100 * __popc(__ballot_sync(0xfffffff0u, t % 2));
	if (t < 10)
		out[t] += 10000 * (1 + __popc(__ballot_sync(0xfffffc00u, 1)));
}

int main()
{
	int host[THREADS], sum = 0, *in, *out;

	for (int i = 0; i < THREADS; i++)
		sum += host[i] = i * 7 % 31;
	OK(cudaMalloc((void **)&in, sizeof(host)));
	OK(cudaMalloc((void **)&out, sizeof(host)));
	OK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
	block_sum<<<1, THREADS>>>(in, out);
	LAUNCHED();
	OK(cudaMemcpy(host, out, sizeof(int), cudaMemcpyDeviceToHost));
	CHECK(host[0] == sum);
	empty_masks<<<1, 32>>>(out);
	LAUNCHED();
	OK(cudaMemcpy(host, out, 32 * sizeof(int), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i++)
		CHECK(host[i] == (i ^ 1) + 1400 + (i < 10 ? 10000 : 0));
	OK(cudaFree(in));
	OK(cudaFree(out));
	puts("absent lanes: right");
	return 0;
}
