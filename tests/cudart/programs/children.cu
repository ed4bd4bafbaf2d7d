// Dynamic parallelism: kernels launched by kernels, nested, by every block, with structures as parameters, at the tail;
// streams, events, errors, copies and questions of kernels.
#include <assert.h>
#include <string.h>

#include "program.h"

/* In kernels, where CHECK is not. */
#define SAME(expression, expected) assert((expression) == (expected))

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

/* All have been taken in when it ends: of those that can begin then, the one that was launched first. */
__global__ void crowd(int *log)
{
	for (int i = 1; i <= 4; i++)
		append<<<1, 1, 0, cudaStreamFireAndForget>>>(log, i);
	for (long long begin = clock64(); clock64() - begin < 30000;)
		;
}

/* Two streams; the second waits for the first in the middle. What only one thread does needs no atomics: grids run one
 * after the other. */
__global__ void forked(int *log)
{
	cudaStream_t a, b;
	cudaEvent_t e;

	SAME(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking), cudaSuccess);
	SAME(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking), cudaSuccess);
	SAME(cudaEventCreateWithFlags(&e, cudaEventDisableTiming), cudaSuccess);
	append<<<1, 1, 0, b>>>(log, 10);
	ordered<<<1, 1, 0, a>>>(log); // and what it launches
	SAME(cudaEventRecord(e, a), cudaSuccess);
	SAME(cudaStreamWaitEvent(b, e, 0), cudaSuccess);
	append<<<1, 1, 0, b>>>(log, 20);
	append<<<1, 1, 0, cudaStreamFireAndForget>>>(log, 30);
	SAME(cudaEventDestroy(e), cudaSuccess);
	SAME(cudaStreamDestroy(a), cudaSuccess);
	SAME(cudaStreamDestroy(b), cudaSuccess);
	// What a device has no streams and events for.
	SAME(cudaStreamCreateWithFlags(&a, cudaStreamDefault), cudaErrorInvalidValue);
	SAME(cudaEventCreateWithFlags(&e, cudaEventDefault), cudaErrorInvalidValue);
	SAME(cudaStreamDestroy(b), cudaErrorInvalidValue);
	SAME(cudaEventRecord(e, 0), cudaErrorInvalidValue);
	SAME(cudaGetLastError(), cudaErrorInvalidValue);
}

/* Each thread has its own last error. */
__global__ void errors(int *out)
{
	int *none = 0;

	if (threadIdx.x == 1)
		SAME(cudaMemcpyAsync(none, out, 4, cudaMemcpyDeviceToDevice, 0), cudaErrorInvalidValue);
	SAME(cudaPeekAtLastError(), threadIdx.x == 1 ? cudaErrorInvalidValue : cudaSuccess);
	SAME(cudaGetLastError(), threadIdx.x == 1 ? cudaErrorInvalidValue : cudaSuccess);
	SAME(cudaGetLastError(), cudaSuccess);
}

__device__ int facts[4];

__global__ void ask(int *out)
{
	cudaFuncAttributes a;
	size_t heap;

	SAME(cudaGetDevice(&out[0]), cudaSuccess);
	SAME(cudaGetDeviceCount(&out[1]), cudaSuccess);
	SAME(cudaDeviceGetAttribute(&facts[0], cudaDevAttrWarpSize, 0), cudaSuccess);
	SAME(cudaFuncGetAttributes(&a, child), cudaSuccess);
	SAME(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&facts[1], child, 64, 1024), cudaSuccess);
	SAME(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize), cudaSuccess);
	out[2] = facts[0];
	out[3] = facts[1];
	out[4] = a.numRegs;
	out[5] = a.maxThreadsPerBlock;
	out[6] = (int)heap;
	SAME(cudaMemsetAsync(out + 8, 0, 12, 0), cudaSuccess);
	SAME(cudaMemcpyAsync(out + 16, out, 28, cudaMemcpyDeviceToDevice, 0), cudaSuccess);
}

static void check_asked(int *out)
{
	cudaFuncAttributes a;
	size_t heap;
	int blocks;

	for (int i = 0; i < 32; i++)
		out[i] = -1;
	ask<<<1, 1>>>(out);
	LAUNCHED();
	OK(cudaFuncGetAttributes(&a, child));
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, child, 64, 1024));
	OK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
	CHECK(out[0] == 0 && out[1] == 1 && out[2] == 32);
	CHECK(out[3] == blocks && out[4] == a.numRegs && out[5] == a.maxThreadsPerBlock && out[6] == (int)heap);
	CHECK(!memcmp(out, out + 16, 28));
	CHECK(out[7] == -1 && out[8] == 0 && out[10] == 0 && out[11] == -1 && out[23] == -1);
}

static int place_of(const int *log, int what)
{
	for (int i = 1; i <= log[0]; i++)
		if (log[i] == what)
			return i;
	return 0;
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

	out[0] = 0;
	crowd<<<1, 1>>>(out);
	LAUNCHED();
	CHECK(out[0] == 4 && out[1] == 1 && out[2] == 2 && out[3] == 3 && out[4] == 4);

	out[0] = 0;
	forked<<<1, 1>>>(out);
	LAUNCHED();
	CHECK(out[0] == 7);
	for (int what = 1; what <= 3; what++)
		CHECK(place_of(out, what) && place_of(out, what) < place_of(out, what == 3 ? 9 : what + 1));
	CHECK(place_of(out, 9) < place_of(out, 20)); // and the tail of what the event stands for
	CHECK(place_of(out, 10) && place_of(out, 10) < place_of(out, 1)); // streams do not wait for each other
	CHECK(place_of(out, 30) && place_of(out, 30) < place_of(out, 1));

	errors<<<2, THREADS>>>(out);
	LAUNCHED();
	check_asked(out);
	return 0;
}
