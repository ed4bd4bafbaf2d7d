/* probe.c - a short program that touches every part of the model, for the check of the tables: what it prints and what
 * the run counts must depend on every parameter, and must show every statistic. */
#include "common/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char probe_ptx[] =
#include "probe.ptx.h"
	;

enum {
	CTA_THREADS = 128,
	MIX_CTAS = 24,
	STREAM_CTAS = 16,
	TILE_CTAS = 4,
	STREAM_COUNT = 16384,
	BUFFER_BYTES = 1 << 19,
	TEXEL_COUNT = 16384,
};

/* What the limits of the machine let run at a time. */
static void print_limits(CUfunction mix)
{
	size_t total_bytes;
	int resident, limit;

	WORKLOAD_CUDA(cuDeviceTotalMem(&total_bytes, 0));
	WORKLOAD_CUDA(cuDeviceGetAttribute(&limit, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0));
	for (size_t shared_bytes = 0; shared_bytes <= 8192; shared_bytes += 1100) {
		WORKLOAD_CUDA(cuOccupancyMaxActiveBlocksPerMultiprocessor(&resident, mix, CTA_THREADS, shared_bytes));
		printf("%d ", resident);
	}
	for (int threads = 32; threads <= limit; threads *= 2) {
		WORKLOAD_CUDA(cuOccupancyMaxActiveBlocksPerMultiprocessor(&resident, mix, threads, 0));
		printf("%d ", resident);
	}
	WORKLOAD_CUDA(cuDeviceGetAttribute(&limit, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
	printf("%d %zu\n", limit, total_bytes);
}

static CUtexObject texture_of(CUdeviceptr texels)
{
	CUDA_RESOURCE_DESC resource;
	CUDA_TEXTURE_DESC texture;
	CUtexObject object;

	memset(&resource, 0, sizeof(resource));
	memset(&texture, 0, sizeof(texture));
	resource.resType = CU_RESOURCE_TYPE_LINEAR;
	resource.res.linear.devPtr = texels;
	resource.res.linear.format = CU_AD_FORMAT_FLOAT;
	resource.res.linear.numChannels = 1;
	resource.res.linear.sizeInBytes = TEXEL_COUNT * sizeof(float);
	WORKLOAD_CUDA(cuTexObjectCreate(&object, &resource, &texture, NULL));
	return object;
}

static void count_call(void *count)
{
	++*(int *)count;
}

/* Copies of every kind in three streams, so that they overlap where the host's engines let them, and a kernel that
 * reads and writes the host's memory. */
static void copy_around(CUfunction stream, CUfunction sum, void **sum_params)
{
	CUdeviceptr here = workload_device_alloc(BUFFER_BYTES), there = workload_device_alloc(BUFFER_BYTES);
	CUstream up, down, beside;
	void *source, *destination;
	unsigned int some = STREAM_COUNT / 16;
	void *zero_copy_params[] = {&source, &there, &destination, &some};
	int count = 0;

	WORKLOAD_CUDA(cuMemHostAlloc(&source, BUFFER_BYTES, 0));
	WORKLOAD_CUDA(cuMemHostAlloc(&destination, BUFFER_BYTES, 0));
	memset(source, 0, BUFFER_BYTES);
	WORKLOAD_CUDA(cuStreamCreate(&up, CU_STREAM_NON_BLOCKING));
	WORKLOAD_CUDA(cuStreamCreate(&down, CU_STREAM_NON_BLOCKING));
	WORKLOAD_CUDA(cuStreamCreate(&beside, CU_STREAM_NON_BLOCKING));
	WORKLOAD_CUDA(cuMemcpyHtoDAsync(here, source, BUFFER_BYTES, up));
	WORKLOAD_CUDA(cuMemcpyDtoHAsync(destination, there, BUFFER_BYTES, down));
	WORKLOAD_CUDA(cuLaunchKernel(sum, 1, 1, 1, CTA_THREADS, 1, 1, 0, beside, sum_params, NULL));
	WORKLOAD_CUDA(cuMemsetD8Async(there, 0, BUFFER_BYTES, beside));
	WORKLOAD_CUDA(cuMemcpyDtoDAsync(there, here, BUFFER_BYTES, beside));
	WORKLOAD_CUDA(cuLaunchKernel(stream, STREAM_CTAS, 1, 1, CTA_THREADS, 1, 1, 0, beside, zero_copy_params, NULL));
	WORKLOAD_CUDA(cuLaunchHostFunc(up, count_call, &count));
	WORKLOAD_CUDA(cuMemcpy((CUdeviceptr)destination, (CUdeviceptr)source, BUFFER_BYTES));
	WORKLOAD_CUDA(cuCtxSynchronize());
	WORKLOAD_CUDA(cuMemFreeHost(source));
	WORKLOAD_CUDA(cuMemFreeHost(destination));
}

int main(void)
{
	struct workload_gpu gpu = workload_gpu_open(probe_ptx);
	CUfunction mix = workload_gpu_kernel(&gpu, "mix"), stream = workload_gpu_kernel(&gpu, "stream");
	CUfunction sum = workload_gpu_kernel(&gpu, "sum"), halves = workload_gpu_kernel(&gpu, "halves");
	CUfunction tiles = workload_gpu_kernel(&gpu, "tiles");
	void *zeros = workload_host_alloc(BUFFER_BYTES, 1);
	CUdeviceptr in = workload_device_copy(zeros, BUFFER_BYTES);
	CUdeviceptr out = workload_device_copy(zeros, BUFFER_BYTES);
	CUdeviceptr sums = workload_device_copy(zeros, BUFFER_BYTES);
	CUtexObject texels = texture_of(in);
	unsigned int count = STREAM_COUNT;
	void *mix_params[] = {&out, &in, &texels};
	unsigned int once = 1;
	void *stream_params[] = {&in, &out, &sums, &count};
	void *sum_params[] = {&in, &sums, &once};
	void *halves_params[] = {&in, &sums};

	print_limits(mix);
	workload_launch(mix, (struct workload_dim){MIX_CTAS, 1, 1}, (struct workload_dim){CTA_THREADS, 1, 1},
			mix_params);
	workload_launch(stream, (struct workload_dim){STREAM_CTAS, 1, 1}, (struct workload_dim){CTA_THREADS, 1, 1},
			stream_params);
	/* One pass of its loop: not worth offloading. */
	workload_launch(sum, (struct workload_dim){1, 1, 1}, (struct workload_dim){CTA_THREADS, 1, 1}, sum_params);
	workload_launch(halves, (struct workload_dim){STREAM_CTAS, 1, 1}, (struct workload_dim){CTA_THREADS, 1, 1},
			halves_params);
	workload_launch(tiles, (struct workload_dim){TILE_CTAS, 1, 1}, (struct workload_dim){CTA_THREADS, 1, 1},
			halves_params);
	WORKLOAD_CUDA(cuMemcpyDtoH(zeros, sums, BUFFER_BYTES));
	copy_around(stream, sum, sum_params);
	free(zeros);
	workload_gpu_close(&gpu);
	return 0;
}
