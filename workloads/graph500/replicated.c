/*
 * replicated.c - breadth-first search with the frontier at every part (section 5.5.2 of the thesis on near-data
 * processors on memory channels; "bfs_replicated" of Graph500's reference code).
 *
 * A level is from the bottom up: each part's team looks for its vertices' neighbours in a frontier of all vertices that
 * lies with the part, and asks no other part. Then the CPU, on which the search was called, writes what each part has
 * found into the frontiers of all.
 */
#include "common/teams.h"
#include "graph.h"

#include <omp.h>
#include <pthread.h>
#include <string.h>

enum { WORDS_AT_ONCE = 4 };

struct replicated {
	const struct graph *g;
	struct graph_search *options;
	uint64_t root;
	pthread_barrier_t all; /* one thread of each part, and one of the CPU */
	uint64_t found;	       /* vertices of the next frontier, of all parts; by the CPU */
};

static uint64_t words_of(const struct graph *g)
{
	return (UINT64_C(1) << g->shift) / 64;
}

static uint64_t bit_of(uint64_t local)
{
	return UINT64_C(1) << (local & 63);
}

/* ---- a part's team ---- */

static void clear(const struct graph *g, const struct graph_part *p)
{
	const uint64_t all = words_of(g) * g->part_count;

#pragma omp for schedule(static) nowait
	for (uint64_t w = 0; w < all; w++)
		p->replica[w] = 0;
#pragma omp for schedule(static) nowait
	for (uint64_t w = 0; w < p->count / 64; w++)
		p->visited[w] = p->queues[0][w] = 0;
#pragma omp for schedule(static)
	for (uint64_t v = 0; v < p->count; v++)
		p->predecessor[v] = -1;
}

/* A neighbour of the vertex in the frontier; -1: it has none. */
static int64_t parent_of(const struct graph_part *p, uint64_t local)
{
	for (uint64_t i = p->begin[local]; i < p->begin[local + 1]; i++) {
		const uint64_t to = p->neighbours[i];

		if (p->replica[to / 64] & bit_of(to))
			return (int64_t)to;
	}
	return -1;
}

/* 64 vertices: those that are reached. */
static uint64_t reach(const struct graph_part *p, uint64_t word)
{
	uint64_t reached = 0;

	for (uint64_t bits = ~p->visited[word]; bits; bits &= bits - 1) {
		const uint64_t local = word * 64 + (uint64_t)__builtin_ctzll(bits);
		const int64_t parent = parent_of(p, local);

		if (parent < 0)
			continue;
		p->predecessor[local] = parent;
		reached |= bit_of(local);
	}
	return reached;
}

/* One thread of the team waits for the others' and for the CPU. */
static void wait_all(struct replicated *s)
{
#pragma omp barrier
	if (!omp_get_thread_num())
		pthread_barrier_wait(&s->all);
#pragma omp barrier
}

/* Each thread of the part's team. */
static void levels_do(struct replicated *s, const struct graph_part *part)
{
	const struct graph *g = s->g;
	const struct graph_part own = *part; /* on the thread's stack */

	clear(g, &own);
	wait_all(s);
	do {
		wait_all(s); /* the frontier is there */
#pragma omp for schedule(dynamic, WORDS_AT_ONCE)
		for (uint64_t w = 0; w < (own.used + 63) / 64; w++) {
			const uint64_t reached = reach(&own, w);

			own.queues[0][w] = reached;
			if (reached)
				own.visited[w] |= reached;
		}
		wait_all(s);
		wait_all(s); /* the CPU has counted */
	} while (__atomic_load_n(&s->found, __ATOMIC_RELAXED));
}

/* ---- the CPU ---- */

static void root_begin(struct replicated *s)
{
	const struct graph *g = s->g;
	struct graph_part *p = graph_part_of(g, s->root);
	const uint64_t local = graph_local(g, s->root);

	p->predecessor[local] = (int64_t)s->root;
	p->visited[local / 64] |= bit_of(local);
	for (uint32_t to = 0; to < g->part_count; to++)
		g->parts[to].replica[s->root / 64] |= bit_of(s->root);
}

/* All to all: what part p has found is its section of each frontier. */
static uint64_t exchange(const struct graph *g)
{
	const uint64_t words = words_of(g);
	uint64_t found = 0;

#pragma omp parallel for schedule(static) reduction(+ : found)
	for (uint64_t w = 0; w < words * g->part_count; w++) {
		const uint64_t word = g->parts[w / words].queues[0][w % words];

		found += (uint64_t)__builtin_popcountll(word);
		for (uint32_t to = 0; to < g->part_count; to++)
			g->parts[to].replica[w] = word;
	}
	return found;
}

static void cpu_do(struct replicated *s)
{
	pthread_barrier_wait(&s->all); /* all is clear */
	root_begin(s);
	graph_count_begin(s->options);
	do {
		pthread_barrier_wait(&s->all);
		pthread_barrier_wait(&s->all); /* the teams' level is over */
		__atomic_store_n(&s->found, exchange(s->g), __ATOMIC_RELAXED);
		s->options->levels++;
		s->options->bottom_up_levels++;
		graph_count_level(s->options, true);
		pthread_barrier_wait(&s->all);
	} while (s->found);
}

/* ---- both ---- */

static void team_do(void *search, uint32_t i)
{
	struct replicated *s = search;
	const struct graph *g = s->g;
	const int threads = s->options->threads ? (int)s->options->threads : omp_get_max_threads();

	if (i == g->part_count) {
		cpu_do(s);
		return;
	}
#pragma omp parallel num_threads(threads)
	levels_do(s, &g->parts[i]);
}

void graph_search_replicated(const struct graph *g, uint64_t root, struct graph_search *options)
{
	struct replicated s = {.g = g, .options = options, .root = root};
	uint32_t places[GRAPH_PARTS_MAX + 1];

	for (uint32_t part = 0; part < g->part_count; part++)
		places[part] = g->is_placed ? part : STRATA_ANY;
	places[g->part_count] = STRATA_ANY;
	pthread_barrier_init(&s.all, NULL, g->part_count + 1);
	workload_teams(g->part_count + 1, places, team_do, &s);
	pthread_barrier_destroy(&s.all);
}
