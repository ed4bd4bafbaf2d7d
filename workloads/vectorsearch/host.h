/* The table of vectorsearch and its reference, for the CUDA program and the program of threads. */
#ifndef VECTORSEARCH_HOST_H
#define VECTORSEARCH_HOST_H

#include "common/program.h"
#include "vectorsearch/vectorsearch.h"

#include <stdlib.h>

enum { VECTORSEARCH_ROWS, VECTORSEARCH_QUERIES, VECTORSEARCH_COUNTS_COUNT };
/* Rows of a program's counts. */
#define VECTORSEARCH_COUNTS \
	{"rows", "vectors that are searched", 16384, 1000000, VECTORSEARCH_BEST, 1 << 24, 1, NULL}, \
	{"queries", "vectors that are searched for", 1, 1, 1, VECTORSEARCH_QUERIES_MAX, 1, NULL}

struct vectorsearch {
	unsigned int rows, queries;
	float *table, *query;
	uint32_t *best; /* VECTORSEARCH_BEST of each query */
};

static inline struct vectorsearch vectorsearch_make(const struct workload_options *options)
{
	struct vectorsearch v = {.rows = options->counts[VECTORSEARCH_ROWS],
				 .queries = options->counts[VECTORSEARCH_QUERIES]};
	const size_t elements = (size_t)v.rows * VECTORSEARCH_WIDTH, asked = (size_t)v.queries * VECTORSEARCH_WIDTH;

	v.table = workload_host_alloc(elements, sizeof(*v.table));
	v.query = workload_host_alloc(asked, sizeof(*v.query));
	v.best = workload_host_alloc((size_t)v.queries * VECTORSEARCH_BEST, sizeof(*v.best));
	for (size_t i = 0; i < elements; i++)
		v.table[i] = (float)(workload_random(options->seed, 0, i) % 41) - 20;
	for (size_t i = 0; i < asked; i++)
		v.query[i] = (float)(workload_random(options->seed, 1, i) % 41) - 20;
	workload_input(v.table, elements * sizeof(*v.table));
	workload_input(v.query, asked * sizeof(*v.query));
	return v;
}

static inline float vectorsearch_product(const struct vectorsearch *v, unsigned int row, unsigned int query)
{
	const float *a = v->table + (size_t)row * VECTORSEARCH_WIDTH;
	const float *b = v->query + (size_t)query * VECTORSEARCH_WIDTH;
	float sum = 0;

	for (unsigned int c = 0; c < VECTORSEARCH_WIDTH; c++)
		sum += a[c] * b[c];
	return sum;
}

/* A list of the best so far, the best first, and of equal ones the lower row. */
struct vectorsearch_list {
	float score[VECTORSEARCH_BEST];
	uint32_t row[VECTORSEARCH_BEST];
	unsigned int count;
};

static inline bool vectorsearch_is_better(const struct vectorsearch_list *l, unsigned int at, float score, uint32_t row)
{
	return score > l->score[at] || (!(score < l->score[at]) && row < l->row[at]);
}

static inline void vectorsearch_offer(struct vectorsearch_list *l, float score, uint32_t row)
{
	unsigned int at = l->count;

	if (at == VECTORSEARCH_BEST && !vectorsearch_is_better(l, at - 1, score, row))
		return;
	if (at == VECTORSEARCH_BEST)
		at--;
	else
		l->count++;
	for (; at && vectorsearch_is_better(l, at - 1, score, row); at--) {
		l->score[at] = l->score[at - 1];
		l->row[at] = l->row[at - 1];
	}
	l->score[at] = score;
	l->row[at] = row;
}

/* By a list, row after row. */
static inline bool vectorsearch_check(const struct vectorsearch *v)
{
	bool right = true;

	for (unsigned int q = 0; right && q < v->queries; q++) {
		struct vectorsearch_list want = {.count = 0};

		for (unsigned int row = 0; row < v->rows; row++)
			vectorsearch_offer(&want, vectorsearch_product(v, row, q), row);
		right = workload_same_u32("found", v->best + (size_t)q * VECTORSEARCH_BEST, want.row,
					  VECTORSEARCH_BEST);
	}
	return right;
}

static inline void vectorsearch_free(struct vectorsearch *v)
{
	free(v->table);
	free(v->query);
	free(v->best);
}

#endif
