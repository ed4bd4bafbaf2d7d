/*
 * Attention of one step of decoding for sequences of different lengths, whose keys and values lie in pages of sixteen
 * positions anywhere in one cache: a table has each sequence's pages, as in vLLM (Kwon et al., SOSP 2023).
 *
 * Checked with double precision, to 1e-4.
 */
#include "common/workload.h"
#include "pagedattention/host.h"

static const char pagedattention_ptx[] =
#include WORKLOAD_PTX
	;

static const struct workload_count counts[] = {PAGEDATTENTION_COUNTS};

static void attention_compute(struct paged *p)
{
	struct workload_gpu gpu = workload_gpu_open(pagedattention_ptx);
	size_t rows = (size_t)p->pages * PAGEDATTENTION_HEADS * PAGEDATTENTION_PAGE;
	size_t cache_bytes = rows * ATTENTION_ELEMENTS * sizeof(*p->keys);
	size_t result_bytes = paged_result_elements(p) * sizeof(*p->result);
	CUdeviceptr keys = workload_device_copy(p->keys, cache_bytes);
	CUdeviceptr values = workload_device_copy(p->values, cache_bytes);
	CUdeviceptr queries = workload_device_copy(p->queries, result_bytes);
	CUdeviceptr table =
		workload_device_copy(p->table, (size_t)p->sequences * p->table_width * sizeof(*p->table));
	CUdeviceptr lengths = workload_device_copy(p->lengths, p->sequences * sizeof(*p->lengths));
	CUdeviceptr result = workload_device_alloc(result_bytes);
	void *params[] = {&keys, &values, &queries, &table, &lengths, &result, &p->table_width};
	CUdeviceptr all[] = {keys, values, queries, table, lengths, result};

	workload_launch(workload_gpu_kernel(&gpu, "pagedattention_attend"),
			(struct workload_dim){PAGEDATTENTION_HEADS, p->sequences, 1},
			(struct workload_dim){PAGEDATTENTION_BLOCK_THREADS, 1, 1}, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(p->result, result, result_bytes));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		WORKLOAD_CUDA(cuMemFree(all[i]));
	workload_gpu_close(&gpu);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"pagedattention", "Attention of a step of decoding, keys and values in pages of 16 positions.",
		"8 sequences of at most 128 positions", "32 sequences of at most 1,024 positions"};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct paged p = paged_make(&options);
	bool right;

	attention_compute(&p);
	right = paged_check(&p);
	paged_free(&p);
	return workload_finish(right, "%u sequences, %u pages", p.sequences, p.pages);
}
