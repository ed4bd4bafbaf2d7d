/* lapgsrb.c - Gauss-Seidel by colours: half of the points in each step. */
#include "acc/grid.h"

static void sweep(const struct acc_grid *g, float *const *a, bool on_device)
{
	const int nx = g->nx, ny = g->ny, nz = g->nz, row = g->row, plane = g->plane, count = g->count;
	float *restrict u = a[0];
	const int colour = (int)(g->step % 2);

#pragma acc parallel loop collapse(3) gang vector num_gangs(g->gangs) vector_length(256) \
    present(u[0:count]) if (on_device)
#pragma omp parallel for collapse(2) if (on_device)
	for (int k = ACC_HALO; k < nz - ACC_HALO; k++) {
		for (int j = ACC_HALO; j < ny - ACC_HALO; j++) {
			for (int i = ACC_HALO; i < nx - ACC_HALO; i++) {
				const int at = k * plane + j * row + i;

				if ((i + j + k) % 2 == colour)
					u[at] = 0.16f * (u[at - 1] + u[at + 1] + u[at - row] + u[at + row] +
							 u[at - plane] + u[at + plane]);
			}
		}
	}
}

int main(int argc, char **argv)
{
	static const struct acc_program program = {
	    {ACC_NAME("lapgsrb"), "Gauss-Seidel sweeps, red and black.",
	     "64 x 16 x 16 points", "256 x 128 x 1,024 points"},
	    3, 1, sweep, NULL};

	return acc_main(&program, argc, argv);
}
