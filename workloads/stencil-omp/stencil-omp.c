/*
 * stencil-omp - Jacobi sweeps of a 7-point stencil on a grid of doubles, planes distributed over threads.
 *
 * Each element is computed by the same operations as by one thread, so the grids agree bit for bit.
 */
#include "common/teams.h"

#include <stdlib.h>

static const struct workload_about about = {
	.name = "stencil-omp",
	.summary = "Jacobi sweeps of a 7-point stencil on a grid of doubles, planes distributed over threads.",
	.small_size = "32 x 32 x 32 grid, 2 sweeps",
	.paper_size = "256 x 256 x 256 grid, 2 sweeps",
};

enum { WIDTH, PLANES, SWEEPS, WHO, NDPS };
static const struct workload_count counts[] = {
	{"width", "elements of a row, and rows of a plane", 32, 256, 3, 8192, 1, NULL},
	{"planes", "planes", 32, 256, 3, 8192, 1, NULL},
	{"sweeps", "sweeps", 2, 2, 1, 1000, 1, NULL},
	WORKLOAD_WHO,
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

struct stencil {
	size_t width, planes;
	unsigned int sweeps;
	double *grids[2][2]; /* of each job */
};

static void grid_make(const struct stencil *s, uint64_t seed, double *grids[2])
{
	const size_t plane = s->width * s->width;
	double *first = workload_host_alloc(plane * s->planes, sizeof(double));
	double *second = workload_host_alloc(plane * s->planes, sizeof(double));

#pragma omp parallel for
	for (size_t z = 0; z < s->planes; z++)
		for (size_t i = z * plane; i < (z + 1) * plane; i++)
			first[i] = second[i] = workload_random_float(seed, 0, i);
	grids[0] = first;
	grids[1] = second;
}

static void part_do(void *stencil, const struct workload_part *part)
{
	const struct stencil *s = stencil;
	const size_t w = s->width, inner = s->planes - 2;
	const size_t begin = 1 + workload_part_begin(part, inner), end = 1 + workload_part_end(part, inner);
	double *const grids[2] = {s->grids[part->job][0], s->grids[part->job][1]};

	for (unsigned int sweep = 0; sweep < s->sweeps; sweep++) {
		const double *from = grids[sweep % 2];
		double *to = grids[(sweep + 1) % 2];

#pragma omp parallel for
		for (size_t z = begin; z < end; z++)
			plane_sweep(from, to, w, z);
		workload_part_wait(part);
	}
}

static bool job_is_right(const struct stencil *s, uint64_t seed, double *const grids[2])
{
	const size_t n = s->width * s->width * s->planes;
	double *want[2];
	bool right;

	grid_make(s, seed, want);
	for (unsigned int sweep = 0; sweep < s->sweeps; sweep++)
		for (size_t z = 1; z + 1 < s->planes; z++)
			plane_sweep(want[sweep % 2], want[(sweep + 1) % 2], s->width, z);
	right = workload_same_f64("grid", grids[s->sweeps % 2], want[s->sweeps % 2], n, 0);
	free(want[0]);
	free(want[1]);
	return right;
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct stencil s = {.width = o.counts[WIDTH], .planes = o.counts[PLANES], .sweeps = o.counts[SWEEPS]};
	const uint32_t jobs = workload_jobs(o.counts[WHO]);
	double seconds;
	bool right = true;

	strata_modelling_end();
	for (uint32_t i = 0; i < jobs; i++)
		grid_make(&s, o.seed + i, s.grids[i]);
	strata_modelling_begin(STRATA_CACHES_COLD);
	seconds = workload_divide(o.counts[WHO], o.counts[NDPS], part_do, &s);
	strata_modelling_end();
	for (uint32_t i = 0; i < jobs; i++) {
		right = job_is_right(&s, o.seed + i, s.grids[i]) && right;
		free(s.grids[i][0]);
		free(s.grids[i][1]);
	}
	workload_measure("rate", (double)(s.width * s.width * s.planes * s.sweeps * jobs) / seconds * 1e-9,
			 "Gelements/s");
	return workload_finish(right, "%zu x %zu x %zu grid, %u sweeps", s.width, s.width, s.planes, s.sweeps);
}
