/* wave13pt.c - a step of the wave equation, fourth order in space. */
#include "acc/grid.h"

static void sweep(const struct acc_grid *g, float *const *a, bool on_device)
{
	const int nx = g->nx, ny = g->ny, nz = g->nz, row = g->row, plane = g->plane, count = g->count;
	/* The field before is overwritten by the field after. */
	const float *restrict now = a[g->step % 2], *restrict speed = a[2];
	float *restrict next = a[1 - g->step % 2];

#pragma acc parallel loop collapse(3) gang vector num_gangs(g->gangs) vector_length(256) \
    present(now[0:count], speed[0:count], next[0:count]) if (on_device)
#pragma omp parallel for collapse(2) if (on_device)
	for (int k = ACC_HALO; k < nz - ACC_HALO; k++) {
		for (int j = ACC_HALO; j < ny - ACC_HALO; j++) {
			for (int i = ACC_HALO; i < nx - ACC_HALO; i++) {
				const int at = k * plane + j * row + i;

				const float near = now[at - 1] + now[at + 1] + now[at - row] + now[at + row] +
						   now[at - plane] + now[at + plane];
				const float far = now[at - 2] + now[at + 2] + now[at - 2 * row] + now[at + 2 * row] +
						  now[at - 2 * plane] + now[at + 2 * plane];

				const float curve = 1.3333333f * near - 0.083333333f * far - 7.5f * now[at];

				next[at] = 2 * now[at] - next[at] + 0.01f * speed[at] * curve;
			}
		}
	}
}

int main(int argc, char **argv)
{
	static const struct acc_program program = {
	    {ACC_NAME("wave13pt"), "A wave in space, thirteen points.",
	     "64 x 16 x 16 points", "256 x 128 x 1,024 points"},
	    3, 3, sweep, NULL};

	return acc_main(&program, argc, argv);
}
