#include <strata/kernel.h>

#include "lps.h"

/*
 * One Jacobi sweep of Laplace's equation: every inner point becomes the mean of its six neighbours.  A CTA owns a
 * column of the grid and climbs it plane by plane.  The plane it is in lies in shared memory with a rim of one point;
 * the neighbours above and below stay in the thread's registers, so that every point is read once, and rims twice.
 */
extern "C" __global__ void lps_sweep(const float *from, float *to, unsigned int nx, unsigned int ny, unsigned int nz,
				     unsigned int pitch)
{
	__shared__ float tile[LPS_TILE_Y + 2][LPS_TILE_X + 2];
	unsigned int column = threadIdx.x + 1;
	unsigned int row = threadIdx.y + 1;
	unsigned int x = blockIdx.x * LPS_TILE_X + threadIdx.x;
	unsigned int y = blockIdx.y * LPS_TILE_Y + threadIdx.y;
	unsigned int plane = pitch * ny;
	unsigned int i = y * pitch + x;
	bool is_here = x < nx && y < ny;
	bool is_inner = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
	float below = is_here ? from[i] : 0.0f;
	float centre = is_here ? from[i + plane] : 0.0f;

	for (unsigned int z = 1; z < nz - 1; z++) {
		float above = 0.0f;

		i += plane;
		if (is_here) {
			above = from[i + plane];
			tile[row][column] = centre;
			if (threadIdx.x == 0 && x > 0)
				tile[row][0] = from[i - 1];
			if (threadIdx.x == LPS_TILE_X - 1 && x < nx - 1)
				tile[row][LPS_TILE_X + 1] = from[i + 1];
			if (threadIdx.y == 0 && y > 0)
				tile[0][column] = from[i - pitch];
			if (threadIdx.y == LPS_TILE_Y - 1 && y < ny - 1)
				tile[LPS_TILE_Y + 1][column] = from[i + pitch];
		}
		__syncthreads();
		if (is_inner) {
			float sum = tile[row][column - 1] + tile[row][column + 1];

			sum += tile[row - 1][column];
			sum += tile[row + 1][column];
			sum += below;
			sum += above;
			to[i] = sum * LPS_SIXTH;
		}
		__syncthreads();
		below = centre;
		centre = above;
	}
}
