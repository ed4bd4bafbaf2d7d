/* gaussblur.c - a blur over 5 x 5 points. */
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

			const float cross = in[at - 1] + in[at + 1] + in[at - row] + in[at + row];
			const float corners = in[at - row - 1] + in[at - row + 1] + in[at + row - 1] + in[at + row + 1];
			const float far = in[at - 2] + in[at + 2] + in[at - 2 * row] + in[at + 2 * row];
			const float knights = in[at - 2 * row - 1] + in[at - 2 * row + 1] + in[at + 2 * row - 1] +
					      in[at + 2 * row + 1] + in[at - row - 2] + in[at - row + 2] +
					      in[at + row - 2] + in[at + row + 2];
			const float ends = in[at - 2 * row - 2] + in[at - 2 * row + 2] + in[at + 2 * row - 2] +
					   in[at + 2 * row + 2];

			out[at] = (41 * in[at] + 26 * cross + 16 * corners + 7 * far + 4 * knights + ends) / 273;
		}
	}
}

int main(int argc, char **argv)
{
	static const struct acc_program program = {
	    {ACC_NAME("gaussblur"), "A Gaussian blur.", "64 x 64 points", "256 x 1,024 points"},
	    2, 2, sweep, NULL};

	return acc_main(&program, argc, argv);
}
