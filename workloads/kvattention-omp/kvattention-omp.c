/*
 * Attention of one step of decoding over a cache of keys and values, by threads: the input and the check of the CUDA
 * program.  A split of a head's positions is one thread's, for the four queries that share the head; then the splits of
 * each query are combined.
 */
#include "common/attention_threads.h"
#include "common/jobs.h"
#include "kvattention/host.h"

enum { CONTEXT, SPLIT, WHO };
static const struct workload_count counts[] = {
	{"context", "positions in the cache", 512, 8192, 1, 1 << 20, 1, NULL},
	{"split", "positions of a split", 32, 64, 1, KVATTENTION_SPLIT_MAX, 1, NULL},
	WORKLOAD_WHO,
};

struct job {
	struct kvattention k;
	size_t length, splits;
	struct attention_partial *partials; /* [query][split] */
};

static void job_make(void *job, const struct workload_options *options)
{
	struct job *j = job;

	j->k = kvattention_make(options->seed, options->counts[CONTEXT]);
	j->length = options->counts[SPLIT];
	j->splits = (j->k.context + j->length - 1) / j->length;
	j->partials = workload_host_alloc(j->splits * KVATTENTION_ALL_QUERIES, sizeof(*j->partials));
}

static void job_free(void *job)
{
	struct job *j = job;

	kvattention_free(&j->k);
	free(j->partials);
}

static void split_attend(const struct job *j, size_t head, size_t split)
{
	const size_t begin = split * j->length;
	const size_t end = begin + j->length < j->k.context ? begin + j->length : j->k.context;
	const float *queries = j->k.queries + head * KVATTENTION_QUERIES * ATTENTION_ELEMENTS;
	struct attention_partial *first = j->partials + head * KVATTENTION_QUERIES * j->splits + split;

	for (size_t q = 0; q < KVATTENTION_QUERIES; q++)
		attention_partial_begin(&first[q * j->splits]);
	for (size_t i = begin; i < end; i++) {
		const size_t row = (head * j->k.context + i) * ATTENTION_ELEMENTS;

		attention_position(first, j->splits, queries, KVATTENTION_QUERIES, j->k.keys + row, j->k.values + row);
	}
}

static void job_part(void *job, const struct workload_part *part)
{
	const struct job j = *(struct job *)job; /* on the team's stack */
	const size_t items = KVATTENTION_HEADS * j.splits;

#pragma omp parallel for
	for (size_t i = workload_part_begin(part, items); i < workload_part_end(part, items); i++)
		split_attend(&j, i / j.splits, i % j.splits);
	workload_part_wait(part);
#pragma omp parallel for
	for (size_t q = workload_part_begin(part, KVATTENTION_ALL_QUERIES);
	     q < workload_part_end(part, KVATTENTION_ALL_QUERIES); q++)
		attention_partials_combine(j.partials + q * j.splits, j.splits,
					   j.k.result + q * ATTENTION_ELEMENTS);
}

static bool job_check(const void *job, const struct workload_options *options)
{
	(void)options;
	return kvattention_check(&((const struct job *)job)->k);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"kvattention-omp", "Attention of a step of decoding, by threads.",
						    "512 positions in splits of 32", "8,192 positions in splits of 64"};
	static const struct job_kind kind = {sizeof(struct job), job_make, job_part, job_check, job_free};
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const double elements = 2.0 * KVATTENTION_HEADS * o.counts[CONTEXT] * ATTENTION_ELEMENTS;
	const bool right = jobs_do(&kind, o, WHO, elements * sizeof(uint16_t));

	return workload_finish(right, "%u positions, %d queries", o.counts[CONTEXT], KVATTENTION_ALL_QUERIES);
}
