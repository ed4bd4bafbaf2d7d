/* The matrix of gemv and its reference, for the CUDA program and the program of threads. */
#ifndef GEMV_HOST_H
#define GEMV_HOST_H

#include "common/half.h"
#include "common/program.h"
#include "gemv/gemv.h"

#include <stdlib.h>

enum { GEMV_F32, GEMV_F16, GEMV_INT4 };
static const char *const gemv_types[] = {"f32", "f16", "int4"};

enum { GEMV_ROWS, GEMV_COLUMNS, GEMV_TYPE, GEMV_COUNTS_COUNT };
/* Rows of a program's counts. */
#define GEMV_COUNTS \
	{"rows", "rows of the matrix", 2048, 14336, 1, 1 << 20, 1, NULL}, \
	{"columns", "columns of the matrix", 2048, 4096, GEMV_COLUMNS_MULTIPLE, GEMV_COLUMNS_MAX, \
	 GEMV_COLUMNS_MULTIPLE, NULL}, \
	{"type", "of the weights", GEMV_F32, GEMV_F32, 0, GEMV_INT4, 1, gemv_types}

struct gemv {
	uint64_t seed;
	unsigned int rows, columns, type;
	size_t row_bytes; /* of weights */
	int *weights;	  /* of the row made last; int4: without its scales */
	int *vector;
	float *result;
};

static inline unsigned int gemv_groups(const struct gemv *g)
{
	return g->columns / GEMV_GROUP;
}

/* Makes the weights of a row. */
static inline void gemv_row_make(const struct gemv *g, unsigned int row)
{
	for (unsigned int c = 0; c < g->columns; c++)
		g->weights[c] = (int)(workload_random(g->seed, 0, (uint64_t)row * g->columns + c) >> 60) - 8;
}

static inline float gemv_scale(const struct gemv *g, unsigned int row, unsigned int group)
{
	if (g->type != GEMV_INT4)
		return 1;
	return 0.5f * (float)(1 + workload_random(g->seed, 1, (uint64_t)row * gemv_groups(g) + group) % 3);
}

/* All scales; NULL where the type has none. */
static inline float *gemv_scales(const struct gemv *g)
{
	const size_t count = (size_t)g->rows * gemv_groups(g);
	float *scales;

	if (g->type != GEMV_INT4)
		return NULL;
	scales = workload_host_alloc(count, sizeof(*scales));
	for (size_t i = 0; i < count; i++)
		scales[i] = gemv_scale(g, (unsigned int)(i / gemv_groups(g)), (unsigned int)(i % gemv_groups(g)));
	return scales;
}

/* Weights, or the vector, as they lie in memory. */
static inline void gemv_encode(const int *from, unsigned int count, unsigned int type, void *to)
{
	float *f32 = to;
	uint16_t *f16 = to;
	uint32_t *int4 = to;

	for (unsigned int i = 0; i < count; i++) {
		if (type == GEMV_F32)
			f32[i] = (float)from[i];
		else if (type == GEMV_F16)
			f16[i] = half_from((float)from[i]);
		else
			int4[i / 8] = (i % 8 ? int4[i / 8] : 0) | (uint32_t)(from[i] + 8) << 4 * (i % 8);
	}
}

static inline struct gemv gemv_make(const struct workload_options *options)
{
	static const unsigned int weight_bits[] = {32, 16, 4};
	struct gemv g = {.seed = options->seed,
			 .rows = options->counts[GEMV_ROWS],
			 .columns = options->counts[GEMV_COLUMNS],
			 .type = options->counts[GEMV_TYPE]};

	g.row_bytes = (size_t)g.columns * weight_bits[g.type] / 8;
	g.weights = workload_host_alloc(g.columns, sizeof(*g.weights));
	g.vector = workload_host_alloc(g.columns, sizeof(*g.vector));
	g.result = workload_host_alloc(g.rows, sizeof(*g.result));
	for (unsigned int c = 0; c < g.columns; c++)
		g.vector[c] = (int)(workload_random(g.seed, 2, c) % 5) - 2;
	return g;
}

/* Says what the input is: the digest of the weights as they lie in memory, row after row (workload_digest). */
static inline void gemv_input(const struct gemv *g, uint64_t weights)
{
	workload_input_number(weights);
	workload_input(g->vector, g->columns * sizeof(*g->vector));
	workload_input_number(g->rows);
	workload_input_number(g->type);
}

static inline void gemv_free(struct gemv *g)
{
	free(g->weights);
	free(g->vector);
	free(g->result);
}

static inline bool gemv_check(const struct gemv *g)
{
	float *want = workload_host_alloc(g->rows, sizeof(*want));
	bool right;

	for (unsigned int row = 0; row < g->rows; row++) {
		double sum = 0;

		gemv_row_make(g, row);
		for (unsigned int c = 0; c < g->columns; c++)
			sum += (double)gemv_scale(g, row, c / GEMV_GROUP) * g->weights[c] * g->vector[c];
		want[row] = (float)sum;
	}
	right = workload_same_f32("y", g->result, want, g->rows, 0);
	free(want);
	return right;
}

#endif
