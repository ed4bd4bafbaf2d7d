/*
 * Correlation of the SKA (NDP thesis, sections 2.3 and 2.4): every pair of signals over a dump, one channel, in tiles
 * through shared memory.  Compared bit for bit with the same operations on the host.
 */
#include "common/workload.h"

#include <math.h>
#include <stdlib.h>

#define MULTIPLY_ADD(a, b, c) fmaf(a, b, c)
#include "skacorr/host.h"

static const char skacorr_ptx[] =
#include WORKLOAD_PTX
	;

int main(int argc, char **argv)
{
	static const struct workload_about about = {"skacorr", "Correlation of the SKA, one channel.",
						    "64 signals, 64 samples", "512 signals, 1,200 samples"};
	static const struct workload_count counts[] = {
		{"signals", "signals", 64, 512, SKACORR_TILE, 16384, SKACORR_TILE, NULL},
		{"samples", "samples of a dump", 64, 1200, SKACORR_STEPS, 1048576, SKACORR_STEPS, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	unsigned int signals = options.counts[0], times = options.counts[1];
	size_t in_count = (size_t)signals * times, out_count = (size_t)signals * signals;
	struct sample *input = workload_host_alloc(in_count, sizeof(*input));
	struct sample *output = workload_host_alloc(out_count, sizeof(*output));
	bool right;

	for (size_t i = 0; i < in_count; i++)
		input[i] = input_sample(options.seed, i);
	workload_input(input, in_count * sizeof(*input));
	workload_input_number(signals);

	struct workload_gpu gpu = workload_gpu_open(skacorr_ptx);
	CUdeviceptr in = workload_device_copy(input, in_count * sizeof(*input));
	CUdeviceptr out = workload_device_alloc(out_count * sizeof(*output));
	void *params[] = {&in, &out, &signals, &times};

	workload_launch(workload_gpu_kernel(&gpu, "correlate"),
			(struct workload_dim){signals / SKACORR_TILE, signals / SKACORR_TILE, 1},
			(struct workload_dim){SKACORR_SIDE, SKACORR_SIDE, 1}, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(output, out, out_count * sizeof(*output)));
	right = sums_check(input, output, signals, times);
	WORKLOAD_CUDA(cuMemFree(in));
	WORKLOAD_CUDA(cuMemFree(out));
	workload_gpu_close(&gpu);
	workload_measure("operations", operations_of(signals, times), "operations");
	free(input);
	free(output);
	return workload_finish(right, "%u signals, %u samples", signals, times);
}
