// Tiles of several warps (sm_80 and later): cooperative groups keep their barriers in reserved shared memory.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "program.h"

namespace cg = cooperative_groups;

enum { THREADS = 256, TILE = 64 };

__global__ void wide_tiles(int *out)
{
	__shared__ int values[THREADS];
	cg::thread_block block = cg::this_thread_block();
	cg::thread_block_tile<TILE> tile = cg::tiled_partition<TILE>(block);
	int rank = (int)block.thread_rank();

	values[rank] = rank;
	tile.sync();
	out[rank] = cg::reduce(tile, values[rank ^ 63], cg::plus<int>()) + (tile.any(rank == 70) ? 100000 : 0);
}

int main()
{
	int host[THREADS], *out;

	OK(cudaMalloc((void **)&out, sizeof(host)));
	wide_tiles<<<1, THREADS>>>(out);
	LAUNCHED();
	OK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
	for (int i = 0; i < THREADS; i++) {
		int tile = i / TILE, sum = (tile * TILE * 2 + TILE - 1) * TILE / 2;

		CHECK(host[i] == sum + (tile == 1 ? 100000 : 0));
	}
	OK(cudaFree(out));
	puts("wide tiles: right");
	return 0;
}
