/*
 * A matrix times a vector as in a language model's decoding: y = W x with weights in single precision, in half
 * precision, or of four bits with a scale for each group of 32 (int4).  A warp or a CTA has a row; a lane loads 16
 * bytes of weights at a time (int4: 4), and the vector or the weights first.
 *
 * The bound of the check is 0: see gemv.h.
 */
#include "common/workload.h"
#include "gemv/host.h"

#include <stdio.h>

static const char gemv_ptx[] =
#include WORKLOAD_PTX
	;

enum { PIECE_BYTES = 4 << 20 }; /* of weights, in one copy to the device; a row has 256 KiB at most */

static const char *const first_words[] = {"vector", "weight"};
static const char *const per_words[] = {"warp", "cta"};

enum { FIRST = GEMV_COUNTS_COUNT, PER };
static const struct workload_count counts[] = {
	GEMV_COUNTS,
	{"first", "what a lane loads first", 0, 0, 0, 1, 1, first_words},
	{"per", "what a row is given to", 0, 0, 0, 1, 1, per_words},
};

static CUdeviceptr weights_copy(const struct gemv *g)
{
	CUdeviceptr weights = workload_device_alloc(g->rows * g->row_bytes);
	char *piece = workload_host_alloc(PIECE_BYTES, 1);
	unsigned int piece_rows = (unsigned int)(PIECE_BYTES / g->row_bytes);
	uint64_t digest = 0;

	for (unsigned int row = 0; row < g->rows; row += piece_rows) {
		unsigned int rows = g->rows - row < piece_rows ? g->rows - row : piece_rows;

		for (unsigned int i = 0; i < rows; i++) {
			gemv_row_make(g, row + i);
			gemv_encode(g->weights, g->columns, g->type, piece + i * g->row_bytes);
			digest = workload_digest(digest, piece + i * g->row_bytes, g->row_bytes);
		}
		WORKLOAD_CUDA(cuMemcpyHtoD(weights + row * g->row_bytes, piece, rows * g->row_bytes));
	}
	gemv_input(g, digest);
	free(piece);
	return weights;
}

/* 0 where the type has none. */
static CUdeviceptr scales_copy(const struct gemv *g)
{
	float *scales = gemv_scales(g);
	CUdeviceptr copy;

	if (!scales)
		return 0;
	copy = workload_device_copy(scales, (size_t)g->rows * gemv_groups(g) * sizeof(*scales));
	free(scales);
	return copy;
}

static CUdeviceptr vector_copy(const struct gemv *g)
{
	unsigned int type = g->type == GEMV_F16 ? GEMV_F16 : GEMV_F32;
	size_t bytes = g->columns * (type == GEMV_F16 ? sizeof(uint16_t) : sizeof(float));
	void *elements = workload_host_alloc(bytes, 1);
	CUdeviceptr copy;

	gemv_encode(g->vector, g->columns, type, elements);
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

	snprintf(kernel, sizeof(kernel), "gemv_%s_%s_%s", gemv_types[g->type], first_words[options[FIRST]],
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

int main(int argc, char **argv)
{
	static const struct workload_about about = {"gemv", "A matrix times a vector, as in decoding: y = W x.",
						    "2,048 x 2,048 matrix", "14,336 x 4,096 matrix"};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct gemv g = gemv_make(&options);
	bool right;

	product_compute(&g, options.counts);
	right = gemv_check(&g);
	gemv_free(&g);
	return workload_finish(right, "%u x %u matrix, %s", options.counts[GEMV_ROWS], options.counts[GEMV_COLUMNS],
			       gemv_types[options.counts[GEMV_TYPE]]);
}
