#include <strata/kernel.h>

#include "nw.h"

/*
 * One tile of the matrix of best scores, a thread per column: the cells of an anti-diagonal depend on the two before it
 * only.  A CTA takes the tile (first - x, x + offset) of an anti-diagonal of tiles.
 */
extern "C" __global__ void nw_tiles(int *scores, const int *similar, unsigned int width, int penalty,
				    unsigned int first_row, unsigned int first_column)
{
	__shared__ int tile[NW_TILE + 1][NW_TILE + 1];
	unsigned int thread = threadIdx.x;
	unsigned int row = (first_row - blockIdx.x) * NW_TILE;
	unsigned int column = (first_column + blockIdx.x) * NW_TILE;
	unsigned int corner = row * width + column;

	if (thread == 0)
		tile[0][0] = scores[corner];
	tile[0][thread + 1] = scores[corner + thread + 1];
	tile[thread + 1][0] = scores[corner + (thread + 1) * width];
	__syncthreads();
	for (unsigned int diagonal = 0; diagonal < 2 * NW_TILE - 1; diagonal++) {
		unsigned int i = diagonal - thread;

		if (i < NW_TILE) {
			int best = tile[i][thread] + similar[corner + (i + 1) * width + thread + 1];
			int other = tile[i][thread + 1] - penalty;

			best = best > other ? best : other;
			other = tile[i + 1][thread] - penalty;
			tile[i + 1][thread + 1] = best > other ? best : other;
		}
		__syncthreads();
	}
	for (unsigned int i = 0; i < NW_TILE; i++)
		scores[corner + (i + 1) * width + thread + 1] = tile[i + 1][thread + 1];
}
