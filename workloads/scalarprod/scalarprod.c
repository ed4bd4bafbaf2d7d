/*
 * Scalar products of many pairs of vectors: two streams, one multiply-add per 8 bytes, a reduction at the end of each.
 * The host adds in the kernel's order, so that the products are compared bit for bit; a sum in double precision guards
 * against an error that both would share.
 */
#include "common/workload.h"
#include "scalarprod.h"

#include <stdlib.h>

static const char scalarprod_ptx[] =
#include WORKLOAD_PTX
	;

enum {
	/* as in the CUDA SDK's program */
	BLOCK_THREADS = 256,
	GRID_CTAS_MAX = 128,
};

struct scalarprod {
	unsigned int pairs_count;
	unsigned int elements_count; /* per vector */
	float *a;
	float *b;
	float *products;
};

static void input_make(struct scalarprod *work, uint64_t seed)
{
	size_t total = (size_t)work->pairs_count * work->elements_count;

	work->a = workload_host_alloc(total, sizeof(float));
	work->b = workload_host_alloc(total, sizeof(float));
	work->products = workload_host_alloc(work->pairs_count, sizeof(float));
	for (size_t i = 0; i < total; i++) {
		work->a[i] = workload_random_float(seed, 0, i);
		work->b[i] = workload_random_float(seed, 1, i);
	}
}

static void products_compute(struct scalarprod *work)
{
	struct workload_gpu gpu = workload_gpu_open(scalarprod_ptx);
	size_t bytes = (size_t)work->pairs_count * work->elements_count * sizeof(float);
	CUdeviceptr a = workload_device_copy(work->a, bytes);
	CUdeviceptr b = workload_device_copy(work->b, bytes);
	CUdeviceptr products = workload_device_alloc(work->pairs_count * sizeof(float));
	unsigned int ctas = work->pairs_count < GRID_CTAS_MAX ? work->pairs_count : GRID_CTAS_MAX;
	void *params[] = {&a, &b, &products, &work->pairs_count, &work->elements_count};

	workload_launch(workload_gpu_kernel(&gpu, "scalar_prod"), (struct workload_dim){ctas, 1, 1},
			(struct workload_dim){BLOCK_THREADS, 1, 1}, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(work->products, products, work->pairs_count * sizeof(float)));
	WORKLOAD_CUDA(cuMemFree(a));
	WORKLOAD_CUDA(cuMemFree(b));
	WORKLOAD_CUDA(cuMemFree(products));
	workload_gpu_close(&gpu);
}

static float product_reference(const float *a, const float *b, unsigned int count)
{
	float sums[SCALARPROD_ACCUMULATORS] = {0};

	for (unsigned int i = 0; i < count; i++)
		sums[i % SCALARPROD_ACCUMULATORS] += a[i] * b[i];
	for (unsigned int stride = SCALARPROD_ACCUMULATORS / 2; stride > 0; stride /= 2)
		for (unsigned int k = 0; k < stride; k++)
			sums[k] += sums[k + stride];
	return sums[0];
}

static float product_exact(const float *a, const float *b, unsigned int count)
{
	double sum = 0.0;

	for (unsigned int i = 0; i < count; i++)
		sum += (double)a[i] * b[i];
	return (float)sum;
}

static bool products_check(const struct scalarprod *work)
{
	float *want = workload_host_alloc(work->pairs_count, sizeof(float));
	float *exact = workload_host_alloc(work->pairs_count, sizeof(float));
	bool right;

	for (unsigned int pair = 0; pair < work->pairs_count; pair++) {
		size_t start = (size_t)pair * work->elements_count;

		want[pair] = product_reference(work->a + start, work->b + start, work->elements_count);
		exact[pair] = product_exact(work->a + start, work->b + start, work->elements_count);
	}
	right = workload_same_f32("product", work->products, want, work->pairs_count, 0) &&
		workload_close_f32("product", work->products, exact, work->pairs_count, 1e-5f);
	free(want);
	free(exact);
	return right;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"scalarprod", "Scalar products of pairs of vectors.", "128 pairs of 8,192-element vectors",
		"512 pairs of 32,768-element vectors (NSU Table 1)"};
	static const struct workload_count counts[] = {
		{"pairs", "pairs of vectors", 128, 512, 1, 65536, 1, NULL},
		{"elements", "elements per vector", 8192, 32768, SCALARPROD_ACCUMULATORS, 1 << 20,
		 SCALARPROD_ACCUMULATORS, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct scalarprod work = {
		.pairs_count = options.counts[0],
		.elements_count = options.counts[1],
	};
	bool right;

	input_make(&work, options.seed);
	products_compute(&work);
	right = products_check(&work);
	free(work.a);
	free(work.b);
	free(work.products);
	return workload_finish(right, "%u pairs of %u elements", work.pairs_count, work.elements_count);
}
