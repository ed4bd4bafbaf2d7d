/*
 * Attention of one step of decoding for sequences of different lengths, whose keys and values lie in pages of sixteen
 * positions anywhere in one cache: a table has each sequence's pages, as in vLLM (Kwon et al., SOSP 2023).
 *
 * Checked with double precision, to 1e-4.
 */
#include "common/homes.h"
#include "pagedattention/host.h"

static const char pagedattention_ptx[] =
#include WORKLOAD_PTX
	;

enum { DECLARE = PAGEDATTENTION_COUNTS_COUNT, DECLARE_NOTHING = 0, DECLARE_HOMES, DECLARE_AFTER };
static const char *const declarations[] = {"nothing", "homes", "after"};
static const struct workload_count counts[] = {
	PAGEDATTENTION_COUNTS,
	{"declare", "keys and values of a sequence's head lie together: declared at first, or after a first step",
	 DECLARE_NOTHING, DECLARE_NOTHING, 0, DECLARE_AFTER, 1, declarations}};

/* What a CTA reads, page by page, has a home. */
static void homes_declare(const struct paged *p, CUdeviceptr keys, CUdeviceptr values)
{
	const size_t part_bytes = PAGEDATTENTION_PAGE * ATTENTION_ELEMENTS * sizeof(*p->keys);
	struct workload_homes homes = {0};

	for (unsigned int s = 0; s < p->sequences; s++) {
		for (unsigned int head = 0; head < PAGEDATTENTION_HEADS; head++) {
			workload_home(&homes);
			for (unsigned int i = 0; i < paged_sequence_pages(p, s); i++) {
				const size_t row = paged_row(p, s, head, (size_t)i * PAGEDATTENTION_PAGE);
				const size_t at = row * ATTENTION_ELEMENTS * sizeof(*p->keys);

				workload_home_range(&homes, keys + at, part_bytes);
				workload_home_range(&homes, values + at, part_bytes);
			}
		}
	}
	workload_homes_declare(&homes);
}

/* Whole arrays are wanted with the device, as programs say of what they are about to use. */
static void arrays_declare(CUdeviceptr keys, CUdeviceptr values, size_t bytes)
{
	struct workload_homes homes = {0};

	workload_home(&homes);
	workload_home_range(&homes, keys, bytes);
	workload_home_range(&homes, values, bytes);
	workload_homes_declare(&homes);
}

static void step(const struct workload_gpu *gpu, const struct paged *p, void **params)
{
	workload_launch(workload_gpu_kernel(gpu, "pagedattention_attend"),
			(struct workload_dim){PAGEDATTENTION_HEADS, p->sequences, 1},
			(struct workload_dim){PAGEDATTENTION_BLOCK_THREADS, 1, 1}, params);
}

static void attention_compute(struct paged *p, unsigned int declare)
{
	struct workload_gpu gpu = workload_gpu_open(pagedattention_ptx);
	size_t rows = (size_t)p->pages * PAGEDATTENTION_HEADS * PAGEDATTENTION_PAGE;
	size_t cache_bytes = rows * ATTENTION_ELEMENTS * sizeof(*p->keys);
	size_t result_bytes = paged_result_elements(p) * sizeof(*p->result);
	CUdeviceptr (*copy)(const void *source, size_t bytes) =
		declare != DECLARE_NOTHING ? workload_managed_copy : workload_device_copy;
	CUdeviceptr keys = copy(p->keys, cache_bytes);
	CUdeviceptr values = copy(p->values, cache_bytes);
	CUdeviceptr queries = workload_device_copy(p->queries, result_bytes);
	CUdeviceptr table =
		workload_device_copy(p->table, (size_t)p->sequences * p->table_width * sizeof(*p->table));
	CUdeviceptr lengths = workload_device_copy(p->lengths, p->sequences * sizeof(*p->lengths));
	CUdeviceptr result = workload_device_alloc(result_bytes);
	void *params[] = {&keys, &values, &queries, &table, &lengths, &result, &p->table_width};
	CUdeviceptr all[] = {keys, values, queries, table, lengths, result};

	if (declare == DECLARE_AFTER) {
		arrays_declare(keys, values, cache_bytes);
		step(&gpu, p, params);
	}
	if (declare != DECLARE_NOTHING)
		homes_declare(p, keys, values);
	step(&gpu, p, params);
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

	attention_compute(&p, options.counts[DECLARE]);
	right = paged_check(&p);
	paged_free(&p);
	return workload_finish(right, "%u sequences, %u pages", p.sequences, p.pages);
}
