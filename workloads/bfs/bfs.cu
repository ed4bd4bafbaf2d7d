#include <strata/kernel.h>

/* A node's edges are edges[first[node]] to edges[first[node + 1] - 1]. */

/* One level, first half: nodes on the frontier give a cost to their unvisited neighbours and mark them. */
extern "C" __global__ void bfs_expand(const unsigned int *first, const unsigned int *edges, unsigned char *frontier,
				      unsigned char *updating, const unsigned char *visited, unsigned int *cost,
				      unsigned int nodes_count)
{
	unsigned int node = blockIdx.x * blockDim.x + threadIdx.x;

	if (node < nodes_count && frontier[node]) {
		frontier[node] = 0;
		for (unsigned int i = first[node]; i < first[node + 1]; i++) {
			unsigned int neighbour = edges[i];

			if (!visited[neighbour]) {
				cost[neighbour] = cost[node] + 1;
				updating[neighbour] = 1;
			}
		}
	}
}

/* One level, second half: what was marked becomes the next frontier; `again` tells the host that there is one. */
extern "C" __global__ void bfs_advance(unsigned char *frontier, unsigned char *updating, unsigned char *visited,
				       unsigned int *again, unsigned int nodes_count)
{
	unsigned int node = blockIdx.x * blockDim.x + threadIdx.x;

	if (node < nodes_count && updating[node]) {
		frontier[node] = 1;
		visited[node] = 1;
		*again = 1;
		updating[node] = 0;
	}
}
