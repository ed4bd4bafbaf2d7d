/*
 * A dense matrix into a lower and an upper triangle by threads, block by block as the CUDA program does: the diagonal's
 * block by one thread, what is beside and below it and the rest by all.
 */
#include "common/steps.h"
#include "lud/lud.h"

#include <stdlib.h>
#include <string.h>

static const struct workload_about about = {"lud-omp", "A matrix into a lower and an upper triangle, by threads.",
					    "256 x 256", "2,048 x 2,048"};
static const struct workload_count counts[] = {
	{"rows", "rows and columns", 256, 2048, LUD_SIDE, 16384, LUD_SIDE, NULL},
};

static void block_columns(float *matrix, size_t size, size_t offset, size_t column)
{
	for (size_t i = offset; i < offset + LUD_SIDE; i++)
		for (size_t k = offset; k < i; k++)
			matrix[i * size + column] -= matrix[i * size + k] * matrix[k * size + column];
}

static void block_rows(float *matrix, size_t size, size_t offset, size_t row)
{
	for (size_t i = offset; i < offset + LUD_SIDE; i++) {
		for (size_t k = offset; k < i; k++)
			matrix[row * size + i] -= matrix[row * size + k] * matrix[k * size + i];
		matrix[row * size + i] /= matrix[i * size + i];
	}
}

static void diagonal(float *matrix, size_t size, size_t offset)
{
	for (size_t i = offset; i < offset + LUD_SIDE; i++) {
		for (size_t row = i + 1; row < offset + LUD_SIDE; row++) {
			matrix[row * size + i] /= matrix[i * size + i];
			for (size_t column = i + 1; column < offset + LUD_SIDE; column++)
				matrix[row * size + column] -= matrix[row * size + i] * matrix[i * size + column];
		}
	}
}

static void internal(float *matrix, size_t size, size_t offset, size_t row)
{
	const float *left = matrix + row * size + offset;
	float *to = matrix + row * size;

	for (size_t column = offset + LUD_SIDE; column < size; column++) {
		float sum = 0;

		for (size_t k = 0; k < LUD_SIDE; k++)
			sum += left[k] * matrix[(offset + k) * size + column];
		to[column] -= sum;
	}
}

static void decompose(float *matrix, size_t size, bool is_team)
{
	for (size_t offset = 0; offset < size; offset += LUD_SIDE) {
		diagonal(matrix, size, offset);
#pragma omp parallel if (is_team)
		{
#pragma omp for
			for (size_t i = offset + LUD_SIDE; i < size; i++) {
				block_columns(matrix, size, offset, i);
				block_rows(matrix, size, offset, i);
			}
#pragma omp for
			for (size_t row = offset + LUD_SIDE; row < size; row++)
				internal(matrix, size, offset, row);
		}
	}
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const size_t size = o.counts[0], count = size * size;
	float *got, *want;
	double begin;
	bool right;

	strata_modelling_end();
	got = workload_host_alloc(count, sizeof(float));
	want = workload_host_alloc(count, sizeof(float));
	for (size_t i = 0; i < count; i++)
		got[i] = workload_random_float(o.seed, 0, i) + (i / size == i % size ? (float)size : 0);
	memcpy(want, got, count * sizeof(float));
	workload_input(got, count * sizeof(float));
	begin = steps_begin();
	decompose(got, size, true);
	steps_end(begin);
	decompose(want, size, false);
	right = workload_same_f32("element", got, want, count, 0);
	free(got);
	free(want);
	return workload_finish(right, "%zu x %zu matrix", size, size);
}
