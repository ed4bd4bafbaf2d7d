/*
 * speed.c - the kernels of the speed benchmark: speed arith ITERATIONS | speed gather ELEMENTS. Results are checked, so
 * that a fast wrong simulator does not count.
 */
#include "common/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char speed_ptx[] =
#include "speed.ptx.h"
	;

enum { BLOCK_THREADS = 256, CTA_COUNT = 544, THREAD_COUNT = BLOCK_THREADS * CTA_COUNT };

static float arith_want(uint32_t tid, unsigned int iterations)
{
	float a = (float)tid, b = 1.0f;

	for (unsigned int i = 0; i < iterations; i++) {
		for (int half = 0; half < 2; half++) {
			a = fmaf(a, 0.5f, 0.25f);
			b = fmaf(b, 0.5f, 0.25f);
			a = fmaf(a, 0.25f, 0.5f);
			b = fmaf(b, 0.25f, 0.5f);
		}
	}
	return a + b;
}

static int arith(struct workload_gpu *gpu, unsigned int iterations)
{
	CUdeviceptr out = workload_device_alloc(THREAD_COUNT * sizeof(float));
	float *got = workload_host_alloc(THREAD_COUNT, sizeof(float));
	float *want = workload_host_alloc(THREAD_COUNT, sizeof(float));
	void *params[] = {&out, &iterations};

	workload_launch(workload_gpu_kernel(gpu, "arith"), (struct workload_dim){CTA_COUNT, 1, 1},
			(struct workload_dim){BLOCK_THREADS, 1, 1}, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(got, out, THREAD_COUNT * sizeof(float)));
	for (uint32_t i = 0; i < BLOCK_THREADS; i++)
		want[i] = arith_want(i, iterations);
	for (uint32_t i = BLOCK_THREADS; i < THREAD_COUNT; i++)
		want[i] = want[i % BLOCK_THREADS];

	bool right = workload_same_f32("out", got, want, THREAD_COUNT, 0);

	free(got);
	free(want);
	return workload_finish(right, "arith, %u iterations", iterations);
}

static int gather(struct workload_gpu *gpu, unsigned int elements)
{
	unsigned int mask = elements - 1;
	uint32_t *table = workload_host_alloc(elements, sizeof(uint32_t));
	uint32_t *got = workload_host_alloc(THREAD_COUNT, sizeof(uint32_t));
	uint32_t *want = workload_host_alloc(THREAD_COUNT, sizeof(uint32_t));

	for (unsigned int i = 0; i < elements; i++)
		table[i] = (uint32_t)workload_random(1, 0, i);

	CUdeviceptr device_table = workload_device_copy(table, elements * sizeof(uint32_t));
	CUdeviceptr out = workload_device_alloc(THREAD_COUNT * sizeof(uint32_t));
	void *params[] = {&device_table, &out, &mask};

	workload_launch(workload_gpu_kernel(gpu, "gather"), (struct workload_dim){CTA_COUNT, 1, 1},
			(struct workload_dim){BLOCK_THREADS, 1, 1}, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(got, out, THREAD_COUNT * sizeof(uint32_t)));
	for (uint32_t t = 0; t < THREAD_COUNT; t++) {
		uint32_t x = t * 747796405u;

		for (int i = 0; i < 16; i++) {
			x = x * 1664525u + 1013904223u;
			want[t] += table[x >> 8 & mask];
		}
	}

	bool right = workload_same_u32("out", got, want, THREAD_COUNT);

	free(table);
	free(got);
	free(want);
	return workload_finish(right, "gather, %u elements", elements);
}

int main(int argc, char **argv)
{
	char *end = "";
	unsigned long n = argc == 3 ? strtoul(argv[2], &end, 10) : 0;

	if (argc != 3 || *end || n == 0 || n > 1u << 28 || (strcmp(argv[1], "arith") && strcmp(argv[1], "gather"))) {
		fprintf(stderr, "usage: speed arith ITERATIONS | speed gather ELEMENTS (a power of two)\n");
		return WORKLOAD_EXIT_ERROR;
	}

	struct workload_gpu gpu = workload_gpu_open(speed_ptx);
	int status = strcmp(argv[1], "arith") ? gather(&gpu, (unsigned int)n) : arith(&gpu, (unsigned int)n);

	workload_gpu_close(&gpu);
	return status;
}
