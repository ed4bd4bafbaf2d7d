/* rows.c - compressed rows, made of the edges. */
#include "common/program.h"
#include "graph.h"
#include "order.h"

#include <omp.h>
#include <stdlib.h>
#include <strata/ndp.h>
#include <string.h>

/* Lines of 128 bytes: no two parts share one. */
static size_t bytes_of(uint64_t words)
{
	return (words * sizeof(uint64_t) / 128 + 1) * 128;
}

static void *words_alloc(const struct graph *g, uint32_t part, uint64_t count)
{
	void *words = g->is_placed ? strata_alloc_on(bytes_of(count), part) : aligned_alloc(128, bytes_of(count));

	if (!words)
		workload_fail("no memory for %llu words", (unsigned long long)count);
	return words;
}

static void words_free(const struct graph *g, void *words, uint64_t count)
{
	if (g->is_placed)
		strata_free(words, bytes_of(count));
	else
		free(words);
}

/* Natively by a thread of its own, which so touches it first. */
static void part_alloc(const struct graph *g, uint32_t part)
{
	struct graph_part *p = &g->parts[part];
	const uint64_t words = p->count / 64;

	p->begin = words_alloc(g, part, p->count + 1);
	memset(p->begin, 0, (p->count + 1) * sizeof(*p->begin));
	p->visited = words_alloc(g, part, words);
	p->queues[0] = words_alloc(g, part, words);
	p->queues[1] = words_alloc(g, part, words);
	p->summary = words_alloc(g, part, graph_summary_words(p));
	if (g->is_replicated)
		p->replica = words_alloc(g, part, words * g->part_count);
	p->predecessor = words_alloc(g, part, p->count);
	memset(p->predecessor, 0xff, p->count * sizeof(*p->predecessor));
	if (g->layout.has_heaviest)
		p->heaviest = words_alloc(g, part, p->count);
}

/* Degrees become the places of the rows' ends, in the entry after; the filling then counts each place up. */
static void part_sum(const struct graph *g, uint32_t part)
{
	struct graph_part *p = &g->parts[part];
	uint64_t sum = 0;

	for (uint64_t v = 0; v <= p->count; v++) {
		const uint64_t degree = p->begin[v];

		p->begin[v] = sum;
		sum += degree;
		if (degree)
			p->used = v + 1;
	}
	p->neighbours = words_alloc(g, part, sum);
}

static void part_hubs(const struct graph *g, uint32_t part)
{
	struct graph_part *p = &g->parts[part];

	for (uint64_t v = 0; v < p->count; v++)
		p->hub_count += graph_degree(p, v) >= GRAPH_HUB_EDGES;
	p->hubs = words_alloc(g, part, p->hub_count);
}

static void degree_add(const struct graph *g, uint64_t number)
{
	const uint64_t vertex = graph_label(g, number);
	uint64_t *degree = &graph_part_of(g, vertex)->begin[graph_local(g, vertex)];

#pragma omp atomic
	++*degree;
}

/* A row that is to be ordered has ranks until then. */
static void neighbour_add(const struct graph *g, uint64_t number, uint64_t neighbour)
{
	const uint64_t vertex = graph_label(g, number);
	struct graph_part *p = graph_part_of(g, vertex);
	uint64_t place;

#pragma omp atomic capture
	place = p->begin[graph_local(g, vertex)]++;
	p->neighbours[place] = g->ranks ? g->ranks[neighbour] : neighbour;
}

/* Every row's begin has become its end: the begin of the next one. */
static void part_shift(struct graph_part *p)
{
	memmove(p->begin + 1, p->begin, p->count * sizeof(*p->begin));
	p->begin[0] = 0;
}

