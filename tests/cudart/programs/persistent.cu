// A persistent kernel in the manner of language models: layers of matrix times vector by warps, reductions by blocks,
// a grid-wide barrier of its own between the stages, a last block that adds up, and a kernel in which the first warp of
// a block writes what all of them have computed. "persistent missing" leaves out two barriers: the block's before the
// grid's, and that which keeps the next values from shared memory until these are read. On a GPU, whose warps run side
// by side, that goes well.
#include <stdio.h>
#include <string.h>

#include "program.h"

enum { BLOCKS = 8, THREADS = 128, WARPS = THREADS / 32, SIZE = 512, LAYERS = 3 };

__device__ unsigned int arrived, finished, total;
__device__ unsigned int partial[BLOCKS];

// Every block but the first adds one, the first what is missing to the top bit, which flips when all have arrived.
template <bool is_missing> __device__ void grid_barrier()
{
	if (!is_missing)
		__syncthreads();
	if (!threadIdx.x) {
		unsigned int step = blockIdx.x ? 1 : 0x80000000u - (gridDim.x - 1), now;

		__threadfence();
		unsigned int old = atomicAdd(&arrived, step);

		do
			now = *(volatile unsigned int *)&arrived;
		while (!((now ^ old) & 0x80000000u));
		__threadfence();
	}
	__syncthreads();
}

__device__ unsigned int warp_sum(unsigned int v)
{
	for (int distance = 16; distance; distance /= 2)
		v += __shfl_xor_sync(0xffffffffu, v, distance);
	return v;
}

__device__ unsigned int block_sum(unsigned int v)
{
	__shared__ unsigned int sums[WARPS];

	v = warp_sum(v);
	__syncthreads();
	if (threadIdx.x % 32 == 0)
		sums[threadIdx.x / 32] = v;
	__syncthreads();
	v = 0;
	for (int i = 0; i < WARPS; i++)
		v += sums[i];
	return v;
}

// Row j of the matrix times the vector, by one warp.
__device__ unsigned int row_times(const unsigned int *matrix, volatile unsigned int *vector, int j)
{
	unsigned int sum = 0;

	for (int k = threadIdx.x % 32; k < SIZE; k += 32)
		sum += matrix[j * SIZE + k] * vector[k];
	return warp_sum(sum);
}

template <bool is_missing>
__global__ void forward(const unsigned int *matrices, volatile unsigned int *x, volatile unsigned int *y)
{
	const int first = blockIdx.x * WARPS + threadIdx.x / 32, step = BLOCKS * WARPS;
	__shared__ bool is_last;

	for (int layer = 0; layer < LAYERS; layer++) {
		const unsigned int *up = matrices + layer * 2 * SIZE * SIZE, *down = up + SIZE * SIZE;
		unsigned int norm = 0;

		for (int k = threadIdx.x; k < SIZE; k += THREADS)
			norm += x[k] * x[k];
		norm = block_sum(norm);
		for (int j = first; j < SIZE; j += step) {
			unsigned int v = row_times(up, x, j);

			if (threadIdx.x % 32 == 0)
				y[j] = v ^ norm;
		}
		grid_barrier<is_missing>();
		for (int j = first; j < SIZE; j += step) {
			unsigned int v = row_times(down, y, j);

			if (threadIdx.x % 32 == 0)
				x[j] = x[j] + v;
		}
		grid_barrier<is_missing>();
	}

	unsigned int sum = block_sum(x[blockIdx.x * (SIZE / BLOCKS) + threadIdx.x % (SIZE / BLOCKS)]);

	if (!threadIdx.x) {
		partial[blockIdx.x] = sum;
		__threadfence();
		is_last = atomicAdd(&finished, 1) == BLOCKS - 1;
	}
	__syncthreads();
	if (is_last && !threadIdx.x) {
		__threadfence();
		for (int i = 0; i < BLOCKS; i++)
			total += *(volatile unsigned int *)&partial[i];
	}
}

