/*
 * skafft-omp - skafft for processors: the same input and check, rows and columns distributed over threads.
 *
 * A multiplication and an addition are rounded apart (the base instruction set has no fused one); apart from that each
 * value is computed by the same operations as on the GPU.
 */
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#include "common/radix2.h"
#include "common/region.h"
#include "skafft/host.h"

#include <stdlib.h>
#include <strata/ndp.h>

static const struct workload_about about = {
	.name = "skafft-omp",
	.summary = "2D FFTs of the SKA, rows and columns distributed over threads.",
	.small_size = "2 of 128 x 128 points",
	.paper_size = "64 of 128 x 128 points",
};

enum { MATRICES, SIDE };
enum { LOG_MIN = 6 };
static const char *const sides[] = {"64", "128", "256"};
static const struct workload_count counts[] = {
	{"matrices", "matrices", 2, 64, 1, 65535, 1, NULL},
	{"side", "points of a row", SKAFFT_LOG - LOG_MIN, SKAFFT_LOG - LOG_MIN, 0, SKAFFT_LOG_MAX - LOG_MIN, 1, sides},
};

struct tables {
	unsigned int side;
	float factor_re[SKAFFT_SIDE_MAX], factor_im[SKAFFT_SIDE_MAX];
	uint16_t place[SKAFFT_SIDE_MAX];
};

/* RADIX2_LINES rows or columns: their first points are `between` apart, a line's points `step`. */
static void lines_compute(const struct tables *t, struct sample *first, size_t step, size_t between)
{
	struct radix2_point x[SKAFFT_SIDE_MAX];

	for (size_t i = 0; i < t->side; i++)
		for (size_t l = 0; l < RADIX2_LINES; l++) {
			x[t->place[i]].re[l] = first[i * step + l * between].re;
			x[t->place[i]].im[l] = first[i * step + l * between].im;
		}
	radix2_transform(x, t->side, t->factor_re, t->factor_im);
	for (size_t i = 0; i < t->side; i++)
		for (size_t l = 0; l < RADIX2_LINES; l++)
			first[i * step + l * between] = (struct sample){x[i].re[l], x[i].im[l]};
}

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

static void matrices_compute(const struct tables *t, struct sample *x, size_t count)
{
	const size_t side = t->side, groups = side / RADIX2_LINES;

#pragma omp for
	for (size_t i = 0; i < count * groups; i++)
		lines_compute(t, x + i * RADIX2_LINES * side, 1, side);
#pragma omp for nowait
	for (size_t i = 0; i < count * groups; i++)
		lines_compute(t, x + i / groups * side * side + i % groups * RADIX2_LINES, side, 1);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const unsigned int log = LOG_MIN + o.counts[SIDE], side = 1u << log;
	const size_t count = o.counts[MATRICES], points = (size_t)side * side;
	struct sample *x = workload_host_alloc(count * points, sizeof(*x));
	struct sample *want = workload_host_alloc(points, sizeof(*want));
	struct tables *tables = workload_host_alloc(1, sizeof(*tables));
	struct sample factors[SKAFFT_SIDE_MAX] = {0};
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
		matrices_compute(tables, x, count);
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
