/* laplacian.c - weighted sum of a point and its six neighbours. */
#include "acc/grid.h"

static void sweep(const struct acc_grid *g, float *const *a, bool on_device)
{
	const int nx = g->nx, ny = g->ny, nz = g->nz, row = g->row, plane = g->plane, count = g->count;
	/* One step forth, one back: what is written is read in the next. */
	const float *restrict in = a[g->step % 2];
	float *restrict out = a[1 - g->step % 2];

#pragma acc parallel loop collapse(3) gang vector num_gangs(g->gangs) vector_length(256) \
    present(in[0:count], out[0:count]) if (on_device)
#pragma omp parallel for collapse(2) if (on_device)
	for (int k = ACC_HALO; k < nz - ACC_HALO; k++) {
		for (int j = ACC_HALO; j < ny - ACC_HALO; j++) {
			for (int i = ACC_HALO; i < nx - ACC_HALO; i++) {
				const int at = k * plane + j * row + i;

				const float near = in[at - 1] + in[at + 1] + in[at - row] + in[at + row] +
						   in[at - plane] + in[at + plane];

				out[at] = 0.4f * in[at] + 0.1f * near;
			}
		}
	}
}

int main(int argc, char **argv)
{
	static const struct acc_program program = {
	    {ACC_NAME("laplacian"), "A Laplacian of seven points.", "64 x 16 x 16 points", "256 x 128 x 1,024 points"},
	    3, 2, sweep, NULL};

	return acc_main(&program, argc, argv);
}