void graph_make(struct graph *g, uint32_t threads)
{
	const int all = (int)(threads * g->part_count);
	uint32_t *labels = NULL;

	if (g->layout.sorts_vertices || g->layout.sorts_adjacency) {
		order_degrees(g);
		labels = order_labels(g);
	}
	g->parts = workload_host_alloc(g->part_count, sizeof(*g->parts));
#pragma omp parallel for num_threads(g->part_count) schedule(static, 1)
	for (uint32_t p = 0; p < g->part_count; p++) {
		g->parts[p].count = UINT64_C(1) << g->shift;
		part_alloc(g, p);
	}
#pragma omp parallel for num_threads(all)
	for (uint64_t i = 0; i < g->edges.count; i++) {
		const struct graph_edge e = graph_edge_of(&g->edges, i);

		if (e.from != e.to) {
			degree_add(g, e.from);
			degree_add(g, e.to);
		}
	}
#pragma omp parallel for num_threads(g->part_count) schedule(static, 1)
	for (uint32_t p = 0; p < g->part_count; p++)
		part_sum(g, p);
#pragma omp parallel for num_threads(all)
	for (uint64_t i = 0; i < g->edges.count; i++) {
		const struct graph_edge e = graph_edge_of(&g->edges, i);

		if (e.from != e.to) {
			neighbour_add(g, e.from, e.to);
			neighbour_add(g, e.to, e.from);
		}
	}
#pragma omp parallel for num_threads(g->part_count) schedule(static, 1)
	for (uint32_t p = 0; p < g->part_count; p++) {
		part_shift(&g->parts[p]);
		part_hubs(g, p);
		if (labels)
			order_rows(g, p, labels);
	}
	free(labels);
}

static void words_claim(const void *words, uint64_t count, enum strata_owner owner)
{
	workload_touch(words, bytes_of(count));
	strata_claim(words, bytes_of(count), owner);
}

void graph_claim(const struct graph *g, bool is_owned)
{
	const enum strata_owner owner = is_owned ? STRATA_NDP_OWNED : STRATA_SHARED;

	for (uint32_t part = 0; part < g->part_count; part++) {
		const struct graph_part *p = &g->parts[part];

		words_claim(p->begin, p->count + 1, STRATA_SHARED);
		words_claim(p->neighbours, p->begin[p->count], STRATA_SHARED);
		words_claim(p->visited, p->count / 64, owner);
		words_claim(p->queues[0], p->count / 64, owner);
		words_claim(p->queues[1], p->count / 64, owner);
		words_claim(p->summary, graph_summary_words(p), owner);
		if (p->replica)
			words_claim(p->replica, p->count / 64 * g->part_count, STRATA_SHARED);
		if (p->heaviest)
			words_claim(p->heaviest, p->count, STRATA_SHARED);
		words_claim(p->predecessor, p->count, owner);
	}
}

void graph_make_cacheable(const struct graph *g)
{
	for (uint32_t part = 0; part < g->part_count; part++) {
		const struct graph_part *p = &g->parts[part];

		strata_remote_cacheable(p->queues[0], bytes_of(p->count / 64), true);
		strata_remote_cacheable(p->queues[1], bytes_of(p->count / 64), true);
		strata_remote_cacheable(p->summary, bytes_of(graph_summary_words(p)), true);
	}
}

void graph_free(struct graph *g)
{
	for (uint32_t part = 0; part < g->part_count; part++) {
		struct graph_part *p = &g->parts[part];
		const uint64_t words = p->count / 64;

		words_free(g, p->neighbours, p->begin[p->count]);
		words_free(g, p->begin, p->count + 1);
		words_free(g, p->hubs, p->hub_count);
		words_free(g, p->visited, words);
		words_free(g, p->queues[0], words);
		words_free(g, p->queues[1], words);
		words_free(g, p->summary, graph_summary_words(p));
		if (p->replica)
			words_free(g, p->replica, words * g->part_count);
		if (p->heaviest)
			words_free(g, p->heaviest, p->count);
		words_free(g, p->predecessor, p->count);
	}
	free(g->parts);
	free(g->ranks);
}
