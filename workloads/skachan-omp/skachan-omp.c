/*
 * skachan-omp - skachan for processors: the same input, filter and check, spectra distributed over threads.
 *
 * A multiplication and an addition are rounded apart (the base instruction set has no fused one); apart from that each
 * value is computed by the same operations as on the GPU.
 */
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#include "common/region.h"
#include "common/wide.h"
#include "skachan/host.h"

#include <stdlib.h>
#include <strata/ndp.h>

static const struct workload_about about = {
	.name = "skachan-omp",
	.summary = "Channelization of the SKA: FIR filter bank and 1D FFT, spectra distributed over threads.",
	.small_size = "16 signals, 8 spectra each",
	.paper_size = "128 signals, 64 spectra each",
};

enum { SIGNALS, SPECTRA, DO, LANES_OF };
static const char *const works[] = {"all", "filter", "transform"};
static const struct workload_count counts[] = {
	{"signals", "signals", 16, 128, 1, 65535, 1, NULL},
	{"spectra", "spectra of each", 8, 64, 1, 65535, 1, NULL},
	{"do", "what of it is done", DO_ALL, DO_ALL, DO_ALL, DO_TRANSFORM, 1, works},
	WIDE_COUNT,
};

/* Real and imaginary parts side by side. */
enum { PARTS = 2 * SKACHAN_CHANNELS, TABLE_BYTES = 32 };

/* What all spectra need: the filter, a weight for each part; factors with their parts apart; places in the order of
 * reversed bits. */
struct tables {
	_Alignas(TABLE_BYTES) float weights[SKACHAN_TAPS][PARTS];
	float plain_weights[SKACHAN_TAPS * SKACHAN_CHANNELS]; /* for the check */
	float factor_re[SKACHAN_CHANNELS], factor_im[SKACHAN_CHANNELS];
	uint16_t place[SKACHAN_CHANNELS];
};

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

#define LANES 4
#include "spectra.h"
#undef LANES
WIDE_BEGIN
#include "common/transpose8.h"
#define LANES 8
#include "spectra.h"
WIDE_END

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const size_t signals = o.counts[SIGNALS], spectra = o.counts[SPECTRA], times = spectra + SKACHAN_TAPS - 1;
	const size_t in_count = signals * times * SKACHAN_CHANNELS, out_count = signals * spectra * SKACHAN_CHANNELS;
	const enum work work = (enum work)o.counts[DO];
	const bool is_wide = wide_check(o.counts[LANES_OF]);
	struct sample *in = workload_host_alloc(in_count, sizeof(*in));
	struct sample *out = workload_host_alloc(out_count, sizeof(*out));
	struct sample factors[SKACHAN_CHANNELS] = {0}, want[SKACHAN_CHANNELS];
	struct tables *tables = aligned_alloc(TABLE_BYTES, sizeof(*tables));
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
		(is_wide ? signals_compute_8 : signals_compute_4)(tables, work, in, out, signals, spectra);
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
