/*
 * Search among vectors by inner product, as retrieval does it without an index: the scores of all rows, and then the
 * eight best of each query, chunk by chunk until one is left.  The bound of the check is 0: see vectorsearch.h.
 */
#include "common/workload.h"
#include "vectorsearch/host.h"

#include <stdio.h>

static const char vectorsearch_ptx[] =
#include WORKLOAD_PTX
	;

/* The best of `count` scores a query; takes over `scores` and `rows`. */
struct candidates {
	CUdeviceptr scores, rows; /* rows 0: scores' places */
	unsigned int count; /* of each query */
};

static struct candidates best_launch(CUfunction best, struct candidates of, unsigned int queries)
{
	unsigned int chunks = workload_ctas(of.count, VECTORSEARCH_CHUNK);
	size_t count = (size_t)chunks * VECTORSEARCH_BEST * queries;
	struct candidates left = {workload_device_alloc(count * sizeof(float)),
				  workload_device_alloc(count * sizeof(uint32_t)), chunks * VECTORSEARCH_BEST};
	void *params[] = {&of.scores, &of.rows, &left.scores, &left.rows, &of.count};

	workload_launch(best, (struct workload_dim){chunks, queries, 1},
			(struct workload_dim){VECTORSEARCH_BLOCK_THREADS, 1, 1}, params);
	WORKLOAD_CUDA(cuMemFree(of.scores));
	if (of.rows)
		WORKLOAD_CUDA(cuMemFree(of.rows));
	return left;
}

static void search_compute(struct vectorsearch *v)
{
	struct workload_gpu gpu = workload_gpu_open(vectorsearch_ptx);
	size_t row_bytes = VECTORSEARCH_WIDTH * sizeof(float);
	CUdeviceptr table = workload_device_copy(v->table, v->rows * row_bytes);
	CUdeviceptr query = workload_device_copy(v->query, v->queries * row_bytes);
	struct candidates c = {workload_device_alloc((size_t)v->rows * v->queries * sizeof(float)), 0, v->rows};
	void *params[] = {&table, &query, &c.scores, &v->rows};
	char kernel[64];

	snprintf(kernel, sizeof(kernel), "vectorsearch_score_%u", v->queries);
	workload_launch(workload_gpu_kernel(&gpu, kernel),
			(struct workload_dim){workload_ctas(v->rows, VECTORSEARCH_CTA_ROWS), 1, 1},
			(struct workload_dim){VECTORSEARCH_BLOCK_THREADS, 1, 1}, params);
	do
		c = best_launch(workload_gpu_kernel(&gpu, "vectorsearch_best"), c, v->queries);
	while (c.count > VECTORSEARCH_BEST);
	WORKLOAD_CUDA(cuMemcpyDtoH(v->best, c.rows, (size_t)v->queries * VECTORSEARCH_BEST * sizeof(*v->best)));
	WORKLOAD_CUDA(cuMemFree(table));
	WORKLOAD_CUDA(cuMemFree(query));
	WORKLOAD_CUDA(cuMemFree(c.scores));
	WORKLOAD_CUDA(cuMemFree(c.rows));
	workload_gpu_close(&gpu);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"vectorsearch", "The eight vectors with the largest inner products.", "1 query, 16,384 vectors of 128",
		"1 query, 1,000,000 vectors of 128"};
	static const struct workload_count counts[] = {VECTORSEARCH_COUNTS};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct vectorsearch v = vectorsearch_make(&options);
	bool right;

	search_compute(&v);
	right = vectorsearch_check(&v);
	vectorsearch_free(&v);
	return workload_finish(right, "%u queries, %u vectors", v.queries, v.rows);
}
