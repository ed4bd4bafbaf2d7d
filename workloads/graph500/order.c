/* order.c - vertices and neighbours in the order of their degrees, the largest first: section 6.5.1 of the thesis. */
#include "common/program.h"
#include "graph.h"
#include "order.h"

#include <stdlib.h>

/* What a sorted row has as long as it is made: ranks, whose order is that of numbers. */
static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void order_degrees(struct graph *g)
{
	uint32_t *degrees = workload_host_alloc(g->edges.vertices, sizeof(*degrees));
	uint64_t *places, most = 0, sum = 0;

#pragma omp parallel for
	for (uint64_t i = 0; i < g->edges.count; i++) {
		const struct graph_edge e = graph_edge_of(&g->edges, i);

		if (e.from != e.to) {
			__atomic_fetch_add(&degrees[e.from], 1, __ATOMIC_RELAXED);
			__atomic_fetch_add(&degrees[e.to], 1, __ATOMIC_RELAXED);
		}
	}
	for (uint64_t v = 0; v < g->edges.vertices; v++)
		most = degrees[v] > most ? degrees[v] : most;
	places = workload_host_alloc(most + 1, sizeof(*places));
	for (uint64_t v = 0; v < g->edges.vertices; v++)
		places[degrees[v]]++;
	for (uint64_t degree = most + 1; degree--;) {
		const uint64_t count = places[degree];

		places[degree] = sum;
		sum += count;
	}
	g->ranks = workload_host_alloc(g->edges.vertices, sizeof(*g->ranks));
	for (uint64_t v = 0; v < g->edges.vertices; v++)
		g->ranks[v] = (uint32_t)places[degrees[v]]++;
	free(places);
	free(degrees);
}

uint32_t *order_labels(const struct graph *g)
{
	uint32_t *labels = workload_host_alloc(g->edges.vertices, sizeof(*labels));

	for (uint64_t v = 0; v < g->edges.vertices; v++)
		labels[g->ranks[v]] = (uint32_t)graph_label(g, v);
	return labels;
}

void order_rows(const struct graph *g, uint32_t part, const uint32_t *labels)
{
	struct graph_part *p = &g->parts[part];

	for (uint64_t v = 0; v < p->count; v++) {
		uint64_t *row = &p->neighbours[p->begin[v]], count = graph_degree(p, v);

		if (g->layout.sorts_adjacency)
			qsort(row, count, sizeof(*row), compare);
		for (uint64_t i = 0; i < count; i++)
			row[i] = labels[row[i]];
		if (p->heaviest)
			p->heaviest[v] = count ? row[0] : ((uint64_t)part << g->shift) + v;
	}
}
