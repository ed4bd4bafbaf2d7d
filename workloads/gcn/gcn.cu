#include <strata/kernel.h>

#include "../common/lanes.h"
#include "gcn.h"

/* The weighted sum of the features of each node's neighbours, in the order of its edges: a node per warp. */
extern "C" __global__ void gcn_aggregate(const unsigned int *first, const unsigned int *to, const float *weights,
					 const float *features, float *sums, unsigned int nodes)
{
	unsigned int node = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
	struct lanes_f2 sum = {0, 0};
	unsigned int end;

	if (node >= nodes)
		return;
	end = first[node + 1];
#pragma unroll 1
	for (unsigned int edge = first[node]; edge < end; edge++) {
		const float *row = features + (unsigned long long)to[edge] * GCN_WIDTH;
		float weight = weights[edge];
		struct lanes_f2 two = lanes_load_f2(row + 2 * lane);

		sum.x += weight * two.x;
		sum.y += weight * two.y;
	}
	lanes_store_f2(sums + (unsigned long long)node * GCN_WIDTH + 2 * lane, sum);
}

/* Each node's edges' weights, which add up to 1: the softmax of their scores. A node per warp, an edge per lane. */
extern "C" __global__ void gcn_edge_softmax(const unsigned int *first, const unsigned int *to, const float *of_nodes,
					    const float *of_neighbours, float *weights, unsigned int nodes)
{
	unsigned int node = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
	float most = -1e30f, sum = 0, own;
	unsigned int begin, end;

	if (node >= nodes)
		return;
	begin = first[node];
	end = first[node + 1];
	own = of_nodes[node];
#pragma unroll 1
	for (unsigned int edge = begin + lane; edge < end; edge += 32)
		most = fmaxf(most, gcn_score(own, of_neighbours[to[edge]]));
	most = lanes_max(most);
#pragma unroll 1
	for (unsigned int edge = begin + lane; edge < end; edge += 32) {
		float part = __expf(gcn_score(own, of_neighbours[to[edge]]) - most);

		sum += part;
		weights[edge] = part;
	}
	sum = lanes_sum(sum);
#pragma unroll 1
	for (unsigned int edge = begin + lane; edge < end; edge += 32)
		weights[edge] = weights[edge] / sum;
}
