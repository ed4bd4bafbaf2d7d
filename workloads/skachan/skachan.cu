#include <strata/kernel.h>

#include "skachan.h"

struct __attribute__((aligned(8))) sample {
	float re, im;
};

/* One spectrum per CTA: the sub-filters of two channels per thread, then a transform of radix 2 in shared memory. Input
 * is [signal][time][channel]; weights [tap][channel]; factors by stage and offset. */
extern "C" __global__ void channelize(const struct sample *input, const float *weights, const struct sample *factors,
				      struct sample *output, unsigned int spectra)
{
	__shared__ struct sample x[SKACHAN_CHANNELS];
	const unsigned int thread = threadIdx.x, spectrum = blockIdx.x, signal = blockIdx.y;
	const struct sample *in = input + (signal * (spectra + SKACHAN_TAPS - 1) + spectrum) * SKACHAN_CHANNELS;
	struct sample *out = output + (signal * spectra + spectrum) * SKACHAN_CHANNELS;

	for (unsigned int c = thread; c < SKACHAN_CHANNELS; c += SKACHAN_THREADS) {
		float re = 0, im = 0;

		for (unsigned int tap = 0; tap < SKACHAN_TAPS; tap++) {
			const float w = weights[tap * SKACHAN_CHANNELS + c];
			const struct sample s = in[tap * SKACHAN_CHANNELS + c];

			re = fmaf(w, s.re, re);
			im = fmaf(w, s.im, im);
		}
		x[__brev(c) >> (32 - SKACHAN_LOG)].re = re;
		x[__brev(c) >> (32 - SKACHAN_LOG)].im = im;
	}
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
	for (unsigned int c = thread; c < SKACHAN_CHANNELS; c += SKACHAN_THREADS)
		out[c] = x[c];
}
