// Cooperative groups: tiles, coalesced threads, reductions, and the barrier of a whole grid under a cooperative launch.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "program.h"

namespace cg = cooperative_groups;

enum { BLOCKS = 24, THREADS = 96, ROUNDS = 5 };

__global__ void tiles(int *sums, int *ranks)
{
	cg::thread_block block = cg::this_thread_block();
	cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
	int rank = (int)block.thread_rank();
	int sum = cg::reduce(tile, rank, cg::plus<int>()), least = cg::reduce(tile, rank, cg::less<int>());

	sums[rank] = sum + 1000 * least;
	ranks[rank] = (int)tile.thread_rank() + 100 * (int)tile.meta_group_rank() +
		      10000 * tile.any(rank % 16 == 3) + 20000 * tile.all(rank < 8);
}

__global__ void odd_ones(int *counts, int *firsts)
{
	int i = threadIdx.x;

	counts[i] = firsts[i] = -1;
	if (i % 3 == 1) {
		cg::coalesced_group group = cg::coalesced_threads();

		counts[i] = (int)group.size() * 100 + (int)group.thread_rank();
		firsts[i] = group.shfl(i, 0);
	}
}

// Each round every block reads what its neighbour wrote in the round before.
__global__ void rounds(int *values)
{
	cg::grid_group grid = cg::this_grid();
	unsigned int block = blockIdx.x, next = (block + 1) % gridDim.x;

	for (int round = 0; round < ROUNDS; round++) {
		int value = values[(round % 2) * gridDim.x + next];

		if (threadIdx.x == 0)
			values[(1 - round % 2) * gridDim.x + block] = value + 1;
		grid.sync();
	}
}

__global__ void too_many(int *p)
{
	*p = 1;
}

int main()
{
	int *a, *b, can = 0, blocks = 0;

	OK(cudaMallocManaged(&a, 4096));
	OK(cudaMallocManaged(&b, 4096));
	tiles<<<1, 64>>>(a, b);
	LAUNCHED();
	for (int i = 0; i < 64; i++) {
		int first = i / 8 * 8;

		CHECK(a[i] == 8 * first + 28 + 1000 * first);
		CHECK(b[i] == i % 8 + 100 * (i / 8) + 10000 * (i / 8 % 2 == 0) + 20000 * (i < 8));
	}
	odd_ones<<<1, 32>>>(a, b);
	LAUNCHED();
	for (int i = 0; i < 32; i++) {
		CHECK(a[i] == (i % 3 == 1 ? 1100 + i / 3 : -1));
		CHECK(b[i] == (i % 3 == 1 ? 1 : -1));
	}

	OK(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
	CHECK(can == 1);
	for (int i = 0; i < 2 * BLOCKS; i++)
		a[i] = i % BLOCKS;

	void *arguments[] = {&a};

	OK(cudaLaunchCooperativeKernel((void *)rounds, dim3(BLOCKS), dim3(THREADS), arguments));
	LAUNCHED();
	for (int i = 0; i < BLOCKS; i++)
		CHECK(a[(ROUNDS % 2) * BLOCKS + i] == (i + ROUNDS) % BLOCKS + ROUNDS);

	// Blocks that cannot all be resident cannot wait for each other.
	cudaDeviceProp p;

	OK(cudaGetDeviceProperties(&p, 0));
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, too_many, 64, 0));
	FAILS(cudaErrorCooperativeLaunchTooLarge,
	      cudaLaunchCooperativeKernel((void *)too_many, dim3(blocks * p.multiProcessorCount + 1), dim3(64), arguments));
	return 0;
}
