/* Sums of a table's rows drawn by Zipf's law, by threads: input and check of the CUDA program, bags shared out. */
#include "common/jobs.h"
#include "embeddingbag/host.h"

#include <string.h>

enum { WHO = EMBEDDINGBAG_COUNTS_COUNT };
static const struct workload_count counts[] = {EMBEDDINGBAG_COUNTS, WORKLOAD_WHO};

static void job_make(void *job, const struct workload_options *options)
{
	*(struct embeddingbag *)job = embeddingbag_make(options);
}

static void bag_sum(const struct embeddingbag *e, size_t bag)
{
	const uint32_t *index = e->indices + bag * e->each;
	float sums[EMBEDDINGBAG_WIDTH] = {0};

	for (unsigned int i = 0; i < e->each; i++) {
		const float *row = e->table + (size_t)index[i] * EMBEDDINGBAG_WIDTH;

		for (size_t c = 0; c < EMBEDDINGBAG_WIDTH; c++)
			sums[c] += row[c];
	}
	memcpy(e->sums + bag * EMBEDDINGBAG_WIDTH, sums, sizeof(sums));
}

static void job_part(void *job, const struct workload_part *part)
{
	const struct embeddingbag e = *(struct embeddingbag *)job; /* on the team's stack */
	const size_t begin = workload_part_begin(part, e.bags), end = workload_part_end(part, e.bags);

#pragma omp parallel for
	for (size_t bag = begin; bag < end; bag++)
		bag_sum(&e, bag);
}

static bool job_check(const void *job, const struct workload_options *options)
{
	(void)options;
	return embeddingbag_check(job);
}

static void job_free(void *job)
{
	embeddingbag_free(job);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"embeddingbag-omp",
						    "Sums of rows of a table that are drawn by Zipf's law, by threads.",
						    "2,048 bags of 32 rows from 65,536 rows of 64 elements",
						    "16,384 bags of 64 rows from 1,000,000"};
	static const struct job_kind kind = {sizeof(struct embeddingbag), job_make, job_part, job_check, job_free};
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const double rows = (double)o.counts[EMBEDDINGBAG_BAGS] * o.counts[EMBEDDINGBAG_EACH];
	const bool right = jobs_do(&kind, o, WHO, rows * EMBEDDINGBAG_WIDTH * sizeof(float));

	return workload_finish(right, "%u bags of %u rows, from %u rows", o.counts[EMBEDDINGBAG_BAGS],
			       o.counts[EMBEDDINGBAG_EACH], o.counts[EMBEDDINGBAG_ROWS]);
}
