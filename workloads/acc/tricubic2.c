/* tricubic2.c - tricubic interpolation between 64 points: a direction after the other. */
#include "acc/grid.h"

/* Of Lagrange's four polynomials, at x between the second and the third point. */
#pragma acc routine seq
static float weight(int n, float x)
{
	return n == 0	? -0.16666667f * x * (x - 1) * (x - 2)
	       : n == 1 ? 0.5f * (x + 1) * (x - 1) * (x - 2)
	       : n == 2 ? -0.5f * (x + 1) * x * (x - 2)
			: 0.16666667f * (x + 1) * x * (x - 1);
}

/* At (x, y, z) from a point, each between 0 and 1. */
#pragma acc routine seq
static float between(const float *p, int row, int plane, float x, float y, float z)
{
	float in_plane, in_row, sum = 0;

	for (int k = 0; k < 4; k++) {
		in_plane = 0;
		for (int j = 0; j < 4; j++) {
			in_row = 0;
			for (int i = 0; i < 4; i++)
				in_row += weight(i, x) * p[(k - 1) * plane + (j - 1) * row + i - 1];
			in_plane += weight(j, y) * in_row;
		}
		sum += weight(k, z) * in_plane;
	}
	return sum;
}

static void sweep(const struct acc_grid *g, float *const *a, bool on_device)
{
	const int nx = g->nx, ny = g->ny, nz = g->nz, row = g->row, plane = g->plane, count = g->count;
	const float *restrict in = a[0], *restrict x = a[1], *restrict y = a[2], *restrict z = a[3];
	float *restrict out = a[4];

#pragma acc parallel loop collapse(3) gang vector num_gangs(g->gangs) vector_length(256) \
    present(in[0:count], x[0:count], y[0:count], z[0:count], out[0:count]) if (on_device)
#pragma omp parallel for collapse(2) if (on_device)
	for (int k = ACC_HALO; k < nz - ACC_HALO; k++) {
		for (int j = ACC_HALO; j < ny - ACC_HALO; j++) {
			for (int i = ACC_HALO; i < nx - ACC_HALO; i++) {
				const int at = k * plane + j * row + i;

				out[at] = between(&in[at], row, plane, x[at] - 0.5f, y[at] - 0.5f, z[at] - 0.5f);
			}
		}
	}
}

int main(int argc, char **argv)
{
	static const struct acc_program program = {
	    {ACC_NAME("tricubic2"), "Tricubic interpolation.", "64 x 16 x 16 points", "256 x 128 x 1,024 points"},
	    3, 5, sweep, NULL};

	return acc_main(&program, argc, argv);
}
