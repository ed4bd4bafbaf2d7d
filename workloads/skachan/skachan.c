/*
 * Channelization of the SKA (NDP thesis, sections 2.3 and 2.4): polyphase filter of 8 taps and transform of 512 points,
 * a spectrum per CTA.  Compared bit for bit with the same operations on the host.
 */
#include "common/workload.h"
#include "skachan.h"

#include <math.h>
#include <stdlib.h>

static const char skachan_ptx[] =
#include WORKLOAD_PTX
	;

struct sample {
	float re, im;
};

static const double pi = 3.14159265358979323846;

static void input_make(struct sample *input, size_t count, uint64_t seed)
{
	for (size_t i = 0; i < count; i++) {
		input[i].re = workload_random_float(seed, 0, i) - 0.5f;
		input[i].im = workload_random_float(seed, 1, i) - 0.5f;
	}
}

static void tables_make(float *weights, struct sample *factors)
{
	const double length = SKACHAN_TAPS * SKACHAN_CHANNELS;

	for (unsigned int i = 0; i < SKACHAN_TAPS * SKACHAN_CHANNELS; i++)
		weights[i] = (float)(0.54 - 0.46 * cos(2 * pi * (i + 0.5) / length));
	for (unsigned int half = 1; half < SKACHAN_CHANNELS; half *= 2)
		for (unsigned int offset = 0; offset < half; offset++) {
			factors[half - 1 + offset].re = (float)cos(pi * offset / half);
			factors[half - 1 + offset].im = (float)-sin(pi * offset / half);
		}
}

static unsigned int reversed(unsigned int value)
{
	unsigned int out = 0;

	for (unsigned int i = 0; i < SKACHAN_LOG; i++)
		out |= (value >> i & 1) << (SKACHAN_LOG - 1 - i);
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

static void spectrum_make(const struct sample *in, const float *weights, const struct sample *factors,
			  struct sample *x)
{
	for (unsigned int c = 0; c < SKACHAN_CHANNELS; c++) {
		float re = 0, im = 0;

		for (unsigned int i = c; i < SKACHAN_TAPS * SKACHAN_CHANNELS; i += SKACHAN_CHANNELS) {
			re = fmaf(weights[i], in[i].re, re);
			im = fmaf(weights[i], in[i].im, im);
		}
		x[reversed(c)].re = re;
		x[reversed(c)].im = im;
	}
	for (unsigned int half = 1; half < SKACHAN_CHANNELS; half *= 2)
		for (unsigned int i = 0; i < SKACHAN_CHANNELS; i++)
			if (!(i & half))
				butterfly(&x[i], &x[i + half], &factors[half - 1 + (i & (half - 1))]);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"skachan", "Channelization of the SKA: FIR filter bank and 1D FFT.", "16 signals, 8 spectra each",
		"128 signals, 64 spectra each"};
	static const struct workload_count counts[] = {
		{"signals", "signals", 16, 128, 1, 65535, 1, NULL},
		{"spectra", "spectra of each", 8, 64, 1, 65535, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	unsigned int signals = options.counts[0], spectra = options.counts[1];
	size_t in_count = (size_t)signals * (spectra + SKACHAN_TAPS - 1) * SKACHAN_CHANNELS;
	size_t out_count = (size_t)signals * spectra * SKACHAN_CHANNELS;
	struct sample *input = workload_host_alloc(in_count, sizeof(*input));
	struct sample *output = workload_host_alloc(out_count, sizeof(*output));
	struct sample want[SKACHAN_CHANNELS];
	static float weights[SKACHAN_TAPS * SKACHAN_CHANNELS];
	static struct sample factors[SKACHAN_CHANNELS];
	bool right = true;

	input_make(input, in_count, options.seed);
	tables_make(weights, factors);

	struct workload_gpu gpu = workload_gpu_open(skachan_ptx);
	CUdeviceptr in = workload_device_copy(input, in_count * sizeof(*input));
	CUdeviceptr w = workload_device_copy(weights, sizeof(weights));
	CUdeviceptr f = workload_device_copy(factors, sizeof(factors));
	CUdeviceptr out = workload_device_alloc(out_count * sizeof(*output));
	void *params[] = {&in, &w, &f, &out, &spectra};

	workload_launch(workload_gpu_kernel(&gpu, "channelize"), (struct workload_dim){spectra, signals, 1},
			(struct workload_dim){SKACHAN_THREADS, 1, 1}, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(output, out, out_count * sizeof(*output)));
	for (size_t i = 0; i < (size_t)signals * spectra && right; i++) {
		size_t first = (i / spectra * (spectra + SKACHAN_TAPS - 1) + i % spectra) * SKACHAN_CHANNELS;

		spectrum_make(input + first, weights, factors, want);
		right = workload_same_f32("spectra", &output[i * SKACHAN_CHANNELS].re, &want[0].re,
					  2 * SKACHAN_CHANNELS, 2 * i * SKACHAN_CHANNELS);
	}
	WORKLOAD_CUDA(cuMemFree(in));
	WORKLOAD_CUDA(cuMemFree(w));
	WORKLOAD_CUDA(cuMemFree(f));
	WORKLOAD_CUDA(cuMemFree(out));
	workload_gpu_close(&gpu);
	/* 4 taps - 2 and 5 log2 operations a sample: section 3.3.1 and equation (2.1) */
	workload_measure("operations",
			 (double)out_count * (4 * SKACHAN_TAPS - 2 + 5 * SKACHAN_LOG), "operations");
	free(input);
	free(output);
	return workload_finish(right, "%u signals, %u spectra each", signals, spectra);
}
