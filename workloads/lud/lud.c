/*
 * A dense matrix into a lower and an upper triangle, block by block: three kernels a block, of which the first has 32
 * threads.  Compared bit for bit with the same steps on the host; the product must be the matrix.
 */
#include "common/workload.h"
#include "lud.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char lud_ptx[] =
#include WORKLOAD_PTX
    ;

static float *matrix_make(size_t size, uint64_t seed)
{
	float *matrix = workload_host_alloc(size * size, sizeof(float));

	for (size_t i = 0; i < size * size; i++)
		matrix[i] = workload_random_float(seed, 0, i) + (i / size == i % size ? (float)size : 0);
	return matrix;
}

static void blocks_run(float *values, unsigned int size)
{
	struct workload_gpu gpu = workload_gpu_open(lud_ptx);
	CUfunction diagonal = workload_gpu_kernel(&gpu, "lud_diagonal");
	CUfunction perimeter = workload_gpu_kernel(&gpu, "lud_perimeter");
	CUfunction internal = workload_gpu_kernel(&gpu, "lud_internal");
	size_t bytes = (size_t)size * size * sizeof(float);
	CUdeviceptr matrix = workload_device_copy(values, bytes);
	unsigned int offset;
	void *params[] = {&matrix, &size, &offset};

	for (offset = 0; offset < size; offset += LUD_SIDE) {
		unsigned int rest = size / LUD_SIDE - offset / LUD_SIDE - 1;

		workload_launch(diagonal, (struct workload_dim){1, 1, 1}, (struct workload_dim){LUD_SIDE, 1, 1},
				params);
		if (!rest)
			break;
		workload_launch(perimeter, (struct workload_dim){rest, 1, 1}, (struct workload_dim){2 * LUD_SIDE, 1, 1},
				params);
		workload_launch(internal, (struct workload_dim){rest, rest, 1},
				(struct workload_dim){LUD_SIDE, LUD_SIDE, 1}, params);
	}
	WORKLOAD_CUDA(cuMemcpyDtoH(values, matrix, bytes));
	WORKLOAD_CUDA(cuMemFree(matrix));
	workload_gpu_close(&gpu);
}

/* Columns of a block of rows: what is above the diagonal's block is done. */
static void upper_reference(float *matrix, size_t size, size_t offset, size_t column)
{
	for (size_t i = offset; i < offset + LUD_SIDE; i++) {
		for (size_t k = offset; k < i; k++)
			matrix[i * size + column] -= matrix[i * size + k] * matrix[k * size + column];
	}
}

static void lower_reference(float *matrix, size_t size, size_t offset, size_t row)
{
	for (size_t i = offset; i < offset + LUD_SIDE; i++) {
		for (size_t k = offset; k < i; k++)
			matrix[row * size + i] -= matrix[row * size + k] * matrix[k * size + i];
		matrix[row * size + i] /= matrix[i * size + i];
	}
}

static void diagonal_reference(float *matrix, size_t size, size_t offset)
{
	const size_t end = offset + LUD_SIDE;

	for (size_t pivot = offset; pivot + 1 < end; pivot++) {
		for (size_t row = pivot + 1; row < end; row++) {
			for (size_t k = offset; k < pivot; k++)
				matrix[row * size + pivot] -= matrix[row * size + k] * matrix[k * size + pivot];
			matrix[row * size + pivot] /= matrix[pivot * size + pivot];
		}
		for (size_t column = pivot + 1; column < end; column++) {
			for (size_t k = offset; k <= pivot; k++)
				matrix[(pivot + 1) * size + column] -=
				    matrix[(pivot + 1) * size + k] * matrix[k * size + column];
		}
	}
}

static void lud_reference(float *matrix, size_t size)
{
	for (size_t offset = 0; offset < size; offset += LUD_SIDE) {
		diagonal_reference(matrix, size, offset);
		for (size_t i = offset + LUD_SIDE; i < size; i++) {
			upper_reference(matrix, size, offset, i);
			lower_reference(matrix, size, offset, i);
		}
		for (size_t row = offset + LUD_SIDE; row < size; row++) {
			for (size_t column = offset + LUD_SIDE; column < size; column++) {
				float sum = 0;

				for (size_t k = offset; k < offset + LUD_SIDE; k++)
					sum += matrix[row * size + k] * matrix[k * size + column];
				matrix[row * size + column] -= sum;
			}
		}
	}
}

/* Row by row, the product of the triangles against the matrix: some elements of each. */
static bool product_fits(const float *triangles, const float *matrix, size_t size)
{
	for (size_t row = 0; row < size; row++) {
		for (size_t column = row % 17; column < size; column += 17) {
			double sum = row <= column ? triangles[row * size + column] : 0;

			for (size_t k = 0; k < row && k <= column; k++)
				sum += (double)triangles[row * size + k] * triangles[k * size + column];
			if (fabs(sum - matrix[row * size + column]) > 1e-4 * fmax(1, fabs(sum))) {
				fprintf(stderr, "lud: element (%zu, %zu) of the product is %g, in the matrix %g\n", row,
					column, sum, matrix[row * size + column]);
				return false;
			}
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"lud", "A matrix into a lower and an upper triangle.", "256 x 256",
						    "2,048 x 2,048"};
	static const struct workload_count counts[] = {
	    {"rows", "rows and columns", 256, 2048, LUD_SIDE, 16384, LUD_SIDE, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	unsigned int size = options.counts[0];
	size_t elements_count = (size_t)size * size;
	float *matrix = matrix_make(size, options.seed);
	float *got = workload_host_alloc(elements_count, sizeof(float));
	float *want = workload_host_alloc(elements_count, sizeof(float));
	bool right;

	memcpy(got, matrix, elements_count * sizeof(float));
	memcpy(want, matrix, elements_count * sizeof(float));
	workload_input(matrix, elements_count * sizeof(float));
	blocks_run(got, size);
	lud_reference(want, size);
	right = workload_same_f32("element", got, want, elements_count, 0) && product_fits(got, matrix, size);
	free(matrix);
	free(got);
	free(want);
	return workload_finish(right, "%u x %u matrix", size, size);
}
