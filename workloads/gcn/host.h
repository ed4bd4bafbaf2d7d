/* The graph of gcn and its reference, for the CUDA program and the program of threads. */
#ifndef GCN_HOST_H
#define GCN_HOST_H

#include "common/program.h"
#include "gcn/gcn.h"

#include <math.h>
#include <stdlib.h>

enum { GCN_NODES, GCN_DEGREE, GCN_COUNTS_COUNT };
/* Rows of a program's counts. */
#define GCN_COUNTS \
	{"nodes", "nodes of the graph", 8192, 169343, 1, 1 << 24, 1, NULL}, \
	{"degree", "edges of a node on average", 4, 7, 1, 256, 1, NULL}

enum { GCN_DEGREE_MAX = 256 };

/* One layer of a graph convolution, whose weights are the graph's, and one of graph attention, whose weights are a
 * softmax over each node's edges. */
struct gcn {
	unsigned int nodes;
	uint32_t *first, *to; /* edges of node v: first[v] to first[v + 1] */
	float *features; /* GCN_WIDTH of each node */
	float *of_nodes, *of_neighbours; /* what a node brings to the scores of its edges, at both ends */
	float *fixed, *attention; /* weights of the edges; attention is a result */
	float *convolved, *attended; /* results */
};

static inline uint32_t gcn_edges(const struct gcn *g)
{
	return g->first[g->nodes];
}

static inline double gcn_random(uint64_t seed, uint32_t stream, uint64_t i)
{
	return (double)(workload_random(seed, stream, i) >> 11) * 0x1p-53;
}

/* Degrees follow a power law, and so does who is asked: node numbers are spread by a multiplication with a prime. */
static inline void gcn_edges_make(struct gcn *g, uint64_t seed, unsigned int degree)
{
	g->first = workload_host_alloc(g->nodes + 1, sizeof(*g->first));
	for (unsigned int v = 0; v < g->nodes; v++) {
		const double wanted = degree * 0.5 / sqrt(1 - 0.9999 * gcn_random(seed, 0, v));
		const uint32_t edges = wanted < 1 ? 1 : wanted > GCN_DEGREE_MAX ? GCN_DEGREE_MAX : (uint32_t)wanted;

		g->first[v + 1] = g->first[v] + edges;
	}
	g->to = workload_host_alloc(gcn_edges(g), sizeof(*g->to));
	for (uint32_t e = 0; e < gcn_edges(g); e++) {
		const double u = gcn_random(seed, 1, e);

		g->to[e] = (uint32_t)((uint64_t)(u * u * g->nodes) * UINT64_C(2654435761) % g->nodes);
	}
}

static inline void gcn_weights_make(struct gcn *g)
{
	g->fixed = workload_host_alloc(gcn_edges(g), sizeof(*g->fixed));
	for (unsigned int v = 0; v < g->nodes; v++) {
		const double own = g->first[v + 1] - g->first[v];

		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
			g->fixed[e] = (float)(1 / sqrt(own * (g->first[g->to[e] + 1] - g->first[g->to[e]])));
	}
}

static inline struct gcn gcn_make(const struct workload_options *options)
{
	struct gcn g = {.nodes = options->counts[GCN_NODES]};
	const size_t elements = (size_t)g.nodes * GCN_WIDTH;

	gcn_edges_make(&g, options->seed, options->counts[GCN_DEGREE]);
	gcn_weights_make(&g);
	g.features = workload_host_alloc(elements, sizeof(float));
	g.convolved = workload_host_alloc(elements, sizeof(float));
	g.attended = workload_host_alloc(elements, sizeof(float));
	g.attention = workload_host_alloc(gcn_edges(&g), sizeof(float));
	g.of_nodes = workload_host_alloc(g.nodes, sizeof(float));
	g.of_neighbours = workload_host_alloc(g.nodes, sizeof(float));
	for (size_t i = 0; i < elements; i++)
		g.features[i] = 2 * workload_random_float(options->seed, 2, i) - 1;
	for (size_t v = 0; v < g.nodes; v++) {
		g.of_nodes[v] = 4 * workload_random_float(options->seed, 3, v) - 2;
		g.of_neighbours[v] = 4 * workload_random_float(options->seed, 4, v) - 2;
	}
	workload_input(g.first, ((size_t)g.nodes + 1) * sizeof(*g.first));
	workload_input(g.to, gcn_edges(&g) * sizeof(*g.to));
	workload_input(g.features, elements * sizeof(*g.features));
	workload_input(g.of_nodes, g.nodes * sizeof(*g.of_nodes));
	workload_input(g.of_neighbours, g.nodes * sizeof(*g.of_neighbours));
	return g;
}

static inline void gcn_free(struct gcn *g)
{
	free(g->first);
	free(g->to);
	free(g->features);
	free(g->of_nodes);
	free(g->of_neighbours);
	free(g->fixed);
	free(g->attention);
	free(g->convolved);
	free(g->attended);
}

/* The sums for one node, in the order of its edges. */
static inline void gcn_node_sum(const struct gcn *g, const float *weights, unsigned int node, float *sums)
{
	for (size_t c = 0; c < GCN_WIDTH; c++)
		sums[c] = 0;
	for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
		const float *row = g->features + (size_t)g->to[e] * GCN_WIDTH;

		for (size_t c = 0; c < GCN_WIDTH; c++)
			sums[c] += weights[e] * row[c];
	}
}

static inline bool gcn_sums_check(const struct gcn *g, const char *what, const float *weights, const float *got)
{
	float want[GCN_WIDTH];
	bool right = true;

	for (unsigned int v = 0; right && v < g->nodes; v++) {
		gcn_node_sum(g, weights, v, want);
		right = workload_same_f32(what, got + (size_t)v * GCN_WIDTH, want, GCN_WIDTH,
					  (size_t)v * GCN_WIDTH);
	}
	return right;
}

/* The softmax in double precision, to 1e-5; the sums bit for bit, attention's with the weights that were computed. */
static inline bool gcn_check(const struct gcn *g)
{
	float *want = workload_host_alloc(gcn_edges(g), sizeof(*want));
	bool right;

	for (unsigned int v = 0; v < g->nodes; v++) {
		double sum = 0;

		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
			sum += exp((double)gcn_score(g->of_nodes[v], g->of_neighbours[g->to[e]]));
		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
			want[e] = (float)(exp((double)gcn_score(g->of_nodes[v], g->of_neighbours[g->to[e]])) / sum);
	}
	right = workload_close_f32("attention", g->attention, want, gcn_edges(g), 1e-5f) &&
		gcn_sums_check(g, "convolved", g->fixed, g->convolved) &&
		gcn_sums_check(g, "attended", g->attention, g->attended);
	free(want);
	return right;
}

#endif
