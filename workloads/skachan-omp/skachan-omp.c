/*
 * skachan-omp - skachan for processors: the same input, filter and check, spectra distributed over threads.
 *
 * A multiplication and an addition are rounded apart (the base instruction set has no fused one); apart from that each
 * value is computed by the same operations as on the GPU.
 */
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#include "common/radix2.h"
#include "common/region.h"
#include "skachan/host.h"

#include <stdlib.h>
#include <strata/ndp.h>

static const struct workload_about about = {
	.name = "skachan-omp",
	.summary = "Channelization of the SKA: FIR filter bank and 1D FFT, spectra distributed over threads.",
	.small_size = "16 signals, 8 spectra each",
	.paper_size = "128 signals, 64 spectra each",
};

enum { SIGNALS, SPECTRA, DO };
static const char *const works[] = {"all", "filter", "transform"};
static const struct workload_count counts[] = {
	{"signals", "signals", 16, 128, 1, 65535, 1, NULL},
	{"spectra", "spectra of each", 8, 64, 1, 65535, 1, NULL},
	{"do", "what of it is done", DO_ALL, DO_ALL, DO_ALL, DO_TRANSFORM, 1, works},
};

/* Real and imaginary parts side by side. */
enum { PARTS = 2 * SKACHAN_CHANNELS, LANES = 4 };
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

/* What all spectra need: the filter, a weight for each part; factors with their parts apart; places in the order of
 * reversed bits. */
struct tables {
	_Alignas(lanes) float weights[SKACHAN_TAPS][PARTS];
	float plain_weights[SKACHAN_TAPS * SKACHAN_CHANNELS]; /* for the check */
	float factor_re[SKACHAN_CHANNELS], factor_im[SKACHAN_CHANNELS];
	uint16_t place[SKACHAN_CHANNELS];
};

/* A spectrum's filter into its lane. */
static void filter_compute(const struct tables *t, const struct sample *in, struct radix2_point *x, unsigned int lane)
{
	for (unsigned int i = 0; i < PARTS; i += LANES) {
		lanes sum = {0};

		for (unsigned int tap = 0; tap < SKACHAN_TAPS; tap++)
			sum = *(const lanes *)&t->weights[tap][i] *
				      *(const lanes *)(const void *)(&in[tap * SKACHAN_CHANNELS].re + i) +
			      sum;
		for (unsigned int c = 0; c < LANES / 2; c++) {
			struct radix2_point *p = &x[t->place[i / 2 + c]];

			p->re[lane] = sum[2 * c];
			p->im[lane] = sum[2 * c + 1];
		}
	}
}

/* The first samples of a spectrum, as they come. */
static void take(const struct tables *t, const struct sample *in, struct radix2_point *x, unsigned int lane)
{
	for (unsigned int c = 0; c < SKACHAN_CHANNELS; c++) {
		x[t->place[c]].re[lane] = in[c].re;
		x[t->place[c]].im[lane] = in[c].im;
	}
}

/* Up to RADIX2_LINES spectra of a signal, one after the other. */
static void spectra_compute(const struct tables *t, enum work work, const struct sample *in, struct sample *out,
			    size_t count)
{
	struct radix2_point x[SKACHAN_CHANNELS] = {0};

	for (unsigned int i = 0; i < count; i++)
		(work == DO_TRANSFORM ? take : filter_compute)(t, in + (size_t)i * SKACHAN_CHANNELS, x, i);
	if (work != DO_FILTER)
		radix2_transform(x, SKACHAN_CHANNELS, t->factor_re, t->factor_im);
	for (unsigned int i = 0; i < count; i++)
		for (unsigned int c = 0; c < SKACHAN_CHANNELS; c++)
			out[i * SKACHAN_CHANNELS + c] = (struct sample){x[c].re[i], x[c].im[i]};
}

static void tables_prepare(struct tables *t, struct sample *factors)
{
	weights_make(t->plain_weights);
	factors_make(factors, SKACHAN_CHANNELS);
	for (unsigned int i = 0; i < SKACHAN_TAPS * PARTS; i++)
		t->weights[i / PARTS][i % PARTS] = t->plain_weights[i / 2];
	for (unsigned int i = 0; i < SKACHAN_CHANNELS; i++) {
		t->factor_re[i] = factors[i].re;
		t->factor_im[i] = factors[i].im;
		t->place[i] = (uint16_t)reversed(i, SKACHAN_LOG);
	}
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const size_t signals = o.counts[SIGNALS], spectra = o.counts[SPECTRA], times = spectra + SKACHAN_TAPS - 1;
	const size_t in_count = signals * times * SKACHAN_CHANNELS, out_count = signals * spectra * SKACHAN_CHANNELS;
	const enum work work = (enum work)o.counts[DO];
	const size_t groups = (spectra + RADIX2_LINES - 1) / RADIX2_LINES;
	struct sample *in = workload_host_alloc(in_count, sizeof(*in));
	struct sample *out = workload_host_alloc(out_count, sizeof(*out));
	struct sample factors[SKACHAN_CHANNELS] = {0}, want[SKACHAN_CHANNELS];
	struct tables *tables = aligned_alloc(sizeof(lanes), sizeof(*tables));
	double seconds;
	bool right = true;

	if (!tables)
		workload_fail("no host memory for the tables");
	strata_modelling_end();
	tables_prepare(tables, factors);
#pragma omp parallel for
	for (size_t i = 0; i < in_count; i++)
		in[i] = input_sample(o.seed, i);
	workload_input(in, in_count * sizeof(*in));
	workload_input_number(signals);
	workload_input_number(spectra);
	workload_input_number(work);
	strata_modelling_begin(STRATA_CACHES_COLD);
#pragma omp parallel
	{
		region_begin(&seconds);
#pragma omp for nowait
		for (size_t i = 0; i < signals * groups; i++) {
			const size_t signal = i / groups, first = i % groups * RADIX2_LINES;

			spectra_compute(tables, work, in + (signal * times + first) * SKACHAN_CHANNELS,
					out + (signal * spectra + first) * SKACHAN_CHANNELS,
					spectra - first < RADIX2_LINES ? spectra - first : RADIX2_LINES);
		}
		region_end(&seconds);
	}
	strata_modelling_end();
	for (size_t i = 0; i < signals * spectra && right; i++) {
		const size_t first = (i / spectra * times + i % spectra) * SKACHAN_CHANNELS;

		spectrum_make(work, in + first, tables->plain_weights, factors, want);
		right = workload_same_f32("spectra", &out[i * SKACHAN_CHANNELS].re, &want[0].re, 2 * SKACHAN_CHANNELS,
					  2 * i * SKACHAN_CHANNELS);
	}
	workload_measure("operations", (double)out_count * operations_of(work), "operations");
	workload_measure("kernel_seconds", seconds, "s");
	free(in);
	free(out);
	free(tables);
	return workload_finish(right, "%zu signals, %zu spectra each", signals, spectra);
}
