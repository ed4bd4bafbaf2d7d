/*
 * Attention of one step of decoding over a cache of keys and values, by threads: the input and the check of the CUDA
 * program.  A split of a head's positions is one thread's, for the four queries that share the head; then the splits of
 * each query are combined.
 */
#include "common/jobs.h"
#include "kvattention/host.h"

enum { CONTEXT, SPLIT, WHO };
static const struct workload_count counts[] = {
	{"context", "positions in the cache", 512, 8192, 1, 1 << 20, 1, NULL},
	{"split", "positions of a split", 32, 64, 1, KVATTENTION_SPLIT_MAX, 1, NULL},
	WORKLOAD_WHO,
};

/* What a query has of some positions: the values by their parts, the highest score, and the sum of the parts. */
struct partial {
	float sum[ATTENTION_ELEMENTS];
	float most, parts;
};

struct job {
	struct kvattention k;
	size_t length, splits;
	struct partial *partials; /* [query][split] */
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

static void row_read(const uint16_t *row, float *elements)
{
	for (size_t c = 0; c < ATTENTION_ELEMENTS; c++)
		elements[c] = half_value(row[c]);
}

static float product(const float *a, const float *b)
{
	float sums[4] = {0};

	for (size_t c = 0; c < ATTENTION_ELEMENTS; c += 4)
		for (size_t i = 0; i < 4; i++)
			sums[i] += a[c + i] * b[c + i];
	return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static void position_add(struct partial *p, const float *query, const float *key, const float *value)
{
	const float score = product(query, key), most = fmaxf(p->most, score);
	const float old = expf(p->most - most), part = expf(score - most);

	p->most = most;
	p->parts = p->parts * old + part;
	for (size_t c = 0; c < ATTENTION_ELEMENTS; c++)
		p->sum[c] = p->sum[c] * old + part * value[c];
}

static void split_attend(const struct job *j, size_t head, size_t split)
{
	const size_t begin = split * j->length;
	const size_t end = begin + j->length < j->k.context ? begin + j->length : j->k.context;
	struct partial *first = j->partials + head * KVATTENTION_QUERIES * j->splits + split;
	float key[ATTENTION_ELEMENTS], value[ATTENTION_ELEMENTS];

	for (size_t q = 0; q < KVATTENTION_QUERIES; q++)
		first[q * j->splits].most = -1e30f;
	for (size_t i = begin; i < end; i++) {
		const size_t row = (head * j->k.context + i) * ATTENTION_ELEMENTS;

		row_read(j->k.keys + row, key);
		row_read(j->k.values + row, value);
		for (size_t q = 0; q < KVATTENTION_QUERIES; q++)
			position_add(&first[q * j->splits],
				     j->k.queries + (head * KVATTENTION_QUERIES + q) * ATTENTION_ELEMENTS, key, value);
	}
}

static void query_combine(const struct job *j, size_t query)
{
	const struct partial *p = j->partials + query * j->splits;
	float most = -1e30f, parts = 0, sum[ATTENTION_ELEMENTS] = {0};

	for (size_t s = 0; s < j->splits; s++)
		most = fmaxf(most, p[s].most);
	for (size_t s = 0; s < j->splits; s++) {
		const float part = expf(p[s].most - most);

		parts += part * p[s].parts;
		for (size_t c = 0; c < ATTENTION_ELEMENTS; c++)
			sum[c] += part * p[s].sum[c];
	}
	for (size_t c = 0; c < ATTENTION_ELEMENTS; c++)
		j->k.result[query * ATTENTION_ELEMENTS + c] = sum[c] / parts;
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
		query_combine(&j, q);
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
