#include <strata/kernel.h>

#include "hotspot3d.h"

/* One step, a column of cells per thread: what is below and here is kept while it goes up. */
extern "C" __global__ void hotspot3d_step(struct hotspot3d_weights weights, const float *power, const float *from,
					  float *to, int nx, int ny, int nz)
{
	int x = (int)(blockIdx.x * HOTSPOT3D_X + threadIdx.x);
	int y = (int)(blockIdx.y * HOTSPOT3D_Y + threadIdx.y);
	int plane = nx * ny;
	int i = y * nx + x;
	int west = x > 0 ? -1 : 0, east = x < nx - 1 ? 1 : 0;
	int north = y > 0 ? -nx : 0, south = y < ny - 1 ? nx : 0;
	float here = from[i], below = here;

	for (int z = 0; z < nz; z++) {
		float above = z < nz - 1 ? from[i + plane] : here;
		float sum = weights.own * here;

		sum += weights.east_west * from[i + west] + weights.east_west * from[i + east];
		sum += weights.north_south * from[i + south] + weights.north_south * from[i + north];
		sum += weights.top_bottom * below + weights.top_bottom * above;
		to[i] = sum + weights.power * power[i] + weights.ambient;
		below = here;
		here = above;
		i += plane;
	}
}
