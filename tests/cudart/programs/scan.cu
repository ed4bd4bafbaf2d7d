// Prefix sums of a long array: of blocks by an up-sweep and a down-sweep, of the blocks' sums, and both together.
#include "program.h"

enum { BLOCK = 256, N = 40 * BLOCK + 77 };

__global__ void scan_blocks(const int *in, int *out, int *sums, int n)
{
	__shared__ int tree[2 * BLOCK];
	int first = blockIdx.x * 2 * BLOCK, t = threadIdx.x;

	for (int k = t; k < 2 * BLOCK; k += BLOCK)
		tree[k] = first + k < n ? in[first + k] : 0;
	for (int distance = 1; distance < 2 * BLOCK; distance *= 2) {
		int at = (t + 1) * 2 * distance - 1;

		__syncthreads();
		if (at < 2 * BLOCK)
			tree[at] += tree[at - distance];
	}
	__syncthreads();
	if (t == 0) {
		sums[blockIdx.x] = tree[2 * BLOCK - 1];
		tree[2 * BLOCK - 1] = 0;
	}
	for (int distance = BLOCK; distance; distance /= 2) {
		int at = (t + 1) * 2 * distance - 1;

		__syncthreads();
		if (at < 2 * BLOCK) {
			int left = tree[at - distance];

			tree[at - distance] = tree[at];
			tree[at] += left;
		}
	}
	__syncthreads();
	for (int k = t; k < 2 * BLOCK; k += BLOCK) {
		if (first + k < n)
			out[first + k] = tree[k];
	}
}

__global__ void add_sums(int *out, const int *offsets, int n)
{
	for (int k = blockIdx.x * 2 * BLOCK + threadIdx.x; k < (int)(blockIdx.x + 1) * 2 * BLOCK && k < n; k += BLOCK)
		out[k] += offsets[blockIdx.x];
}

int main()
{
	const int blocks = (N + 2 * BLOCK - 1) / (2 * BLOCK);
	int *in, *out, *sums, *offsets, *rest, total = 0;

	OK(cudaMallocManaged(&in, N * sizeof(int)));
	OK(cudaMallocManaged(&out, N * sizeof(int)));
	OK(cudaMallocManaged(&sums, blocks * sizeof(int)));
	OK(cudaMallocManaged(&offsets, blocks * sizeof(int)));
	OK(cudaMallocManaged(&rest, sizeof(int)));
	for (int i = 0; i < N; i++)
		in[i] = i * 31 % 19 - 5;
	scan_blocks<<<blocks, BLOCK>>>(in, out, sums, N);
	scan_blocks<<<1, BLOCK>>>(sums, offsets, rest, blocks);
	add_sums<<<blocks, BLOCK>>>(out, offsets, N);
	LAUNCHED();
	for (int i = 0; i < N; i++) {
		CHECK(out[i] == total);
		total += in[i];
	}
	CHECK(*rest == total);
	return 0;
}
