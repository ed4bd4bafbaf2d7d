// Atomics on all types and in both memories, and a lock made of them.
#include <limits.h>

#include "program.h"

enum { BLOCKS = 12, THREADS = 64, N = BLOCKS * THREADS };

struct results {
	int add, sub, min, max, exchanged;
	unsigned int uadd, inc, dec, uand, uor, uxor, umax;
	unsigned long long wide, wide_max, cas;
	float sum;
	double twice;
};

__global__ void all_atomics(results *r)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	atomicAdd(&r->add, i);
	atomicSub(&r->sub, 2);
	atomicMin(&r->min, 500 - i);
	atomicMax(&r->max, i * 3);
	atomicExch(&r->exchanged, i);
	atomicAdd(&r->uadd, 1u);
	atomicInc(&r->inc, 99);
	atomicDec(&r->dec, 999);
	atomicAnd(&r->uand, ~(1u << i % 20));
	atomicOr(&r->uor, 1u << i % 20);
	atomicXor(&r->uxor, (unsigned int)i);
	atomicMax(&r->umax, 0x80000000u + i);
	atomicAdd(&r->wide, 1ull << 32);
	atomicMax(&r->wide_max, 5000000000ull * i);
	atomicAdd(&r->sum, 0.5f);
	atomicAdd(&r->twice, 0.25);
	for (unsigned long long seen = r->cas, was; (was = atomicCAS(&r->cas, seen, seen + 3)) != seen; seen = was)
		;
}

// Sums of each block in shared memory first.
__global__ void block_sums(int *total, float *average)
{
	__shared__ int sum;
	__shared__ float middle;

	if (threadIdx.x == 0) {
		sum = 0;
		middle = 0;
	}
	__syncthreads();
	atomicAdd_block(&sum, (int)threadIdx.x);
	atomicAdd(&middle, 1.0f / THREADS);
	__syncthreads();
	if (threadIdx.x == 0) {
		atomicAdd(total, sum);
		atomicAdd_system(average, middle);
	}
}

__device__ int lock;

__global__ void locked(int *counter)
{
	if (threadIdx.x)
		return;
	while (atomicCAS(&lock, 0, 1) != 0)
		;
	__threadfence();
	*(volatile int *)counter = *(volatile int *)counter + 1;
	__threadfence();
	atomicExch(&lock, 0);
}

int main()
{
	results *r;
	int *p, x = 0;
	float *f;

	OK(cudaMallocManaged(&r, sizeof(*r)));
	*r = results();
	r->min = INT_MAX;
	r->dec = 5;
	r->uand = ~0u;
	all_atomics<<<BLOCKS, THREADS>>>(r);
	LAUNCHED();
	for (int i = 0; i < N; i++)
		x ^= i;
	CHECK(r->add == N * (N - 1) / 2 && r->sub == -2 * N && r->min == 500 - (N - 1) && r->max == 3 * (N - 1));
	CHECK(r->exchanged >= 0 && r->exchanged < N);
	CHECK(r->uadd == N && r->inc == N % 100 && r->dec == (5 + 1000 - N % 1000) % 1000);
	CHECK(r->uand == 0xfff00000u && r->uor == 0x000fffffu && r->uxor == (unsigned int)x);
	CHECK(r->umax == 0x80000000u + N - 1 && r->wide == (unsigned long long)N << 32);
	CHECK(r->wide_max == 5000000000ull * (N - 1) && r->cas == 3 * N);
	CHECK(r->sum == 0.5f * N && r->twice == 0.25 * N);

	OK(cudaMallocManaged(&p, sizeof(int)));
	OK(cudaMallocManaged(&f, sizeof(float)));
	*p = 0;
	*f = 0;
	block_sums<<<BLOCKS, THREADS>>>(p, f);
	LAUNCHED();
	CHECK(*p == BLOCKS * THREADS * (THREADS - 1) / 2 && *f == BLOCKS);
	*p = 0;
	locked<<<40, 32>>>(p);
	LAUNCHED();
	CHECK(*p == 40);
	return 0;
}
