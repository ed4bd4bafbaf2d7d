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

enum { WORDS_AT_ONCE = 4, LINE_WORDS = 8, AHEAD = 16 };

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
	uint64_t *visited[GRAPH_PARTS_MAX], *queues[2][GRAPH_PARTS_MAX], *summaries[GRAPH_PARTS_MAX];
	int64_t *predecessor[GRAPH_PARTS_MAX];
	struct totals sum, next; /* of the part; of all */
	uint64_t hub_count;	 /* in the part's hubs, in this level */
};

/* What all threads know alike. */
struct level {
	uint32_t number;
	bool is_bottom_up, is_summarised, is_by_predecessor, is_prefetching, counts_on_demand;
	/* Edges of vertices that were not reached, each from both ends; where edges are counted on demand, those that
	 * were reached from the bottom up are not taken from it. */
	uint64_t unexplored;
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

/* Words of the part's bitmaps. */
static uint64_t used_words(const struct graph_part *p)
{
	return (p->used + 63) / 64;
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
	for (uint64_t w = 0; w < used_words(p); w++) {
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

static bool is_in_frontier(const struct view *v, const struct level *level, uint64_t vertex)
{
	const uint64_t at = vertex & v->mask, there = vertex >> v->shift;

	if (level->is_summarised && !(v->summaries[there][at / 64 / 64] & bit_of(at / 64)))
		return false;
	return v->queues[level->number % 2][there][at / 64] & bit_of(at);
}

/* A neighbour that is in the frontier, or -1. */
static int64_t parent_of(const struct view *v, const struct graph_part *p, const struct level *level, uint64_t local)
{
	uint64_t i;

	if (p->heaviest && is_in_frontier(v, level, p->heaviest[local]))
		return (int64_t)p->heaviest[local];
	for (i = p->begin[local] + (p->heaviest != NULL); i < p->begin[local + 1]; i++)
		if (is_in_frontier(v, level, p->neighbours[i]))
			return (int64_t)p->neighbours[i];
	return -1;
}

/* Vertices of a word that were not visited. */
static uint64_t unvisited(const struct graph_part *p, const struct level *level, uint64_t w)
{
	uint64_t bits = 0;

	if (!level->is_by_predecessor)
		return ~p->visited[w];
	for (uint64_t i = 0; i < 64; i++) {
		if (level->is_prefetching && i % LINE_WORDS == 0)
			__builtin_prefetch(&p->predecessor[w * 64 + i + AHEAD]);
		bits |= (uint64_t)(p->predecessor[w * 64 + i] < 0) << i;
	}
	return bits;
}

/* A word of the bitmaps is one thread's: no atomics. */
static void bottom_up_word(const struct view *v, const struct graph_part *p, const struct level *level, uint64_t w)
{
	uint64_t found = 0;

	for (uint64_t bits = unvisited(p, level, w); bits; bits &= bits - 1) {
		const uint64_t local = w * 64 + (uint64_t)__builtin_ctzll(bits);
		const int64_t parent = parent_of(v, p, level, local);

		if (parent < 0)
			continue;
		p->predecessor[local] = parent;
		found |= bit_of(local);
	}
	if (found) {
		p->visited[w] |= found;
		p->queues[!(level->number % 2)][w] |= found;
	}
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* A line of the bitmaps in turns, or less where that is more than a thread's share: a thread knows what it will look at
 * next, and asks for it when it is told to. */
static void bottom_up(const struct view *v, const struct graph_part *p, const struct level *level)
{
	const uint64_t words = used_words(p), threads = (uint64_t)omp_get_num_threads();
	const uint64_t at_once = least((words + threads - 1) / threads, LINE_WORDS);

	for (uint64_t first = (uint64_t)omp_get_thread_num() * at_once; first < words; first += threads * at_once) {
		if (level->is_prefetching && !level->is_by_predecessor && first + threads * at_once < words)
			__builtin_prefetch(&p->visited[first + threads * at_once]);
		for (uint64_t w = first; w < least(first + at_once, words); w++)
			bottom_up_word(v, p, level, w);
	}
}

/* Of the part's frontier, by all threads of its team. */
static void summarise(const struct graph_part *p, const uint64_t *queue)
{
	const uint64_t words = used_words(p);

#pragma omp for schedule(dynamic) nowait
	for (uint64_t s = 0; s < graph_summary_words(p); s++) {
		uint64_t bits = 0;

		for (uint64_t w = s * 64; w < least(s * 64 + 64, words); w++)
			bits |= (uint64_t)(queue[w] != 0) << (w & 63);
		p->summary[s] = bits;
	}
}

/* What this thread's core has kept of other parts' frontiers is not what they are now. */
static void forget(const struct view *v, const struct graph_part *p, const struct level *level)
{
	for (uint32_t other = 0; other < v->part_count; other++) {
		if (other == v->part)
			continue;
		strata_flush(v->queues[level->number % 2][other], p->count / 8);
		if (level->is_summarised)
			strata_flush(v->summaries[other], graph_summary_words(p) * sizeof(uint64_t));
	}
}

/* Counts the next frontier and clears the one before, which is the one after it. */
static void turn(struct view *v, const struct graph_part *p, const struct level *level)
{
	const uint32_t in = level->number % 2;
	const bool has_edges = !level->is_bottom_up || !level->counts_on_demand;
	struct totals own = {0, 0};

#pragma omp for nowait
	for (uint64_t w = 0; w < used_words(p); w++) {
		uint64_t bits = p->queues[!in][w];

		if (p->queues[in][w])
			p->queues[in][w] = 0;
		own.vertices += (uint64_t)__builtin_popcountll(bits);
		for (; bits && has_edges; bits &= bits - 1)
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
	level->is_summarised = level->is_bottom_up && s->options->phi &&
			       next->vertices * s->options->phi < s->g->edges.vertices;
}

/* Vertices behind the used ones have been as they should be since they were made. */
static void clear(const struct graph_part *p)
{
	const uint64_t words = used_words(p);

#pragma omp for nowait
	for (uint64_t w = 0; w < words; w++)
		p->visited[w] = p->queues[0][w] = p->queues[1][w] = 0;
#pragma omp for nowait
	for (uint64_t i = 0; i < p->used; i++)
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

void graph_count_begin(struct graph_search *s)
{
	s->seconds_before = workload_seconds();
	for (uint32_t i = 0; i < s->counted_count; i++)
		s->counted[i].before = strata_statistic(s->counted[i].name);
}

void graph_count_level(struct graph_search *s, bool is_bottom_up)
{
	const double before = s->seconds_before;

	for (uint32_t i = 0; i < s->counted_count; i++)
		s->counted[i].by[is_bottom_up] -= s->counted[i].before;
	graph_count_begin(s);
	for (uint32_t i = 0; i < s->counted_count; i++)
		s->counted[i].by[is_bottom_up] += s->counted[i].before;
	s->seconds[is_bottom_up] += s->seconds_before - before;
}

/* Each thread of the part's team. */
static void levels_do(struct view *v, uint64_t root, uint64_t edges)
{
	struct search *s = v->s;
	const struct graph_part own = s->g->parts[v->part]; /* on the thread's stack */
	const bool is_first = !v->part && !omp_get_thread_num();
	struct level level = {.unexplored = edges,
			      .counts_on_demand = s->options->counts_on_demand,
			      .is_by_predecessor = s->options->is_by_predecessor,
			      .is_prefetching = s->options->is_prefetching};
	const bool is_cacheable = s->options->is_cacheable;

	clear(&own);
	sync_all(v);
	if (is_first)
		begin(s, root);
	sync_all(v);
	if (is_first)
		graph_count_begin(s->options);
	for (;; level.number++) {
		if (level.is_summarised) {
			summarise(&own, own.queues[level.number % 2]);
			sync_all(v);
		}
		if (level.is_bottom_up && is_cacheable)
			forget(v, &own, &level);
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
			s->options->summary_levels += level.is_summarised;
			graph_count_level(s->options, level.is_bottom_up);
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
		v.summaries[p] = g->parts[p].summary;
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

	options->levels = options->bottom_up_levels = options->summary_levels = 0;
	if (g->is_replicated) {
		graph_search_replicated(g, root, options);
		return;
	}
	pthread_barrier_init(&s.parts, NULL, g->part_count);
	teams_do(g, part_search, &s);
	pthread_barrier_destroy(&s.parts);
}
