/* uxx1.c - a velocity's update from stresses and density. */
#include "acc/grid.h"

static void sweep(const struct acc_grid *g, float *const *a, bool on_device)
{
	const int nx = g->nx, ny = g->ny, nz = g->nz, row = g->row, plane = g->plane, count = g->count;
	const float *restrict density = a[1], *restrict xx = a[2], *restrict xy = a[3], *restrict xz = a[4];
	float *restrict u = a[0];

#pragma acc parallel loop collapse(3) gang vector num_gangs(g->gangs) vector_length(256) \
    present(density[0:count], xx[0:count], xy[0:count], xz[0:count], u[0:count]) if (on_device)
#pragma omp parallel for collapse(2) if (on_device)
	for (int k = ACC_HALO; k < nz - ACC_HALO; k++) {
		for (int j = ACC_HALO; j < ny - ACC_HALO; j++) {
			for (int i = ACC_HALO; i < nx - ACC_HALO; i++) {
				const int at = k * plane + j * row + i;

				const float d = 0.25f * (density[at] + density[at - row] + density[at - plane] +
							 density[at - plane - row]);

				u[at] += 0.01f / d * (1.125f * (xx[at] - xx[at - 1] + xy[at] - xy[at - row] + xz[at] -
							       xz[at - plane]) -
						      0.0416667f * (xx[at + 1] - xx[at - 2] + xy[at + row] -
								    xy[at - 2 * row] + xz[at + plane] -
								    xz[at - 2 * plane]));
			}
		}
	}
}

int main(int argc, char **argv)
{
	static const struct acc_program program = {
	    {ACC_NAME("uxx1"), "Update of a velocity in an elastic wave.",
	     "64 x 16 x 16 points", "256 x 128 x 1,024 points"},
	    3, 5, sweep, NULL};

	return acc_main(&program, argc, argv);
}
