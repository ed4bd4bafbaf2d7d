/*
 * skabeam-omp - skabeam for processors: the same input and check, blocks of time of every beam distributed over
 * threads.
 *
 * A multiplication and an addition are rounded apart (the base instruction set has no fused one); apart from that each
 * sum is computed by the same operations as on the GPU.
 */
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#include "common/region.h"
#include "common/wide.h"
#include "skabeam/host.h"

#include <stdlib.h>
#include <strata/ndp.h>

static const struct workload_about about = {
	.name = "skabeam-omp",
	.summary = "Beamforming of the SKA, one frequency band, blocks of time distributed over threads.",
	.small_size = "32 antennas, 1,024 samples, 2 beams",
	.paper_size = "256 antennas, 8,192 samples, 8 beams",
};

enum { ANTENNAS, SAMPLES, BEAMS, LANES_OF };
static const struct workload_count counts[] = {
	{"antennas", "antennas of the station", 32, 256, 1, 65536, 1, NULL},
	{"samples", "samples", 1024, 8192, 1, 1048576, 1, NULL},
	{"beams", "beams", 2, 8, 1, 1024, 1, NULL},
	WIDE_COUNT,
};

enum { BLOCK = 32 }; /* samples whose sums stay in the first level while the antennas go by */

#define LANES 4
#include "blocks.h"
#undef LANES
WIDE_BEGIN
#define LANES 8
#include "blocks.h"
WIDE_END

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const size_t antennas = o.counts[ANTENNAS], times = o.counts[SAMPLES], beams = o.counts[BEAMS];
	const size_t blocks = (times + BLOCK - 1) / BLOCK;
	struct sample *in = workload_host_alloc(antennas * times, sizeof(*in));
	struct sample *out = workload_host_alloc(beams * times, sizeof(*out));
	struct weight *weights = workload_host_alloc(beams * antennas, sizeof(*weights));
	const bool is_wide = wide_check(o.counts[LANES_OF]);
	double seconds;
	bool right = true;

	strata_modelling_end();
	floats_make(&in->x_re, SAMPLE_FLOATS * antennas * times, o.seed, 0);
	floats_make(&weights->xx_re, WEIGHT_FLOATS * beams * antennas, o.seed, 1);
	workload_input(in, antennas * times * sizeof(*in));
	workload_input(weights, beams * antennas * sizeof(*weights));
	workload_input_number(antennas);
	workload_input_number(beams);
#pragma omp parallel for
	for (size_t i = 0; i < beams * times; i++)
		out[i] = (struct sample){0, 0, 0, 0};
	strata_modelling_begin(STRATA_CACHES_COLD);
#pragma omp parallel
	{
		region_begin(&seconds);
#pragma omp for nowait
		for (size_t i = 0; i < beams * blocks; i++) {
			const size_t beam = i / blocks, first = i % blocks * BLOCK;

			(is_wide ? block_compute_8 : block_compute_4)(in, weights + beam * antennas, out + beam * times,
								      antennas, times, first,
								      times - first < BLOCK ? times - first : BLOCK);
		}
		region_end(&seconds);
	}
	strata_modelling_end();
	for (size_t i = 0; i < beams * times && right; i++) {
		const struct sample want = beam_sample(in, weights + i / times * antennas, antennas, times, i % times);

		right = workload_same_f32("beams", &out[i].x_re, &want.x_re, SAMPLE_FLOATS, SAMPLE_FLOATS * i);
	}
	workload_measure("operations", (double)REAL_OPERATIONS * (double)(antennas * times * beams), "operations");
	workload_measure("kernel_seconds", seconds, "s");
	free(in);
	free(out);
	free(weights);
	return workload_finish(right, "%zu antennas, %zu samples, %zu beams", antennas, times, beams);
}
