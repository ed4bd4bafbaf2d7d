#include <strata/kernel.h>

/*
 * One column of Gaussian elimination takes two kernels.  First: by how much the pivot row is to be subtracted from each
 * row below it.
 */
extern "C" __global__ void gaussian_multipliers(float *multipliers, const float *matrix, unsigned int size,
						unsigned int column)
{
	unsigned int row = blockIdx.x * blockDim.x + threadIdx.x + column + 1;

	if (row < size)
		multipliers[row * size + column] = matrix[row * size + column] / matrix[column * size + column];
}

/*
 * Second: subtract it, from the right-hand side as well.  As in Rodinia, neighbouring threads have neighbouring rows,
 * so that a warp's access touches a line per row.
 */
extern "C" __global__ void gaussian_eliminate(const float *multipliers, float *matrix, float *right_side,
					      unsigned int size, unsigned int column)
{
	unsigned int row = blockIdx.x * blockDim.x + threadIdx.x + column + 1;
	unsigned int j = blockIdx.y * blockDim.y + threadIdx.y + column;
	float multiplier;

	if (row >= size || j >= size)
		return;
	multiplier = multipliers[row * size + column];
	matrix[row * size + j] -= multiplier * matrix[column * size + j];
	if (j == column)
		right_side[row] -= multiplier * right_side[column];
}
