/*
 * validate.c - the specification's five checks of a search's tree:
 *
 * 1. it is a tree: following predecessors ends at the root; 2. a vertex and its predecessor are one level apart; 3. the
 * ends of every edge are at most one level apart, or neither was reached; 4. the tree spans the root's whole component;
 * 5. a vertex and its predecessor are joined by an edge of the graph.
 *
 * Edges are made again; their ends get labels, of which no two are the same.
 */
#include "common/program.h"
#include "graph.h"

#include <stdio.h>
#include <stdlib.h>

enum { NO_LEVEL = -1 };

static int64_t predecessor(const struct graph *g, uint64_t vertex)
{
	return graph_part_of(g, vertex)->predecessor[graph_local(g, vertex)];
}

/* The vertex's level, and that of all on its way up; false where the way does not end at the root. */
static bool level_set(const struct graph *g, int32_t *levels, uint64_t vertex)
{
	uint64_t steps = 0, at = vertex;
	int32_t level;

	for (; levels[at] == NO_LEVEL; at = (uint64_t)predecessor(g, at), steps++)
		if (predecessor(g, at) < 0 || predecessor(g, at) >= (int64_t)g->edges.vertices ||
		    steps == g->edges.vertices)
			return false;
	level = levels[at] + (int32_t)steps;
	for (at = vertex; levels[at] == NO_LEVEL; at = (uint64_t)predecessor(g, at))
		levels[at] = level--;
	return true;
}

/* Check 1. Levels come from the tree, so that check 2 is part of it. */
static bool levels_make(const struct graph *g, uint64_t root, int32_t *levels)
{
	for (uint64_t v = 0; v < g->edges.vertices; v++)
		levels[v] = NO_LEVEL;
	levels[root] = 0;
	if (predecessor(g, root) != (int64_t)root) {
		fprintf(stderr, "the root %llu is not its own predecessor\n", (unsigned long long)root);
		return false;
	}
	for (uint64_t v = 0; v < g->edges.vertices; v++) {
		if (predecessor(g, v) >= 0 && !level_set(g, levels, v)) {
			fprintf(stderr, "vertex %llu does not lead to the root %llu\n", (unsigned long long)v,
				(unsigned long long)root);
			return false;
		}
	}
	return true;
}

static bool labels_look(const struct graph *g)
{
	uint8_t *is_taken = workload_host_alloc(g->edges.vertices, 1);
	uint64_t v = 0;

	for (; v < g->edges.vertices; v++) {
		const uint64_t label = graph_label(g, v);

		if (label >= g->edges.vertices || is_taken[label])
			break;
		is_taken[label] = 1;
	}
	free(is_taken);
	if (v < g->edges.vertices)
		fprintf(stderr, "vertex %llu: its label %llu is another's, or none\n", (unsigned long long)v,
			(unsigned long long)graph_label(g, v));
	return v == g->edges.vertices;
}

struct seen {
	const int32_t *levels;
	uint8_t *has_edge; /* to its predecessor */
	uint64_t reached;  /* edges */
	bool is_wrong;
};

/* Checks 3 and 4, and what 5 needs; of an edge between labels. */
static void edge_look(const struct graph *g, struct graph_edge e, struct seen *seen)
{
	const int32_t from = seen->levels[e.from], to = seen->levels[e.to];

	if ((from == NO_LEVEL) != (to == NO_LEVEL) || abs(from - to) > 1) {
		if (!__atomic_exchange_n(&seen->is_wrong, true, __ATOMIC_RELAXED))
			fprintf(stderr, "edge %llu to %llu: levels %d and %d\n", (unsigned long long)e.from,
				(unsigned long long)e.to, from, to);
		return;
	}
	if (from == NO_LEVEL)
		return;
	if (predecessor(g, e.from) == (int64_t)e.to)
		__atomic_store_n(&seen->has_edge[e.from], 1, __ATOMIC_RELAXED);
	if (predecessor(g, e.to) == (int64_t)e.from)
		__atomic_store_n(&seen->has_edge[e.to], 1, __ATOMIC_RELAXED);
}

static bool edges_look(const struct graph *g, struct seen *seen)
{
	uint64_t reached = 0;

#pragma omp parallel for reduction(+ : reached)
	for (uint64_t i = 0; i < g->edges.count; i++) {
		const struct graph_edge numbers = graph_edge_of(&g->edges, i);
		const struct graph_edge e = {graph_label(g, numbers.from), graph_label(g, numbers.to)};

		edge_look(g, e, seen);
		reached += seen->levels[e.from] != NO_LEVEL;
	}
	seen->reached = reached;
	return !seen->is_wrong;
}

/* Check 5. */
static bool tree_edges_look(const struct graph *g, uint64_t root, const struct seen *seen)
{
	for (uint64_t v = 0; v < g->edges.vertices; v++) {
		if (seen->levels[v] != NO_LEVEL && v != root && !seen->has_edge[v]) {
			fprintf(stderr, "no edge joins vertex %llu and its predecessor %lld\n", (unsigned long long)v,
				(long long)predecessor(g, v));
			return false;
		}
	}
	return true;
}

uint64_t graph_validate(const struct graph *g, uint64_t root)
{
	int32_t *levels = workload_host_alloc(g->edges.vertices, sizeof(*levels));
	struct seen seen = {.levels = levels, .has_edge = workload_host_alloc(g->edges.vertices, 1)};
	const bool is_right = labels_look(g) && levels_make(g, root, levels) && edges_look(g, &seen) &&
			      tree_edges_look(g, root, &seen);

	free(levels);
	free(seen.has_edge);
	return is_right ? seen.reached : 0;
}
