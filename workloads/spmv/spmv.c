/*
 * spmv - y = A x with a random sparse matrix in compressed rows: streams of values, random reads of x.
 *
 * A row is summed by one thread from left to right, so y is that of one thread bit for bit.
 */
#include "common/teams.h"

#include <stdlib.h>

static const struct workload_about about = {
	.name = "spmv",
	.summary = "Sparse matrix times vector, rows of 1 to 31 random entries, dynamic distribution of rows.",
	.small_size = "4,096 rows",
	.paper_size = "1,048,576 rows",
};

enum { ROWS, PASSES, WHO, NDPS };
static const struct workload_count counts[] = {
	{"rows", "rows and columns", 4096, 1048576, 1, 1u << 27, 1, NULL},
	{"passes", "multiplications", 1, 2, 1, 1000, 1, NULL},
	WORKLOAD_WHO,
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

struct job {
	struct matrix m;
	double *x, *y;
};

struct spmv {
	unsigned int passes;
	struct job jobs[2];
};

static void job_make(struct job *j, uint64_t seed, size_t rows)
{
	matrix_make(&j->m, seed, rows);
	j->x = workload_host_alloc(rows, sizeof(*j->x));
	j->y = workload_host_alloc(rows, sizeof(*j->y));
	for (size_t r = 0; r < rows; r++)
		j->x[r] = workload_random_float(seed, 3, r);
}

static void part_do(void *spmv, const struct workload_part *part)
{
	const struct spmv *s = spmv;
	const struct job j = s->jobs[part->job]; /* on the team's stack */
	const size_t begin = workload_part_begin(part, j.m.rows), end = workload_part_end(part, j.m.rows);

	for (unsigned int pass = 0; pass < s->passes; pass++) {
#pragma omp parallel for schedule(dynamic, ROWS_AT_ONCE)
		for (size_t r = begin; r < end; r++)
			j.y[r] = row_times(&j.m, j.x, r);
	}
}

static bool job_is_right(const struct job *j)
{
	double *want = workload_host_alloc(j->m.rows, sizeof(*want));
	bool right;

	for (size_t r = 0; r < j->m.rows; r++)
		want[r] = row_times(&j->m, j->x, r);
	right = workload_same_f64("y", j->y, want, j->m.rows, 0);
	free(want);
	return right;
}

static void job_free(struct job *j)
{
	free(j->m.begin);
	free(j->m.column);
	free(j->m.value);
	free(j->x);
	free(j->y);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const uint32_t jobs = workload_jobs(o.counts[WHO]);
	struct spmv s = {.passes = o.counts[PASSES]};
	size_t entries = 0;
	double seconds;
	bool right = true;

	strata_modelling_end();
	for (uint32_t i = 0; i < jobs; i++)
		job_make(&s.jobs[i], o.seed + i, o.counts[ROWS]);
	strata_modelling_begin(STRATA_CACHES_COLD);
	seconds = workload_divide(o.counts[WHO], o.counts[NDPS], part_do, &s);
	strata_modelling_end();
	for (uint32_t i = 0; i < jobs; i++) {
		right = job_is_right(&s.jobs[i]) && right;
		entries += s.jobs[i].m.entries;
		job_free(&s.jobs[i]);
	}
	workload_measure("speed", 2.0 * (double)entries * s.passes / seconds * 1e-9, "GFlop/s");
	return workload_finish(right, "%u rows, %zu entries", o.counts[ROWS], entries);
}
