#include <strata/kernel.h>

#include "hotspot.h"

/*
 * `steps` steps in one launch: a CTA's tile and its border are in shared memory, and what the border's age makes wrong
 * shrinks the tile by a cell on each side a step.  At the chip's edge a cell is its own neighbour.
 */
extern "C" __global__ void hotspot_steps(struct hotspot_weights weights, const float *power, const float *from,
					 float *to, int rows, int columns, int steps)
{
	__shared__ float heat[HOTSPOT_TILE][HOTSPOT_TILE];
	__shared__ float next[HOTSPOT_TILE][HOTSPOT_TILE];
	int x = (int)threadIdx.x, y = (int)threadIdx.y;
	int inner = HOTSPOT_TILE - 2 * steps;
	int column = (int)blockIdx.x * inner - steps + x;
	int row = (int)blockIdx.y * inner - steps + y;
	bool is_inside = row >= 0 && row < rows && column >= 0 && column < columns;
	int north = row > 0 ? y - 1 : y, south = row < rows - 1 ? y + 1 : y;
	int west = column > 0 ? x - 1 : x, east = column < columns - 1 ? x + 1 : x;
	float own_power = 0;

	if (is_inside) {
		heat[y][x] = from[row * columns + column];
		own_power = power[row * columns + column];
	}
	__syncthreads();
	for (int step = 1; step <= steps; step++) {
		bool is_right = is_inside && x >= step && x < HOTSPOT_TILE - step && y >= step &&
				y < HOTSPOT_TILE - step;

		if (is_right)
			next[y][x] = hotspot_next(&weights, heat[y][x], own_power, heat[north][x], heat[south][x],
						  heat[y][east], heat[y][west]);
		__syncthreads();
		if (is_right)
			heat[y][x] = next[y][x];
		__syncthreads();
	}
	if (is_inside && x >= steps && x < HOTSPOT_TILE - steps && y >= steps && y < HOTSPOT_TILE - steps)
		to[row * columns + column] = heat[y][x];
}
