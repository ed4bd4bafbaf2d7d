/*
 * Sums of rows of a table, as a recommender's embedding layer asks for them: the rows of a bag are drawn by Zipf's law,
 * so that few of them are asked for often.  The bound of the check is 0: see embeddingbag.h.
 */
#include "common/workload.h"
#include "embeddingbag/host.h"

static const char embeddingbag_ptx[] =
#include WORKLOAD_PTX
	;

static void sums_compute(struct embeddingbag *e)
{
	struct workload_gpu gpu = workload_gpu_open(embeddingbag_ptx);
	size_t sums_bytes = (size_t)e->bags * EMBEDDINGBAG_WIDTH * sizeof(*e->sums);
	CUdeviceptr table =
		workload_device_copy(e->table, (size_t)e->rows * EMBEDDINGBAG_WIDTH * sizeof(*e->table));
	CUdeviceptr indices = workload_device_copy(e->indices, (size_t)e->bags * e->each * sizeof(*e->indices));
	CUdeviceptr sums = workload_device_alloc(sums_bytes);
	void *params[] = {&table, &indices, &sums, &e->bags, &e->each};

	workload_launch(workload_gpu_kernel(&gpu, "embeddingbag_sum"),
			(struct workload_dim){workload_ctas(32 * (size_t)e->bags, EMBEDDINGBAG_BLOCK_THREADS), 1, 1},
			(struct workload_dim){EMBEDDINGBAG_BLOCK_THREADS, 1, 1}, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(e->sums, sums, sums_bytes));
	WORKLOAD_CUDA(cuMemFree(table));
	WORKLOAD_CUDA(cuMemFree(indices));
	WORKLOAD_CUDA(cuMemFree(sums));
	workload_gpu_close(&gpu);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"embeddingbag", "Sums of rows of a table that are drawn by Zipf's law: a recommender's embeddings.",
		"2,048 bags of 32 rows from 65,536 rows of 64 elements", "16,384 bags of 64 rows from 1,000,000"};
	static const struct workload_count counts[] = {EMBEDDINGBAG_COUNTS};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct embeddingbag e = embeddingbag_make(&options);
	bool right;

	sums_compute(&e);
	right = embeddingbag_check(&e);
	embeddingbag_free(&e);
	return workload_finish(right, "%u bags of %u rows, from %u rows", e.bags, e.each, e.rows);
}
