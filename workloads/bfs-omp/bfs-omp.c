/*
 * Breadth-first search by threads: level by level over mask arrays, nodes of a level shared among the threads, as the
 * CUDA program's kernels do it.  The same graph; the costs are those of a search by a queue.
 */
#include "common/steps.h"

#include <stdlib.h>
#include <string.h>

static const struct workload_about about = {"bfs-omp", "Breadth-first search of a random graph, by threads.",
					    "32,768 nodes, about 6 edges each", "1,000,000 nodes, about 6 edges each"};
static const struct workload_count counts[] = {
	{"nodes", "nodes", 32768, 1000000, 2, 16000000, 1, NULL},
};

enum { AVERAGE_DRAWN = 3 /* edges of a node, each stored at both its ends: as in bfs */ };

static const uint32_t COST_UNREACHED = UINT32_MAX;

struct graph {
	unsigned int nodes_count, edges_count;
	uint32_t *first; /* nodes_count + 1 */
	uint32_t *edges;
};

struct search {
	uint8_t *frontier, *updating, *visited;
	uint32_t *cost;
	unsigned int levels_count;
};

static unsigned int edges_drawn(uint64_t seed, unsigned int node)
{
	return 1 + (unsigned int)(workload_random(seed, 0, node) % (2 * AVERAGE_DRAWN - 1));
}

static uint32_t edge_end(uint64_t seed, unsigned int nodes_count, unsigned int node, unsigned int i)
{
	return (uint32_t)(workload_random(seed, 1, (uint64_t)node * (2 * AVERAGE_DRAWN) + i) % nodes_count);
}

static struct graph graph_make(unsigned int nodes_count, uint64_t seed)
{
	struct graph graph = {.nodes_count = nodes_count};
	uint32_t *next = workload_host_alloc(nodes_count, sizeof(*next));

	graph.first = workload_host_alloc(nodes_count + 1, sizeof(*graph.first));
	for (unsigned int node = 0; node < nodes_count; node++) {
		graph.first[node + 1] += edges_drawn(seed, node);
		for (unsigned int i = 0; i < edges_drawn(seed, node); i++)
			graph.first[edge_end(seed, nodes_count, node, i) + 1]++;
	}
	for (unsigned int node = 0; node < nodes_count; node++)
		graph.first[node + 1] += graph.first[node];
	graph.edges_count = graph.first[nodes_count];
	graph.edges = workload_host_alloc(graph.edges_count, sizeof(*graph.edges));
	memcpy(next, graph.first, nodes_count * sizeof(*next));
	for (unsigned int node = 0; node < nodes_count; node++) {
		for (unsigned int i = 0; i < edges_drawn(seed, node); i++) {
			const uint32_t end = edge_end(seed, nodes_count, node, i);

			graph.edges[next[node]++] = end;
			graph.edges[next[end]++] = node;
		}
	}
	free(next);
	return graph;
}

/* Nodes of the frontier give their neighbours a cost; all that do it at once give the same. */
static void expand(const struct graph *graph, const struct search *s)
{
#pragma omp parallel for
	for (unsigned int node = 0; node < graph->nodes_count; node++) {
		if (!s->frontier[node])
			continue;
		s->frontier[node] = 0;
		for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
			const uint32_t neighbour = graph->edges[i];

			if (s->visited[neighbour])
				continue;
			s->cost[neighbour] = s->cost[node] + 1;
			s->updating[neighbour] = 1;
		}
	}
}

/* Those that got one are the next frontier; false: there are none. */
static bool advance(const struct graph *graph, const struct search *s)
{
	bool more = false;

#pragma omp parallel for reduction(|| : more)
	for (unsigned int node = 0; node < graph->nodes_count; node++) {
		if (!s->updating[node])
			continue;
		s->frontier[node] = 1;
		s->visited[node] = 1;
		s->updating[node] = 0;
		more = true;
	}
	return more;
}

static struct search search_make(const struct graph *graph, uint32_t source)
{
	struct search s = {.frontier = workload_host_alloc(graph->nodes_count, 1),
			   .updating = workload_host_alloc(graph->nodes_count, 1),
			   .visited = workload_host_alloc(graph->nodes_count, 1),
			   .cost = workload_host_alloc(graph->nodes_count, sizeof(*s.cost))};

	memset(s.cost, 0xff, graph->nodes_count * sizeof(*s.cost));
	s.cost[source] = 0;
	s.frontier[source] = s.visited[source] = 1;
	return s;
}

static void search_reference(const struct graph *graph, uint32_t source, uint32_t *cost)
{
	uint32_t *queue = workload_host_alloc(graph->nodes_count, sizeof(*queue));
	unsigned int head = 0, tail = 0;

	for (unsigned int node = 0; node < graph->nodes_count; node++)
		cost[node] = COST_UNREACHED;
	cost[source] = 0;
	queue[tail++] = source;
	while (head < tail) {
		const uint32_t node = queue[head++];

		for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
			const uint32_t neighbour = graph->edges[i];

			if (cost[neighbour] != COST_UNREACHED)
				continue;
			cost[neighbour] = cost[node] + 1;
			queue[tail++] = neighbour;
		}
	}
	free(queue);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct graph graph;
	struct search s;
	uint32_t source, *want;
	double begin;
	bool right;

	strata_modelling_end();
	graph = graph_make(o.counts[0], o.seed);
	source = (uint32_t)(workload_random(o.seed, 2, 0) % graph.nodes_count);
	s = search_make(&graph, source);
	want = workload_host_alloc(graph.nodes_count, sizeof(*want));
	workload_input(graph.first, (graph.nodes_count + 1) * sizeof(*graph.first));
	workload_input(graph.edges, graph.edges_count * sizeof(*graph.edges));
	workload_input(&source, sizeof(source));
	begin = steps_begin();
	do {
		expand(&graph, &s);
		s.levels_count++;
	} while (advance(&graph, &s));
	steps_end(begin);
	search_reference(&graph, source, want);
	right = workload_same_u32("cost", s.cost, want, graph.nodes_count);
	free(graph.first);
	free(graph.edges);
	free(s.frontier);
	free(s.updating);
	free(s.visited);
	free(s.cost);
	free(want);
	return workload_finish(right, "%u nodes, %u edges, %u levels", graph.nodes_count, graph.edges_count,
			       s.levels_count);
}
