/*
 * Transforms of radix 2, line by line, for the host's reference; points in the order of reversed bits before. Who
 * includes it defines MULTIPLY_ADD(a, b, c), a times b plus c, as its kernel rounds it.
 */
#ifndef RADIX2_HOST_H
#define RADIX2_HOST_H

#include "common/samples.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Of the stage with butterflies `half` apart at [half - 1]. */
static inline void factors_make(struct sample *factors, unsigned int points)
{
	for (unsigned int half = 1; half < points; half *= 2)
		for (unsigned int offset = 0; offset < half; offset++) {
			factors[half - 1 + offset].re = (float)cos(pi * offset / half);
			factors[half - 1 + offset].im = (float)-sin(pi * offset / half);
		}
}

/* Of value's lowest bits. */
static inline unsigned int reversed(unsigned int value, unsigned int bits)
{
	unsigned int out = 0;

	for (unsigned int i = 0; i < bits; i++)
		out |= (value >> i & 1) << (bits - 1 - i);
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

/* In place, stage by stage. */
static inline void points_transform(struct sample *x, unsigned int points, const struct sample *factors)
{
	for (unsigned int half = 1; half < points; half *= 2)
		for (unsigned int i = 0; i < points; i++)
			if (!(i & half))
				butterfly(&x[i], &x[i + half], &factors[half - 1 + (i & (half - 1))]);
}

#endif
