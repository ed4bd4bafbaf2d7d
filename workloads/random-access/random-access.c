/*
 * random-access - atomic updates of random words of a table (HPC Challenge's RandomAccess: table[r mod n] ^= r).
 *
 * XOR is commutative, so the table after all updates is the same in whatever order the threads made them.
 */
#include "common/program.h"

#include <stdlib.h>
#include <strata/ndp.h>

static const struct workload_about about = {
	.name = "random-access",
	.summary = "Atomic exclusive-or into random words of a table (HPC Challenge's RandomAccess), by all threads.",
	.small_size = "2^16 words, 65,536 updates",
	.paper_size = "2^24 words (128 MB), 4 updates per word",
};

enum { LOG_WORDS, UPDATES };
static const struct workload_count counts[] = {
	{"log-words", "the table has 2^N words of 8 bytes", 16, 24, 1, 32, 1, NULL},
	{"updates", "updates of a word", 65536, 67108864, 1, 1u << 31, 1, NULL},
};

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const size_t n = (size_t)1 << o.counts[LOG_WORDS], updates = o.counts[UPDATES];
	uint64_t *table = workload_host_alloc(n, sizeof(*table)), *want = workload_host_alloc(n, sizeof(*want));
	double seconds;
	bool right;

	strata_modelling_end();
#pragma omp parallel for
	for (size_t i = 0; i < n; i++)
		table[i] = i;
	strata_modelling_begin(STRATA_CACHES_COLD);
	seconds = workload_seconds();
#pragma omp parallel for
	for (size_t i = 0; i < updates; i++) {
		const uint64_t r = workload_random(o.seed, 0, i);

#pragma omp atomic
		table[r & (n - 1)] ^= r;
	}
	seconds = workload_seconds() - seconds;
	strata_modelling_end();
	for (size_t i = 0; i < n; i++)
		want[i] = i;
	for (size_t i = 0; i < updates; i++) {
		const uint64_t r = workload_random(o.seed, 0, i);

		want[r & (n - 1)] ^= r;
	}
	right = workload_same_u64("table", table, want, n);
	workload_measure("updates", (double)updates / seconds * 1e-9, "GUPS");
	free(table);
	free(want);
	return workload_finish(right, "%zu words, %zu updates", n, updates);
}
