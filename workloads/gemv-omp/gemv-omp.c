/*
 * A matrix times a vector as in decoding, by threads: the input, the types and the check of the CUDA program, rows
 * shared out.  Eight sums a row, so that no addition waits for the one before.
 */
#include "common/jobs.h"
#include "common/rows_threads.h"
#include "gemv/host.h"

enum { WHO = GEMV_COUNTS_COUNT };
static const struct workload_count counts[] = {GEMV_COUNTS, WORKLOAD_WHO};

struct job {
	struct gemv g;
	void *weights; /* all rows */
	float *scales;
	void *vector; /* of f16 or f32 */
};

static void job_make(void *job, const struct workload_options *options)
{
	struct job *j = job;
	struct gemv *g = &j->g;
	const unsigned int vector_type = options->counts[GEMV_TYPE] == GEMV_F16 ? GEMV_F16 : GEMV_F32;
	uint64_t digest = 0;

	*g = gemv_make(options);
	j->weights = workload_host_alloc(g->rows, g->row_bytes);
	for (unsigned int row = 0; row < g->rows; row++) {
		char *to = (char *)j->weights + row * g->row_bytes;

		gemv_row_make(g, row);
		gemv_encode(g->weights, g->columns, g->type, to);
		digest = workload_digest(digest, to, g->row_bytes);
	}
	gemv_input(g, digest);
	j->scales = gemv_scales(g);
	j->vector = workload_host_alloc(g->columns, sizeof(float));
	gemv_encode(g->vector, g->columns, vector_type, j->vector);
}

static void job_free(void *job)
{
	struct job *j = job;

	gemv_free(&j->g);
	free(j->weights);
	free(j->scales);
	free(j->vector);
}

static float row_f16(const uint16_t *weights, const uint16_t *x, size_t columns)
{
	float sums[ROWS_SUMS] = {0};

	for (size_t c = 0; c < columns; c += ROWS_SUMS)
		for (size_t i = 0; i < ROWS_SUMS; i++)
			sums[i] += half_value(weights[c + i]) * half_value(x[c + i]);
	return rows_sums_add(sums);
}

static float row_int4(const uint32_t *weights, const float *scales, const float *x, size_t columns)
{
	float sums[ROWS_SUMS] = {0};

	for (size_t c = 0; c < columns; c += ROWS_SUMS) {
		const uint32_t word = weights[c / ROWS_SUMS];
		const float scale = scales[c / GEMV_GROUP];

		for (size_t i = 0; i < ROWS_SUMS; i++)
			sums[i] += scale * (float)((int)(word >> 4 * i & 15) - 8) * x[c + i];
	}
	return rows_sums_add(sums);
}

static float row_product(const struct job *j, size_t row)
{
	const void *weights = (const char *)j->weights + row * j->g.row_bytes;

	if (j->g.type == GEMV_F32)
		return rows_float(weights, j->vector, j->g.columns);
	if (j->g.type == GEMV_F16)
		return row_f16(weights, j->vector, j->g.columns);
	return row_int4(weights, j->scales + row * gemv_groups(&j->g), j->vector, j->g.columns);
}

static void job_part(void *job, const struct workload_part *part)
{
	const struct job j = *(struct job *)job; /* on the team's stack */
	const size_t begin = workload_part_begin(part, j.g.rows), end = workload_part_end(part, j.g.rows);

#pragma omp parallel for
	for (size_t row = begin; row < end; row++)
		j.g.result[row] = row_product(&j, row);
}

static bool job_check(const void *job, const struct workload_options *options)
{
	(void)options;
	return gemv_check(&((const struct job *)job)->g);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"gemv-omp", "A matrix times a vector, by threads.",
						    "2,048 x 2,048 matrix", "14,336 x 4,096 matrix"};
	static const struct job_kind kind = {sizeof(struct job), job_make, job_part, job_check, job_free};
	static const double weight_bits[] = {32, 16, 4 + 32.0 / GEMV_GROUP};
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const double elements = (double)o.counts[GEMV_ROWS] * o.counts[GEMV_COLUMNS];
	const bool right = jobs_do(&kind, o, WHO, elements * weight_bits[o.counts[GEMV_TYPE]] / 8);

	return workload_finish(right, "%u x %u matrix, %s", o.counts[GEMV_ROWS], o.counts[GEMV_COLUMNS],
			       gemv_types[o.counts[GEMV_TYPE]]);
}
