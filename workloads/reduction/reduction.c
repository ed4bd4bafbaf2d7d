/*
 * Parallel reduction of unsigned integers in several passes, each of which leaves one sum per CTA, until one is left.
 * Additions wrap modulo 2^32, so that the order does not matter and the result is compared exactly.
 */
#include "common/workload.h"
#include "reduction.h"

#include <stdlib.h>

static const char reduction_ptx[] =
#include WORKLOAD_PTX
	;

/* Reduce `count` elements at `from`; the sums go back and forth between two small buffers. */
static CUdeviceptr passes_run(CUfunction kernel, CUdeviceptr from, unsigned int count, unsigned int ctas_max,
			      const CUdeviceptr sums[2], unsigned int *passes_count)
{
	*passes_count = 0;
	while (count > 1) {
		CUdeviceptr to = sums[*passes_count % 2];
		unsigned int parts = workload_ctas(count, 2 * REDUCTION_BLOCK_THREADS);
		unsigned int ctas = parts < ctas_max ? parts : ctas_max;
		unsigned int rounds = count / (ctas * 2 * REDUCTION_BLOCK_THREADS);
		void *params[] = {&from, &to, &count, &rounds};

		workload_launch(kernel, (struct workload_dim){ctas, 1, 1},
				(struct workload_dim){REDUCTION_BLOCK_THREADS, 1, 1}, params);
		from = to;
		count = ctas;
		++*passes_count;
	}
	return from;
}

/* All of it `iterations` times, as a benchmark repeats it; the sum of the last one. */
static uint32_t sum_of(CUfunction kernel, CUdeviceptr input, unsigned int count, unsigned int ctas_max,
		       unsigned int iterations, unsigned int *passes_count)
{
	CUdeviceptr sums[2], at = input;
	uint32_t total;

	sums[0] = workload_device_alloc(ctas_max * sizeof(uint32_t));
	sums[1] = workload_device_alloc(ctas_max * sizeof(uint32_t));
	*passes_count = 0;
	while (iterations--)
		at = passes_run(kernel, input, count, ctas_max, sums, passes_count);
	WORKLOAD_CUDA(cuMemcpyDtoH(&total, at, sizeof(total)));
	WORKLOAD_CUDA(cuMemFree(sums[0]));
	WORKLOAD_CUDA(cuMemFree(sums[1]));
	return total;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"reduction", "Sum of an array of integers.", "2,097,152 elements",
		"16,777,216 elements, 64 CTAs (the defaults of the CUDA SDK's program; TOM states no size)"};
	static const struct workload_count counts[] = {
		{"elements", "elements", 1 << 21, 1 << 24, 2, 1 << 28, 1, NULL},
		{"ctas", "CTAs at most, each of which loops over its share", 512, 64, 1, 65536, 1, NULL},
		{"iterations", "times that all is done", 1, 1, 1, 1000, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	unsigned int count = options.counts[0];
	struct workload_gpu gpu = workload_gpu_open(reduction_ptx);
	uint32_t *input = workload_host_alloc(count, sizeof(*input));
	unsigned int passes_count;
	uint32_t total;
	uint32_t want = 0;
	CUdeviceptr device_input;

	for (unsigned int i = 0; i < count; i++) {
		input[i] = (uint32_t)workload_random(options.seed, 0, i);
		want += input[i];
	}
	device_input = workload_device_copy(input, count * sizeof(*input));
	total = sum_of(workload_gpu_kernel(&gpu, "reduce"), device_input, count, options.counts[1],
		       options.counts[2], &passes_count);
	WORKLOAD_CUDA(cuMemFree(device_input));
	free(input);
	workload_gpu_close(&gpu);
	return workload_finish(workload_same_u32("sum", &total, &want, 1), "%u elements in %u passes", count,
			       passes_count);
}
