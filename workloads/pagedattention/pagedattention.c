/*
 * Attention of one step of decoding for sequences of different lengths, whose keys and values lie in pages of sixteen
 * positions anywhere in one cache: a table has each sequence's pages, as in vLLM (Kwon et al., SOSP 2023).
 *
 * Checked with double precision, to 1e-4.
 */
#include "common/attention_host.h"
#include "common/workload.h"
#include "pagedattention.h"

static const char pagedattention_ptx[] =
#include WORKLOAD_PTX
	;

enum {
	HEADS = PAGEDATTENTION_HEADS,
	QUERIES = PAGEDATTENTION_HEADS * PAGEDATTENTION_QUERIES, /* of a sequence */
	PAGE = PAGEDATTENTION_PAGE,
};

enum { SEQUENCES, LONGEST };
static const struct workload_count counts[] = {
	{"sequences", "sequences of the batch", 8, 32, 1, 1024, 1, NULL},
	{"longest", "positions that a sequence has at most", 128, 1024, 1, 1 << 16, 1, NULL},
};

struct paged {
	unsigned int sequences, table_width, pages;
	uint32_t *lengths, *table;
	uint16_t *keys, *values;
	float *queries, *result;
};

static unsigned int sequence_pages(const struct paged *p, unsigned int sequence)
{
	return (p->lengths[sequence] + PAGE - 1) / PAGE;
}

/* Pages are given out in an order in which no two of a sequence are neighbours: by a multiplication with a prime. */
static void table_make(struct paged *p)
{
	uint64_t given = 0;

	for (unsigned int s = 0; s < p->sequences; s++)
		p->pages += sequence_pages(p, s);
	for (unsigned int s = 0; s < p->sequences; s++)
		for (unsigned int i = 0; i < sequence_pages(p, s); i++)
			p->table[(size_t)s * p->table_width + i] =
				(uint32_t)(given++ * UINT64_C(2654435761) % p->pages);
}

static struct paged input_make(const struct workload_options *options)
{
	unsigned int longest = options->counts[LONGEST];
	struct paged p = {.sequences = options->counts[SEQUENCES], .table_width = (longest + PAGE - 1) / PAGE};

	p.lengths = workload_host_alloc(p.sequences, sizeof(*p.lengths));
	p.table = workload_host_alloc((size_t)p.sequences * p.table_width, sizeof(*p.table));
	for (unsigned int s = 0; s < p.sequences; s++)
		p.lengths[s] = 1 + (uint32_t)(workload_random(options->seed, 0, s) % longest);
	table_make(&p);
	p.keys = attention_rows(options->seed, 1, (size_t)p.pages * HEADS * PAGE);
	p.values = attention_rows(options->seed, 2, (size_t)p.pages * HEADS * PAGE);
	p.queries = attention_queries(options->seed, 3, (size_t)p.sequences * QUERIES);
	p.result = workload_host_alloc((size_t)p.sequences * QUERIES * ATTENTION_ELEMENTS, sizeof(*p.result));
	return p;
}

static void attention_compute(struct paged *p)
{
	struct workload_gpu gpu = workload_gpu_open(pagedattention_ptx);
	size_t cache_bytes = (size_t)p->pages * HEADS * PAGE * ATTENTION_ELEMENTS * sizeof(*p->keys);
	size_t result_bytes = (size_t)p->sequences * QUERIES * ATTENTION_ELEMENTS * sizeof(*p->result);
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
			(struct workload_dim){HEADS, p->sequences, 1},
			(struct workload_dim){PAGEDATTENTION_BLOCK_THREADS, 1, 1}, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(p->result, result, result_bytes));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		WORKLOAD_CUDA(cuMemFree(all[i]));
	workload_gpu_close(&gpu);
}

/* One query of a sequence: its positions one after the other, wherever their pages are. */
static bool query_check(const struct paged *p, unsigned int sequence, unsigned int query, const uint16_t **rows)
{
	const size_t length = p->lengths[sequence], at = ((size_t)sequence * QUERIES + query) * ATTENTION_ELEMENTS;
	float want[ATTENTION_ELEMENTS];

	for (size_t i = 0; i < length; i++) {
		const size_t page = p->table[(size_t)sequence * p->table_width + i / PAGE];
		const size_t row = (page * HEADS + query / PAGEDATTENTION_QUERIES) * PAGE + i % PAGE;

		rows[i] = p->keys + row * ATTENTION_ELEMENTS;
		rows[length + i] = p->values + row * ATTENTION_ELEMENTS;
	}
	attention_reference(p->queries + at, rows, rows + length, length, want);
	return workload_close_f32("result", p->result + at, want, ATTENTION_ELEMENTS, 1e-4f);
}

static bool attention_check(const struct paged *p)
{
	const uint16_t **rows = workload_host_alloc(2 * (size_t)p->table_width * PAGE, sizeof(*rows));
	bool right = true;

	for (unsigned int s = 0; right && s < p->sequences; s++)
		for (unsigned int q = 0; right && q < QUERIES; q++)
			right = query_check(p, s, q, rows);
	free(rows);
	return right;
}

static void input_free(struct paged *p)
{
	free(p->lengths);
	free(p->table);
	free(p->keys);
	free(p->values);
	free(p->queries);
	free(p->result);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"pagedattention", "Attention of a step of decoding, keys and values in pages of 16 positions.",
		"8 sequences of at most 128 positions", "32 sequences of at most 1,024 positions"};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct paged p = input_make(&options);
	bool right;

	attention_compute(&p);
	right = attention_check(&p);
	input_free(&p);
	return workload_finish(right, "%u sequences, %u pages", p.sequences, p.pages);
}
