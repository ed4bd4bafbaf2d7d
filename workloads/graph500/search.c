/*
 * search.c - breadth-first search from the top down or from the bottom up, whichever looks at fewer edges.
 *
 * One thread per part makes the threads of its team, once for the whole search. In a level a team expands what its part
 * holds: from the top down each vertex of the frontier takes its neighbours, wherever they lie; from the bottom up each
 * vertex that was not reached looks for a neighbour in the frontier.
 */
#include "common/program.h"
#include "graph.h"

#include <omp.h>
#include <pthread.h>
#include <strata/ndp.h>
#include <string.h>

enum { WORDS_AT_ONCE = 4 };

struct totals {
	uint64_t vertices, edges; /* of the next frontier */
};

struct search {
	const struct graph *g;
	struct graph_search *options;
	pthread_barrier_t parts;  /* one thread of each */
	struct totals totals[3]; /* by level modulo 3: one is summed, one read, one cleared */
};

/* What all threads know alike. */
struct level {
	uint32_t number;
	bool is_bottom_up;
	uint64_t unexplored; /* edges of vertices that were not reached, each from both ends */
};

/* All threads of all teams. */
static void sync_all(struct search *s)
{
#pragma omp barrier
	if (s->g->part_count > 1) {
		if (!omp_get_thread_num())
			pthread_barrier_wait(&s->parts);
#pragma omp barrier
	}
}

static uint64_t bit_of(uint64_t local)
{
	return UINT64_C(1) << (local & 63);
}

/* Is this thread the one that reaches the vertex? */
static bool reach(struct graph_part *p, uint64_t local)
{
	uint64_t *word = &p->visited[local / 64];

	if (__atomic_load_n(word, __ATOMIC_RELAXED) & bit_of(local))
		return false;
	return !(__atomic_fetch_or(word, bit_of(local), __ATOMIC_RELAXED) & bit_of(local));
}

static void expand_vertex(const struct search *s, const struct graph_part *p, uint64_t local, uint64_t vertex,
			  uint32_t out)
{
	for (uint64_t i = p->begin[local]; i < p->begin[local + 1]; i++) {
		const uint64_t to = p->neighbours[i], at = graph_local(s->g, to);
		struct graph_part *there = graph_part_of(s->g, to);

		if (!reach(there, at))
			continue;
		there->predecessor[at] = (int64_t)vertex;
		__atomic_fetch_or(&there->queues[out][at / 64], bit_of(at), __ATOMIC_RELAXED);
	}
}

static void top_down(const struct search *s, uint32_t part, const struct level *level)
{
	const struct graph_part *p = &s->g->parts[part];
	const uint32_t in = level->number % 2;

#pragma omp for schedule(dynamic, WORDS_AT_ONCE) nowait
	for (uint64_t w = 0; w < p->count / 64; w++) {
		for (uint64_t bits = p->queues[in][w]; bits; bits &= bits - 1) {
			const uint64_t local = w * 64 + (uint64_t)__builtin_ctzll(bits);

			expand_vertex(s, p, local, ((uint64_t)part << s->g->shift) + local, !in);
		}
	}
}

/* A neighbour that is in the frontier, or -1. */
static int64_t parent_of(const struct search *s, const struct graph_part *p, uint64_t local, uint32_t in)
{
	for (uint64_t i = p->begin[local]; i < p->begin[local + 1]; i++) {
		const uint64_t from = p->neighbours[i], at = graph_local(s->g, from);

		if (graph_part_of(s->g, from)->queues[in][at / 64] & bit_of(at))
			return (int64_t)from;
	}
	return -1;
}

static void bottom_up(const struct search *s, uint32_t part, const struct level *level)
{
	struct graph_part *p = &s->g->parts[part];
	const uint32_t in = level->number % 2;

	/* A word of the bitmaps is one thread's: no atomics. */
#pragma omp for schedule(dynamic, WORDS_AT_ONCE) nowait
	for (uint64_t w = 0; w < p->count / 64; w++) {
		uint64_t found = 0;

		for (uint64_t bits = ~p->visited[w]; bits; bits &= bits - 1) {
			const uint64_t local = w * 64 + (uint64_t)__builtin_ctzll(bits);
			const int64_t parent = parent_of(s, p, local, in);

			if (parent < 0)
				continue;
			p->predecessor[local] = parent;
			found |= bit_of(local);
		}
		if (found) {
			p->visited[w] |= found;
			p->queues[!in][w] |= found;
		}
	}
}

