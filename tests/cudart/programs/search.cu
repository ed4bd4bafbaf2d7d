// Breadth-first search of a graph by levels: a frontier that grows with atomics, until nothing is new.
#include <string.h>

#include "program.h"

enum { NODES = 1500, DEGREE = 4, EDGES = NODES * DEGREE };

__global__ void expand(const int *start, const int *edges, int *level, const int *frontier, int count, int *next,
		       int *next_count, int depth)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= count)
		return;

	int node = frontier[i];

	for (int e = start[node]; e < start[node + 1]; e++) {
		int to = edges[e];

		if (atomicCAS(&level[to], -1, depth) == -1)
			next[atomicAdd(next_count, 1)] = to;
	}
}

int main()
{
	static int start[NODES + 1], edges[EDGES], level[NODES], queue[NODES], expected[NODES];
	int *d_start, *d_edges, *d_level, *frontier[2], *count, n = 1, depth = 0, head = 0, tail = 1;
	unsigned int state = 5;

	for (int i = 0; i <= NODES; i++)
		start[i] = i * DEGREE;
	for (int i = 0; i < EDGES; i++)
		edges[i] = i % DEGREE == 0 ? (i / DEGREE + 1) % NODES : (int)(next_random(&state) >> 8) % (NODES / 2);
	memset(expected, -1, sizeof(expected));
	expected[0] = 0;
	while (head < tail) {
		int node = queue[head++];

		for (int e = start[node]; e < start[node + 1]; e++) {
			if (expected[edges[e]] < 0) {
				expected[edges[e]] = expected[node] + 1;
				queue[tail++] = edges[e];
			}
		}
	}

	OK(cudaMalloc(&d_start, sizeof(start)));
	OK(cudaMalloc(&d_edges, sizeof(edges)));
	OK(cudaMalloc(&d_level, sizeof(level)));
	OK(cudaMalloc(&frontier[0], sizeof(level)));
	OK(cudaMalloc(&frontier[1], sizeof(level)));
	OK(cudaMalloc(&count, sizeof(int)));
	OK(cudaMemcpy(d_start, start, sizeof(start), cudaMemcpyHostToDevice));
	OK(cudaMemcpy(d_edges, edges, sizeof(edges), cudaMemcpyHostToDevice));
	OK(cudaMemset(d_level, 0xff, sizeof(level)));
	OK(cudaMemset(d_level, 0, sizeof(int)));
	OK(cudaMemset(frontier[0], 0, sizeof(int)));
	while (n && depth < 40) {
		OK(cudaMemset(count, 0, sizeof(int)));
		expand<<<(n + 127) / 128, 128>>>(d_start, d_edges, d_level, frontier[depth % 2], n,
						 frontier[(depth + 1) % 2], count, depth + 1);
		LAUNCHED();
		OK(cudaMemcpy(&n, count, sizeof(int), cudaMemcpyDeviceToHost));
		depth++;
	}
	OK(cudaMemcpy(level, d_level, sizeof(level), cudaMemcpyDeviceToHost));
	for (int i = 0; i < NODES; i++)
		CHECK(level[i] == (expected[i] <= 40 ? expected[i] : -1));
	return 0;
}
