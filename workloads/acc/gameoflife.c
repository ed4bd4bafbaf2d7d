/* gameoflife.c - a generation of Conway's game; a cell lives where its number is one or more. */
#include "acc/grid.h"

static void sweep(const struct acc_grid *g, float *const *a, bool on_device)
{
	const int nx = g->nx, ny = g->ny, row = g->row, count = g->count;
	/* One step forth, one back: what is written is read in the next. */
	const float *restrict in = a[g->step % 2];
	float *restrict out = a[1 - g->step % 2];

#pragma acc parallel loop collapse(2) gang vector num_gangs(g->gangs) vector_length(256) \
    present(in[0:count], out[0:count]) if (on_device)
#pragma omp parallel for if (on_device)
	for (int j = ACC_HALO; j < ny - ACC_HALO; j++) {
		for (int i = ACC_HALO; i < nx - ACC_HALO; i++) {
			const int at = j * row + i;

			const int neighbours = (in[at - row - 1] >= 1) + (in[at - row] >= 1) + (in[at - row + 1] >= 1) +
					       (in[at - 1] >= 1) + (in[at + 1] >= 1) + (in[at + row - 1] >= 1) +
					       (in[at + row] >= 1) + (in[at + row + 1] >= 1);

			out[at] = neighbours == 3 || (neighbours == 2 && in[at] >= 1) ? 1 : 0;
		}
	}
}

int main(int argc, char **argv)
{
	static const struct acc_program program = {
	    {ACC_NAME("gameoflife"), "The game of life.", "64 x 64 points", "256 x 1,024 points"},
	    2, 2, sweep, NULL};

	return acc_main(&program, argc, argv);
}
