#include <strata/kernel.h>

/* Both products add up in memory, as Polybench's do: the result may overlap what is read, for all that the compiler
 * knows, so that every step stores its sum. */

/* s = A^T r: one column per thread; neighbouring threads read neighbouring words of each row. */
extern "C" __global__ void bicg_transposed(const float *a, const float *r, float *s, unsigned int rows_count,
					   unsigned int columns_count)
{
	unsigned int column = blockIdx.x * blockDim.x + threadIdx.x;

	if (column >= columns_count)
		return;
	s[column] = 0.0f;
#pragma unroll 1
	for (unsigned int row = 0; row < rows_count; row++)
		s[column] = fmaf(a[row * columns_count + column], r[row], s[column]);
}

/* q = A p: one row per thread; every thread of a warp reads its own line. */
extern "C" __global__ void bicg_direct(const float *a, const float *p, float *q, unsigned int rows_count,
				       unsigned int columns_count)
{
	unsigned int row = blockIdx.x * blockDim.x + threadIdx.x;

	if (row >= rows_count)
		return;
	q[row] = 0.0f;
#pragma unroll 1
	for (unsigned int column = 0; column < columns_count; column++)
		q[row] = fmaf(a[row * columns_count + column], p[column], q[row]);
}
