/*
 * Beamforming of the SKA (NDP thesis, section 2.3.1): every dual-polarised sample of an antenna times a 2 x 2 matrix of
 * complex weights, summed over the antennas of a station.  Compared bit for bit with the same operations on the host.
 */
#include "common/workload.h"

#include <math.h>
#include <stdlib.h>

#define MULTIPLY_ADD(a, b, c) fmaf(a, b, c)
#include "skabeam/host.h"

static const char skabeam_ptx[] =
#include WORKLOAD_PTX
	;

enum { BLOCK_THREADS = 128 };

int main(int argc, char **argv)
{
	static const struct workload_about about = {"skabeam", "Beamforming of the SKA, one frequency band.",
						    "32 antennas, 1,024 samples, 2 beams",
						    "256 antennas, 8,192 samples, 8 beams"};
	static const struct workload_count counts[] = {
		{"antennas", "antennas of the station", 32, 256, 1, 65536, 1, NULL},
		{"samples", "samples", 1024, 8192, 1, 1048576, 1, NULL},
		{"beams", "beams", 2, 8, 1, 1024, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	unsigned int antennas = options.counts[0], times = options.counts[1], beams = options.counts[2];
	size_t in_count = (size_t)antennas * times, weight_count = (size_t)beams * antennas;
	size_t out_count = (size_t)beams * times;
	struct sample *input = workload_host_alloc(in_count, sizeof(*input));
	struct weight *weights = workload_host_alloc(weight_count, sizeof(*weights));
	struct sample *output = workload_host_alloc(out_count, sizeof(*output));
	bool right = true;

	floats_make(&input->x_re, SAMPLE_FLOATS * in_count, options.seed, 0);
	floats_make(&weights->xx_re, WEIGHT_FLOATS * weight_count, options.seed, 1);
	workload_input(input, in_count * sizeof(*input));
	workload_input(weights, weight_count * sizeof(*weights));
	workload_input_number(antennas);
	workload_input_number(beams);

	struct workload_gpu gpu = workload_gpu_open(skabeam_ptx);
	CUdeviceptr in = workload_device_copy(input, in_count * sizeof(*input));
	CUdeviceptr w = workload_device_copy(weights, weight_count * sizeof(*weights));
	CUdeviceptr out = workload_device_alloc(out_count * sizeof(*output));
	void *params[] = {&in, &w, &out, &antennas, &times};

	workload_launch(workload_gpu_kernel(&gpu, "beamform"),
			(struct workload_dim){workload_ctas(times, BLOCK_THREADS), beams, 1},
			(struct workload_dim){BLOCK_THREADS, 1, 1}, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(output, out, out_count * sizeof(*output)));
	for (size_t i = 0; i < out_count && right; i++) {
		const struct sample want = beam_sample(input, weights + i / times * antennas, antennas, times,
						       (unsigned int)(i % times));

		right = workload_same_f32("beams", &output[i].x_re, &want.x_re, SAMPLE_FLOATS, SAMPLE_FLOATS * i);
	}
	WORKLOAD_CUDA(cuMemFree(in));
	WORKLOAD_CUDA(cuMemFree(w));
	WORKLOAD_CUDA(cuMemFree(out));
	workload_gpu_close(&gpu);
	workload_measure("operations", (double)REAL_OPERATIONS * (double)in_count * beams, "operations");
	free(input);
	free(weights);
	free(output);
	return workload_finish(right, "%u antennas, %u samples, %u beams", antennas, times, beams);
}
