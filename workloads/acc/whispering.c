/* whispering.c - light in a whispering gallery: a magnetic field from two electric ones, and these from it. */
#include "acc/grid.h"

static void magnetic(const struct acc_grid *g, float *restrict hz, const float *restrict ex, const float *restrict ey,
		     bool on_device)
{
	const int nx = g->nx, ny = g->ny, row = g->row, count = g->count;

#pragma acc parallel loop collapse(2) gang vector num_gangs(g->gangs) vector_length(256) \
    present(hz[0:count], ex[0:count], ey[0:count]) if (on_device)
#pragma omp parallel for if (on_device)
	for (int j = ACC_HALO; j < ny - ACC_HALO; j++) {
		for (int i = ACC_HALO; i < nx - ACC_HALO; i++) {
			const int at = j * row + i;

			hz[at] += 0.4f * (ex[at + row] - ex[at] - ey[at + 1] + ey[at]);
		}
	}
}

static void electric(const struct acc_grid *g, const float *restrict hz, float *restrict ex, float *restrict ey,
		     const float *restrict index, bool on_device)
{
	const int nx = g->nx, ny = g->ny, row = g->row, count = g->count;

#pragma acc parallel loop collapse(2) gang vector num_gangs(g->gangs) vector_length(256) \
    present(hz[0:count], ex[0:count], ey[0:count], index[0:count]) if (on_device)
#pragma omp parallel for if (on_device)
	for (int j = ACC_HALO; j < ny - ACC_HALO; j++) {
		for (int i = ACC_HALO; i < nx - ACC_HALO; i++) {
			const int at = j * row + i;

			ex[at] += 0.4f * index[at] * (hz[at] - hz[at - row]);
			ey[at] -= 0.4f * index[at] * (hz[at] - hz[at - 1]);
		}
	}
}

static void sweep(const struct acc_grid *g, float *const *a, bool on_device)
{
	magnetic(g, a[0], a[1], a[2], on_device);
	electric(g, a[0], a[1], a[2], a[3], on_device);
}

int main(int argc, char **argv)
{
	static const struct acc_program program = {
	    {ACC_NAME("whispering"), "Light in a whispering gallery.", "64 x 64 points", "256 x 1,024 points"},
	    2, 4, sweep, NULL};

	return acc_main(&program, argc, argv);
}
