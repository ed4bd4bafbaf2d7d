/*
 * stencil-omp - Jacobi sweeps of a 7-point stencil on a grid of doubles, planes distributed over threads.
 *
 * Each element is computed by the same operations as by one thread, so the grids agree bit for bit.
 */
#include "common/program.h"

#include <stdlib.h>
#include <strata/ndp.h>
#include <string.h>

static const struct workload_about about = {
	.name = "stencil-omp",
	.summary = "Jacobi sweeps of a 7-point stencil on a grid of doubles, planes distributed over threads.",
	.small_size = "32 x 32 x 32 grid, 2 sweeps",
	.paper_size = "256 x 256 x 256 grid, 2 sweeps",
};

enum { WIDTH, PLANES, SWEEPS };
static const struct workload_count counts[] = {
	{"width", "elements of a row, and rows of a plane", 32, 256, 3, 8192, 1, NULL},
	{"planes", "planes", 32, 256, 3, 8192, 1, NULL},
	{"sweeps", "sweeps", 2, 2, 1, 1000, 1, NULL},
};

static void plane_sweep(const double *from, double *to, size_t w, size_t z)
{
	const size_t plane = w * w;

	for (size_t y = 1; y + 1 < w; y++) {
		for (size_t x = 1; x + 1 < w; x++) {
			const size_t i = z * plane + y * w + x;

			to[i] = 0.5 * from[i] + (from[i - 1] + from[i + 1] + from[i - w] + from[i + w] +
						 from[i - plane] + from[i + plane]) * 0.0625;
		}
	}
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const size_t w = o.counts[WIDTH], planes = o.counts[PLANES], n = w * w * planes;
	double *grids[2] = {workload_host_alloc(n, sizeof(double)), workload_host_alloc(n, sizeof(double))};
	double *want[2] = {workload_host_alloc(n, sizeof(double)), workload_host_alloc(n, sizeof(double))}, seconds;
	const unsigned int sweeps = o.counts[SWEEPS];
	bool right;

	strata_modelling_end();
#pragma omp parallel for
	for (size_t z = 0; z < planes; z++)
		for (size_t i = z * w * w; i < (z + 1) * w * w; i++)
			grids[0][i] = grids[1][i] = workload_random_float(o.seed, 0, i);
	memcpy(want[0], grids[0], n * sizeof(double));
	memcpy(want[1], grids[0], n * sizeof(double));
	strata_modelling_begin(STRATA_CACHES_COLD);
	seconds = workload_seconds();
	for (unsigned int s = 0; s < sweeps; s++) {
#pragma omp parallel for
		for (size_t z = 1; z < planes - 1; z++)
			plane_sweep(grids[s % 2], grids[(s + 1) % 2], w, z);
	}
	seconds = workload_seconds() - seconds;
	strata_modelling_end();
	for (unsigned int s = 0; s < sweeps; s++)
		for (size_t z = 1; z + 1 < planes; z++)
			plane_sweep(want[s % 2], want[(s + 1) % 2], w, z);
	right = workload_same_f64("grid", grids[sweeps % 2], want[sweeps % 2], n, 0);
	workload_measure("rate", (double)n * sweeps / seconds * 1e-9, "Gelements/s");
	for (int i = 0; i < 2; i++) {
		free(grids[i]);
		free(want[i]);
	}
	return workload_finish(right, "%zu x %zu x %zu grid, %u sweeps", w, w, planes, sweeps);
}
