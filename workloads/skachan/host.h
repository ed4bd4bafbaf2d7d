/*
 * Input, filter and reference of the channelization, for the CUDA program and the program of threads. Who includes it
 * defines MULTIPLY_ADD(a, b, c), a times b plus c, as its kernel rounds it.
 */
#ifndef SKACHAN_HOST_H
#define SKACHAN_HOST_H

#include "common/program.h"
#include "skachan/skachan.h"

#include <math.h>

struct sample {
	float re, im;
};

static const double pi = 3.14159265358979323846;

static inline struct sample input_sample(uint64_t seed, size_t i)
{
	return (struct sample){workload_random_float(seed, 0, i) - 0.5f, workload_random_float(seed, 1, i) - 0.5f};
}

static inline void tables_make(float *weights, struct sample *factors)
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

static inline unsigned int reversed(unsigned int value)
{
	unsigned int out = 0;

	for (unsigned int i = 0; i < SKACHAN_LOG; i++)
		out |= (value >> i & 1) << (SKACHAN_LOG - 1 - i);
	return out;
}

static inline void butterfly(struct sample *a, struct sample *b, const struct sample *w)
{
	const float re = MULTIPLY_ADD(w->re, b->re, -(w->im * b->im));
	const float im = MULTIPLY_ADD(w->re, b->im, w->im * b->re);

	b->re = a->re - re;
	b->im = a->im - im;
	a->re += re;
	a->im += im;
}

/* The reference: channel by channel, then stage by stage. */
static inline void spectrum_make(const struct sample *in, const float *weights, const struct sample *factors,
				 struct sample *x)
{
	for (unsigned int c = 0; c < SKACHAN_CHANNELS; c++) {
		float re = 0, im = 0;

		for (unsigned int i = c; i < SKACHAN_TAPS * SKACHAN_CHANNELS; i += SKACHAN_CHANNELS) {
			re = MULTIPLY_ADD(weights[i], in[i].re, re);
			im = MULTIPLY_ADD(weights[i], in[i].im, im);
		}
		x[reversed(c)].re = re;
		x[reversed(c)].im = im;
	}
	for (unsigned int half = 1; half < SKACHAN_CHANNELS; half *= 2)
		for (unsigned int i = 0; i < SKACHAN_CHANNELS; i++)
			if (!(i & half))
				butterfly(&x[i], &x[i + half], &factors[half - 1 + (i & (half - 1))]);
}

/* 4 taps - 2 and 5 log2 operations a sample: section 3.3.1 and equation (2.1). */
static inline double operations_of(size_t samples)
{
	return (double)samples * (4 * SKACHAN_TAPS - 2 + 5 * SKACHAN_LOG);
}

#endif