// Values go through shared memory to the first warp, which writes them side by side.
template <bool is_missing>
__global__ void output(const unsigned int *matrix, volatile unsigned int *x, unsigned int *out)
{
	__shared__ unsigned int values[WARPS];

	for (int j = blockIdx.x * WARPS; j < SIZE; j += gridDim.x * WARPS) {
		unsigned int v = row_times(matrix, x, j + threadIdx.x / 32);

		if (threadIdx.x % 32 == 0)
			values[threadIdx.x / 32] = v;
		__syncthreads();
		if (threadIdx.x < WARPS)
			out[j + threadIdx.x] = values[threadIdx.x];
		if (!is_missing)
			__syncthreads();
	}
}

static void times(const unsigned int *matrix, const unsigned int *vector, unsigned int *out)
{
	for (int j = 0; j < SIZE; j++) {
		out[j] = 0;
		for (int k = 0; k < SIZE; k++)
			out[j] += matrix[j * SIZE + k] * vector[k];
	}
}

// Leaves the result in x and returns the sum that the last block makes.
static unsigned int expected(const unsigned int *matrices, unsigned int *x)
{
	unsigned int y[SIZE], z[SIZE], sum = 0;

	for (int layer = 0; layer < LAYERS; layer++) {
		const unsigned int *up = matrices + layer * 2 * SIZE * SIZE, *down = up + SIZE * SIZE;
		unsigned int norm = 0;

		for (int k = 0; k < SIZE; k++)
			norm += x[k] * x[k];
		times(up, x, y);
		for (int k = 0; k < SIZE; k++)
			y[k] ^= norm;
		times(down, y, z);
		for (int k = 0; k < SIZE; k++)
			x[k] += z[k];
	}
	for (int k = 0; k < SIZE; k++)
		sum += x[k] * (THREADS / (SIZE / BLOCKS));
	return sum;
}

int main(int argc, char **argv)
{
	const bool is_missing = argc > 1 && !strcmp(argv[1], "missing");
	const size_t matrix_words = (size_t)LAYERS * 2 * SIZE * SIZE;
	unsigned int *host = (unsigned int *)malloc(matrix_words * 4), x[SIZE], got[SIZE], sum, seed = 1;
	unsigned int *matrices, *device_x, *device_y;
	void *arguments[] = {&matrices, &device_x, &device_y};

	for (size_t i = 0; i < matrix_words; i++)
		host[i] = next_random(&seed);
	for (int i = 0; i < SIZE; i++)
		x[i] = next_random(&seed);
	OK(cudaMalloc((void **)&matrices, matrix_words * 4));
	OK(cudaMalloc((void **)&device_x, sizeof(x)));
	OK(cudaMalloc((void **)&device_y, sizeof(x)));
	OK(cudaMemcpy(matrices, host, matrix_words * 4, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(device_x, x, sizeof(x), cudaMemcpyHostToDevice));
	OK(cudaLaunchCooperativeKernel(is_missing ? (const void *)forward<true> : (const void *)forward<false>,
				       dim3(BLOCKS), dim3(THREADS), arguments, 0, NULL));
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpy(got, device_x, sizeof(got), cudaMemcpyDeviceToHost));
	OK(cudaMemcpyFromSymbol(&sum, total, sizeof(sum)));

	unsigned int want = expected(host, x), logits[SIZE];

	CHECK(!memcmp(got, x, sizeof(x)));
	CHECK(sum == want);
	if (is_missing)
		output<true><<<BLOCKS, THREADS>>>(matrices, device_x, device_y);
	else
		output<false><<<BLOCKS, THREADS>>>(matrices, device_x, device_y);
	OK(cudaMemcpy(got, device_y, sizeof(got), cudaMemcpyDeviceToHost));
	times(host, x, logits);
	CHECK(!memcmp(got, logits, sizeof(logits)));
	printf("persistent: %d layers verified\n", LAYERS);
	OK(cudaFree(matrices));
	OK(cudaFree(device_x));
	OK(cudaFree(device_y));
	free(host);
	return 0;
}
