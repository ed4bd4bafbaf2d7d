/*
 * skafft-omp - skafft for processors: the same input and check, rows and columns distributed over threads.
 *
 * A multiplication and an addition are rounded apart (the base instruction set has no fused one); apart from that each
 * value is computed by the same operations as on the GPU.
 */
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#include "common/region.h"
#include "common/wide.h"
#include "skafft/host.h"

#include <stdlib.h>
#include <strata/ndp.h>

static const struct workload_about about = {
	.name = "skafft-omp",
	.summary = "2D FFTs of the SKA, rows and columns distributed over threads.",
	.small_size = "2 of 128 x 128 points",
	.paper_size = "64 of 128 x 128 points",
};

enum { MATRICES, SIDE, LANES_OF };
enum { LOG_MIN = 6 };
static const char *const sides[] = {"64", "128", "256"};
static const struct workload_count counts[] = {
	{"matrices", "matrices", 2, 64, 1, 65535, 1, NULL},
	{"side", "points of a row", SKAFFT_LOG - LOG_MIN, SKAFFT_LOG - LOG_MIN, 0, SKAFFT_LOG_MAX - LOG_MIN, 1, sides},
	WIDE_COUNT,
};

struct tables {
	unsigned int side;
	float factor_re[SKAFFT_SIDE_MAX], factor_im[SKAFFT_SIDE_MAX];
	uint16_t place[SKAFFT_SIDE_MAX];
};

static void tables_prepare(struct tables *t, struct sample *factors, unsigned int log)
{
	t->side = 1u << log;
	factors_make(factors, t->side);
	for (unsigned int i = 0; i < t->side; i++) {
		t->factor_re[i] = factors[i].re;
		t->factor_im[i] = factors[i].im;
		t->place[i] = (uint16_t)reversed(i, log);
	}
}

#define LANES 4
#include "matrices.h"
#undef LANES
WIDE_BEGIN
#include "common/transpose8.h"
#define LANES 8
#include "matrices.h"
WIDE_END

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const unsigned int log = LOG_MIN + o.counts[SIDE], side = 1u << log;
	const size_t count = o.counts[MATRICES], points = (size_t)side * side;
	struct sample *x = workload_host_alloc(count * points, sizeof(*x));
	struct sample *want = workload_host_alloc(points, sizeof(*want));
	struct tables *tables = workload_host_alloc(1, sizeof(*tables));
	struct sample factors[SKAFFT_SIDE_MAX] = {0};
	const bool is_wide = wide_check(o.counts[LANES_OF]);
	double seconds;
	bool right = true;

	strata_modelling_end();
	tables_prepare(tables, factors, log);
#pragma omp parallel for
	for (size_t i = 0; i < count * points; i++)
		x[i] = input_sample(o.seed, i);
	workload_input(x, count * points * sizeof(*x));
	workload_input_number(side);
	strata_modelling_begin(STRATA_CACHES_COLD);
#pragma omp parallel
	{
		region_begin(&seconds);
		(is_wide ? matrices_compute_8 : matrices_compute_4)(tables, x, count);
		region_end(&seconds);
	}
	strata_modelling_end();
	for (size_t m = 0; m < count && right; m++) {
		for (size_t i = 0; i < points; i++)
			want[i] = input_sample(o.seed, m * points + i);
		matrix_transform(want, log, factors);
		right = workload_same_f32("points", &x[m * points].re, &want[0].re, 2 * points, 2 * m * points);
	}
	workload_measure("operations", operations_of(count, log), "operations");
	workload_measure("kernel_seconds", seconds, "s");
	free(x);
	free(want);
	free(tables);
	return workload_finish(right, "%zu of %u x %u points", count, side, side);
}
