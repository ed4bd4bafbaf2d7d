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

/* Each CTA's part of the sums that arrive at the hidden units: partial[CTA][hidden unit]. */
extern "C" __global__ void layer_forward(const float *input, const float *weights, float *partial)
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
	if (ty == 0)
		partial[blockIdx.x * BACKPROP_HIDDEN + tx] = product[0][tx];
}

/* Move the weights along the gradient, with momentum; the first CTA also moves the bias unit's. */
extern "C" __global__ void adjust_weights(const float *delta, const float *input, float *weights, float *old_change,
					  float rate, float momentum)
{
	unsigned int tx = threadIdx.x;
	unsigned int row = blockIdx.x * BACKPROP_ROWS + threadIdx.y;
	unsigned int index = weight_index(row, tx);
	float change = fmaf(rate * delta[tx + 1], input[row + 1], momentum * old_change[index]);

	weights[index] += change;
	old_change[index] = change;
	__syncthreads();
	if (row == 0) {
		change = fmaf(rate * delta[tx + 1], input[0], momentum * old_change[tx + 1]);
		weights[tx + 1] += change;
		old_change[tx + 1] = change;
	}
}
