/*
 * kernels.c - sparse products, smoothing sweeps, vectors, and values of neighbours.
 *
 * What is read in order is prefetched some elements ahead, with a pad before and after each array; x by the column that
 * stands half as far ahead (A[b[i]] of the NDP thesis, section 6.4.2), without any knowledge of the grid.
 */
#include "kernels.h"

#include <omp.h>
#include <strata/ndp.h>

enum {
	NONZEROS_AT_ONCE = 4, /* between prefetches of what is read in order: 32 bytes of values */
	ELEMENTS_AT_ONCE = 8  /* of vectors: 64 bytes; a part has a multiple of so many */
};

struct matrix {
	const uint32_t *begin, *columns;
	const double *values;
};

#define INLINE static inline __attribute__((always_inline))

INLINE struct matrix matrix_of(const struct hpcg_level *l)
{
	return (struct matrix){l->begin, l->columns, l->values};
}

/* ---- a row times x; `how` is constant where these are called ---- */

INLINE double nonzero(const struct matrix *m, int64_t i, const double *x, enum hpcg_prefetch how, int64_t indirect)
{
	if (how == HPCG_INDIRECT)
		__builtin_prefetch(&x[m->columns[i + indirect]]);
	return m->values[i] * x[m->columns[i]];
}

INLINE void ahead_of(const struct matrix *m, int64_t i, enum hpcg_prefetch how)
{
	if (how == HPCG_NO_PREFETCH)
		return;
	__builtin_prefetch(&m->values[i]);
	__builtin_prefetch(&m->columns[i]);
}

INLINE double row_forward(const struct matrix *m, uint32_t row, const double *x, enum hpcg_prefetch how, int64_t ahead)
{
	const int64_t end = m->begin[row + 1];
	double sum = 0;
	int64_t i = m->begin[row];

	for (; i + NONZEROS_AT_ONCE <= end; i += NONZEROS_AT_ONCE) {
		ahead_of(m, i + ahead, how);
		for (int64_t k = i; k < i + NONZEROS_AT_ONCE; k++)
			sum += nonzero(m, k, x, how, ahead / 2);
	}
	for (; i < end; i++)
		sum += nonzero(m, i, x, how, ahead / 2);
	return sum;
}

INLINE double row_backward(const struct matrix *m, uint32_t row, const double *x, enum hpcg_prefetch how, int64_t ahead)
{
	const int64_t begin = m->begin[row];
	double sum = 0;
	int64_t i = m->begin[row + 1];

	for (; i - NONZEROS_AT_ONCE >= begin; i -= NONZEROS_AT_ONCE) {
		ahead_of(m, i - 1 - ahead, how);
		for (int64_t k = i; k > i - NONZEROS_AT_ONCE; k--)
			sum += nonzero(m, k - 1, x, how, -(ahead / 2));
	}
	for (; i > begin; i--)
		sum += nonzero(m, i - 1, x, how, -(ahead / 2));
	return sum;
}

/* ---- the matrix ---- */

INLINE void multiply(const struct hpcg_work *w, enum hpcg_prefetch how)
{
	const struct matrix m = matrix_of(w->level);
	const double *x = w->x;
	double *out = w->w;
	const int64_t ahead = w->ahead;

#pragma omp for schedule(static)
	for (uint32_t row = 0; row < w->level->rows; row++)
		out[row] = row_forward(&m, row, x, how, ahead);
}

/* The sum over a row has the diagonal's product in it, which is taken out again. */
INLINE void smooth(const struct matrix *m, const uint32_t *diagonal, const double *y, double *x, uint32_t row,
		   double sum)
{
	const double d = m->values[diagonal[row]];

	x[row] = (y[row] - sum + x[row] * d) / d;
}

/* Blocks of one colour do not touch each other. */
INLINE void sweep_forward(const struct hpcg_work *w, enum hpcg_prefetch how)
{
	const struct hpcg_level *l = w->level;
	const struct matrix m = matrix_of(l);
	const uint32_t *blocks = l->blocks, *diagonal = l->diagonal;
	const double *y = w->y;
	double *x = w->w;
	const int64_t ahead = w->ahead;

	for (uint32_t colour = 0; colour < HPCG_COLOURS; colour++) {
#pragma omp for schedule(static)
		for (uint32_t b = l->colours[colour]; b < l->colours[colour + 1]; b++)
			for (uint32_t row = blocks[b]; row < blocks[b + 1]; row++)
				smooth(&m, diagonal, y, x, row, row_forward(&m, row, x, how, ahead));
	}
}

INLINE void sweep_backward(const struct hpcg_work *w, enum hpcg_prefetch how)
{
	const struct hpcg_level *l = w->level;
	const struct matrix m = matrix_of(l);
	const uint32_t *blocks = l->blocks, *diagonal = l->diagonal;
	const double *y = w->y;
	double *x = w->w;
	const int64_t ahead = w->ahead;

	for (uint32_t colour = HPCG_COLOURS; colour-- > 0;) {
#pragma omp for schedule(static)
		for (uint32_t b = l->colours[colour]; b < l->colours[colour + 1]; b++)
			for (uint32_t row = blocks[b + 1]; row-- > blocks[b];)
				smooth(&m, diagonal, y, x, row, row_backward(&m, row, x, how, ahead));
	}
}

