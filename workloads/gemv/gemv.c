/*
 * A matrix times a vector as in a language model's decoding: y = W x with weights in single precision, in half
 * precision, or of four bits with a scale for each group of 32 (int4).  A warp or a CTA has a row; a lane loads 16
 * bytes of weights at a time (int4: 4), and the vector or the weights first.
 *
 * The bound of the check is 0: see gemv.h.
 */
#include "common/half.h"
#include "common/workload.h"
#include "gemv.h"

#include <stdio.h>
#include <stdlib.h>

static const char gemv_ptx[] =
#include WORKLOAD_PTX
	;

enum { PIECE_BYTES = 4 << 20 }; /* of weights, in one copy to the device; a row has 256 KiB at most */

enum { TYPE_F32, TYPE_F16, TYPE_INT4 };
static const char *const type_words[] = {"f32", "f16", "int4"};
static const char *const first_words[] = {"vector", "weight"};
static const char *const per_words[] = {"warp", "cta"};

enum { ROWS, COLUMNS, TYPE, FIRST, PER };
static const struct workload_count counts[] = {
	{"rows", "rows of the matrix", 2048, 14336, 1, 1 << 20, 1, NULL},
	{"columns", "columns of the matrix", 2048, 4096, GEMV_COLUMNS_MULTIPLE, GEMV_COLUMNS_MAX, GEMV_COLUMNS_MULTIPLE,
	 NULL},
	{"type", "of the weights", TYPE_F32, TYPE_F32, 0, TYPE_INT4, 1, type_words},
	{"first", "what a lane loads first", 0, 0, 0, 1, 1, first_words},
	{"per", "what a row is given to", 0, 0, 0, 1, 1, per_words},
};

struct gemv {
	uint64_t seed;
	unsigned int rows, columns, type;
	size_t row_bytes; /* of weights */
	int *weights;	  /* of the row made last; int4: without its scales */
	int *vector;
	float *result;
};

static unsigned int groups_count(const struct gemv *g)
{
	return g->columns / GEMV_GROUP;
}

static void row_make(const struct gemv *g, unsigned int row)
{
	for (unsigned int c = 0; c < g->columns; c++)
		g->weights[c] = (int)(workload_random(g->seed, 0, (uint64_t)row * g->columns + c) >> 60) - 8;
}

static float scale_at(const struct gemv *g, unsigned int row, unsigned int group)
{
	if (g->type != TYPE_INT4)
		return 1;
	return 0.5f * (float)(1 + workload_random(g->seed, 1, (uint64_t)row * groups_count(g) + group) % 3);
}

/* Weights, or the vector, as the kernels read them. */
static void encode(const int *from, unsigned int count, unsigned int type, void *to)
{
	float *f32 = to;
	uint16_t *f16 = to;
	uint32_t *int4 = to;

	for (unsigned int i = 0; i < count; i++) {
		if (type == TYPE_F32)
			f32[i] = (float)from[i];
		else if (type == TYPE_F16)
			f16[i] = half_from((float)from[i]);
		else
			int4[i / 8] = (i % 8 ? int4[i / 8] : 0) | (uint32_t)(from[i] + 8) << 4 * (i % 8);
	}
}

static struct gemv input_make(const struct workload_options *options)
{
	static const unsigned int weight_bits[] = {32, 16, 4};
	struct gemv g = {.seed = options->seed,
			 .rows = options->counts[ROWS],
			 .columns = options->counts[COLUMNS],
			 .type = options->counts[TYPE]};

	g.row_bytes = (size_t)g.columns * weight_bits[g.type] / 8;
	g.weights = workload_host_alloc(g.columns, sizeof(*g.weights));
	g.vector = workload_host_alloc(g.columns, sizeof(*g.vector));
	g.result = workload_host_alloc(g.rows, sizeof(*g.result));
	for (unsigned int c = 0; c < g.columns; c++)
		g.vector[c] = (int)(workload_random(g.seed, 2, c) % 5) - 2;
	return g;
}

