/*
 * Attention of one step of decoding over a cache of keys and values in half precision: four queries share each of
 * eight heads, the context is split over warps or CTAs, and the splits are combined (FlashDecoding's form).
 *
 * Checked with double precision, to 1e-4.
 */
#include "common/workload.h"
#include "kvattention/host.h"

static const char kvattention_ptx[] =
#include WORKLOAD_PTX
	;

enum { FORM_REGISTERS, FORM_SHARED };
static const char *const form_words[] = {"registers", "shared"};

enum { CONTEXT, SPLIT, FORM };
static const struct workload_count counts[] = {
	{"context", "positions in the cache", 512, 8192, 1, 1 << 20, 1, NULL},
	{"split", "positions of a split", 32, 64, 1, KVATTENTION_SPLIT_MAX, 1, NULL},
	{"form", "a split by a warp in registers, or by a CTA in shared memory", 0, 0, 0, 1, 1, form_words},
};

static void attention_compute(struct kvattention *k, const unsigned int *options)
{
	struct workload_gpu gpu = workload_gpu_open(kvattention_ptx);
	size_t cache_bytes = (size_t)KVATTENTION_HEADS * k->context * ATTENTION_ELEMENTS * sizeof(uint16_t);
	size_t result_bytes = KVATTENTION_ALL_QUERIES * ATTENTION_ELEMENTS * sizeof(float);
	unsigned int length = options[SPLIT], splits = workload_ctas(k->context, length);
	bool is_shared = options[FORM] == FORM_SHARED;
	CUdeviceptr keys = workload_device_copy(k->keys, cache_bytes);
	CUdeviceptr values = workload_device_copy(k->values, cache_bytes);
	CUdeviceptr queries = workload_device_copy(k->queries, result_bytes);
	CUdeviceptr sums = workload_device_alloc(splits * result_bytes);
	CUdeviceptr marks = workload_device_alloc((size_t)KVATTENTION_ALL_QUERIES * splits * 2 * sizeof(float));
	CUdeviceptr result = workload_device_alloc(result_bytes);
	unsigned int ctas = KVATTENTION_HEADS * splits;
	void *split_params[] = {&keys, &values, &queries, &sums, &marks, &k->context, &length, &splits};
	void *combine_params[] = {&sums, &marks, &result, &splits};
	CUdeviceptr all[] = {keys, values, queries, sums, marks, result};

	if (!is_shared)
		ctas = workload_ctas(32 * (size_t)ctas, KVATTENTION_BLOCK_THREADS);
	workload_launch(workload_gpu_kernel(&gpu, is_shared ? "kvattention_shared" : "kvattention_registers"),
			(struct workload_dim){ctas, 1, 1}, (struct workload_dim){KVATTENTION_BLOCK_THREADS, 1, 1},
			split_params);
	workload_launch(workload_gpu_kernel(&gpu, "kvattention_combine"),
			(struct workload_dim){KVATTENTION_ALL_QUERIES, 1, 1},
			(struct workload_dim){ATTENTION_ELEMENTS, 1, 1}, combine_params);
	WORKLOAD_CUDA(cuMemcpyDtoH(k->result, result, result_bytes));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		WORKLOAD_CUDA(cuMemFree(all[i]));
	workload_gpu_close(&gpu);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"kvattention", "Attention of a step of decoding: 32 queries of 128 elements over 8 heads of a cache.",
		"512 positions in splits of 32", "8,192 positions in splits of 64"};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct kvattention k = kvattention_make(options.seed, options.counts[CONTEXT]);
	bool right;

	attention_compute(&k, options.counts);
	right = kvattention_check(&k);
	kvattention_free(&k);
	return workload_finish(right, "%u positions, %d queries, %s", options.counts[CONTEXT], KVATTENTION_ALL_QUERIES,
			       form_words[options.counts[FORM]]);
}
