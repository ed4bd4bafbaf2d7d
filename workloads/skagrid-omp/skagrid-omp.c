/*
 * skagrid-omp - skagrid for processors: the same input and check, visibilities distributed over threads, which add to
 * one grid atomically.
 */
#include "common/region.h"
#include "skagrid/host.h"

#include <stdlib.h>
#include <strata/ndp.h>

static const struct workload_about about = {
	.name = "skagrid-omp",
	.summary = "Gridding of the SKA, with atomic additions, visibilities distributed over threads.",
	.small_size = "512 visibilities on 256 x 256 pixels",
	.paper_size = "32,768 visibilities on 2,048 x 2,048 pixels",
};

enum { VISIBILITIES, SIDE };
static const struct workload_count counts[] = {
	{"visibilities", "visibilities", 512, 32768, 1, 16777216, 1, NULL},
	{"side", "pixels of a side of the grid", 256, 2048, 2 * SKAGRID_SIDE, 16384, 1, NULL},
};

static void visibility_add(float *grid, unsigned int side, const struct sample *matrix, const struct place *p,
			   struct sample a)
{
	for (unsigned int y = 0; y < SKAGRID_SIDE; y++)
		for (unsigned int x = 0; x < SKAGRID_SIDE; x++) {
			const struct sample m = matrix_pixel(matrix, p, x, y);
			float *pixel = grid + 2 * ((size_t)(p->y + y) * side + p->x + x);

#pragma omp atomic
			pixel[0] += a.re * m.re - a.im * m.im;
#pragma omp atomic
			pixel[1] += a.re * m.im + a.im * m.re;
		}
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const unsigned int count = o.counts[VISIBILITIES], side = o.counts[SIDE];
	const size_t grid_count = 2 * (size_t)side * side;
	struct sample *visibilities = workload_host_alloc(count, sizeof(*visibilities));
	struct sample *matrix = workload_host_alloc(MATRIX_SIDE * MATRIX_SIDE, sizeof(*matrix));
	struct place *places = workload_host_alloc(count, sizeof(*places));
	float *want = workload_host_alloc(grid_count, sizeof(*want));
	float *got = workload_host_alloc(grid_count, sizeof(*got));
	double seconds;
	bool right;

	strata_modelling_end();
	samples_make(visibilities, count, o.seed, 0);
	samples_make(matrix, MATRIX_SIDE * MATRIX_SIDE, o.seed, 2);
	places_make(places, count, side, (struct track){SKAGRID_TRACK, SKAGRID_STAY}, o.seed);
	grid_make(want, side, visibilities, places, matrix, count);
#pragma omp parallel for
	for (size_t i = 0; i < grid_count; i++) /* the pages are there before */
		got[i] = 0;
	strata_modelling_begin(STRATA_CACHES_COLD);
#pragma omp parallel
	{
		region_begin(&seconds);
#pragma omp for nowait
		for (unsigned int v = 0; v < count; v++)
			visibility_add(got, side, matrix, &places[v], visibilities[v]);
		region_end(&seconds);
	}
	strata_modelling_end();
	right = workload_same_f32("grid", got, want, grid_count, 0);
	workload_measure("operations", operations_of(count), "operations");
	workload_measure("kernel_seconds", seconds, "s");
	free(visibilities);
	free(matrix);
	free(places);
	free(want);
	free(got);
	return workload_finish(right, "%u visibilities, %u x %u pixels", count, side, side);
}
