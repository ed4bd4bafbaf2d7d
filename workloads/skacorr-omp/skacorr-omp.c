/*
 * skacorr-omp - skacorr for processors: the same input and check, tiles of pairs distributed over threads.
 *
 * A multiplication and an addition are rounded apart (the base instruction set has no fused one); apart from that each
 * sum is computed by the same operations as on the GPU.
 */
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#include "common/region.h"
#include "common/wide.h"
#include "skacorr/host.h"

#include <stdlib.h>
#include <strata/ndp.h>

static const struct workload_about about = {
	.name = "skacorr-omp",
	.summary = "Correlation of the SKA, one channel, tiles of pairs distributed over threads.",
	.small_size = "64 signals, 64 samples",
	.paper_size = "512 signals, 1,200 samples",
};

enum { SIGNALS, SAMPLES, LANES_OF };
static const struct workload_count counts[] = {
	{"signals", "signals", 64, 512, SKACORR_TILE, 16384, SKACORR_TILE, NULL},
	{"samples", "samples of a dump", 64, 1200, SKACORR_STEPS, 1048576, SKACORR_STEPS, NULL},
	WIDE_COUNT,
};

enum { ROWS = 4, STEP_BYTES = 32 };

/* Signals that lie side by side, those of all lanes at a time together: step_4 or step_8. */
struct packed {
	void *steps;
	size_t signals, times;
};

#define LANES 4
#include "pairs.h"
#undef LANES
WIDE_BEGIN
#define LANES 8
#include "pairs.h"
WIDE_END

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const size_t signals = o.counts[SIGNALS], times = o.counts[SAMPLES], in_count = signals * times;
	struct sample *in = workload_host_alloc(in_count, sizeof(*in));
	struct sample *out = workload_host_alloc(signals * signals, sizeof(*out));
	struct packed packed = {.steps = aligned_alloc(STEP_BYTES, in_count * sizeof(struct sample)),
				.signals = signals,
				.times = times};
	const bool is_wide = wide_check(o.counts[LANES_OF]);
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
		(is_wide ? pack_8 : pack_4)(&packed, in);
		(is_wide ? pairs_compute_8 : pairs_compute_4)(&packed, out);
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
