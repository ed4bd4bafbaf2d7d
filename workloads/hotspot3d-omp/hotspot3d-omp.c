/*
 * Heat in a stack of dies by threads: explicit steps on a 3D grid of few layers, rows of a layer for each thread.
 */
#include "common/steps.h"
#include "hotspot3d/hotspot3d.h"

#include <stdlib.h>

static const struct workload_about about = {"hotspot3d-omp", "Heat in a stack of dies, on a 3D grid, by threads.",
					    "128 x 128 x 8 cells, 3 steps", "512 x 512 x 8 cells, 100 steps"};
static const struct workload_count counts[] = {
	{"nx", "cells along x", 128, 512, 2, 8192, 1, NULL},
	{"ny", "cells along y", 128, 512, 2, 8192, 1, NULL},
	{"layers", "cells along z", 8, 8, 1, 64, 1, NULL},
	{"steps", "steps of time", 3, 100, 1, 10000, 1, NULL},
};

struct stack {
	size_t nx, ny, nz;
	unsigned int steps;
	float *power, *heat[2];
};

static void step(const struct stack *s, const float *restrict from, float *restrict to, bool is_team)
{
	const size_t nx = s->nx, ny = s->ny, nz = s->nz, plane = nx * ny;
	const float *power = s->power;

#pragma omp parallel for collapse(2) if (is_team)
	for (size_t z = 0; z < nz; z++) {
		for (size_t y = 0; y < ny; y++) {
			const struct hotspot3d_weights w = hotspot3d_weights;
			const size_t south = y < ny - 1 ? nx : 0, north = y > 0 ? nx : 0;
			const size_t top = z > 0 ? plane : 0, bottom = z < nz - 1 ? plane : 0;

			for (size_t x = 0; x < nx; x++) {
				const size_t i = z * plane + y * nx + x;
				float sum = w.own * from[i];

				sum += w.east_west * from[x > 0 ? i - 1 : i] +
				       w.east_west * from[x < nx - 1 ? i + 1 : i];
				sum += w.north_south * from[i + south] + w.north_south * from[i - north];
				sum += w.top_bottom * from[i - top] + w.top_bottom * from[i + bottom];
				to[i] = sum + w.power * power[i] + w.ambient;
			}
		}
	}
}

static void steps(const struct stack *s, bool is_team)
{
	for (unsigned int n = 0; n < s->steps; n++)
		step(s, s->heat[n % 2], s->heat[1 - n % 2], is_team);
}

static struct stack stack_make(const struct workload_options *o)
{
	struct stack s = {.nx = o->counts[0], .ny = o->counts[1], .nz = o->counts[2], .steps = o->counts[3]};
	const size_t count = s.nx * s.ny * s.nz;

	s.power = workload_host_alloc(count, sizeof(float));
	s.heat[0] = workload_host_alloc(count, sizeof(float));
	s.heat[1] = workload_host_alloc(count, sizeof(float));
	for (size_t i = 0; i < count; i++) {
		s.heat[0][i] = 60 + 20 * workload_random_float(o->seed, 0, i);
		s.power[i] = workload_random_float(o->seed, 1, i);
	}
	return s;
}

static void stack_free(struct stack *s)
{
	free(s->power);
	free(s->heat[0]);
	free(s->heat[1]);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct stack got, want;
	double begin;
	bool right;

	strata_modelling_end();
	got = stack_make(&o);
	want = stack_make(&o);
	workload_input(got.heat[0], got.nx * got.ny * got.nz * sizeof(float));
	workload_input(got.power, got.nx * got.ny * got.nz * sizeof(float));
	workload_input_number(got.nx);
	workload_input_number(got.ny);
	workload_input_number(got.steps);
	begin = steps_begin();
	steps(&got, true);
	steps_end(begin);
	steps(&want, false);
	right = workload_same_f32("cell", got.heat[got.steps % 2], want.heat[want.steps % 2],
				  got.nx * got.ny * got.nz, 0);
	stack_free(&want);
	stack_free(&got);
	return workload_finish(right, "%u x %u x %u cells, %u steps", o.counts[0], o.counts[1], o.counts[2],
			       o.counts[3]);
}
