/*
 * chase - every thread walks a random cycle of its own: each load needs the one before, so time per step is latency.
 *
 * A node is a line of 128 bytes with a number; the sum along a walk is that of a walk over the permutation itself.
 */
#include "common/teams.h"

#include <omp.h>
#include <stdlib.h>

static const struct workload_about about = {
	.name = "chase",
	.summary = "Walks through lines in a random order, a cycle per thread: the latency of memory.",
	.small_size = "1 thread, 4,096 lines, 20,000 steps",
	.paper_size = "1 thread, 2,097,152 lines (256 MB), 2,000,000 steps",
};

enum { LINES, STEPS, WALKS, WHO, NDPS };
static const struct workload_count counts[] = {
	{"lines", "lines of 128 bytes of each walk", 4096, 2097152, 2, 1u << 28, 1, NULL},
	{"steps", "steps of each walk", 20000, 2000000, 1, 1u << 31, 1, NULL},
	{"walks", "threads of each team that walk at once", 1, 1, 1, 4096, 1, NULL},
	WORKLOAD_WHO,
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

struct chase {
	uint32_t lines, steps, walks, teams; /* walks: of a team; teams: of a job, at most */
	uint32_t **next;		     /* [jobs * walks] */
	struct node **nodes;
	uint64_t *got; /* [jobs * walks * teams] */
};

static void part_do(void *chase, const struct workload_part *part)
{
	const struct chase *c = chase;
	const uint32_t first = part->job * c->walks, walks = c->walks, steps = c->steps;
	struct node **nodes = &c->nodes[first];
	uint64_t *got = &c->got[first * c->teams + part->number];

	/* Teams of one job walk through the same lines. */
#pragma omp parallel for num_threads(walks) schedule(static, 1)
	for (uint32_t w = 0; w < walks; w++) {
		const struct node *at = nodes[w];
		uint64_t sum = 0;

		for (uint32_t i = 0; i < steps; i++) {
			at = at->next;
			sum += at->number;
		}
		got[w * c->teams] = sum;
	}
}

static void walks_make(struct chase *c, uint64_t seed, uint32_t jobs)
{
	const uint32_t all = jobs * c->walks;

	c->next = workload_host_alloc(all, sizeof(*c->next));
	c->nodes = workload_host_alloc(all, sizeof(*c->nodes));
	c->got = workload_host_alloc((size_t)all * c->teams, sizeof(*c->got));
	for (uint32_t w = 0; w < all; w++)
		c->next[w] = cycle_make(seed, w, c->lines);
#pragma omp parallel for num_threads(all) schedule(static, 1)
	for (uint32_t w = 0; w < all; w++)
		c->nodes[w] = nodes_make(c->next[w], c->lines);
}

static bool walk_is_right(const struct chase *c, uint32_t w, uint32_t teams)
{
	uint64_t want = 0;
	bool right = true;

	for (uint32_t i = 0, at = 0; i < c->steps; i++)
		want += at = c->next[w][at];
	for (uint32_t team = 0; team < teams; team++)
		right = workload_same_u64("sum", &c->got[w * c->teams + team], &want, 1) && right;
	return right;
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const uint32_t jobs = workload_jobs(o.counts[WHO]);
	struct chase c = {o.counts[LINES], o.counts[STEPS], o.counts[WALKS], o.counts[NDPS] + 1, NULL, NULL, NULL};
	double seconds;
	bool right = true;

	strata_modelling_end();
	omp_set_dynamic(0);
	walks_make(&c, o.seed, jobs);
	strata_modelling_begin(STRATA_CACHES_COLD);
	seconds = workload_divide(o.counts[WHO], o.counts[NDPS], part_do, &c);
	strata_modelling_end();
	for (uint32_t w = 0; w < jobs * c.walks; w++) {
		right = walk_is_right(&c, w, workload_parts(o.counts[WHO], o.counts[NDPS], w / c.walks)) && right;
		free(c.nodes[w]);
		free(c.next[w]);
	}
	workload_measure("latency", seconds / c.steps * 1e9, "ns");
	free(c.next);
	free(c.nodes);
	free(c.got);
	return workload_finish(right, "%u walks of %u lines, %u steps", jobs * c.walks, c.lines, c.steps);
}
