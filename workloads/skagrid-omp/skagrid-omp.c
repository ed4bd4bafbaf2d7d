/*
 * skagrid-omp - skagrid for processors: the same input and check. Visibilities are distributed over threads, which add
 * to one grid atomically; or every thread has rows of the grid of its own and takes all visibilities' part in them, so
 * that nothing is atomic, a thread's rows stay in its cache, and pixels side by side are added as one vector.
 */
#include "common/region.h"
#include "common/wide.h"
#include "skagrid/host.h"

#include <omp.h>
#include <stdlib.h>
#include <strata/ndp.h>

static const struct workload_about about = {
	.name = "skagrid-omp",
	.summary = "Gridding of the SKA, with atomic additions, visibilities distributed over threads.",
	.small_size = "512 visibilities on 256 x 256 pixels",
	.paper_size = "32,768 visibilities on 2,048 x 2,048 pixels",
};

enum { VISIBILITIES, SIDE, ROWS, LANES_OF };
enum rows { ROWS_SHARED, ROWS_OWNED };
static const char *const rows[] = {"shared", "owned"};
static const struct workload_count counts[] = {
	{"visibilities", "visibilities", 512, 32768, 1, 16777216, 1, NULL},
	{"side", "pixels of a side of the grid", 256, 2048, 2 * SKAGRID_SIDE, 16384, 1, NULL},
	{"rows", "of the grid, of all threads or of one each", ROWS_SHARED, ROWS_SHARED, ROWS_SHARED, ROWS_OWNED, 1,
	 rows},
	WIDE_COUNT,
};

/* Real and imaginary parts apart. The parts of the matrix lie one after the other. */
struct planes {
	float *re, *im;
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

static struct planes planes_new(size_t count)
{
	return (struct planes){workload_host_alloc(count, sizeof(float)), workload_host_alloc(count, sizeof(float))};
}

static void planes_free(struct planes p)
{
	free(p.re);
	free(p.im);
}

static size_t part_first(const struct place *p)
{
	return ((size_t)p->part_y * SKAGRID_SCALE + p->part_x) * SKAGRID_SIDE * SKAGRID_SIDE;
}

static void parts_make(struct planes parts, const struct sample *matrix)
{
	for (unsigned int part = 0; part < SKAGRID_SCALE * SKAGRID_SCALE; part++) {
		const struct place p = {.part_x = part % SKAGRID_SCALE, .part_y = part / SKAGRID_SCALE};

		for (unsigned int i = 0; i < SKAGRID_SIDE * SKAGRID_SIDE; i++) {
			const struct sample m = matrix_pixel(matrix, &p, i % SKAGRID_SIDE, i / SKAGRID_SIDE);

			parts.re[part_first(&p) + i] = m.re;
			parts.im[part_first(&p) + i] = m.im;
		}
	}
}

#define LANES 4
#include "rows.h"
#undef LANES
WIDE_BEGIN
#define LANES 8
#include "rows.h"
WIDE_END

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
	const struct planes parts = planes_new(MATRIX_SIDE * MATRIX_SIDE), grid = planes_new(grid_count / 2);
	const bool is_owned = o.counts[ROWS] == ROWS_OWNED;
	const bool is_wide = wide_check(o.counts[LANES_OF]);
	double seconds;
	bool right;

	if (is_wide && !is_owned)
		workload_fail("--lanes 8 is of --rows owned: shared pixels are added one by one");
	strata_modelling_end();
	samples_make(visibilities, count, o.seed, 0);
	samples_make(matrix, MATRIX_SIDE * MATRIX_SIDE, o.seed, 2);
	places_make(places, count, side, (struct track){SKAGRID_TRACK, SKAGRID_STAY}, o.seed);
	workload_input(visibilities, count * sizeof(*visibilities));
	workload_input(matrix, MATRIX_SIDE * MATRIX_SIDE * sizeof(*matrix));
	workload_input(places, count * sizeof(*places));
	workload_input_number(side);
	grid_make(want, side, visibilities, places, matrix, count);
#pragma omp parallel for
	for (size_t i = 0; i < grid_count; i++) /* the pages are there before */
		got[i] = 0;
#pragma omp parallel for
	for (size_t i = 0; i < grid_count / 2; i++)
		grid.re[i] = grid.im[i] = 0;
	parts_make(parts, matrix);
	strata_modelling_begin(STRATA_CACHES_COLD);
#pragma omp parallel
	{
		region_begin(&seconds);
		if (is_owned)
			for (unsigned int v = 0; v < count; v++)
				(is_wide ? own_rows_add_8
					 : own_rows_add_4)(grid, side, parts, &places[v], visibilities[v],
							   (unsigned int)omp_get_thread_num(),
							   (unsigned int)omp_get_num_threads());
		else
#pragma omp for nowait
			for (unsigned int v = 0; v < count; v++)
				visibility_add(got, side, matrix, &places[v], visibilities[v]);
		region_end(&seconds);
	}
	strata_modelling_end();
	for (size_t i = 0; i < grid_count && is_owned; i++)
		got[i] = (i % 2 ? grid.im : grid.re)[i / 2];
	right = workload_same_f32("grid", got, want, grid_count, 0);
	workload_measure("operations", operations_of(count), "operations");
	workload_measure("kernel_seconds", seconds, "s");
	free(visibilities);
	free(matrix);
	free(places);
	free(want);
	free(got);
	planes_free(parts);
	planes_free(grid);
	return workload_finish(right, "%u visibilities, %u x %u pixels", count, side, side);
}
