/*
 * chase - every thread walks a random cycle of its own: each load needs the one before, so time per step is latency.
 *
 * A node is a line of 128 bytes with a number; the sum along a walk is that of a walk over the permutation itself.
 */
#include "common/program.h"

#include <omp.h>
#include <stdlib.h>
#include <strata/ndp.h>

static const struct workload_about about = {
	.name = "chase",
	.summary = "Walks through lines in a random order, a cycle per thread: the latency of memory.",
	.small_size = "1 thread, 4,096 lines, 20,000 steps",
	.paper_size = "1 thread, 2,097,152 lines (256 MB), 2,000,000 steps",
};

enum { LINES, STEPS, WALKS };
static const struct workload_count counts[] = {
	{"lines", "lines of 128 bytes of each walk", 4096, 2097152, 2, 1u << 28, 1, NULL},
	{"steps", "steps of each walk", 20000, 2000000, 1, 1u << 31, 1, NULL},
	{"walks", "threads that walk at once", 1, 1, 1, 4096, 1, NULL},
};

struct node {
	struct node *next;
	uint64_t number;
	char rest[112];
};
_Static_assert(sizeof(struct node) == 128, "a line");

/* Where the walk goes from each line: one cycle through all of them (Sattolo's shuffle). */
static uint32_t *cycle_make(uint64_t seed, uint32_t walk, uint32_t n)
{
	uint32_t *next = workload_host_alloc(n, sizeof(*next));

	for (uint32_t i = 0; i < n; i++)
		next[i] = i;
	for (uint32_t i = n - 1; i > 0; i--) {
		const uint32_t other = (uint32_t)(workload_random(seed, walk, i) % i), kept = next[i];

		next[i] = next[other];
		next[other] = kept;
	}
	return next;
}

static struct node *nodes_make(const uint32_t *next, uint32_t n)
{
	struct node *nodes = aligned_alloc(sizeof(*nodes), n * sizeof(*nodes));

	if (!nodes)
		workload_fail("no memory for %u lines", n);
	for (uint32_t i = 0; i < n; i++) {
		nodes[i].next = &nodes[next[i]];
		nodes[i].number = i;
	}
	return nodes;
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const uint32_t n = o.counts[LINES], steps = o.counts[STEPS], walks = o.counts[WALKS];
	uint32_t **next = workload_host_alloc(walks, sizeof(*next));
	uint64_t *got = workload_host_alloc(walks, sizeof(*got)), *want = workload_host_alloc(walks, sizeof(*want));
	struct node **nodes = workload_host_alloc(walks, sizeof(*nodes));
	double seconds;
	bool right;

	strata_modelling_end();
	for (uint32_t w = 0; w < walks; w++)
		next[w] = cycle_make(o.seed, w, n);
	omp_set_dynamic(0);
#pragma omp parallel for num_threads(walks) schedule(static, 1)
	for (uint32_t w = 0; w < walks; w++)
		nodes[w] = nodes_make(next[w], n);
	strata_modelling_begin(STRATA_CACHES_COLD);
	seconds = workload_seconds();
#pragma omp parallel for num_threads(walks) schedule(static, 1)
	for (uint32_t w = 0; w < walks; w++) {
		const struct node *at = nodes[w];
		uint64_t sum = 0;

		for (uint32_t i = 0; i < steps; i++) {
			at = at->next;
			sum += at->number;
		}
		got[w] = sum;
	}
	seconds = workload_seconds() - seconds;
	strata_modelling_end();
	for (uint32_t w = 0; w < walks; w++) {
		for (uint32_t i = 0, at = 0; i < steps; i++)
			want[w] += at = next[w][at];
		free(nodes[w]);
		free(next[w]);
	}
	right = workload_same_u64("sum", got, want, walks);
	workload_measure("latency", seconds / steps * 1e9, "ns");
	free(next);
	free(nodes);
	free(got);
	free(want);
	return workload_finish(right, "%u walks of %u lines, %u steps", walks, n, steps);
}
