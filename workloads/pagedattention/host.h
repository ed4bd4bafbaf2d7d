/* The pages of pagedattention and its reference, for the CUDA program and the program of threads. */
#ifndef PAGEDATTENTION_HOST_H
#define PAGEDATTENTION_HOST_H

#include "common/attention_host.h"
#include "pagedattention/pagedattention.h"

enum { PAGEDATTENTION_ALL_QUERIES = PAGEDATTENTION_HEADS * PAGEDATTENTION_QUERIES }; /* of a sequence */

enum { PAGEDATTENTION_SEQUENCES, PAGEDATTENTION_LONGEST, PAGEDATTENTION_COUNTS_COUNT };
/* Rows of a program's counts. */
#define PAGEDATTENTION_COUNTS \
	{"sequences", "sequences of the batch", 8, 32, 1, 1024, 1, NULL}, \
	{"longest", "positions that a sequence has at most", 128, 1024, 1, 1 << 16, 1, NULL}

struct paged {
	unsigned int sequences, table_width, pages;
	uint32_t *lengths, *table;
	uint16_t *keys, *values;
	float *queries, *result;
};

static inline size_t paged_result_elements(const struct paged *p)
{
	return (size_t)p->sequences * PAGEDATTENTION_ALL_QUERIES * ATTENTION_ELEMENTS;
}

/* Where a position's row is, of keys and of values: in its sequence's page, which has its positions head by head. */
static inline size_t paged_row(const struct paged *p, size_t sequence, size_t head, size_t position)
{
	const size_t page = p->table[sequence * p->table_width + position / PAGEDATTENTION_PAGE];

	return (page * PAGEDATTENTION_HEADS + head) * PAGEDATTENTION_PAGE + position % PAGEDATTENTION_PAGE;
}

/* Pages that a sequence has. */
static inline unsigned int paged_sequence_pages(const struct paged *p, unsigned int sequence)
{
	return (p->lengths[sequence] + PAGEDATTENTION_PAGE - 1) / PAGEDATTENTION_PAGE;
}

/* Pages are given out in an order in which no two of a sequence are neighbours: by a multiplication with a prime. */
static inline void paged_table_make(struct paged *p)
{
	uint64_t given = 0;

	for (unsigned int s = 0; s < p->sequences; s++)
		p->pages += paged_sequence_pages(p, s);
	for (unsigned int s = 0; s < p->sequences; s++)
		for (unsigned int i = 0; i < paged_sequence_pages(p, s); i++)
			p->table[(size_t)s * p->table_width + i] =
				(uint32_t)(given++ * UINT64_C(2654435761) % p->pages);
}

static inline struct paged paged_make(const struct workload_options *options)
{
	unsigned int longest = options->counts[PAGEDATTENTION_LONGEST];
	struct paged p = {.sequences = options->counts[PAGEDATTENTION_SEQUENCES],
			  .table_width = (longest + PAGEDATTENTION_PAGE - 1) / PAGEDATTENTION_PAGE};
	size_t rows;

	p.lengths = workload_host_alloc(p.sequences, sizeof(*p.lengths));
	p.table = workload_host_alloc((size_t)p.sequences * p.table_width, sizeof(*p.table));
	for (unsigned int s = 0; s < p.sequences; s++)
		p.lengths[s] = 1 + (uint32_t)(workload_random(options->seed, 0, s) % longest);
	paged_table_make(&p);
	rows = (size_t)p.pages * PAGEDATTENTION_HEADS * PAGEDATTENTION_PAGE;
	p.keys = attention_rows(options->seed, 1, rows);
	p.values = attention_rows(options->seed, 2, rows);
	p.queries = attention_queries(options->seed, 3, paged_result_elements(&p) / ATTENTION_ELEMENTS);
	p.result = workload_host_alloc(paged_result_elements(&p), sizeof(*p.result));
	workload_input(p.keys, rows * ATTENTION_ELEMENTS * sizeof(*p.keys));
	workload_input(p.values, rows * ATTENTION_ELEMENTS * sizeof(*p.values));
	workload_input(p.queries, paged_result_elements(&p) * sizeof(*p.queries));
	workload_input(p.table, (size_t)p.sequences * p.table_width * sizeof(*p.table));
	workload_input(p.lengths, p.sequences * sizeof(*p.lengths));
	return p;
}

/* One query of a sequence: its positions one after the other, wherever their pages are. */
static inline bool paged_query_check(const struct paged *p, unsigned int sequence, unsigned int query,
				     const uint16_t **rows)
{
	const size_t length = p->lengths[sequence];
	const size_t at = ((size_t)sequence * PAGEDATTENTION_ALL_QUERIES + query) * ATTENTION_ELEMENTS;
	float want[ATTENTION_ELEMENTS];

	for (size_t i = 0; i < length; i++) {
		const size_t row = paged_row(p, sequence, query / PAGEDATTENTION_QUERIES, i);

		rows[i] = p->keys + row * ATTENTION_ELEMENTS;
		rows[length + i] = p->values + row * ATTENTION_ELEMENTS;
	}
	attention_reference(p->queries + at, rows, rows + length, length, want);
	return workload_close_f32("result", p->result + at, want, ATTENTION_ELEMENTS, 1e-4f);
}

/* Within 1e-4 of double precision. */
static inline bool paged_check(const struct paged *p)
{
	const uint16_t **rows = workload_host_alloc(2 * (size_t)p->table_width * PAGEDATTENTION_PAGE, sizeof(*rows));
	bool right = true;

	for (unsigned int s = 0; right && s < p->sequences; s++)
		for (unsigned int q = 0; right && q < PAGEDATTENTION_ALL_QUERIES; q++)
			right = paged_query_check(p, s, q, rows);
	free(rows);
	return right;
}

static inline void paged_free(struct paged *p)
{
	free(p->lengths);
	free(p->table);
	free(p->keys);
	free(p->values);
	free(p->queries);
	free(p->result);
}

#endif
