#include <strata/kernel.h>

#include "minife.h"

/* y = A x with one row per thread. The entries of a row lie rows_count apart, so that neighbouring threads read
 * neighbouring words; a row with fewer entries than slots is filled up with zeros in its own column. */
extern "C" __global__ void minife_matvec(const double *entries, const unsigned int *columns, const double *x, double *y,
					 unsigned int rows_count)
{
	unsigned int row = blockIdx.x * blockDim.x + threadIdx.x;
	double sum = 0.0;

	if (row >= rows_count)
		return;
#pragma unroll 1
	for (unsigned int slot = 0; slot < MINIFE_SLOTS; slot++) {
		unsigned int i = slot * rows_count + row;
		unsigned int column = columns[i];

		sum += entries[i] * x[column];
	}
	y[row] = sum;
}

/* w = alpha x + beta y */
extern "C" __global__ void minife_waxpby(double alpha, const double *x, double beta, const double *y, double *w,
					 unsigned int count)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		w[i] = alpha * x[i] + beta * y[i];
}

/* One partial sum of x.y per CTA: each thread its share in rounds over the grid, then a tree in shared memory. */
extern "C" __global__ void minife_dot(const double *x, const double *y, double *partial, unsigned int count)
{
	__shared__ double sums[MINIFE_DOT_THREADS];
	unsigned int lane = threadIdx.x;
	double sum = 0.0;

#pragma unroll 1
	for (unsigned int i = blockIdx.x * MINIFE_DOT_THREADS + lane; i < count; i += gridDim.x * MINIFE_DOT_THREADS)
		sum += x[i] * y[i];
	sums[lane] = sum;
#pragma unroll 1
	for (unsigned int half = MINIFE_DOT_THREADS / 2; half; half /= 2) {
		__syncthreads();
		if (lane < half)
			sums[lane] += sums[lane + half];
	}
	if (!lane)
		partial[blockIdx.x] = sums[0];
}
