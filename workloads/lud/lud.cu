#include <strata/kernel.h>

#include "lud.h"

/* The block on the diagonal: in place, a thread per row below the pivot, then per column right of it. */
extern "C" __global__ void lud_diagonal(float *matrix, unsigned int size, unsigned int offset)
{
	__shared__ float block[LUD_SIDE][LUD_SIDE];
	unsigned int thread = threadIdx.x;
	unsigned int corner = offset * size + offset;

	for (unsigned int i = 0; i < LUD_SIDE; i++)
		block[i][thread] = matrix[corner + i * size + thread];
	__syncthreads();
	for (unsigned int pivot = 0; pivot < LUD_SIDE - 1; pivot++) {
		if (thread > pivot) {
			for (unsigned int k = 0; k < pivot; k++)
				block[thread][pivot] -= block[thread][k] * block[k][pivot];
			block[thread][pivot] /= block[pivot][pivot];
		}
		__syncthreads();
		if (thread > pivot) {
			for (unsigned int k = 0; k < pivot + 1; k++)
				block[pivot + 1][thread] -= block[pivot + 1][k] * block[k][thread];
		}
		__syncthreads();
	}
	for (unsigned int i = 1; i < LUD_SIDE; i++)
		matrix[corner + i * size + thread] = block[i][thread];
}

/* The blocks right of the diagonal's and below it, one of each a CTA: half of its threads take a column of the former,
 * the others a row of the latter. */
extern "C" __global__ void lud_perimeter(float *matrix, unsigned int size, unsigned int offset)
{
	__shared__ float diagonal[LUD_SIDE][LUD_SIDE];
	__shared__ float row_block[LUD_SIDE][LUD_SIDE];
	__shared__ float column_block[LUD_SIDE][LUD_SIDE];
	unsigned int thread = threadIdx.x % LUD_SIDE;
	bool is_row = threadIdx.x < LUD_SIDE;
	unsigned int next = offset + (blockIdx.x + 1) * LUD_SIDE;

	for (unsigned int i = is_row ? 0 : 1; i < LUD_SIDE; i += 2)
		diagonal[i][thread] = matrix[(offset + i) * size + offset + thread];
	for (unsigned int i = 0; i < LUD_SIDE; i++) {
		if (is_row)
			row_block[i][thread] = matrix[(offset + i) * size + next + thread];
		else
			column_block[i][thread] = matrix[(next + i) * size + offset + thread];
	}
	__syncthreads();
	if (is_row) {
		for (unsigned int i = 1; i < LUD_SIDE; i++) {
			for (unsigned int k = 0; k < i; k++)
				row_block[i][thread] -= diagonal[i][k] * row_block[k][thread];
		}
	} else {
		for (unsigned int i = 0; i < LUD_SIDE; i++) {
			for (unsigned int k = 0; k < i; k++)
				column_block[thread][i] -= column_block[thread][k] * diagonal[k][i];
			column_block[thread][i] /= diagonal[i][i];
		}
	}
	__syncthreads();
	for (unsigned int i = 0; i < LUD_SIDE; i++) {
		if (is_row)
			matrix[(offset + i) * size + next + thread] = row_block[i][thread];
		else
			matrix[(next + i) * size + offset + thread] = column_block[i][thread];
	}
}

/* What is left: a thread per element, less the product of its row's block and its column's. */
extern "C" __global__ void lud_internal(float *matrix, unsigned int size, unsigned int offset)
{
	__shared__ float above[LUD_SIDE][LUD_SIDE];
	__shared__ float left[LUD_SIDE][LUD_SIDE];
	unsigned int row = offset + (blockIdx.y + 1) * LUD_SIDE + threadIdx.y;
	unsigned int column = offset + (blockIdx.x + 1) * LUD_SIDE + threadIdx.x;
	float sum = 0;

	above[threadIdx.y][threadIdx.x] = matrix[(offset + threadIdx.y) * size + column];
	left[threadIdx.y][threadIdx.x] = matrix[row * size + offset + threadIdx.x];
	__syncthreads();
	for (unsigned int k = 0; k < LUD_SIDE; k++)
		sum += left[threadIdx.y][k] * above[k][threadIdx.x];
	matrix[row * size + column] -= sum;
}
