/* vecadd.c - sum of two arrays. */
#include "acc/grid.h"

static void sweep(const struct acc_grid *g, float *const *a, bool on_device)
{
	const int nx = g->nx, ny = g->ny, nz = g->nz, row = g->row, plane = g->plane, count = g->count;
	const float *restrict x = a[0], *restrict y = a[1];
	float *restrict out = a[2];

#pragma acc parallel loop collapse(3) gang vector num_gangs(g->gangs) vector_length(256) \
    present(x[0:count], y[0:count], out[0:count]) if (on_device)
#pragma omp parallel for collapse(2) if (on_device)
	for (int k = ACC_HALO; k < nz - ACC_HALO; k++) {
		for (int j = ACC_HALO; j < ny - ACC_HALO; j++) {
			for (int i = ACC_HALO; i < nx - ACC_HALO; i++) {
				const int at = k * plane + j * row + i;

				out[at] = x[at] + y[at];
			}
		}
	}
}

int main(int argc, char **argv)
{
	static const struct acc_program program = {
	    {ACC_NAME("vecadd"), "The sum of two arrays.", "64 x 16 x 16 points", "256 x 128 x 1,024 points"},
	    3, 3, sweep, NULL};

	return acc_main(&program, argc, argv);
}
