/*
 * Graph networks: the weighted sum of neighbours' features over a graph in compressed rows, once with weights from the
 * nodes' degrees (a graph convolution) and once with a softmax over each node's edges (graph attention).
 *
 * Checked bit for bit, the softmax within 1e-5 of double precision.
 */
#include "common/workload.h"
#include "gcn/host.h"

static const char gcn_ptx[] =
#include WORKLOAD_PTX
	;

struct gcn_device {
	struct workload_gpu gpu;
	CUdeviceptr first, to, features, of_nodes, of_neighbours, weights, sums;
};

static struct gcn_device device_open(const struct gcn *g)
{
	size_t node_bytes = g->nodes * sizeof(float), edge_bytes = gcn_edges(g) * sizeof(float);
	struct gcn_device d = {.gpu = workload_gpu_open(gcn_ptx)};

	d.first = workload_device_copy(g->first, node_bytes + sizeof(*g->first));
	d.to = workload_device_copy(g->to, edge_bytes);
	d.features = workload_device_copy(g->features, GCN_WIDTH * node_bytes);
	d.of_nodes = workload_device_copy(g->of_nodes, node_bytes);
	d.of_neighbours = workload_device_copy(g->of_neighbours, node_bytes);
	d.weights = workload_device_copy(g->fixed, edge_bytes);
	d.sums = workload_device_alloc(GCN_WIDTH * node_bytes);
	return d;
}

static void device_close(struct gcn_device *d)
{
	CUdeviceptr all[] = {d->first, d->to, d->features, d->of_nodes, d->of_neighbours, d->weights, d->sums};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		WORKLOAD_CUDA(cuMemFree(all[i]));
	workload_gpu_close(&d->gpu);
}

static void nodes_launch(struct gcn_device *d, const char *kernel, unsigned int nodes, void **params)
{
	workload_launch(workload_gpu_kernel(&d->gpu, kernel),
			(struct workload_dim){workload_ctas(32 * (size_t)nodes, GCN_BLOCK_THREADS), 1, 1},
			(struct workload_dim){GCN_BLOCK_THREADS, 1, 1}, params);
}

static void layers_compute(struct gcn *g)
{
	struct gcn_device d = device_open(g);
	size_t sums_bytes = (size_t)g->nodes * GCN_WIDTH * sizeof(float);
	void *sum_params[] = {&d.first, &d.to, &d.weights, &d.features, &d.sums, &g->nodes};
	void *softmax_params[] = {&d.first, &d.to, &d.of_nodes, &d.of_neighbours, &d.weights, &g->nodes};

	nodes_launch(&d, "gcn_aggregate", g->nodes, sum_params);
	WORKLOAD_CUDA(cuMemcpyDtoH(g->convolved, d.sums, sums_bytes));
	nodes_launch(&d, "gcn_edge_softmax", g->nodes, softmax_params);
	nodes_launch(&d, "gcn_aggregate", g->nodes, sum_params);
	WORKLOAD_CUDA(cuMemcpyDtoH(g->attention, d.weights, gcn_edges(g) * sizeof(float)));
	WORKLOAD_CUDA(cuMemcpyDtoH(g->attended, d.sums, sums_bytes));
	device_close(&d);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"gcn", "Sums over neighbours in a graph, with fixed weights and with a softmax over edges.",
		"8,192 nodes, about 4 edges each", "169,343 nodes, about 7 edges each"};
	static const struct workload_count counts[] = {GCN_COUNTS};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct gcn g = gcn_make(&options);
	unsigned int edges = gcn_edges(&g);
	bool right;

	layers_compute(&g);
	right = gcn_check(&g);
	gcn_free(&g);
	return workload_finish(right, "%u nodes, %u edges, %d features", options.counts[GCN_NODES], edges, GCN_WIDTH);
}
