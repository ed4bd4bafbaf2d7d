#include <strata/kernel.h>

/* One Jacobi sweep of the 7-point stencil, one inner point per thread; the grid's faces keep their values. The weights
 * are parameters, as Parboil's are. */
extern "C" __global__ void stencil_sweep(float side, float centre, const float *from, float *to, unsigned int nx,
					 unsigned int ny, unsigned int nz)
{
	unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
	unsigned int z = blockIdx.z + 1;
	unsigned int plane = nx * ny;
	unsigned int i = z * plane + y * nx + x;

	if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z < nz - 1) {
		float sides = from[i - 1] + from[i + 1];

		sides += from[i - nx];
		sides += from[i + nx];
		sides += from[i - plane];
		sides += from[i + plane];
		to[i] = fmaf(side, sides, centre * from[i]);
	}
}
