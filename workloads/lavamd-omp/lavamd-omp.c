/*
 * Forces between particles in a box of boxes by threads: boxes for each, of each particle those of its own box and of
 * the 26 around it.
 */
#include "common/steps.h"
#include "lavamd/lavamd.h"

#include <math.h>
#include <stdlib.h>

static const struct workload_about about = {"lavamd-omp", "Forces between particles in neighbouring boxes, by threads.",
					    "2 x 2 x 2 boxes", "10 x 10 x 10 boxes"};
static const struct workload_count counts[] = {
	{"boxes", "boxes along a side, of 100 particles each", 2, 10, 1, 64, 1, NULL},
};

static const float sharpness = 0.5f; /* as in Rodinia */

struct space {
	unsigned int side, boxes_count;
	struct lavamd_box *boxes;
	struct lavamd_vector *places;
	float *charges;
};

static size_t particles_count(const struct space *space)
{
	return (size_t)space->boxes_count * LAVAMD_PARTICLES;
}

static void neighbours_find(const struct space *space, unsigned int index)
{
	struct lavamd_box *box = &space->boxes[index];
	const int side = (int)space->side;
	const int x = (int)index % side, y = (int)index / side % side, z = (int)index / side / side;

	box->neighbours[box->neighbours_count++] = index;
	for (int n = 0; n < LAVAMD_NEIGHBOURS; n++) {
		const int nx = x + n % 3 - 1, ny = y + n / 3 % 3 - 1, nz = z + n / 9 - 1;

		if (n != LAVAMD_NEIGHBOURS / 2 && nx >= 0 && nx < side && ny >= 0 && ny < side && nz >= 0 && nz < side)
			box->neighbours[box->neighbours_count++] = (unsigned int)((nz * side + ny) * side + nx);
	}
}

static struct space space_make(unsigned int side, uint64_t seed)
{
	struct space space = {.side = side, .boxes_count = side * side * side};

	space.boxes = workload_host_alloc(space.boxes_count, sizeof(*space.boxes));
	space.places = workload_host_alloc(particles_count(&space), sizeof(*space.places));
	space.charges = workload_host_alloc(particles_count(&space), sizeof(float));
	for (unsigned int i = 0; i < space.boxes_count; i++)
		neighbours_find(&space, i);
	for (size_t i = 0; i < particles_count(&space); i++) {
		struct lavamd_vector *p = &space.places[i];

		p->x = 0.1f + 0.9f * workload_random_float(seed, 0, i);
		p->y = 0.1f + 0.9f * workload_random_float(seed, 1, i);
		p->z = 0.1f + 0.9f * workload_random_float(seed, 2, i);
		p->v = 0.5f * (p->x * p->x + p->y * p->y + p->z * p->z);
		space.charges[i] = 0.1f + 0.9f * workload_random_float(seed, 3, i);
	}
	return space;
}

static struct lavamd_vector force_of(const struct space *space, size_t particle)
{
	const struct lavamd_box *box = &space->boxes[particle / LAVAMD_PARTICLES];
	const struct lavamd_vector *a = &space->places[particle];
	const float twice = 2 * sharpness * sharpness;
	struct lavamd_vector force = {0};

	for (unsigned int k = 0; k < box->neighbours_count; k++) {
		for (size_t j = 0; j < LAVAMD_PARTICLES; j++) {
			const size_t at = (size_t)box->neighbours[k] * LAVAMD_PARTICLES + j;
			const struct lavamd_vector *b = &space->places[at];
			const float product = a->x * b->x + a->y * b->y + a->z * b->z;
			const float potential = expf(-twice * (a->v + b->v - product));
			const float slope = 2 * potential * space->charges[at];

			force.v += space->charges[at] * potential;
			force.x += slope * (a->x - b->x);
			force.y += slope * (a->y - b->y);
			force.z += slope * (a->z - b->z);
		}
	}
	return force;
}

static void forces(const struct space *space, struct lavamd_vector *result, bool is_team)
{
#pragma omp parallel for if (is_team)
	for (size_t i = 0; i < particles_count(space); i++)
		result[i] = force_of(space, i);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct lavamd_vector *got, *want;
	struct space space;
	double begin;
	bool right;

	strata_modelling_end();
	space = space_make(o.counts[0], o.seed);
	workload_input(space.places, particles_count(&space) * sizeof(*space.places));
	workload_input(space.charges, particles_count(&space) * sizeof(float));
	got = workload_host_alloc(particles_count(&space), sizeof(*got));
	want = workload_host_alloc(particles_count(&space), sizeof(*want));
	begin = steps_begin();
	forces(&space, got, true);
	steps_end(begin);
	forces(&space, want, false);
	right = workload_same_f32("component of a force", &got->v, &want->v, 4 * particles_count(&space), 0);
	free(space.boxes);
	free(space.places);
	free(space.charges);
	free(got);
	free(want);
	return workload_finish(right, "%u boxes of %u particles", space.boxes_count, LAVAMD_PARTICLES);
}
