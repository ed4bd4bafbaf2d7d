/*
 * Channelization of the SKA (NDP thesis, sections 2.3 and 2.4): polyphase filter of 8 taps and transform of 512 points,
 * a spectrum per CTA.  Compared bit for bit with the same operations on the host.
 */
#include "common/workload.h"

#include <math.h>
#include <stdlib.h>

#define MULTIPLY_ADD(a, b, c) fmaf(a, b, c)
#include "skachan/host.h"

static const char skachan_ptx[] =
#include WORKLOAD_PTX
	;

int main(int argc, char **argv)
{
	static const char *const works[] = {"all", "transform"};
	static const struct workload_about about = {
		"skachan", "Channelization of the SKA: FIR filter bank and 1D FFT.", "16 signals, 8 spectra each",
		"128 signals, 64 spectra each"};
	static const struct workload_count counts[] = {
	    {"signals", "signals", 16, 128, 1, 65535, 1, NULL},
	    {"spectra", "spectra of each", 8, 64, 1, 65535, 1, NULL},
	    {"do", "what of it is done", 0, 0, 0, 1, 1, works},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	unsigned int signals = options.counts[0], spectra = options.counts[1];
	const enum work work = options.counts[2] ? DO_TRANSFORM : DO_ALL;
	size_t in_count = (size_t)signals * (spectra + SKACHAN_TAPS - 1) * SKACHAN_CHANNELS;
	size_t out_count = (size_t)signals * spectra * SKACHAN_CHANNELS;
	struct sample *input = workload_host_alloc(in_count, sizeof(*input));
	struct sample *output = workload_host_alloc(out_count, sizeof(*output));
	struct sample want[SKACHAN_CHANNELS];
	static float weights[SKACHAN_TAPS * SKACHAN_CHANNELS];
	static struct sample factors[SKACHAN_CHANNELS];
	bool right = true;

	for (size_t i = 0; i < in_count; i++)
		input[i] = input_sample(options.seed, i);
	workload_input(input, in_count * sizeof(*input));
	workload_input_number(signals);
	workload_input_number(spectra);
	workload_input_number(work);
	weights_make(weights);
	factors_make(factors, SKACHAN_CHANNELS);

	struct workload_gpu gpu = workload_gpu_open(skachan_ptx);
	CUdeviceptr in = workload_device_copy(input, in_count * sizeof(*input));
	CUdeviceptr w = workload_device_copy(weights, sizeof(weights));
	CUdeviceptr f = workload_device_copy(factors, sizeof(factors));
	CUdeviceptr out = workload_device_alloc(out_count * sizeof(*output));
	void *all_params[] = {&in, &w, &f, &out, &spectra}, *transform_params[] = {&in, &f, &out, &spectra};

	workload_launch(workload_gpu_kernel(&gpu, work == DO_ALL ? "channelize" : "transform"),
			(struct workload_dim){spectra, signals, 1}, (struct workload_dim){SKACHAN_THREADS, 1, 1},
			work == DO_ALL ? all_params : transform_params);
	WORKLOAD_CUDA(cuMemcpyDtoH(output, out, out_count * sizeof(*output)));
	for (size_t i = 0; i < (size_t)signals * spectra && right; i++) {
		size_t first = (i / spectra * (spectra + SKACHAN_TAPS - 1) + i % spectra) * SKACHAN_CHANNELS;

		spectrum_make(work, input + first, weights, factors, want);
		right = workload_same_f32("spectra", &output[i * SKACHAN_CHANNELS].re, &want[0].re,
					  2 * SKACHAN_CHANNELS, 2 * i * SKACHAN_CHANNELS);
	}
	WORKLOAD_CUDA(cuMemFree(in));
	WORKLOAD_CUDA(cuMemFree(w));
	WORKLOAD_CUDA(cuMemFree(f));
	WORKLOAD_CUDA(cuMemFree(out));
	workload_gpu_close(&gpu);
	workload_measure("operations", (double)out_count * operations_of(work), "operations");
	free(input);
	free(output);
	return workload_finish(right, "%u signals, %u spectra each", signals, spectra);
}
