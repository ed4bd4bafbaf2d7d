#include <strata/kernel.h>

#include "backprop.h"

/*
 * Layout of a weight matrix: row 0 belongs to the bias unit, row i to input unit i; column 0 is not used, column j
 * belongs to hidden unit j.  A CTA of BACKPROP_HIDDEN x BACKPROP_ROWS threads handles BACKPROP_ROWS input units.
 */
static __device__ __forceinline__ unsigned int weight_index(unsigned int row, unsigned int column)
{
	return (BACKPROP_HIDDEN + 1) * (row + 1) + column + 1;
}

/*
 * Each CTA's part of the sums that arrive at the hidden units: partial[CTA][hidden unit].  What is left of the products
 * overwrites the weights, as in Rodinia, whose host then sends the weights again.
 */
extern "C" __global__ void layer_forward(const float *input, float *weights, float *partial)
{
	__shared__ float node[BACKPROP_ROWS];
	__shared__ float product[BACKPROP_ROWS][BACKPROP_HIDDEN];
	unsigned int tx = threadIdx.x;
	unsigned int ty = threadIdx.y;
	unsigned int row = blockIdx.x * BACKPROP_ROWS + ty;

	if (tx == 0)
		node[ty] = input[row + 1];
	__syncthreads();
	product[ty][tx] = weights[weight_index(row, tx)] * node[ty];
	for (unsigned int span = 2; span <= BACKPROP_ROWS; span *= 2) {
		__syncthreads();
		if (ty % span == 0)
			product[ty][tx] += product[ty + span / 2][tx];
	}
	__syncthreads();
	weights[weight_index(row, tx)] = product[ty][tx];
	if (tx == 0)
		partial[blockIdx.x * BACKPROP_HIDDEN + ty] = product[0][ty];
}

/*
 * Move the weights along the gradient, with momentum; the first CTA also moves the bias unit's.  The step is computed
 * in double precision, and once more for its record: the arrays may overlap for all that the compiler knows, so that
 * their elements are loaded again, as those of Rodinia's program are.
 */
extern "C" __global__ void adjust_weights(const float *delta, const float *input, float *weights, float *old_change)
{
	unsigned int tx = threadIdx.x;
	unsigned int row = blockIdx.x * BACKPROP_ROWS + threadIdx.y;
	unsigned int index = weight_index(row, tx);
	float weight = weights[index];

	weights[index] = weight + (BACKPROP_RATE * delta[tx + 1] * input[row + 1] + BACKPROP_MOMENTUM * old_change[index]);
	old_change[index] = BACKPROP_RATE * delta[tx + 1] * input[row + 1] + BACKPROP_MOMENTUM * old_change[index];
	__syncthreads();
	if (row == 0) {
		weight = weights[tx + 1];
		weights[tx + 1] = weight + (BACKPROP_RATE * delta[tx + 1] + BACKPROP_MOMENTUM * old_change[tx + 1]);
		old_change[tx + 1] = BACKPROP_RATE * delta[tx + 1] + BACKPROP_MOMENTUM * old_change[tx + 1];
	}
}
