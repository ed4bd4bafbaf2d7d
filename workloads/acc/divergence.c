/* divergence.c - divergence of a field of vectors. */
#include "acc/grid.h"

static void sweep(const struct acc_grid *g, float *const *a, bool on_device)
{
	const int nx = g->nx, ny = g->ny, nz = g->nz, row = g->row, plane = g->plane, count = g->count;
	const float *restrict x = a[0], *restrict y = a[1], *restrict z = a[2];
	float *restrict out = a[3];

#pragma acc parallel loop collapse(3) gang vector num_gangs(g->gangs) vector_length(256) \
    present(x[0:count], y[0:count], z[0:count], out[0:count]) if (on_device)
#pragma omp parallel for collapse(2) if (on_device)
	for (int k = ACC_HALO; k < nz - ACC_HALO; k++) {
		for (int j = ACC_HALO; j < ny - ACC_HALO; j++) {
			for (int i = ACC_HALO; i < nx - ACC_HALO; i++) {
				const int at = k * plane + j * row + i;

				out[at] = 0.5f * (x[at + 1] - x[at - 1]) + 0.25f * (y[at + row] - y[at - row]) +
					  0.125f * (z[at + plane] - z[at - plane]);
			}
		}
	}
}

int main(int argc, char **argv)
{
	static const struct acc_program program = {
	    {ACC_NAME("divergence"), "Divergence of a field of vectors.",
	     "64 x 16 x 16 points", "256 x 128 x 1,024 points"},
	    3, 4, sweep, NULL};

	return acc_main(&program, argc, argv);
}
