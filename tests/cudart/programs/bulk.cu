// What code for Hopper has without asking for it: bulk copies that an mbarrier counts, and clusters of one block. On a
// machine with time the wait for a bulk copy is as long as a load from memory.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>

#include "program.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

enum { WORDS = 1024, THREADS = 128, BLOCKS = 4 };

/* As libcu++ chooses: one thread's bulk copy. */
__global__ void by_barrier(const float *in, float *out)
{
	__shared__ alignas(128) float s[WORDS];
#pragma nv_diag_suppress static_var_with_dynamic_init
	__shared__ barrier b;

	if (threadIdx.x == 0) {
		init(&b, blockDim.x);
		cuda::device::experimental::fence_proxy_async_shared_cta();
	}
	__syncthreads();
	barrier::arrival_token token;

	if (threadIdx.x == 0)
		cuda::memcpy_async(s, in + blockIdx.x * WORDS, cuda::aligned_size_t<16>(sizeof(s)), b);
	token = b.arrive();
	b.wait(std::move(token));
	for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
		out[blockIdx.x * WORDS + i] = s[WORDS - 1 - i] * 2;
}

/* In by instructions, doubled, and out again by a bulk copy. */
__global__ void by_instructions(const float *in, float *out)
{
	__shared__ alignas(128) float s[WORDS];
	__shared__ alignas(8) uint64_t b;

	if (threadIdx.x == 0)
		ptx::mbarrier_init(&b, 1);
	__syncthreads();
	if (threadIdx.x == 0) {
		ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, in + blockIdx.x * WORDS, sizeof(s), &b);
		ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &b, sizeof(s));
	}
	while (!ptx::mbarrier_try_wait_parity(&b, 0))
		;
	for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
		s[i] *= 2;
	ptx::fence_proxy_async(ptx::space_shared);
	__syncthreads();
	if (threadIdx.x == 0) {
		ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * WORDS, s, sizeof(s));
		ptx::cp_async_bulk_commit_group();
		ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
	}
}

/* Clocks of a load that no cache has, and of a bulk copy of other such bytes until the barrier lets through; of the second
 * round, whose code is there. */
__global__ void waits(const float *in, long long *clocks, float *out)
{
	__shared__ alignas(128) float s[4];
	__shared__ alignas(8) uint64_t b;

	ptx::mbarrier_init(&b, 1);
	for (int round = 0; round < 2; round++) {
		const float *at = in + round * 4096;
		long long begin = clock64(), loaded;

		out[round] = *(volatile const float *)at + 1;
		loaded = clock64();
		ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &b, sizeof(s));
		ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, at + 2048, sizeof(s), &b);
		while (!ptx::mbarrier_try_wait_parity(&b, round))
			;
		clocks[1] = clock64() - loaded;
		clocks[0] = loaded - begin;
	}
}

__global__ void __cluster_dims__(1, 1, 1) cluster(int *out)
{
	__shared__ int s[THREADS];
	auto c = cg::this_cluster();

	s[threadIdx.x] = threadIdx.x;
	c.sync();
	out[threadIdx.x] = c.map_shared_rank(s, 0)[THREADS - 1 - threadIdx.x] + 1000 * c.num_blocks() + c.block_rank();
}

int main()
{
	static float in[BLOCKS * WORDS], out[BLOCKS * WORDS];
	float *from, *to;
	long long *clocks, taken[2];
	int *ints, got[THREADS];

	for (int i = 0; i < BLOCKS * WORDS; i++)
		in[i] = i;
	OK(cudaMalloc(&from, sizeof(in) + 65536));
	OK(cudaMemset(from, 0, sizeof(in) + 65536));
	OK(cudaMalloc(&to, sizeof(out)));
	OK(cudaMalloc(&clocks, 2 * sizeof(*clocks)));
	OK(cudaMalloc(&ints, sizeof(got)));
	OK(cudaMemcpy(from, in, sizeof(in), cudaMemcpyHostToDevice));

	by_barrier<<<BLOCKS, THREADS>>>(from, to);
	LAUNCHED();
	OK(cudaMemcpy(out, to, sizeof(out), cudaMemcpyDeviceToHost));
	for (int i = 0; i < BLOCKS * WORDS; i++)
		CHECK(out[i] == 2 * in[i / WORDS * WORDS + WORDS - 1 - i % WORDS]);

	by_instructions<<<BLOCKS, THREADS>>>(from, to);
	LAUNCHED();
	OK(cudaMemcpy(out, to, sizeof(out), cudaMemcpyDeviceToHost));
	for (int i = 0; i < BLOCKS * WORDS; i++)
		CHECK(out[i] == 2 * in[i]);

	waits<<<1, 1>>>(from + BLOCKS * WORDS, clocks, to);
	LAUNCHED();
	OK(cudaMemcpy(taken, clocks, sizeof(taken), cudaMemcpyDeviceToHost));
	printf("a load %lld clocks, a bulk copy %lld\n", taken[0], taken[1]);
	CHECK(taken[1] * 2 >= taken[0]);

	cluster<<<1, THREADS>>>(ints);
	LAUNCHED();
	OK(cudaMemcpy(got, ints, sizeof(got), cudaMemcpyDeviceToHost));
	for (int i = 0; i < THREADS; i++)
		CHECK(got[i] == 1000 + THREADS - 1 - i);
	OK(cudaFree(from));
	OK(cudaFree(to));
	OK(cudaFree(clocks));
	OK(cudaFree(ints));
	return 0;
}
