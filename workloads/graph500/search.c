/*
 * search.c - breadth-first search from the top down or from the bottom up, whichever looks at fewer edges.
 *
 * One thread per part makes the threads of its team, once for the whole search. In a level a team expands what its part
 * holds: from the top down each vertex of the frontier takes its neighbours, wherever they lie; from the bottom up each
 * vertex that was not reached looks for a neighbour in the frontier.
 */
#include "common/teams.h"
#include "graph.h"

#include <omp.h>
#include <pthread.h>
#include <string.h>

enum { WORDS_AT_ONCE = 4 };

struct totals {
	uint64_t vertices, edges; /* of the next frontier */
};

struct search {
	const struct graph *g;
	struct graph_search *options;
	uint64_t root, edges;	 /* edges of the graph, each from both ends */
	pthread_barrier_t parts; /* one thread of each */
	struct totals totals[3]; /* by level modulo 3: one is summed, one read, one cleared */
};

/* What a team reads of all parts with every edge. It is on the stack of the team's first thread, so that it lies where
 * the team is. */
struct view {
	struct search *s;
	uint32_t part, part_count;
	unsigned int shift;
	uint64_t mask; /* of a vertex' number in its part */
	uint64_t *visited[GRAPH_PARTS_MAX], *queues[2][GRAPH_PARTS_MAX];
	int64_t *predecessor[GRAPH_PARTS_MAX];
	struct totals sum, next; /* of the part; of all */
	uint64_t hub_count;	 /* in the part's hubs, in this level */
};

/* What all threads know alike. */
struct level {
	uint32_t number;
	bool is_bottom_up;
	uint64_t unexplored; /* edges of vertices that were not reached, each from both ends */
};

/* One thread of each team. */
static void sync_parts(struct view *v)
{
	if (v->part_count > 1)
		pthread_barrier_wait(&v->s->parts);
}

/* All threads of all teams. */
static void sync_all(struct view *v)
{
#pragma omp barrier
	if (v->part_count > 1) {
		if (!omp_get_thread_num())
			sync_parts(v);
#pragma omp barrier
	}
}

static uint64_t bit_of(uint64_t local)
{
	return UINT64_C(1) << (local & 63);
}

/* Is this thread the one that reaches the vertex? */
static bool reach(uint64_t *visited, uint64_t local)
{
	uint64_t *word = &visited[local / 64];

	if (__atomic_load_n(word, __ATOMIC_RELAXED) & bit_of(local))
		return false;
	return !(__atomic_fetch_or(word, bit_of(local), __ATOMIC_RELAXED) & bit_of(local));
}

/* A vertex' edges from `first` on. */
static void expand(const struct view *v, const struct graph_part *p, uint64_t first, uint64_t end, uint64_t vertex,
		   uint32_t out)
{
	for (uint64_t i = first; i < end; i++) {
		const uint64_t to = p->neighbours[i], at = to & v->mask, there = to >> v->shift;

		if (!reach(v->visited[there], at))
			continue;
		v->predecessor[there][at] = (int64_t)vertex;
		__atomic_fetch_or(&v->queues[out][there][at / 64], bit_of(at), __ATOMIC_RELAXED);
	}
}

static uint64_t number_of(const struct view *v, uint64_t local)
{
	return ((uint64_t)v->part << v->shift) + local;
}

/* Of a Kronecker graph some vertices have a large share of all edges: such a one is the whole team's work. */
static void top_down(struct view *v, const struct graph_part *p, const struct level *level)
{
	const uint32_t in = level->number % 2;

#pragma omp for schedule(dynamic, WORDS_AT_ONCE)
	for (uint64_t w = 0; w < p->count / 64; w++) {
		for (uint64_t bits = p->queues[in][w]; bits; bits &= bits - 1) {
			const uint64_t local = w * 64 + (uint64_t)__builtin_ctzll(bits);
			const uint64_t first = p->begin[local], end = p->begin[local + 1];

			if (end - first < GRAPH_HUB_EDGES)
				expand(v, p, first, end, number_of(v, local), !in);
			else
				p->hubs[__atomic_fetch_add(&v->hub_count, 1, __ATOMIC_RELAXED)] = local;
		}
	}
	for (uint64_t h = 0; h < v->hub_count; h++) {
		const uint64_t local = p->hubs[h];

#pragma omp for schedule(static) nowait
		for (uint64_t i = p->begin[local]; i < p->begin[local + 1]; i++)
			expand(v, p, i, i + 1, number_of(v, local), !in);
	}
}

/* A neighbour that is in the frontier, or -1. */
static int64_t parent_of(const struct view *v, const struct graph_part *p, uint64_t local, uint32_t in)
{
	for (uint64_t i = p->begin[local]; i < p->begin[local + 1]; i++) {
		const uint64_t from = p->neighbours[i], at = from & v->mask;

		if (v->queues[in][from >> v->shift][at / 64] & bit_of(at))
			return (int64_t)from;
	}
	return -1;
}