static CUdeviceptr weights_copy(const struct gemv *g)
{
	CUdeviceptr weights = workload_device_alloc(g->rows * g->row_bytes);
	char *piece = workload_host_alloc(PIECE_BYTES, 1);
	unsigned int piece_rows = (unsigned int)(PIECE_BYTES / g->row_bytes);

	for (unsigned int row = 0; row < g->rows; row += piece_rows) {
		unsigned int rows = g->rows - row < piece_rows ? g->rows - row : piece_rows;

		for (unsigned int i = 0; i < rows; i++) {
			row_make(g, row + i);
			encode(g->weights, g->columns, g->type, piece + i * g->row_bytes);
		}
		WORKLOAD_CUDA(cuMemcpyHtoD(weights + row * g->row_bytes, piece, rows * g->row_bytes));
	}
	free(piece);
	return weights;
}

/* 0 where the type has none. */
static CUdeviceptr scales_copy(const struct gemv *g)
{
	size_t count = (size_t)g->rows * groups_count(g);
	float *scales;
	CUdeviceptr copy;

	if (g->type != TYPE_INT4)
		return 0;
	scales = workload_host_alloc(count, sizeof(*scales));
	for (size_t i = 0; i < count; i++)
		scales[i] = scale_at(g, (unsigned int)(i / groups_count(g)), (unsigned int)(i % groups_count(g)));
	copy = workload_device_copy(scales, count * sizeof(*scales));
	free(scales);
	return copy;
}

static CUdeviceptr vector_copy(const struct gemv *g)
{
	unsigned int type = g->type == TYPE_F16 ? TYPE_F16 : TYPE_F32;
	size_t bytes = g->columns * (type == TYPE_F16 ? sizeof(uint16_t) : sizeof(float));
	void *elements = workload_host_alloc(bytes, 1);
	CUdeviceptr copy;

	encode(g->vector, g->columns, type, elements);
	copy = workload_device_copy(elements, bytes);
	free(elements);
	return copy;
}

static void product_compute(struct gemv *g, const unsigned int *options)
{
	struct workload_gpu gpu = workload_gpu_open(gemv_ptx);
	CUdeviceptr weights = weights_copy(g), scales = scales_copy(g), vector = vector_copy(g);
	CUdeviceptr result = workload_device_alloc(g->rows * sizeof(float));
	unsigned int ctas = options[PER] ? g->rows : workload_ctas(32 * (size_t)g->rows, GEMV_BLOCK_THREADS);
	void *params[] = {&weights, &scales, &vector, &result, &g->rows, &g->columns};
	char kernel[64];

	snprintf(kernel, sizeof(kernel), "gemv_%s_%s_%s", type_words[g->type], first_words[options[FIRST]],
		 per_words[options[PER]]);
	workload_launch(workload_gpu_kernel(&gpu, kernel), (struct workload_dim){ctas, 1, 1},
			(struct workload_dim){GEMV_BLOCK_THREADS, 1, 1}, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(g->result, result, g->rows * sizeof(float)));
	WORKLOAD_CUDA(cuMemFree(weights));
	if (scales)
		WORKLOAD_CUDA(cuMemFree(scales));
	WORKLOAD_CUDA(cuMemFree(vector));
	WORKLOAD_CUDA(cuMemFree(result));
	workload_gpu_close(&gpu);
}

static bool product_check(const struct gemv *g)
{
	float *want = workload_host_alloc(g->rows, sizeof(*want));
	bool right;

	for (unsigned int row = 0; row < g->rows; row++) {
		double sum = 0;

		row_make(g, row);
		for (unsigned int c = 0; c < g->columns; c++)
			sum += (double)scale_at(g, row, c / GEMV_GROUP) * g->weights[c] * g->vector[c];
		want[row] = (float)sum;
	}
	right = workload_same_f32("y", g->result, want, g->rows, 0);
	free(want);
	return right;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"gemv", "A matrix times a vector, as in decoding: y = W x.",
						    "2,048 x 2,048 matrix", "14,336 x 4,096 matrix"};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct gemv g = input_make(&options);
	bool right;

	product_compute(&g, options.counts);
	right = product_check(&g);
	free(g.weights);
	free(g.vector);
	free(g.result);
	return workload_finish(right, "%u x %u matrix, %s", g.rows, g.columns, type_words[g.type]);
}
