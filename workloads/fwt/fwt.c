/*
 * Dyadic convolution by fast Walsh transforms: transform data and kernel, multiply, transform back.  Large strides go
 * through global memory two stages at a time, the rest is done in shared memory.
 *
 * Two checks: the host runs the same butterflies in the same order and compares bit for bit, and some elements are
 * computed from the definition, sum over k of data[i XOR k] * kernel[k], in double precision.
 */
#include "common/workload.h"
#include "fwt.h"

#include <stdlib.h>

static const char fwt_ptx[] =
#include WORKLOAD_PTX
	;

enum {
	BLOCK_THREADS = 256,
	MODULATE_CTAS = 128, /* as in the CUDA SDK's program */
	SAMPLES_COUNT = 64,
};

struct fwt {
	size_t data_count;
	size_t kernel_count; /* elements of the kernel that are not zero, the first ones */
	float *data;
	float *kernel;
	float *result;
};

struct fwt_kernels {
	CUfunction global;
	CUfunction shared;
	CUfunction modulate;
};

static void input_make(struct fwt *work, uint64_t seed)
{
	work->data = workload_host_alloc(work->data_count, sizeof(float));
	work->kernel = workload_host_alloc(work->data_count, sizeof(float));
	work->result = workload_host_alloc(work->data_count, sizeof(float));
	for (size_t i = 0; i < work->data_count; i++)
		work->data[i] = workload_random_float(seed, 0, i);
	for (size_t i = 0; i < work->kernel_count; i++)
		work->kernel[i] = workload_random_float(seed, 1, i);
}

static void transform_launch(const struct fwt_kernels *kernels, CUdeviceptr data, size_t count)
{
	unsigned int log2 = (unsigned int)__builtin_ctzll(count);
	unsigned int groups_count = (unsigned int)(count / 4);

	for (; log2 > FWT_SHARED_LOG2; log2 -= 2) {
		unsigned int stride = 1u << (log2 - 2);
		void *params[] = {&data, &stride, &groups_count};

		workload_launch(kernels->global,
				(struct workload_dim){workload_ctas(groups_count, BLOCK_THREADS), 1, 1},
				(struct workload_dim){BLOCK_THREADS, 1, 1}, params);
	}
	void *params[] = {&data, &log2};

	workload_launch(kernels->shared, (struct workload_dim){(unsigned int)(count >> log2), 1, 1},
			(struct workload_dim){1u << (log2 - 2), 1, 1}, params);
}

static void convolution_compute(struct fwt *work)
{
	struct workload_gpu gpu = workload_gpu_open(fwt_ptx);
	struct fwt_kernels kernels = {
		workload_gpu_kernel(&gpu, "fwt_global"),
		workload_gpu_kernel(&gpu, "fwt_shared"),
		workload_gpu_kernel(&gpu, "fwt_modulate"),
	};
	size_t bytes = work->data_count * sizeof(float);
	unsigned int count = (unsigned int)work->data_count;
	float scale = 1.0f / (float)count;
	CUdeviceptr data = workload_device_copy(work->data, bytes);
	CUdeviceptr kernel = workload_device_alloc(bytes);
	void *params[] = {&data, &kernel, &scale, &count};

	WORKLOAD_CUDA(cuMemsetD32(kernel, 0, count));
	WORKLOAD_CUDA(cuMemcpyHtoD(kernel, work->kernel, work->kernel_count * sizeof(float)));
	transform_launch(&kernels, data, work->data_count);
	transform_launch(&kernels, kernel, work->data_count);
	workload_launch(kernels.modulate, (struct workload_dim){MODULATE_CTAS, 1, 1},
			(struct workload_dim){BLOCK_THREADS, 1, 1}, params);
	transform_launch(&kernels, data, work->data_count);
	WORKLOAD_CUDA(cuMemcpyDtoH(work->result, data, bytes));
	WORKLOAD_CUDA(cuMemFree(data));
	WORKLOAD_CUDA(cuMemFree(kernel));
	workload_gpu_close(&gpu);
}

/* The transform in place, largest stride first as on the device. */
static void transform_reference(float *data, size_t count)
{
	for (size_t stride = count / 2; stride > 0; stride /= 2) {
		for (size_t base = 0; base < count; base += 2 * stride) {
			for (size_t i = base; i < base + stride; i++) {
				float low = data[i];
				float high = data[i + stride];

				data[i] = low + high;
				data[i + stride] = low - high;
			}
		}
	}
}

static bool samples_check(const struct fwt *work, uint64_t seed)
{
	float got[SAMPLES_COUNT];
	float want[SAMPLES_COUNT];

	for (size_t sample = 0; sample < SAMPLES_COUNT; sample++) {
		size_t i = workload_random(seed, 2, sample) % work->data_count;
		double sum = 0.0;

		for (size_t k = 0; k < work->kernel_count; k++)
			sum += (double)work->data[i ^ k] * work->kernel[k];
		got[sample] = work->result[i];
		want[sample] = (float)sum;
	}
	return workload_close_f32("sample", got, want, SAMPLES_COUNT, 1e-3f);
}

/* Overwrites the inputs, which the samples need: comes last. */
static bool result_check(struct fwt *work)
{
	float scale = 1.0f / (float)work->data_count;

	transform_reference(work->data, work->data_count);
	transform_reference(work->kernel, work->data_count);
	for (size_t i = 0; i < work->data_count; i++)
		work->data[i] *= scale * work->kernel[i];
	transform_reference(work->data, work->data_count);
	return workload_same_f32("result", work->result, work->data, work->data_count, 0);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"fwt", "Dyadic convolution by fast Walsh transforms.", "2^17 data elements, 2^7 kernel elements",
		"2^22 data elements, 2^17 kernel elements (NSU Table 1)"};
	static const struct workload_count counts[] = {
		{"data", "logarithm of data elements", 17, 22, FWT_SHARED_LOG2, 26, 1, NULL},
		{"kernel", "logarithm of kernel elements, at most that of the data", 7, 17, 0, 26, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct fwt work = {
		.data_count = (size_t)1 << options.counts[0],
		.kernel_count = (size_t)1 << options.counts[1],
	};
	bool right;

	if (work.kernel_count > work.data_count)
		workload_fail("the kernel has more elements than the data");
	input_make(&work, options.seed);
	convolution_compute(&work);
	right = samples_check(&work, options.seed) && result_check(&work);
	free(work.data);
	free(work.kernel);
	free(work.result);
	return workload_finish(right, "%zu data and %zu kernel elements", work.data_count, work.kernel_count);
}
