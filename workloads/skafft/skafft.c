/*
 * 2D FFT of the SKA (NDP thesis, sections 2.3 and 2.4): 128 x 128 complex points, rows, then columns.  Compared bit for
 * bit with the same operations on the host.
 */
#include "common/workload.h"

#include <math.h>
#include <stdlib.h>

#define MULTIPLY_ADD(a, b, c) fmaf(a, b, c)
#include "skafft/host.h"

static const char skafft_ptx[] =
#include WORKLOAD_PTX
	;

static void lines_launch(CUfunction kernel, CUdeviceptr matrices, CUdeviceptr factors, unsigned int count,
			 unsigned int step, unsigned int between)
{
	void *params[] = {&matrices, &factors, &step, &between};

	workload_launch(kernel, (struct workload_dim){SKAFFT_SIDE, count, 1},
			(struct workload_dim){SKAFFT_THREADS, 1, 1}, params);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"skafft", "2D FFTs of the SKA.", "2 of 128 x 128 points",
						    "64 of 128 x 128 points"};
	static const struct workload_count counts[] = {{"matrices", "matrices", 2, 64, 1, 65535, 1, NULL}};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	unsigned int count = options.counts[0];
	const size_t points = (size_t)SKAFFT_SIDE * SKAFFT_SIDE;
	struct sample *input = workload_host_alloc(count * points, sizeof(*input));
	struct sample *output = workload_host_alloc(count * points, sizeof(*output));
	static struct sample factors[SKAFFT_SIDE];
	bool right = true;

	for (size_t i = 0; i < count * points; i++)
		input[i] = input_sample(options.seed, i);
	workload_input(input, count * points * sizeof(*input));
	workload_input_number(SKAFFT_SIDE);
	factors_make(factors, SKAFFT_SIDE);

	struct workload_gpu gpu = workload_gpu_open(skafft_ptx);
	CUfunction kernel = workload_gpu_kernel(&gpu, "transform");
	CUdeviceptr x = workload_device_copy(input, count * points * sizeof(*input));
	CUdeviceptr f = workload_device_copy(factors, sizeof(factors));

	lines_launch(kernel, x, f, count, 1, SKAFFT_SIDE);
	lines_launch(kernel, x, f, count, SKAFFT_SIDE, 1);
	WORKLOAD_CUDA(cuMemcpyDtoH(output, x, count * points * sizeof(*output)));
	for (size_t i = 0; i < count && right; i++) {
		matrix_transform(input + i * points, SKAFFT_LOG, factors);
		right = workload_same_f32("points", &output[i * points].re, &input[i * points].re, 2 * points,
					  2 * i * points);
	}
	WORKLOAD_CUDA(cuMemFree(x));
	WORKLOAD_CUDA(cuMemFree(f));
	workload_gpu_close(&gpu);
	workload_measure("operations", operations_of(count, SKAFFT_LOG), "operations");
	free(input);
	free(output);
	return workload_finish(right, "%u of %u x %u points", count, SKAFFT_SIDE, SKAFFT_SIDE);
}