static void bottom_up(const struct view *v, const struct graph_part *p, const struct level *level)
{
	const uint32_t in = level->number % 2;

	/* A word of the bitmaps is one thread's: no atomics. */
#pragma omp for schedule(dynamic, WORDS_AT_ONCE) nowait
	for (uint64_t w = 0; w < p->count / 64; w++) {
		uint64_t found = 0;

		for (uint64_t bits = ~p->visited[w]; bits; bits &= bits - 1) {
			const uint64_t local = w * 64 + (uint64_t)__builtin_ctzll(bits);
			const int64_t parent = parent_of(v, p, local, in);

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
static void turn(struct view *v, const struct graph_part *p, const struct level *level)
{
	const uint32_t in = level->number % 2;
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
		__atomic_fetch_add(&v->sum.vertices, own.vertices, __ATOMIC_RELAXED);
		__atomic_fetch_add(&v->sum.edges, own.edges, __ATOMIC_RELAXED);
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
	for (uint64_t i = 0; i < p->count; i++)
		p->predecessor[i] = -1;
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

/* What the part's next frontier has becomes what all have; one thread of each team. */
static void sum_up(struct view *v, const struct level *level)
{
	struct totals *all = &v->s->totals[level->number % 3];

	if (v->sum.vertices) {
		__atomic_fetch_add(&all->vertices, v->sum.vertices, __ATOMIC_RELAXED);
		__atomic_fetch_add(&all->edges, v->sum.edges, __ATOMIC_RELAXED);
	}
	v->sum = (struct totals){0, 0};
	v->hub_count = 0;
	sync_parts(v);
	v->next = *all;
}

/* Each thread of the part's team. */
static void levels_do(struct view *v, uint64_t root, uint64_t edges)
{
	struct search *s = v->s;
	const struct graph_part own = s->g->parts[v->part]; /* on the thread's stack */
	const bool is_first = !v->part && !omp_get_thread_num();
	struct level level = {.unexplored = edges};

	clear(&own);
	sync_all(v);
	if (is_first)
		begin(s, root);
	sync_all(v);
	for (;; level.number++) {
		if (level.is_bottom_up)
			bottom_up(v, &own, &level);
		else
			top_down(v, &own, &level);
		sync_all(v);
		if (is_first)
			s->totals[(level.number + 1) % 3] = (struct totals){0, 0};
		turn(v, &own, &level);
#pragma omp barrier
		if (!omp_get_thread_num())
			sum_up(v, &level);
#pragma omp barrier
		if (is_first) {
			s->options->levels++;
			s->options->bottom_up_levels += level.is_bottom_up;
		}
		if (!v->next.vertices)
			break;
		choose(s, &level, &v->next);
	}
}

/* Of the team of the calling thread. */
static int threads_of(const struct graph_search *s)
{
	return s->threads ? (int)s->threads : omp_get_max_threads();
}

static void part_search(void *search, uint32_t part)
{
	struct search *s = search;
	const struct graph *g = s->g;
	struct view v = {.s = s,
			 .part = part,
			 .part_count = g->part_count,
			 .shift = g->shift,
			 .mask = (UINT64_C(1) << g->shift) - 1};

	for (uint32_t p = 0; p < g->part_count; p++) {
		v.visited[p] = g->parts[p].visited;
		v.queues[0][p] = g->parts[p].queues[0];
		v.queues[1][p] = g->parts[p].queues[1];
		v.predecessor[p] = g->parts[p].predecessor;
	}
	const uint64_t root = s->root, edges = s->edges;

#pragma omp parallel num_threads(threads_of(s->options)) firstprivate(root, edges)
	levels_do(&v, root, edges);
}

static void teams_do(const struct graph *g, void (*work)(void *self, uint32_t part), void *self)
{
	uint32_t places[GRAPH_PARTS_MAX];

	for (uint32_t part = 0; part < g->part_count; part++)
		places[part] = g->is_placed && part >= g->cpu_parts ? part : STRATA_ANY;
	workload_teams(g->part_count, places, work, self);
}

static void part_begin(void *options, uint32_t part)
{
	(void)part;
	/* Of an empty region nothing would be left. */
#pragma omp parallel num_threads(threads_of(options))
	{
#pragma omp barrier
	}
}

void graph_begin(const struct graph *g, const struct graph_search *options)
{
	teams_do(g, part_begin, (void *)options);
}

void graph_search(const struct graph *g, uint64_t root, struct graph_search *options)
{
	struct search s = {.g = g, .options = options, .root = root, .edges = all_edges(g)};

	options->levels = options->bottom_up_levels = 0;
	pthread_barrier_init(&s.parts, NULL, g->part_count);
	teams_do(g, part_search, &s);
	pthread_barrier_destroy(&s.parts);
}
