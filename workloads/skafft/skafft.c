/*
 * 2D FFT of the SKA (NDP thesis, sections 2.3 and 2.4): 128 x 128 complex points, rows, then columns.  Compared bit for
 * bit with the same operations on the host.
 */
#include "common/workload.h"
#include "skafft.h"

#include <math.h>
#include <stdlib.h>

static const char skafft_ptx[] =
#include WORKLOAD_PTX
	;

struct sample {
	float re, im;
};

enum { POINTS = SKAFFT_SIDE * SKAFFT_SIDE };

static const double pi = 3.14159265358979323846;

static unsigned int reversed(unsigned int value)
{
	unsigned int out = 0;

	for (unsigned int i = 0; i < SKAFFT_LOG; i++)
		out |= (value >> i & 1) << (SKAFFT_LOG - 1 - i);
	return out;
}

static void butterfly(struct sample *a, struct sample *b, const struct sample *w)
{
	const float re = fmaf(w->re, b->re, -(w->im * b->im)), im = fmaf(w->re, b->im, w->im * b->re);

	b->re = a->re - re;
	b->im = a->im - im;
	a->re += re;
	a->im += im;
}

static void line_transform(struct sample *line, size_t step, const struct sample *factors)
{
	struct sample x[SKAFFT_SIDE];

	for (unsigned int i = 0; i < SKAFFT_SIDE; i++)
		x[reversed(i)] = line[i * step];
	for (unsigned int half = 1; half < SKAFFT_SIDE; half *= 2)
		for (unsigned int i = 0; i < SKAFFT_SIDE; i++)
			if (!(i & half))
				butterfly(&x[i], &x[i + half], &factors[half - 1 + (i & (half - 1))]);
	for (unsigned int i = 0; i < SKAFFT_SIDE; i++)
		line[i * step] = x[i];
}

static void matrix_transform(struct sample *matrix, const struct sample *factors)
{
	for (size_t i = 0; i < SKAFFT_SIDE; i++)
		line_transform(matrix + i * SKAFFT_SIDE, 1, factors);
	for (size_t i = 0; i < SKAFFT_SIDE; i++)
		line_transform(matrix + i, SKAFFT_SIDE, factors);
}

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
	struct sample *input = workload_host_alloc((size_t)count * POINTS, sizeof(*input));
	struct sample *output = workload_host_alloc((size_t)count * POINTS, sizeof(*output));
	static struct sample factors[SKAFFT_SIDE];
	bool right = true;

	for (size_t i = 0; i < (size_t)count * POINTS; i++) {
		input[i].re = workload_random_float(options.seed, 0, i) - 0.5f;
		input[i].im = workload_random_float(options.seed, 1, i) - 0.5f;
	}
	for (unsigned int half = 1; half < SKAFFT_SIDE; half *= 2)
		for (unsigned int offset = 0; offset < half; offset++) {
			factors[half - 1 + offset].re = (float)cos(pi * offset / half);
			factors[half - 1 + offset].im = (float)-sin(pi * offset / half);
		}

	struct workload_gpu gpu = workload_gpu_open(skafft_ptx);
	CUfunction kernel = workload_gpu_kernel(&gpu, "transform");
	CUdeviceptr x = workload_device_copy(input, (size_t)count * POINTS * sizeof(*input));
	CUdeviceptr f = workload_device_copy(factors, sizeof(factors));

	lines_launch(kernel, x, f, count, 1, SKAFFT_SIDE);
	lines_launch(kernel, x, f, count, SKAFFT_SIDE, 1);
	WORKLOAD_CUDA(cuMemcpyDtoH(output, x, (size_t)count * POINTS * sizeof(*output)));
	for (size_t i = 0; i < count && right; i++) {
		matrix_transform(input + i * POINTS, factors);
		right = workload_same_f32("points", &output[i * POINTS].re, &input[i * POINTS].re, 2 * POINTS,
					  2 * i * POINTS);
	}
	WORKLOAD_CUDA(cuMemFree(x));
	WORKLOAD_CUDA(cuMemFree(f));
	workload_gpu_close(&gpu);
	/* 5 n log2(n): as equation (2.5) */
	workload_measure("operations", 5.0 * POINTS * 2 * SKAFFT_LOG * count, "operations");
	free(input);
	free(output);
	return workload_finish(right, "%u of %u x %u points", count, SKAFFT_SIDE, SKAFFT_SIDE);
}
