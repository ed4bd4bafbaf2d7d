/*
 * skacorr-omp - skacorr for processors: the same input and check, tiles of pairs distributed over threads.
 *
 * A multiplication and an addition are rounded apart (the base instruction set has no fused one); apart from that each
 * sum is computed by the same operations as on the GPU.
 */
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#include "common/region.h"
#include "skacorr/host.h"

#include <stdlib.h>
#include <strata/ndp.h>

static const struct workload_about about = {
	.name = "skacorr-omp",
	.summary = "Correlation of the SKA, one channel, tiles of pairs distributed over threads.",
	.small_size = "64 signals, 64 samples",
	.paper_size = "512 signals, 1,200 samples",
};

enum { SIGNALS, SAMPLES };
static const struct workload_count counts[] = {
	{"signals", "signals", 64, 512, SKACORR_TILE, 16384, SKACORR_TILE, NULL},
	{"samples", "samples of a dump", 64, 1200, SKACORR_STEPS, 1048576, SKACORR_STEPS, NULL},
};

/* Signals that lie side by side: each of a group by the lanes of another is as many sums as the registers take. */
enum { LANES = 4 };
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
struct step {
	lanes re, im;
};

/* Group after group, of each all times: what a tile reads lies together. */
struct packed {
	struct step *steps;
	size_t groups, times;
};

static void pack(const struct packed *p, const struct sample *input)
{
#pragma omp for
	for (size_t g = 0; g < p->groups; g++)
		for (size_t t = 0; t < p->times; t++) {
			const struct sample *x = input + (t * p->groups + g) * LANES;

			p->steps[g * p->times + t] = (struct step){{x[0].re, x[1].re, x[2].re, x[3].re},
								   {x[0].im, x[1].im, x[2].im, x[3].im}};
		}
}

/* All pairs of the signals of two groups. */
static void tile_compute(const struct packed *p, size_t a, size_t b, struct sample *output)
{
	const struct step *x = p->steps + a * p->times, *y = p->steps + b * p->times;
	lanes re[LANES] = {0}, im[LANES] = {0};

	for (size_t t = 0; t < p->times; t++) {
		const struct step u = x[t], v = y[t];
		const lanes turned = -v.im;

#pragma GCC unroll 4
		for (size_t r = 0; r < LANES; r++) {
			re[r] = u.im[r] * v.im + (u.re[r] * v.re + re[r]);
			im[r] = u.re[r] * turned + (u.im[r] * v.re + im[r]);
		}
	}
	for (size_t r = 0; r < LANES; r++)
		for (size_t l = 0; l < LANES; l++)
			output[(a * LANES + r) * p->groups * LANES + b * LANES + l] =
				(struct sample){re[r][l], im[r][l]};
}

static void pairs_compute(const struct packed *p, struct sample *output)
{
#pragma omp for schedule(static, 1) nowait
	for (size_t i = 0; i < p->groups * p->groups; i++)
		if (i % p->groups <= i / p->groups)
			tile_compute(p, i / p->groups, i % p->groups, output);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const size_t signals = o.counts[SIGNALS], times = o.counts[SAMPLES], in_count = signals * times;
	struct sample *in = workload_host_alloc(in_count, sizeof(*in));
	struct sample *out = workload_host_alloc(signals * signals, sizeof(*out));
	struct packed packed = {.steps = aligned_alloc(sizeof(lanes), in_count / LANES * sizeof(struct step)),
				.groups = signals / LANES,
				.times = times};
	double seconds;
	bool right;

	if (!packed.steps)
		workload_fail("no host memory for %zu samples", in_count);
	strata_modelling_end();
#pragma omp parallel for
	for (size_t i = 0; i < in_count; i++)
		in[i] = input_sample(o.seed, i);
	workload_input(in, in_count * sizeof(*in));
	workload_input_number(signals);
	strata_modelling_begin(STRATA_CACHES_COLD);
#pragma omp parallel
	{
		region_begin(&seconds);
		pack(&packed, in);
		pairs_compute(&packed, out);
		region_end(&seconds);
	}
	strata_modelling_end();
	right = sums_check(in, out, signals, times);
	workload_measure("operations", operations_of(signals, times), "operations");
	workload_measure("kernel_seconds", seconds, "s");
	free(in);
	free(out);
	free(packed.steps);
	return workload_finish(right, "%zu signals, %zu samples", signals, times);
}
