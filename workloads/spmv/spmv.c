/*
 * spmv - y = A x with a random sparse matrix in compressed rows: streams of values, random reads of x.
 *
 * A row is summed by one thread from left to right, so y is that of one thread bit for bit.
 */
#include "common/program.h"

#include <stdlib.h>
#include <strata/ndp.h>

static const struct workload_about about = {
	.name = "spmv",
	.summary = "Sparse matrix times vector, rows of 1 to 31 random entries, dynamic distribution of rows.",
	.small_size = "4,096 rows",
	.paper_size = "1,048,576 rows",
};

enum { ROWS, PASSES };
static const struct workload_count counts[] = {
	{"rows", "rows and columns", 4096, 1048576, 1, 1u << 27, 1, NULL},
	{"passes", "multiplications", 1, 2, 1, 1000, 1, NULL},
};

enum { ROW_MAX = 31, ROWS_AT_ONCE = 64 };

struct matrix {
	size_t rows, entries;
	uint64_t *begin; /* [rows + 1] */
	uint32_t *column;
	double *value;
};

static void matrix_make(struct matrix *m, uint64_t seed, size_t rows)
{
	m->rows = rows;
	m->begin = workload_host_alloc(rows + 1, sizeof(*m->begin));
	for (size_t r = 0; r < rows; r++)
		m->begin[r + 1] = m->begin[r] + 1 + workload_random(seed, 0, r) % ROW_MAX;
	m->entries = m->begin[rows];
	m->column = workload_host_alloc(m->entries, sizeof(*m->column));
	m->value = workload_host_alloc(m->entries, sizeof(*m->value));
#pragma omp parallel for
	for (size_t i = 0; i < m->entries; i++) {
		m->column[i] = (uint32_t)(workload_random(seed, 1, i) % rows);
		m->value[i] = workload_random_float(seed, 2, i);
	}
}

static double row_times(const struct matrix *m, const double *x, size_t r)
{
	double sum = 0;

	for (uint64_t i = m->begin[r]; i < m->begin[r + 1]; i++)
		sum += m->value[i] * x[m->column[i]];
	return sum;
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const size_t rows = o.counts[ROWS];
	double *x = workload_host_alloc(rows, sizeof(*x)), *y = workload_host_alloc(rows, sizeof(*y));
	double *want = workload_host_alloc(rows, sizeof(*want)), seconds;
	struct matrix m;
	bool right;

	strata_modelling_end();
	matrix_make(&m, o.seed, rows);
	for (size_t r = 0; r < rows; r++)
		x[r] = workload_random_float(o.seed, 3, r);
	strata_modelling_begin(STRATA_CACHES_COLD);
	seconds = workload_seconds();
	for (unsigned int pass = 0; pass < o.counts[PASSES]; pass++) {
#pragma omp parallel for schedule(dynamic, ROWS_AT_ONCE)
		for (size_t r = 0; r < rows; r++)
			y[r] = row_times(&m, x, r);
	}
	seconds = workload_seconds() - seconds;
	strata_modelling_end();
	for (size_t r = 0; r < rows; r++)
		want[r] = row_times(&m, x, r);
	right = workload_same_f64("y", y, want, rows, 0);
	workload_measure("speed", 2.0 * (double)m.entries * o.counts[PASSES] / seconds * 1e-9, "GFlop/s");
	free(m.begin);
	free(m.column);
	free(m.value);
	free(x);
	free(y);
	free(want);
	return workload_finish(right, "%zu rows, %zu entries", rows, m.entries);
}
