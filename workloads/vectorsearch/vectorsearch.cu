#include <strata/kernel.h>

#include "../common/lanes.h"
#include "vectorsearch.h"

/* Scores lie query by query.  A warp takes every eighth row of its CTA's; the queries are in registers. */
template <int QUERIES>
LANES_DEVICE void vectorsearch_score(const float *table, const float *queries, float *scores, unsigned int rows)
{
	unsigned int begin = blockIdx.x * VECTORSEARCH_CTA_ROWS, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	unsigned int end = begin + VECTORSEARCH_CTA_ROWS < rows ? begin + VECTORSEARCH_CTA_ROWS : rows;
	struct lanes_f4 query[QUERIES];

	for (int q = 0; q < QUERIES; q++)
		query[q] = lanes_load_f4(queries + q * VECTORSEARCH_WIDTH + 4 * lane);
#pragma unroll 1
	for (unsigned int row = begin + warp; row < end; row += VECTORSEARCH_BLOCK_THREADS / 32) {
		struct lanes_f4 four = lanes_load_f4(table + (unsigned long long)row * VECTORSEARCH_WIDTH + 4 * lane);

#pragma unroll
		for (int q = 0; q < QUERIES; q++) {
			float score = lanes_sum(lanes_dot(four, query[q]));

			if (lane == 0)
				scores[(unsigned long long)q * rows + row] = score;
		}
	}
}

#define VECTORSEARCH_SCORE(queries_count)                                                                     \
	extern "C" __global__ void vectorsearch_score_##queries_count(const float *table, const float *queries, \
								      float *scores, unsigned int rows)         \
	{                                                                                                     \
		vectorsearch_score<queries_count>(table, queries, scores, rows);                               \
	}

VECTORSEARCH_SCORE(1)
VECTORSEARCH_SCORE(2)
VECTORSEARCH_SCORE(3)
VECTORSEARCH_SCORE(4)

/* The higher score, and of equal ones the lower row. */
static __device__ __forceinline__ bool is_better(float score, unsigned int row, float than_score, unsigned int than_row)
{
	return score > than_score || (score == than_score && row < than_row);
}

/*
 * The best of each chunk of scores, one after the other, by the CTA (chunk, query).  Rows are the scores' places when
 * `rows` is null.
 */
extern "C" __global__ void vectorsearch_best(const float *scores, const unsigned int *rows, float *best_scores,
					     unsigned int *best_rows, unsigned int count)
{
	__shared__ float left[VECTORSEARCH_CHUNK];
	__shared__ unsigned int left_row[VECTORSEARCH_CHUNK], tree_at[VECTORSEARCH_BLOCK_THREADS];
	unsigned int thread = threadIdx.x, query = blockIdx.y, begin = blockIdx.x * VECTORSEARCH_CHUNK;
	unsigned long long out = ((unsigned long long)query * gridDim.x + blockIdx.x) * VECTORSEARCH_BEST;

	for (unsigned int i = thread; i < VECTORSEARCH_CHUNK; i += VECTORSEARCH_BLOCK_THREADS) {
		unsigned long long at = (unsigned long long)query * count + begin + i;
		bool is_there = begin + i < count;

		left[i] = is_there ? scores[at] : -1e30f;
		left_row[i] = !is_there ? 0xffffffffu : rows ? rows[at] : begin + i;
	}
	for (unsigned int b = 0; b < VECTORSEARCH_BEST; b++) {
		unsigned int at = thread;

		__syncthreads();
		for (unsigned int i = thread; i < VECTORSEARCH_CHUNK; i += VECTORSEARCH_BLOCK_THREADS)
			if (is_better(left[i], left_row[i], left[at], left_row[at]))
				at = i;
		tree_at[thread] = at;
		__syncthreads();
#pragma unroll 1
		for (unsigned int half = VECTORSEARCH_BLOCK_THREADS / 2; half; half /= 2) {
			unsigned int own = tree_at[thread], other = tree_at[(thread + half) % VECTORSEARCH_BLOCK_THREADS];

			if (thread < half && is_better(left[other], left_row[other], left[own], left_row[own]))
				tree_at[thread] = other;
			__syncthreads();
		}
		if (thread == 0) {
			best_scores[out + b] = left[tree_at[0]];
			best_rows[out + b] = left_row[tree_at[0]];
			left[tree_at[0]] = -1e30f;
			left_row[tree_at[0]] = 0xffffffffu;
		}
	}
}
