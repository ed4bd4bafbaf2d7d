// Dynamic parallelism: kernels launched by kernels, nested, by every block, with structures as parameters, at the tail.
#include "program.h"

enum { BLOCKS = 3, THREADS = 32, LEVELS = 5 };

struct work {
	char tag;
	double factor;
	int *out;
};

__global__ void child(struct work w, int block)
{
	w.out[block * THREADS + threadIdx.x] = (int)(w.factor * threadIdx.x) + w.tag + block;
}

/* The children read what their parent wrote before it launched them. */
__global__ void parent(int *out, int *tags)
{
	if (threadIdx.x)
		return;
	tags[blockIdx.x] = 'a';

	struct work w = {(char)tags[blockIdx.x], 2.5, out};

	child<<<1, THREADS>>>(w, blockIdx.x);
}

/* A tree: level n has 2^n grids; each adds 1 to its level's count. */
__global__ void tree(int *counts, int level)
{
	if (threadIdx.x >= 2)
		return;
	if (threadIdx.x == 0)
		atomicAdd(&counts[level], 1);
	if (level + 1 < LEVELS)
		tree<<<1, 32>>>(counts, level + 1);
}

__global__ void append(int *log, int what)
{
	log[1 + log[0]++] = what;
}

/* In one stream in order; the tail after all others, whenever it was launched. */
__global__ void ordered(int *log)
{
	append<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 9);
	append<<<1, 1>>>(log, 1);
	append<<<1, 1>>>(log, 2);
	append<<<1, 1>>>(log, 3);
}

int main()
{
	int *out, *tags, *counts;

	OK(cudaMallocManaged(&out, BLOCKS * THREADS * sizeof(int)));
	OK(cudaMallocManaged(&tags, BLOCKS * sizeof(int)));
	OK(cudaMallocManaged(&counts, LEVELS * sizeof(int)));
	parent<<<BLOCKS, THREADS>>>(out, tags);
	LAUNCHED();
	for (int b = 0; b < BLOCKS; b++) {
		for (int t = 0; t < THREADS; t++)
			CHECK(out[b * THREADS + t] == (int)(2.5 * t) + 'a' + b);
	}

	for (int i = 0; i < LEVELS; i++)
		counts[i] = 0;
	tree<<<1, 32>>>(counts, 0);
	LAUNCHED();
	for (int i = 0; i < LEVELS; i++)
		CHECK(counts[i] == 1 << i);

	out[0] = 0;
	ordered<<<1, 1>>>(out);
	LAUNCHED();
	CHECK(out[0] == 4 && out[1] == 1 && out[2] == 2 && out[3] == 3 && out[4] == 9);
	return 0;
}
