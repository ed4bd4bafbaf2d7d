/* matvec.c - a matrix times a vector, a row of the matrix for each thread. */
#include "acc/grid.h"

static void sweep(const struct acc_grid *g, float *const *a, bool on_device)
{
	const int nx = g->nx, ny = g->ny, row = g->row, count = g->count;
	const float *restrict matrix = a[0], *restrict vector = a[1];
	float *restrict out = a[2];

#pragma acc parallel loop gang vector num_gangs(g->gangs) vector_length(256) \
    present(matrix[0:count], vector[0:count], out[0:count]) if (on_device)
#pragma omp parallel for if (on_device)
	for (int j = 0; j < ny; j++) {
		float sum = 0;

		for (int i = 0; i < nx; i++)
			sum += matrix[j * row + i] * vector[i];
		out[j] = sum;
	}
}

/* Four rows for each thread: an element of the vector, once it is loaded, serves all four. */
static void reuse(const struct acc_grid *g, float *const *a, bool on_device)
{
	enum { ROWS = 4 };
	const int nx = g->nx, ny = g->ny, row = g->row, count = g->count, threads = (ny + ROWS - 1) / ROWS;
	const float *restrict matrix = a[0], *restrict vector = a[1];
	float *restrict out = a[2];

#pragma acc parallel loop gang vector num_gangs((threads + 255) / 256) vector_length(256) \
    present(matrix[0:count], vector[0:count], out[0:count]) if (on_device)
#pragma omp parallel for if (on_device)
	for (int j = 0; j < threads; j++) {
		float sum[ROWS] = {0};
		int rows[ROWS];

#pragma GCC unroll 4
		for (int r = 0; r < ROWS; r++) /* the last one again where they are no multiple */
			rows[r] = j + r * threads < ny ? j + r * threads : ny - 1;
		for (int i = 0; i < nx; i++) {
			const float x = vector[i];

#pragma GCC unroll 4
			for (int r = 0; r < ROWS; r++)
				sum[r] += matrix[rows[r] * row + i] * x;
		}
#pragma GCC unroll 4
		for (int r = 0; r < ROWS; r++)
			out[rows[r]] = sum[r];
	}
}

int main(int argc, char **argv)
{
	static const struct acc_program program = {
	    {ACC_NAME("matvec"), "A matrix times a vector.",
	     "64 columns, 64 rows", "256 columns, 1,024 rows"}, 2, 3, sweep, reuse};

	return acc_main(&program, argc, argv);
}
