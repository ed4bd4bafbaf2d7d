/* The input of embeddingbag and its reference, for the CUDA program and the program of threads. */
#ifndef EMBEDDINGBAG_HOST_H
#define EMBEDDINGBAG_HOST_H

#include "common/program.h"
#include "embeddingbag/embeddingbag.h"

#include <math.h>
#include <stdlib.h>

enum { EMBEDDINGBAG_ROWS, EMBEDDINGBAG_BAGS, EMBEDDINGBAG_EACH, EMBEDDINGBAG_INDICES, EMBEDDINGBAG_COUNTS_COUNT };
static const char *const embeddingbag_indices[] = {"zipf", "uniform"};
/* Rows of a program's counts. */
#define EMBEDDINGBAG_COUNTS \
	{"rows", "rows of the table", 65536, 1000000, 1, 1 << 24, 1, NULL}, \
	{"bags", "sums that are wanted", 2048, 16384, 1, 1 << 24, 1, NULL}, \
	{"each", "rows of each sum", 32, 64, 1, 65536, 1, NULL}, \
	{"indices", "how rows are drawn", 0, 0, 0, 1, 1, embeddingbag_indices}

struct embeddingbag {
	unsigned int rows, bags, each;
	float *table;
	uint32_t *indices;
	float *sums;
};

/* By Zipf's law of exponent 1 the number of the row that is asked for most often is 0, and so on; ranks are spread over
 * the table by a multiplication with a prime, which leaves no two on one row. */
static inline uint32_t embeddingbag_index(uint64_t seed, uint64_t i, bool is_uniform, unsigned int rows)
{
	const double u = (double)(workload_random(seed, 1, i) >> 11) * 0x1p-53;
	const uint64_t rank = is_uniform ? (uint64_t)(u * rows) : (uint64_t)exp(u * log(rows + 1.0)) - 1;

	return (uint32_t)(rank * UINT64_C(2654435761) % rows);
}

static inline struct embeddingbag embeddingbag_make(const struct workload_options *options)
{
	const unsigned int *counts = options->counts;
	struct embeddingbag e = {.rows = counts[EMBEDDINGBAG_ROWS],
				 .bags = counts[EMBEDDINGBAG_BAGS],
				 .each = counts[EMBEDDINGBAG_EACH]};
	const size_t elements = (size_t)e.rows * EMBEDDINGBAG_WIDTH, asked = (size_t)e.bags * e.each;

	e.table = workload_host_alloc(elements, sizeof(*e.table));
	e.indices = workload_host_alloc(asked, sizeof(*e.indices));
	e.sums = workload_host_alloc((size_t)e.bags * EMBEDDINGBAG_WIDTH, sizeof(*e.sums));
	for (size_t i = 0; i < elements; i++)
		e.table[i] = (float)(workload_random(options->seed, 0, i) % 201) - 100;
	for (size_t i = 0; i < asked; i++)
		e.indices[i] = embeddingbag_index(options->seed, i, counts[EMBEDDINGBAG_INDICES], e.rows);
	workload_input(e.table, elements * sizeof(*e.table));
	workload_input(e.indices, asked * sizeof(*e.indices));
	workload_input_number(e.each);
	return e;
}

static inline bool embeddingbag_check(const struct embeddingbag *e)
{
	const size_t sums = (size_t)e->bags * EMBEDDINGBAG_WIDTH;
	float *want = workload_host_alloc(sums, sizeof(*want));
	bool right;

	for (unsigned int bag = 0; bag < e->bags; bag++) {
		for (unsigned int i = 0; i < e->each; i++) {
			const size_t row = e->indices[(size_t)bag * e->each + i];

			for (size_t c = 0; c < EMBEDDINGBAG_WIDTH; c++)
				want[bag * (size_t)EMBEDDINGBAG_WIDTH + c] += e->table[row * EMBEDDINGBAG_WIDTH + c];
		}
	}
	right = workload_same_f32("sum", e->sums, want, sums, 0);
	free(want);
	return right;
}

static inline void embeddingbag_free(struct embeddingbag *e)
{
	free(e->table);
	free(e->indices);
	free(e->sums);
}

#endif
