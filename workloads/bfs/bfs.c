/*
 * Breadth-first search, level by level over mask arrays: every node's thread looks whether its node is on the frontier.
 * Short, data-dependent loops and scattered single accesses.  The graph is random: each node gets 1 to 2 * AVERAGE - 1
 * edges to uniformly drawn nodes, and edges run in both directions.
 */
#include "common/workload.h"

#include <stdlib.h>
#include <string.h>

static const char bfs_ptx[] =
#include WORKLOAD_PTX
	;

enum {
	/* Edges drawn per node, on average; each is stored at both its ends: six, as in Rodinia's graphs. */
	AVERAGE_DRAWN = 3,
	BLOCK_THREADS = 512, /* as in Rodinia and in GPGPU-Sim's programs */
};

static const uint32_t COST_UNREACHED = UINT32_MAX;

struct graph {
	unsigned int nodes_count;
	unsigned int edges_count; /* directed: twice the edges drawn */
	uint32_t *first;          /* nodes_count + 1 */
	uint32_t *edges;
};

static unsigned int edges_drawn(uint64_t seed, unsigned int node)
{
	return 1 + (unsigned int)(workload_random(seed, 0, node) % (2 * AVERAGE_DRAWN - 1));
}

/* The other end of the node's i-th drawn edge. */
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
		unsigned int drawn = edges_drawn(seed, node);

		graph.first[node + 1] += drawn;
		for (unsigned int i = 0; i < drawn; i++)
			graph.first[edge_end(seed, nodes_count, node, i) + 1]++;
	}
	for (unsigned int node = 0; node < nodes_count; node++)
		graph.first[node + 1] += graph.first[node];
	graph.edges_count = graph.first[nodes_count];
	graph.edges = workload_host_alloc(graph.edges_count, sizeof(*graph.edges));
	memcpy(next, graph.first, nodes_count * sizeof(*next));
	for (unsigned int node = 0; node < nodes_count; node++) {
		unsigned int drawn = edges_drawn(seed, node);

		for (unsigned int i = 0; i < drawn; i++) {
			uint32_t end = edge_end(seed, nodes_count, node, i);

			graph.edges[next[node]++] = end;
			graph.edges[next[end]++] = node;
		}
	}
	free(next);
	return graph;
}

/* Fill `cost` with the number of edges from `source`; returns the number of levels. */
static unsigned int search_run(const struct graph *graph, uint32_t source, uint32_t *cost)
{
	struct workload_gpu gpu = workload_gpu_open(bfs_ptx);
	CUfunction expand = workload_gpu_kernel(&gpu, "bfs_expand");
	CUfunction advance = workload_gpu_kernel(&gpu, "bfs_advance");
	unsigned int nodes_count = graph->nodes_count;
	CUdeviceptr first = workload_device_copy(graph->first, (nodes_count + 1) * sizeof(uint32_t));
	CUdeviceptr edges = workload_device_copy(graph->edges, graph->edges_count * sizeof(uint32_t));
	CUdeviceptr frontier = workload_device_alloc(nodes_count);
	CUdeviceptr updating = workload_device_alloc(nodes_count);
	CUdeviceptr visited = workload_device_alloc(nodes_count);
	CUdeviceptr costs = workload_device_alloc(nodes_count * sizeof(uint32_t));
	CUdeviceptr again = workload_device_alloc(sizeof(uint32_t));
	void *expand_params[] = {&first, &edges, &frontier, &updating, &visited, &costs, &nodes_count};
	void *advance_params[] = {&frontier, &updating, &visited, &again, &nodes_count};
	struct workload_dim grid = {workload_ctas(nodes_count, BLOCK_THREADS), 1, 1};
	struct workload_dim block = {BLOCK_THREADS, 1, 1};
	unsigned int levels_count = 0;
	uint32_t more;

	WORKLOAD_CUDA(cuMemsetD8(frontier, 0, nodes_count));
	WORKLOAD_CUDA(cuMemsetD8(updating, 0, nodes_count));
	WORKLOAD_CUDA(cuMemsetD8(visited, 0, nodes_count));
	WORKLOAD_CUDA(cuMemsetD8(frontier + source, 1, 1));
	WORKLOAD_CUDA(cuMemsetD8(visited + source, 1, 1));
	WORKLOAD_CUDA(cuMemsetD32(costs, COST_UNREACHED, nodes_count));
	WORKLOAD_CUDA(cuMemsetD32(costs + source * sizeof(uint32_t), 0, 1));
	do {
		WORKLOAD_CUDA(cuMemsetD32(again, 0, 1));
		workload_launch(expand, grid, block, expand_params);
		workload_launch(advance, grid, block, advance_params);
		WORKLOAD_CUDA(cuMemcpyDtoH(&more, again, sizeof(more)));
		levels_count++;
	} while (more);
	WORKLOAD_CUDA(cuMemcpyDtoH(cost, costs, nodes_count * sizeof(uint32_t)));
	WORKLOAD_CUDA(cuMemFree(first));
	WORKLOAD_CUDA(cuMemFree(edges));
	WORKLOAD_CUDA(cuMemFree(frontier));
	WORKLOAD_CUDA(cuMemFree(updating));
	WORKLOAD_CUDA(cuMemFree(visited));
	WORKLOAD_CUDA(cuMemFree(costs));
	WORKLOAD_CUDA(cuMemFree(again));
	workload_gpu_close(&gpu);
	return levels_count;
}

/* The same by a queue. */
static void search_reference(const struct graph *graph, uint32_t source, uint32_t *cost)
{
	uint32_t *queue = workload_host_alloc(graph->nodes_count, sizeof(*queue));
	unsigned int head = 0;
	unsigned int tail = 0;

	for (unsigned int node = 0; node < graph->nodes_count; node++)
		cost[node] = COST_UNREACHED;
	cost[source] = 0;
	queue[tail++] = source;
	while (head < tail) {
		uint32_t node = queue[head++];

		for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
			uint32_t neighbour = graph->edges[i];

			if (cost[neighbour] == COST_UNREACHED) {
				cost[neighbour] = cost[node] + 1;
				queue[tail++] = neighbour;
			}
		}
	}
	free(queue);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"bfs", "Breadth-first search of a random graph.", "32,768 nodes, about 6 edges each",
		"1,000,000 nodes, about 6 edges each (NSU Table 1)"};
	static const struct workload_count counts[] = {
		{"nodes", "nodes", 32768, 1000000, 2, 16000000, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct graph graph = graph_make(options.counts[0], options.seed);
	uint32_t source = (uint32_t)(workload_random(options.seed, 2, 0) % graph.nodes_count);
	uint32_t *got = workload_host_alloc(graph.nodes_count, sizeof(*got));
	uint32_t *want = workload_host_alloc(graph.nodes_count, sizeof(*want));
	unsigned int levels_count = search_run(&graph, source, got);
	bool right;

	workload_input(graph.first, (graph.nodes_count + 1) * sizeof(*graph.first));
	workload_input(graph.edges, graph.edges_count * sizeof(*graph.edges));
	workload_input(&source, sizeof(source));
	search_reference(&graph, source, want);
	right = workload_same_u32("cost", got, want, graph.nodes_count);
	free(graph.first);
	free(graph.edges);
	free(got);
	free(want);
	return workload_finish(right, "%u nodes, %u edges, %u levels", graph.nodes_count, graph.edges_count,
			       levels_count);
}
