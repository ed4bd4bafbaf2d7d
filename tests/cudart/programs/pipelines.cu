// Asynchronous copies from global to shared memory: by the primitives, by cooperative groups, and by cuda::pipeline and
// cuda::barrier.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include "program.h"

namespace cg = cooperative_groups;

enum { THREADS = 128, STAGES = 3, STEPS = 10, BLOCKS = 4, COUNT = BLOCKS * STEPS * THREADS };

/* Each thread adds what it and its neighbour have copied, STAGES - 1 steps later. */
__global__ void primitives(const float4 *in, float *out)
{
	__shared__ float4 stage[STAGES][THREADS];
	int t = threadIdx.x, first = blockIdx.x * STEPS * THREADS;

	for (int s = 0; s < STAGES - 1; s++) {
		__pipeline_memcpy_async(&stage[s][t], &in[first + s * THREADS + t], 16, s == 1 && t % 4 == 0 ? 8 : 0);
		__pipeline_commit();
	}
	for (int s = 0; s < STEPS; s++) {
		int next = s + STAGES - 1;

		if (next < STEPS)
			__pipeline_memcpy_async(&stage[next % STAGES][t], &in[first + next * THREADS + t], 16);
		__pipeline_commit();
		__pipeline_wait_prior(STAGES - 1);
		__syncthreads();
		float4 v = stage[s % STAGES][t ^ 1];

		out[first + s * THREADS + t] = v.x + v.y + v.z + v.w;
		__syncthreads();
	}
}

__global__ void groups(const float *in, float *out)
{
	__shared__ float stage[THREADS * STEPS];
	cg::thread_block block = cg::this_thread_block();
	int t = threadIdx.x, first = blockIdx.x * STEPS * THREADS;

	cg::memcpy_async(block, stage, in + first, sizeof(stage));
	cg::wait(block);
	for (int s = 0; s < STEPS; s++)
		out[first + s * THREADS + t] = stage[s * THREADS + THREADS - 1 - t];
}

__global__ void pipelines(const float *in, float *out)
{
	__shared__ float stage[2][THREADS];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
	cg::thread_block block = cg::this_thread_block();
	auto pipe = cuda::make_pipeline(block, &state);
	int t = threadIdx.x, first = blockIdx.x * STEPS * THREADS;

	pipe.producer_acquire();
	cuda::memcpy_async(block, stage[0], in + first, sizeof(stage[0]), pipe);
	pipe.producer_commit();
	for (int s = 0; s < STEPS; s++) {
		if (s + 1 < STEPS) {
			pipe.producer_acquire();
			cuda::memcpy_async(block, stage[(s + 1) % 2], in + first + (s + 1) * THREADS, sizeof(stage[0]),
					   pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		out[first + s * THREADS + t] = stage[s % 2][THREADS - 1 - t];
		pipe.consumer_release();
	}
}

__global__ void barriers(const float *in, float *out)
{
	__shared__ float stage[THREADS];
	__shared__ cuda::barrier<cuda::thread_scope_block> barrier;
	int t = threadIdx.x, first = blockIdx.x * STEPS * THREADS;

	if (t == 0)
		init(&barrier, THREADS);
	__syncthreads();
	for (int s = 0; s < STEPS; s++) {
		cuda::memcpy_async(&stage[t], in + first + s * THREADS + t, sizeof(float), barrier);
		barrier.arrive_and_wait();
		out[first + s * THREADS + t] = stage[THREADS - 1 - t];
		barrier.arrive_and_wait();
	}
}

static void check_reversed(const char *name, void (*kernel)(const float *, float *), const float *in, float *out)
{
	OK(cudaMemset(out, 0, COUNT * sizeof(*out)));
	kernel<<<BLOCKS, THREADS>>>(in, out);
	LAUNCHED();
	for (int i = 0; i < COUNT; i++)
		if (out[i] != in[i / THREADS * THREADS + THREADS - 1 - i % THREADS]) {
			fprintf(stderr, "%s: %d is %g\n", name, i, (double)out[i]);
			exit(1);
		}
}

int main()
{
	float *in, *out;

	OK(cudaMallocManaged((void **)&in, 4 * COUNT * sizeof(*in)));
	OK(cudaMallocManaged((void **)&out, COUNT * sizeof(*out)));
	for (int i = 0; i < 4 * COUNT; i++)
		in[i] = (float)(i % 1001);
	primitives<<<BLOCKS, THREADS>>>((const float4 *)in, out);
	LAUNCHED();
	for (int i = 0; i < COUNT; i++) {
		const float *v = in + 4 * (i ^ 1);
		bool cut = i / THREADS % STEPS == 1 && (i ^ 1) % 4 == 0;

		CHECK(out[i] == v[0] + v[1] + (cut ? 0 : v[2] + v[3]));
	}
	check_reversed("groups", groups, in, out);
	check_reversed("pipelines", pipelines, in, out);
	check_reversed("barriers", barriers, in, out);
	OK(cudaFree(in));
	OK(cudaFree(out));
	puts("pipelines: right");
	return 0;
}
