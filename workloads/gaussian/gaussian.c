/*
 * A system of linear equations by Gaussian elimination without pivoting: two short kernels per column, the second over
 * what is left of the matrix.  Compared bit for bit with the same elimination on the host; the solution must fit.
 */
#include "common/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char gaussian_ptx[] =
#include WORKLOAD_PTX
    ;

enum {
	ORIGINAL, /* Rodinia's CTAs */
	LARGER,	  /* as many threads as CUDA allows: nothing is shared in a CTA */
};

/* Threads of a CTA of either kernel. */
static const struct {
	unsigned int row_threads, side;
} blocks[] = {[ORIGINAL] = {512, 4}, [LARGER] = {1024, 32}};

struct system {
	unsigned int size;
	float *matrix; /* [row * size + column] */
	float *right_side;
};

/* Diagonally dominant: no pivots are needed. */
static struct system system_make(unsigned int size, uint64_t seed)
{
	struct system system = {.size = size};

	system.matrix = workload_host_alloc((size_t)size * size, sizeof(float));
	system.right_side = workload_host_alloc(size, sizeof(float));
	for (size_t row = 0; row < size; row++) {
		for (size_t column = 0; column < size; column++)
			system.matrix[row * size + column] =
			    workload_random_float(seed, 0, row * size + column) + (row == column ? (float)size : 0);
		system.right_side[row] = workload_random_float(seed, 1, row);
	}
	return system;
}

static struct system system_copy(const struct system *from)
{
	size_t elements_count = (size_t)from->size * from->size;
	struct system copy = {.size = from->size};

	copy.matrix = workload_host_alloc(elements_count, sizeof(float));
	copy.right_side = workload_host_alloc(from->size, sizeof(float));
	memcpy(copy.matrix, from->matrix, elements_count * sizeof(float));
	memcpy(copy.right_side, from->right_side, from->size * sizeof(float));
	return copy;
}

static void system_free(struct system *system)
{
	free(system->matrix);
	free(system->right_side);
}

static void elimination_run(struct system *system, unsigned int variant)
{
	const unsigned int row_threads = blocks[variant].row_threads, side = blocks[variant].side;
	struct workload_gpu gpu = workload_gpu_open(gaussian_ptx);
	CUfunction find = workload_gpu_kernel(&gpu, "gaussian_multipliers");
	CUfunction eliminate = workload_gpu_kernel(&gpu, "gaussian_eliminate");
	unsigned int size = system->size;
	size_t matrix_bytes = (size_t)size * size * sizeof(float);
	CUdeviceptr matrix = workload_device_copy(system->matrix, matrix_bytes);
	CUdeviceptr right_side = workload_device_copy(system->right_side, size * sizeof(float));
	CUdeviceptr multipliers = workload_device_alloc(matrix_bytes);
	unsigned int column;
	void *find_params[] = {&multipliers, &matrix, &size, &column};
	void *eliminate_params[] = {&multipliers, &matrix, &right_side, &size, &column};

	for (column = 0; column + 1 < size; column++) {
		unsigned int rows_count = size - 1 - column;

		workload_launch(find, (struct workload_dim){workload_ctas(rows_count, row_threads), 1, 1},
				(struct workload_dim){row_threads, 1, 1}, find_params);
		workload_launch(eliminate,
				(struct workload_dim){workload_ctas(rows_count, side),
						      workload_ctas(rows_count + 1, side), 1},
				(struct workload_dim){side, side, 1}, eliminate_params);
	}
	WORKLOAD_CUDA(cuMemcpyDtoH(system->matrix, matrix, matrix_bytes));
	WORKLOAD_CUDA(cuMemcpyDtoH(system->right_side, right_side, size * sizeof(float)));
	WORKLOAD_CUDA(cuMemFree(matrix));
	WORKLOAD_CUDA(cuMemFree(right_side));
	WORKLOAD_CUDA(cuMemFree(multipliers));
	workload_gpu_close(&gpu);
}

static void elimination_reference(struct system *system)
{
	size_t size = system->size;

	for (size_t column = 0; column + 1 < size; column++) {
		const float *pivot = system->matrix + column * size;

		for (size_t row = column + 1; row < size; row++) {
			float *values = system->matrix + row * size;
			float multiplier = values[column] / pivot[column];

			for (size_t j = column; j < size; j++)
				values[j] -= multiplier * pivot[j];
			system->right_side[row] -= multiplier * system->right_side[column];
		}
	}
}

/* Solve what elimination has left, and put the solution into the equations as they were. */
static bool solution_fits(const struct system *eliminated, const struct system *original)
{
	size_t size = original->size;
	double *solution = workload_host_alloc(size, sizeof(*solution));
	double worst = 0;

	for (size_t row = size; row-- > 0;) {
		double sum = eliminated->right_side[row];

		for (size_t j = row + 1; j < size; j++)
			sum -= eliminated->matrix[row * size + j] * solution[j];
		solution[row] = sum / eliminated->matrix[row * size + row];
	}
	for (size_t row = 0; row < size; row++) {
		double sum = -original->right_side[row];

		for (size_t j = 0; j < size; j++)
			sum += original->matrix[row * size + j] * solution[j];
		worst = fmax(worst, fabs(sum));
	}
	free(solution);
	if (worst <= 1e-4)
		return true;
	fprintf(stderr, "gaussian: the solution misses an equation by %g\n", worst);
	return false;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"gaussian", "Linear equations by Gaussian elimination.",
						    "128 unknowns", "256 unknowns"};
	static const char *const variants[] = {"original", "larger", NULL};
	static const struct workload_count counts[] = {
	    {"unknowns", "unknowns and equations", 128, 256, 2, 8192, 1, NULL},
	    {"variant", "threads of a CTA: 512 and 16, as Rodinia has them, or 1,024", ORIGINAL, ORIGINAL, 0, LARGER, 1,
	     variants},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct system original = system_make(options.counts[0], options.seed);
	struct system got = system_copy(&original);
	struct system want = system_copy(&original);
	size_t elements_count = (size_t)original.size * original.size;
	bool right;

	for (unsigned int row = 0; row < original.size; row++) {
		workload_input(original.matrix + (size_t)row * original.size, original.size * sizeof(float));
		workload_input(&original.right_side[row], sizeof(float));
	}
	elimination_run(&got, options.counts[1]);
	elimination_reference(&want);
	right = workload_same_f32("element", got.matrix, want.matrix, elements_count, 0) &&
		workload_same_f32("right side", got.right_side, want.right_side, original.size, 0) &&
		solution_fits(&got, &original);
	system_free(&original);
	system_free(&got);
	system_free(&want);
	return workload_finish(right, "%u unknowns", options.counts[0]);
}
