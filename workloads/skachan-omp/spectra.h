/*
 * spectra.h - spectra of a signal, LANES at once, one after the other in time (common/wide.h).
 */
#include "common/radix2.h"

#if LANES == 8
/* Four channels of each of eight spectra: from vectors with both parts of each, into the points of the channels. */
static inline void place_8(const struct tables *t, wide_8 v[8], radix2_point_8 *x, unsigned int channel)
{
	transpose_8(v);
	for (unsigned int k = 0; k < 4; k++)
		x[t->place[channel + k]] = (radix2_point_8){v[2 * k], v[2 * k + 1]};
}

/* A weight is read once for all spectra; each sum adds its taps in their order. */
static void filter_8(const struct tables *t, const struct sample *in, radix2_point_8 *x, size_t count)
{
	for (unsigned int i = 0; i < PARTS; i += 8) {
		wide_8 sums[8] = {0};

		for (unsigned int tap = 0; tap < SKACHAN_TAPS; tap++) {
			const wide_8 weight = *(const wide_8 *)&t->weights[tap][i];

			for (size_t l = 0; l < count; l++)
				sums[l] = weight * *(const wide_8 *)(&in[(l + tap) * SKACHAN_CHANNELS].re + i) +
					  sums[l];
		}
		place_8(t, sums, x, i / 2);
	}
}

/* The first samples of each spectrum, as they come. */
static void take_8(const struct tables *t, const struct sample *in, radix2_point_8 *x, size_t count)
{
	for (unsigned int c = 0; c < SKACHAN_CHANNELS; c += 4) {
		wide_8 v[8] = {0};

		for (size_t l = 0; l < count; l++)
			v[l] = *(const wide_8 *)&in[l * SKACHAN_CHANNELS + c].re;
		place_8(t, v, x, c);
	}
}

/* Up to eight spectra of a signal, one after the other. */
static void spectra_compute_8(const struct tables *t, enum work work, const struct sample *in, struct sample *out,
			      size_t count)
{
	radix2_point_8 x[SKACHAN_CHANNELS];

	if (work == DO_TRANSFORM)
		take_8(t, in, x, count);
	else
		count == 8 ? filter_8(t, in, x, 8) : filter_8(t, in, x, count);
	if (work != DO_FILTER)
		radix2_transform_8(x, SKACHAN_CHANNELS, t->factor_re, t->factor_im);
	for (unsigned int c = 0; c < SKACHAN_CHANNELS; c += 4) {
		wide_8 v[8];

		for (unsigned int k = 0; k < 4; k++) {
			v[2 * k] = x[c + k].re;
			v[2 * k + 1] = x[c + k].im;
		}
		transpose_8(v);
		for (size_t l = 0; l < count; l++)
			*(wide_8 *)&out[l * SKACHAN_CHANNELS + c].re = v[l];
	}
}
#else
/* A spectrum's filter into its lane. */
static void filter_compute_4(const struct tables *t, const struct sample *in, radix2_point_4 *x,
			     unsigned int lane)
{
	for (unsigned int i = 0; i < PARTS; i += LANES) {
		wide_4 sum = {0};

		for (unsigned int tap = 0; tap < SKACHAN_TAPS; tap++)
			sum = *(const wide_4 *)&t->weights[tap][i] *
				      *(const wide_4 *)(const void *)(&in[tap * SKACHAN_CHANNELS].re + i) +
			      sum;
		for (unsigned int c = 0; c < LANES / 2; c++) {
			radix2_point_4 *p = &x[t->place[i / 2 + c]];

			p->re[lane] = sum[2 * c];
			p->im[lane] = sum[2 * c + 1];
		}
	}
}

/* The first samples of a spectrum, as they come. */
static void take_4(const struct tables *t, const struct sample *in, radix2_point_4 *x, unsigned int lane)
{
	for (unsigned int c = 0; c < SKACHAN_CHANNELS; c++) {
		x[t->place[c]].re[lane] = in[c].re;
		x[t->place[c]].im[lane] = in[c].im;
	}
}

/* Up to LANES spectra of a signal, one after the other. */
static void spectra_compute_4(const struct tables *t, enum work work, const struct sample *in, struct sample *out,
			    size_t count)
{
	radix2_point_4 x[SKACHAN_CHANNELS] = {0};

	for (unsigned int i = 0; i < count; i++)
		(work == DO_TRANSFORM ? take_4 : filter_compute_4)(t, in + (size_t)i * SKACHAN_CHANNELS, x, i);
	if (work != DO_FILTER)
		radix2_transform_4(x, SKACHAN_CHANNELS, t->factor_re, t->factor_im);
	for (unsigned int i = 0; i < count; i++)
		for (unsigned int c = 0; c < SKACHAN_CHANNELS; c++)
			out[i * SKACHAN_CHANNELS + c] = (struct sample){x[c].re[i], x[c].im[i]};
}
#endif

/* What a thread has of all signals. */
static void WIDE(signals_compute)(const struct tables *t, enum work work, const struct sample *in, struct sample *out,
				  size_t signals, size_t spectra)
{
	const size_t groups = (spectra + LANES - 1) / LANES, times = spectra + SKACHAN_TAPS - 1;

#pragma omp for nowait
	for (size_t i = 0; i < signals * groups; i++) {
		const size_t signal = i / groups, first = i % groups * LANES;

		WIDE(spectra_compute)(t, work, in + (signal * times + first) * SKACHAN_CHANNELS,
				      out + (signal * spectra + first) * SKACHAN_CHANNELS,
				      spectra - first < LANES ? spectra - first : LANES);
	}
}
