/*
 * Filter and reference of the channelization, for the CUDA program and the program of threads. Who includes it defines
 * MULTIPLY_ADD(a, b, c), a times b plus c, as its kernel rounds it.
 */
#ifndef SKACHAN_HOST_H
#define SKACHAN_HOST_H

#include "common/radix2_host.h"
#include "skachan/skachan.h"

static inline void weights_make(float *weights)
{
	const double length = SKACHAN_TAPS * SKACHAN_CHANNELS;

	for (unsigned int i = 0; i < SKACHAN_TAPS * SKACHAN_CHANNELS; i++)
		weights[i] = (float)(0.54 - 0.46 * cos(2 * pi * (i + 0.5) / length));
}

/* The filter's outputs, in the order that the transform wants. */
static inline void channels_filter(const struct sample *in, const float *weights, struct sample *x)
{
	for (unsigned int c = 0; c < SKACHAN_CHANNELS; c++) {
		float re = 0, im = 0;

		for (unsigned int i = c; i < SKACHAN_TAPS * SKACHAN_CHANNELS; i += SKACHAN_CHANNELS) {
			re = MULTIPLY_ADD(weights[i], in[i].re, re);
			im = MULTIPLY_ADD(weights[i], in[i].im, im);
		}
		x[reversed(c, SKACHAN_LOG)] = (struct sample){re, im};
	}
}

/* What of it is done, as --do says. */
enum work { DO_ALL, DO_FILTER, DO_TRANSFORM };

/* The reference: channel by channel, then stage by stage. A filter alone leaves the order that the transform wants; a
 * transform alone is of the first samples, as they come. */
static inline void spectrum_make(enum work work, const struct sample *in, const float *weights,
				 const struct sample *factors, struct sample *x)
{
	for (unsigned int c = 0; work == DO_TRANSFORM && c < SKACHAN_CHANNELS; c++)
		x[reversed(c, SKACHAN_LOG)] = in[c];
	if (work != DO_TRANSFORM)
		channels_filter(in, weights, x);
	if (work != DO_FILTER)
		points_transform(x, SKACHAN_CHANNELS, factors);
}

/* For a sample: section 3.3.1 and equation (2.1). */
enum { FILTER_OPERATIONS = 4 * SKACHAN_TAPS - 2, TRANSFORM_OPERATIONS = 5 * SKACHAN_LOG };

static inline double operations_of(enum work work)
{
	return (work == DO_TRANSFORM ? 0 : FILTER_OPERATIONS) + (work == DO_FILTER ? 0 : TRANSFORM_OPERATIONS);
}

#endif
