#include <strata/kernel.h>

/* One Jacobi sweep of the 7-point stencil, one inner point per thread and one row per CTA, whose first thread is at a
 * face; the grid's faces keep their values. The weights are parameters. All as in Parboil's version without tiles. */
extern "C" __global__ void stencil_sweep(float side, float centre, const float *from, float *to, unsigned int nx,
					 unsigned int ny)
{
	unsigned int x = threadIdx.x;
	unsigned int y = blockIdx.x + 1;
	unsigned int z = blockIdx.y + 1;
	unsigned int plane = nx * ny;
	unsigned int i = z * plane + y * nx + x;

	if (x > 0) {
		float sides = from[i + plane] + from[i - plane];

		sides += from[i + nx];
		sides += from[i - nx];
		sides += from[i + 1];
		sides += from[i - 1];
		to[i] = fmaf(side, sides, centre * from[i]);
	}
}
