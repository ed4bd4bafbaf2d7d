#include <strata/kernel.h>

/* s = A^T r: one column per thread; neighbouring threads read neighbouring words of each row. */
extern "C" __global__ void bicg_transposed(const float *a, const float *r, float *s, unsigned int rows_count,
					   unsigned int columns_count)
{
	unsigned int column = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0.0f;

	if (column >= columns_count)
		return;
#pragma unroll 1
	for (unsigned int row = 0; row < rows_count; row++)
		sum = fmaf(a[row * columns_count + column], r[row], sum);
	s[column] = sum;
}

/* q = A p: one row per thread; every thread of a warp reads its own line. */
extern "C" __global__ void bicg_direct(const float *a, const float *p, float *q, unsigned int rows_count,
				       unsigned int columns_count)
{
	unsigned int row = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0.0f;

	if (row >= rows_count)
		return;
#pragma unroll 1
	for (unsigned int column = 0; column < columns_count; column++)
		sum = fmaf(a[row * columns_count + column], p[column], sum);
	q[row] = sum;
}
