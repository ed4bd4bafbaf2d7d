/*
 * random-access - atomic updates of random words of a table (HPC Challenge's RandomAccess: table[r mod n] ^= r).
 *
 * XOR is commutative, so the table after all updates is the same in whatever order the threads made them.
 */
#include "common/teams.h"

#include <stdlib.h>

static const struct workload_about about = {
	.name = "random-access",
	.summary = "Atomic exclusive-or into random words of a table (HPC Challenge's RandomAccess), by all threads.",
	.small_size = "2^16 words, 65,536 updates",
	.paper_size = "2^24 words (128 MB), 4 updates per word",
};

enum { LOG_WORDS, UPDATES, WHO, NDPS };
static const struct workload_count counts[] = {
	{"log-words", "the table has 2^N words of 8 bytes", 16, 24, 1, 32, 1, NULL},
	{"updates", "updates of a word", 65536, 67108864, 1, 1u << 31, 1, NULL},
	WORKLOAD_WHO,
};

struct updates {
	uint64_t seed;
	size_t words, count;
	uint64_t *tables[2]; /* of each job */
};

static uint64_t *table_make(size_t words)
{
	uint64_t *table = workload_host_alloc(words, sizeof(*table));

#pragma omp parallel for
	for (size_t i = 0; i < words; i++)
		table[i] = i;
	return table;
}

static void part_do(void *updates, const struct workload_part *part)
{
	const struct updates *u = updates;
	const uint64_t seed = u->seed + part->job, mask = u->words - 1;
	uint64_t *table = u->tables[part->job];
	const size_t begin = workload_part_begin(part, u->count), end = workload_part_end(part, u->count);

#pragma omp parallel for
	for (size_t i = begin; i < end; i++) {
		const uint64_t r = workload_random(seed, 0, i);

#pragma omp atomic
		table[r & mask] ^= r;
	}
}

static bool job_is_right(const struct updates *u, uint32_t job)
{
	uint64_t *want = workload_host_alloc(u->words, sizeof(*want));
	bool right;

	for (size_t i = 0; i < u->words; i++)
		want[i] = i;
	for (size_t i = 0; i < u->count; i++) {
		const uint64_t r = workload_random(u->seed + job, 0, i);

		want[r & (u->words - 1)] ^= r;
	}
	right = workload_same_u64("table", u->tables[job], want, u->words);
	free(want);
	return right;
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct updates u = {.seed = o.seed, .words = (size_t)1 << o.counts[LOG_WORDS], .count = o.counts[UPDATES]};
	const uint32_t jobs = workload_jobs(o.counts[WHO]);
	double seconds;
	bool right = true;

	strata_modelling_end();
	for (uint32_t i = 0; i < jobs; i++)
		u.tables[i] = table_make(u.words);
	strata_modelling_begin(STRATA_CACHES_COLD);
	seconds = workload_divide(o.counts[WHO], o.counts[NDPS], part_do, &u);
	strata_modelling_end();
	for (uint32_t i = 0; i < jobs; i++) {
		right = job_is_right(&u, i) && right;
		free(u.tables[i]);
	}
	workload_measure("updates", (double)u.count * jobs / seconds * 1e-9, "GUPS");
	return workload_finish(right, "%zu words, %zu updates", u.words, u.count);
}
