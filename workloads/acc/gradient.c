/* gradient.c - gradient of a field. */
#include "acc/grid.h"

static void sweep(const struct acc_grid *g, float *const *a, bool on_device)
{
	const int nx = g->nx, ny = g->ny, nz = g->nz, row = g->row, plane = g->plane, count = g->count;
	const float *restrict in = a[0];
	float *restrict x = a[1], *restrict y = a[2], *restrict z = a[3];

#pragma acc parallel loop collapse(3) gang vector num_gangs(g->gangs) vector_length(256) \
    present(in[0:count], x[0:count], y[0:count], z[0:count]) if (on_device)
#pragma omp parallel for collapse(2) if (on_device)
	for (int k = ACC_HALO; k < nz - ACC_HALO; k++) {
		for (int j = ACC_HALO; j < ny - ACC_HALO; j++) {
			for (int i = ACC_HALO; i < nx - ACC_HALO; i++) {
				const int at = k * plane + j * row + i;

				x[at] = 0.5f * (in[at + 1] - in[at - 1]);
				y[at] = 0.25f * (in[at + row] - in[at - row]);
				z[at] = 0.125f * (in[at + plane] - in[at - plane]);
			}
		}
	}
}

int main(int argc, char **argv)
{
	static const struct acc_program program = {
	    {ACC_NAME("gradient"), "Gradient of a field.", "64 x 16 x 16 points", "256 x 128 x 1,024 points"},
	    3, 4, sweep, NULL};

	return acc_main(&program, argc, argv);
}
