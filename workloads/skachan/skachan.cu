#include <strata/kernel.h>

#include "skachan.h"

struct __attribute__((aligned(8))) sample {
	float re, im;
};

/* The sub-filter of a channel: weights are [tap][channel]. */
static __device__ __forceinline__ struct sample filtered(const struct sample *in, const float *weights, unsigned int c)
{
	struct sample sum = {0, 0};

	for (unsigned int tap = 0; tap < SKACHAN_TAPS; tap++) {
		const float w = weights[tap * SKACHAN_CHANNELS + c];
		const struct sample s = in[tap * SKACHAN_CHANNELS + c];

		sum.re = fmaf(w, s.re, sum.re);
		sum.im = fmaf(w, s.im, sum.im);
	}
	return sum;
}

static __device__ __forceinline__ unsigned int place_of(unsigned int c)
{
	return __brev(c) >> (32 - SKACHAN_LOG);
}

/* Radix 2 in shared memory; factors are by stage and offset. */
static __device__ __forceinline__ void transformed(struct sample *x, const struct sample *factors, unsigned int thread)
{
	__syncthreads();
	for (unsigned int half = 1; half < SKACHAN_CHANNELS; half *= 2) {
		const unsigned int offset = thread & (half - 1), i = 2 * (thread - offset) + offset;
		const struct sample w = factors[half - 1 + offset];
		const struct sample a = x[i], b = x[i + half];
		const float re = fmaf(w.re, b.re, -(w.im * b.im)), im = fmaf(w.re, b.im, w.im * b.re);

		x[i].re = a.re + re;
		x[i].im = a.im + im;
		x[i + half].re = a.re - re;
		x[i + half].im = a.im - im;
		__syncthreads();
	}
}

/* Each kernel makes a spectrum per CTA, two channels per thread. Input is [signal][time][channel]. */
extern "C" __global__ void channelize(const struct sample *input, const float *weights, const struct sample *factors,
				      struct sample *output, unsigned int spectra)
{
	__shared__ struct sample x[SKACHAN_CHANNELS];
	const unsigned int thread = threadIdx.x, spectrum = blockIdx.x, signal = blockIdx.y;
	const struct sample *in = input + (signal * (spectra + SKACHAN_TAPS - 1) + spectrum) * SKACHAN_CHANNELS;
	struct sample *out = output + (signal * spectra + spectrum) * SKACHAN_CHANNELS;

	for (unsigned int c = thread; c < SKACHAN_CHANNELS; c += SKACHAN_THREADS)
		x[place_of(c)] = filtered(in, weights, c);
	transformed(x, factors, thread);
	for (unsigned int c = thread; c < SKACHAN_CHANNELS; c += SKACHAN_THREADS)
		out[c] = x[c];
}

/* Of the first samples of each spectrum, as they come. */
extern "C" __global__ void transform(const struct sample *input, const struct sample *factors, struct sample *output,
				     unsigned int spectra)
{
	__shared__ struct sample x[SKACHAN_CHANNELS];
	const unsigned int thread = threadIdx.x, spectrum = blockIdx.x, signal = blockIdx.y;
	const struct sample *in = input + (signal * (spectra + SKACHAN_TAPS - 1) + spectrum) * SKACHAN_CHANNELS;
	struct sample *out = output + (signal * spectra + spectrum) * SKACHAN_CHANNELS;

	for (unsigned int c = thread; c < SKACHAN_CHANNELS; c += SKACHAN_THREADS)
		x[place_of(c)] = in[c];
	transformed(x, factors, thread);
	for (unsigned int c = thread; c < SKACHAN_CHANNELS; c += SKACHAN_THREADS)
		out[c] = x[c];
}
