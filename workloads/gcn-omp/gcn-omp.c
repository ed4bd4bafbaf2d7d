/*
 * Sums over neighbours in a graph by threads, with fixed weights and with a softmax over edges: the graph and the check
 * of the CUDA program.  A node's both layers are one thread's, and nodes are dealt as threads come for them.
 */
#include "common/jobs.h"
#include "gcn/host.h"

enum { NODES_AT_ONCE = 16 };
enum { WHO = GCN_COUNTS_COUNT };
static const struct workload_count counts[] = {GCN_COUNTS, WORKLOAD_WHO};

static void job_make(void *job, const struct workload_options *options)
{
	*(struct gcn *)job = gcn_make(options);
}

static void edges_weigh(const struct gcn *g, size_t node)
{
	const float own = g->of_nodes[node];
	float most = -1e30f, sum = 0;

	for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++)
		most = fmaxf(most, gcn_score(own, g->of_neighbours[g->to[e]]));
	for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
		g->attention[e] = expf(gcn_score(own, g->of_neighbours[g->to[e]]) - most);
		sum += g->attention[e];
	}
	for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++)
		g->attention[e] /= sum;
}

static void job_part(void *job, const struct workload_part *part)
{
	const struct gcn g = *(struct gcn *)job; /* on the team's stack */
	const size_t begin = workload_part_begin(part, g.nodes), end = workload_part_end(part, g.nodes);

#pragma omp parallel for schedule(dynamic, NODES_AT_ONCE)
	for (size_t node = begin; node < end; node++) {
		gcn_node_sum(&g, g.fixed, (unsigned int)node, g.convolved + node * GCN_WIDTH);
		edges_weigh(&g, node);
		gcn_node_sum(&g, g.attention, (unsigned int)node, g.attended + node * GCN_WIDTH);
	}
}

static bool job_check(const void *job, const struct workload_options *options)
{
	(void)options;
	return gcn_check(job);
}

static void job_free(void *job)
{
	gcn_free(job);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"gcn-omp", "Sums over neighbours in a graph, by threads.",
						    "8,192 nodes, about 4 edges each",
						    "169,343 nodes, about 7 edges each"};
	static const struct job_kind kind = {sizeof(struct gcn), job_make, job_part, job_check, job_free};
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const double edges = (double)o.counts[GCN_NODES] * o.counts[GCN_DEGREE];
	const bool right = jobs_do(&kind, o, WHO, 2 * edges * GCN_WIDTH * sizeof(float));

	return workload_finish(right, "%u nodes, %d features", o.counts[GCN_NODES], GCN_WIDTH);
}
