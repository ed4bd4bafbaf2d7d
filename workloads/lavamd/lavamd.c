/*
 * Forces between particles in a box of boxes: each on those of its own box and of the 26 around it.  The exponential is
 * the GPU's fast one, so that results are compared to a tolerance.
 */
#include "common/workload.h"
#include "lavamd.h"

#include <math.h>
#include <stdlib.h>

static const char lavamd_ptx[] =
#include WORKLOAD_PTX
    ;

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

static void neighbours_find(struct space *space, unsigned int index)
{
	struct lavamd_box *box = &space->boxes[index];
	const int side = (int)space->side;
	const int x = (int)index % side, y = (int)index / side % side, z = (int)index / side / side;

	box->neighbours[box->neighbours_count++] = index;
	for (int n = 0; n < LAVAMD_NEIGHBOURS; n++) {
		int nx = x + n % 3 - 1, ny = y + n / 3 % 3 - 1, nz = z + n / 9 - 1;

		if (n != LAVAMD_NEIGHBOURS / 2 && nx >= 0 && nx < side && ny >= 0 && ny < side && nz >= 0 && nz < side)
			box->neighbours[box->neighbours_count++] = (unsigned int)((nz * side + ny) * side + nx);
	}
}

static void space_make(struct space *space, uint64_t seed)
{
	space->boxes_count = space->side * space->side * space->side;
	space->boxes = workload_host_alloc(space->boxes_count, sizeof(*space->boxes));
	space->places = workload_host_alloc(particles_count(space), sizeof(*space->places));
	space->charges = workload_host_alloc(particles_count(space), sizeof(float));
	for (unsigned int i = 0; i < space->boxes_count; i++)
		neighbours_find(space, i);
	for (size_t i = 0; i < particles_count(space); i++) {
		struct lavamd_vector *p = &space->places[i];

		p->x = 0.1f + 0.9f * workload_random_float(seed, 0, i);
		p->y = 0.1f + 0.9f * workload_random_float(seed, 1, i);
		p->z = 0.1f + 0.9f * workload_random_float(seed, 2, i);
		p->v = 0.5f * (p->x * p->x + p->y * p->y + p->z * p->z);
		space->charges[i] = 0.1f + 0.9f * workload_random_float(seed, 3, i);
	}
}

static void forces_run(const struct space *space, struct lavamd_vector *result)
{
	struct workload_gpu gpu = workload_gpu_open(lavamd_ptx);
	CUfunction kernel = workload_gpu_kernel(&gpu, "lavamd_forces");
	size_t bytes = particles_count(space) * sizeof(struct lavamd_vector);
	CUdeviceptr boxes = workload_device_copy(space->boxes, space->boxes_count * sizeof(*space->boxes));
	CUdeviceptr places = workload_device_copy(space->places, bytes);
	CUdeviceptr charges = workload_device_copy(space->charges, particles_count(space) * sizeof(float));
	CUdeviceptr forces = workload_device_copy(result, bytes);
	float sharp = sharpness;
	void *params[] = {&boxes, &places, &charges, &forces, &sharp};

	workload_launch(kernel, (struct workload_dim){space->boxes_count, 1, 1},
			(struct workload_dim){LAVAMD_THREADS, 1, 1}, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(result, forces, bytes));
	WORKLOAD_CUDA(cuMemFree(boxes));
	WORKLOAD_CUDA(cuMemFree(places));
	WORKLOAD_CUDA(cuMemFree(charges));
	WORKLOAD_CUDA(cuMemFree(forces));
	workload_gpu_close(&gpu);
}

static struct lavamd_vector force_reference(const struct space *space, size_t particle)
{
	const struct lavamd_box *box = &space->boxes[particle / LAVAMD_PARTICLES];
	const struct lavamd_vector *a = &space->places[particle];
	const float twice = 2 * sharpness * sharpness;
	struct lavamd_vector force = {0};

	for (unsigned int k = 0; k < box->neighbours_count; k++) {
		for (size_t j = 0; j < LAVAMD_PARTICLES; j++) {
			const size_t at = (size_t)box->neighbours[k] * LAVAMD_PARTICLES + j;
			const struct lavamd_vector *b = &space->places[at];
			float potential = expf(-twice * (a->v + b->v - (a->x * b->x + a->y * b->y + a->z * b->z)));
			float slope = 2 * potential * space->charges[at];

			force.v += space->charges[at] * potential;
			force.x += slope * (a->x - b->x);
			force.y += slope * (a->y - b->y);
			force.z += slope * (a->z - b->z);
		}
	}
	return force;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"lavamd", "Forces between particles in neighbouring boxes.",
						    "2 x 2 x 2 boxes", "10 x 10 x 10 boxes"};
	static const struct workload_count counts[] = {
	    {"boxes", "boxes along a side, of 100 particles each", 2, 10, 1, 64, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct space space = {.side = options.counts[0]};
	struct lavamd_vector *got, *want;
	bool right;

	space_make(&space, options.seed);
	workload_input(space.places, particles_count(&space) * sizeof(*space.places));
	workload_input(space.charges, particles_count(&space) * sizeof(float));
	got = workload_host_alloc(particles_count(&space), sizeof(*got));
	want = workload_host_alloc(particles_count(&space), sizeof(*want));
	forces_run(&space, got);
	for (size_t i = 0; i < particles_count(&space); i++)
		want[i] = force_reference(&space, i);
	right = workload_close_f32("component of a force", &got->v, &want->v, 4 * particles_count(&space), 1e-4f);
	free(space.boxes);
	free(space.places);
	free(space.charges);
	free(got);
	free(want);
	return workload_finish(right, "%u boxes of %u particles", space.boxes_count, LAVAMD_PARTICLES);
}
