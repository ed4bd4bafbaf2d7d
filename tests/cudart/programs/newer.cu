// newer.cu - code for compute_90 and later: SIMD intrinsics that are instructions there, clusters of one CTA; a kernel
// that asks for larger ones is refused, and the others of its file are not.
#include <cooperative_groups.h>
#include <cstdint>
#include <cuda_runtime.h>

#include "program.h"

namespace cg = cooperative_groups;

enum { COUNT = 1024, RESULTS = 8 };

__global__ void pairs(uint32_t *out, const uint32_t *in)
{
	const uint32_t k = blockIdx.x * blockDim.x + threadIdx.x, a = in[k], b = in[(k * 7 + 1) % COUNT];

	out += k * RESULTS;
	out[0] = __vadd2(a, b);
	out[1] = __vsub2(a, b);
	out[2] = __vmaxs2(a, b);
	out[3] = __vminu2(a, b);
	out[4] = __vimin_s16x2_relu(a, b);
	out[5] = __vimax3_s16x2_relu(a, b, 0x80000003);
	out[6] = __viaddmax_s16x2(a, b, 0x00070007);
	out[7] = __vimin3_u16x2(a, b, 0x40002000);
}

static uint32_t twice(uint32_t (*f)(int, int), uint32_t a, uint32_t b)
{
	return (f((int16_t)(a >> 16), (int16_t)(b >> 16)) & 0xffff) << 16 | (f((int16_t)a, (int16_t)b) & 0xffff);
}

static int max_of(int a, int b)
{
	return a > b ? a : b;
}

static uint32_t expected(int which, uint32_t a, uint32_t b)
{
	static uint32_t (*const of[])(int, int) = {
		[](int x, int y) { return (uint32_t)(x + y); },
		[](int x, int y) { return (uint32_t)(x - y); },
		[](int x, int y) { return (uint32_t)max_of(x, y); },
		[](int x, int y) { return (uint32_t)-max_of(-(x & 0xffff), -(y & 0xffff)); },
		[](int x, int y) { return (uint32_t)max_of(-max_of(-x, -y), 0); },
		[](int x, int y) { return (uint32_t)max_of(max_of(x, y), 0); },
		[](int x, int y) { return (uint32_t)max_of((int16_t)(x + y), 7); },
		[](int x, int y) { return (uint32_t)-max_of(-(x & 0xffff), -(y & 0xffff)); },
	};
	const uint32_t third = which == 5 ? 0x80000003 : 0x40002000;
	const uint32_t v = twice(of[which], a, b);

	return which == 5 || which == 7 ? twice(of[which], v, third) : v;
}

/* Each block is a cluster: what a thread writes before the barrier all see through the cluster's map. */
__global__ void alone(uint32_t *out)
{
	__shared__ uint32_t values[128];
	cg::cluster_group cluster = cg::this_cluster();

	values[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
	cluster.sync();
	const uint32_t *const other = cluster.map_shared_rank(values, cluster.block_rank());
	const uint32_t sum = other[127 - threadIdx.x] + 100000 * cluster.num_blocks();

	cluster.sync();
	out[blockIdx.x * 128 + threadIdx.x] = sum;
}

__global__ void __cluster_dims__(2, 1, 1) of_two(uint32_t *out)
{
	out[cg::this_cluster().block_rank()] = 1;
}

int main()
{
	static uint32_t in[COUNT], out[COUNT * RESULTS];
	uint32_t *device_in, *device_out;

	for (uint32_t k = 0; k < COUNT; k++)
		in[k] = k % 5 ? k * 2654435761u : k % 2 ? 0x80007fff : 0xffff0000;
	OK(cudaMalloc(&device_in, sizeof(in)));
	OK(cudaMalloc(&device_out, sizeof(out)));
	OK(cudaMemcpy(device_in, in, sizeof(in), cudaMemcpyHostToDevice));
	pairs<<<COUNT / 128, 128>>>(device_out, device_in);
	OK(cudaMemcpy(out, device_out, sizeof(out), cudaMemcpyDeviceToHost));
	for (uint32_t k = 0; k < COUNT; k++)
		for (int n = 0; n < RESULTS; n++) {
			const uint32_t a = in[k], b = in[(k * 7 + 1) % COUNT], want = expected(n, a, b);

			if (out[k * RESULTS + n] != want) {
				fprintf(stderr, "result %d of 0x%08x, 0x%08x: 0x%08x, expected 0x%08x\n", n, a, b,
					out[k * RESULTS + n], want);
				return 1;
			}
		}
	of_two<<<2, 32>>>(device_out);
	FAILS(cudaErrorNotSupported, cudaGetLastError());
	alone<<<3, 128>>>(device_out);
	OK(cudaMemcpy(out, device_out, sizeof(out), cudaMemcpyDeviceToHost));
	for (uint32_t k = 0; k < 3 * 128; k++)
		if (out[k] != 100000 + k / 128 * 1000 + 127 - k % 128) {
			fprintf(stderr, "thread %u of clusters: %u\n", k, out[k]);
			return 1;
		}
	return 0;
}