/* A kernel by how it prefetches. */
#define BY_PREFETCH(name, of)                    \
	void name(const struct hpcg_work *w)     \
	{                                        \
		switch (w->prefetch) {           \
		case HPCG_NO_PREFETCH:           \
			of(w, HPCG_NO_PREFETCH); \
			break;                   \
		case HPCG_LINEAR:                \
			of(w, HPCG_LINEAR);      \
			break;                   \
		case HPCG_INDIRECT:              \
			of(w, HPCG_INDIRECT);    \
			break;                   \
		}                                \
	}

BY_PREFETCH(hpcg_multiply, multiply)
BY_PREFETCH(hpcg_sweep_forward, sweep_forward)
BY_PREFETCH(hpcg_sweep_backward, sweep_backward)

/* ---- vectors of the finest level ---- */

/* One array's prefetch goes before the first half of the elements, the other's before the second: a core of an NDP may
 * have one under way. */
INLINE double dot_range(const double *x, const double *y, uint32_t begin, uint32_t end, enum hpcg_prefetch how,
			uint32_t ahead)
{
	double sum = 0;

	for (uint32_t i = begin; i < end; i += ELEMENTS_AT_ONCE) {
		if (how != HPCG_NO_PREFETCH)
			__builtin_prefetch(&x[i + ahead]);
		for (uint32_t k = i; k < i + ELEMENTS_AT_ONCE / 2; k++)
			sum += x[k] * y[k];
		if (how != HPCG_NO_PREFETCH)
			__builtin_prefetch(&y[i + ahead]);
		for (uint32_t k = i + ELEMENTS_AT_ONCE / 2; k < i + ELEMENTS_AT_ONCE; k++)
			sum += x[k] * y[k];
	}
	return sum;
}

INLINE void dot(const struct hpcg_work *w, enum hpcg_prefetch how)
{
	const uint32_t size = w->level->rows / HPCG_RANGES, ahead = w->ahead;
	const double *x = w->x, *y = w->y;
	double *sums = w->part->sums;

#pragma omp for schedule(static)
	for (uint32_t range = 0; range < HPCG_RANGES; range++)
		sums[range] = dot_range(x, y, range * size, (range + 1) * size, how, ahead);
}

INLINE void add_some(const struct hpcg_work *w, uint32_t begin, enum hpcg_prefetch how)
{
	const double *x = w->x, *y = w->y, beta = w->beta;
	double *to = w->w;

	if (how != HPCG_NO_PREFETCH)
		__builtin_prefetch(&x[begin + w->ahead]);
	for (uint32_t i = begin; i < begin + ELEMENTS_AT_ONCE / 2; i++)
		to[i] = x[i] + beta * y[i];
	if (how != HPCG_NO_PREFETCH)
		__builtin_prefetch(&y[begin + w->ahead]);
	for (uint32_t i = begin + ELEMENTS_AT_ONCE / 2; i < begin + ELEMENTS_AT_ONCE; i++)
		to[i] = x[i] + beta * y[i];
}

INLINE void add(const struct hpcg_work *w, enum hpcg_prefetch how)
{
	const struct hpcg_work own = *w;

#pragma omp for schedule(static)
	for (uint32_t i = 0; i < own.level->rows / ELEMENTS_AT_ONCE; i++)
		add_some(&own, i * ELEMENTS_AT_ONCE, how);
}

BY_PREFETCH(hpcg_dot, dot)
BY_PREFETCH(hpcg_add, add)

void hpcg_copy(const struct hpcg_work *w)
{
	const double *x = w->x;
	double *to = w->w;

#pragma omp for schedule(static)
	for (uint32_t row = 0; row < w->level->rows; row++)
		to[row] = x[row];
}

/* ---- vectors of any level ---- */

void hpcg_clear(const struct hpcg_work *w)
{
	double *to = w->w;

#pragma omp for schedule(static)
	for (uint32_t row = 0; row < w->level->rows + w->level->halo; row++)
		to[row] = 0;
}

void hpcg_restrict(const struct hpcg_work *w)
{
	const uint32_t *fine = w->level->fine;
	const double *x = w->x, *y = w->y;
	double *to = w->w;

#pragma omp for schedule(static)
	for (uint32_t row = 0; row < w->level->rows; row++)
		to[row] = x[fine[row]] - y[fine[row]];
}

void hpcg_prolong(const struct hpcg_work *w)
{
	const uint32_t *fine = w->level->fine;
	const double *x = w->x;
	double *to = w->w;

#pragma omp for schedule(static)
	for (uint32_t row = 0; row < w->level->rows; row++)
		to[fine[row]] += x[row];
}

/* ---- neighbours ---- */

void hpcg_pack(const struct hpcg_work *w)
{
	const uint32_t *rows = w->level->rows_out;
	const double *x = w->x;
	double *out = w->level->out[w->turn];

#pragma omp for schedule(static)
	for (uint32_t i = 0; i < w->level->outgoing; i++)
		out[i] = x[rows[i]];
}

/* Each thread takes its share of each neighbour's values; a loop of the region for each would cost more than they do.
 */
void hpcg_take(const struct hpcg_work *w)
{
	const uint64_t threads = (uint64_t)omp_get_num_threads(), own = (uint64_t)omp_get_thread_num();

	for (uint32_t d = 0; d < HPCG_DIRECTIONS; d++) {
		const struct hpcg_neighbour *n = &w->level->neighbours[d];
		const double *from = n->from[w->turn];
		double *to = w->w + n->slot;

		const uint64_t begin = n->count * own / threads, end = n->count * (own + 1) / threads;

		for (uint64_t i = begin; i < end; i++)
			to[i] = from[i];
		if (w->is_cacheable && begin < end)
			strata_flush(&from[begin], (end - begin) * sizeof(double));
	}
#pragma omp barrier
}
