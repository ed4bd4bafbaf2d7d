/*
 * Vector addition: streaming, no reuse, one addition per 12 bytes.  Input and result pass through one small host
 * buffer, so that the paper's 50 million elements need little more than the three device vectors.
 */
#include "common/workload.h"

#include <stdlib.h>

static const char vectoradd_ptx[] =
#include WORKLOAD_PTX
	;

enum {
	BLOCK_THREADS = 256,
	CHUNK_ELEMENTS = 1 << 20,
};

static size_t chunk_count(size_t count, size_t start)
{
	return count - start < CHUNK_ELEMENTS ? count - start : CHUNK_ELEMENTS;
}

static void vector_fill(CUdeviceptr vector, size_t count, float *buffer, uint64_t seed, uint32_t stream)
{
	for (size_t start = 0; start < count; start += CHUNK_ELEMENTS) {
		size_t n = chunk_count(count, start);

		for (size_t i = 0; i < n; i++)
			buffer[i] = workload_random_float(seed, stream, start + i);
		WORKLOAD_CUDA(cuMemcpyHtoD(vector + start * sizeof(float), buffer, n * sizeof(float)));
	}
}

static bool vector_check(CUdeviceptr vector, size_t count, float *got, float *want, uint64_t seed)
{
	bool right = true;

	for (size_t start = 0; start < count && right; start += CHUNK_ELEMENTS) {
		size_t n = chunk_count(count, start);

		WORKLOAD_CUDA(cuMemcpyDtoH(got, vector + start * sizeof(float), n * sizeof(float)));
		for (size_t i = 0; i < n; i++)
			want[i] = workload_random_float(seed, 0, start + i) + workload_random_float(seed, 1, start + i);
		right = workload_same_f32("c", got, want, n, start);
	}
	return right;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"vectoradd", "Vector addition: c = a + b.", "1,048,576 elements", "50,000,000 elements (NSU Table 1)"};
	static const struct workload_count counts[] = {
		{"elements", "elements", 1 << 20, 50000000, 1, 500000000, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	unsigned int count = options.counts[0];
	struct workload_gpu gpu = workload_gpu_open(vectoradd_ptx);
	CUfunction kernel = workload_gpu_kernel(&gpu, "vector_add");
	CUdeviceptr a = workload_device_alloc(count * sizeof(float));
	CUdeviceptr b = workload_device_alloc(count * sizeof(float));
	CUdeviceptr c = workload_device_alloc(count * sizeof(float));
	float *buffer = workload_host_alloc(CHUNK_ELEMENTS, sizeof(float));
	float *want = workload_host_alloc(CHUNK_ELEMENTS, sizeof(float));
	void *params[] = {&a, &b, &c, &count};
	bool right;

	vector_fill(a, count, buffer, options.seed, 0);
	vector_fill(b, count, buffer, options.seed, 1);
	workload_launch(kernel, (struct workload_dim){workload_ctas(count, BLOCK_THREADS), 1, 1},
			(struct workload_dim){BLOCK_THREADS, 1, 1}, params);
	right = vector_check(c, count, buffer, want, options.seed);
	WORKLOAD_CUDA(cuMemFree(a));
	WORKLOAD_CUDA(cuMemFree(b));
	WORKLOAD_CUDA(cuMemFree(c));
	free(buffer);
	free(want);
	workload_gpu_close(&gpu);
	return workload_finish(right, "%u elements", count);
}