/* Counts the next frontier and clears the one before, which is the one after it. */
static void turn(struct search *s, uint32_t part, const struct level *level)
{
	const struct graph_part *p = &s->g->parts[part];
	const uint32_t in = level->number % 2;
	struct totals *totals = &s->totals[level->number % 3];
	struct totals own = {0, 0};

#pragma omp for nowait
	for (uint64_t w = 0; w < p->count / 64; w++) {
		uint64_t bits = p->queues[!in][w];

		if (p->queues[in][w])
			p->queues[in][w] = 0;
		own.vertices += (uint64_t)__builtin_popcountll(bits);
		for (; bits; bits &= bits - 1)
			own.edges += graph_degree(p, w * 64 + (uint64_t)__builtin_ctzll(bits));
	}
	if (own.vertices) {
		__atomic_fetch_add(&totals->vertices, own.vertices, __ATOMIC_RELAXED);
		__atomic_fetch_add(&totals->edges, own.edges, __ATOMIC_RELAXED);
	}
}

/* Beamer, Asanovic, Patterson, SC 2012, section 4: from the bottom up while the frontier has more edges than a share of
 * the unexplored ones, until it has fewer vertices than a share of all. */
static void choose(const struct search *s, struct level *level, const struct totals *next)
{
	level->unexplored -= next->edges;
	if (s->options->direction == GRAPH_TOP_DOWN)
		return;
	if (level->is_bottom_up)
		level->is_bottom_up = next->vertices >= s->g->edges.vertices / s->options->beta;
	else
		level->is_bottom_up = next->edges > level->unexplored / s->options->alpha;
}

static void clear(const struct graph_part *p)
{
	const uint64_t words = p->count / 64;

#pragma omp for nowait
	for (uint64_t w = 0; w < words; w++)
		p->visited[w] = p->queues[0][w] = p->queues[1][w] = 0;
#pragma omp for nowait
	for (uint64_t v = 0; v < p->count; v++)
		p->predecessor[v] = -1;
}

static void begin(const struct search *s, uint64_t root)
{
	struct graph_part *p = graph_part_of(s->g, root);
	const uint64_t local = graph_local(s->g, root);

	p->visited[local / 64] |= bit_of(local);
	p->queues[0][local / 64] |= bit_of(local);
	p->predecessor[local] = (int64_t)root;
}

static uint64_t all_edges(const struct graph *g)
{
	uint64_t sum = 0;

	for (uint32_t p = 0; p < g->part_count; p++)
		sum += g->parts[p].begin[g->parts[p].count];
	return sum;
}

/* Each thread of the part's team. */
static void levels_do(struct search *s, uint32_t part, uint64_t root)
{
	const bool is_first = !part && !omp_get_thread_num();
	struct level level = {.unexplored = all_edges(s->g)};

	clear(&s->g->parts[part]);
	sync_all(s);
	if (is_first)
		begin(s, root);
	sync_all(s);
	for (;; level.number++) {
		const struct totals *next = &s->totals[level.number % 3];

		if (level.is_bottom_up)
			bottom_up(s, part, &level);
		else
			top_down(s, part, &level);
		sync_all(s);
		if (is_first)
			s->totals[(level.number + 1) % 3] = (struct totals){0, 0};
		turn(s, part, &level);
		sync_all(s);
		if (is_first) {
			s->options->levels++;
			s->options->bottom_up_levels += level.is_bottom_up;
		}
		if (!next->vertices)
			break;
		choose(s, &level, next);
	}
}

void graph_search(const struct graph *g, uint64_t root, struct graph_search *options)
{
	struct search s = {.g = g, .options = options};

	options->levels = options->bottom_up_levels = 0;
	pthread_barrier_init(&s.parts, NULL, g->part_count);
#pragma omp parallel num_threads(g->part_count)
	{
		const uint32_t part = (uint32_t)omp_get_thread_num();

		if (g->is_placed && (strata_run_on_ndp(part, 0) || strata_team_on_ndp(part)))
			workload_fail("there is no NDP %u", part);
#pragma omp parallel num_threads(options->threads)
		levels_do(&s, part, root);
		if (g->is_placed) {
			strata_team_on_ndp(STRATA_ANY);
			strata_run_on_cpu(STRATA_ANY);
		}
	}
	pthread_barrier_destroy(&s.parts);
}
