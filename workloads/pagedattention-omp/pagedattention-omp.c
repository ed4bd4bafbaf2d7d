/*
 * Attention of one step of decoding for sequences of different lengths, whose keys and values lie in pages, by threads:
 * the input and the check of the CUDA program.  A head of a sequence, of four queries, is one thread's.
 */
#include "common/attention_threads.h"
#include "common/jobs.h"
#include "pagedattention/host.h"

enum { WHO = PAGEDATTENTION_COUNTS_COUNT };
static const struct workload_count counts[] = {PAGEDATTENTION_COUNTS, WORKLOAD_WHO};

static void job_make(void *job, const struct workload_options *options)
{
	*(struct paged *)job = paged_make(options);
}

static void job_free(void *job)
{
	paged_free(job);
}

static void head_attend(const struct paged *p, size_t sequence, size_t head)
{
	const size_t first = sequence * PAGEDATTENTION_ALL_QUERIES + head * PAGEDATTENTION_QUERIES;
	const float *queries = p->queries + first * ATTENTION_ELEMENTS;
	struct attention_partial partials[PAGEDATTENTION_QUERIES];

	for (size_t q = 0; q < PAGEDATTENTION_QUERIES; q++)
		attention_partial_begin(&partials[q]);
	for (size_t i = 0; i < p->lengths[sequence]; i++) {
		const size_t row = paged_row(p, sequence, head, i) * ATTENTION_ELEMENTS;

		attention_position(partials, 1, queries, PAGEDATTENTION_QUERIES, p->keys + row, p->values + row);
	}
	for (size_t q = 0; q < PAGEDATTENTION_QUERIES; q++)
		attention_partials_combine(&partials[q], 1, p->result + (first + q) * ATTENTION_ELEMENTS);
}

/* Sequences differ in length: who is done takes the next head. */
static void job_part(void *job, const struct workload_part *part)
{
	const struct paged p = *(struct paged *)job; /* on the team's stack */
	const size_t heads = (size_t)p.sequences * PAGEDATTENTION_HEADS;

#pragma omp parallel for schedule(dynamic)
	for (size_t i = workload_part_begin(part, heads); i < workload_part_end(part, heads); i++)
		head_attend(&p, i / PAGEDATTENTION_HEADS, i % PAGEDATTENTION_HEADS);
}

static bool job_check(const void *job, const struct workload_options *options)
{
	(void)options;
	return paged_check(job);
}

/* Keys and values that are read at least, for a mean sequence of half of the longest. */
static double data_bytes(const unsigned int *options)
{
	const double positions = options[PAGEDATTENTION_SEQUENCES] * (options[PAGEDATTENTION_LONGEST] + 1.0) / 2;

	return 2 * positions * PAGEDATTENTION_HEADS * ATTENTION_ELEMENTS * sizeof(uint16_t);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"pagedattention-omp", "Attention of a step of decoding, keys and values in pages, by threads.",
		"8 sequences of at most 128 positions", "32 sequences of at most 1,024 positions"};
	static const struct job_kind kind = {sizeof(struct paged), job_make, job_part, job_check, job_free};
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const bool right = jobs_do(&kind, o, WHO, data_bytes(o.counts));

	return workload_finish(right, "%u sequences of at most %u positions", o.counts[PAGEDATTENTION_SEQUENCES],
			       o.counts[PAGEDATTENTION_LONGEST]);
}
