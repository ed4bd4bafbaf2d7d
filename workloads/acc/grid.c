/* grid.c - the grid of an OpenACC program, its steps on the device and on the host, the comparison. */
#include "acc/grid.h"

#include <stdlib.h>

static struct acc_grid grid_of(const struct acc_program *p, const unsigned int *counts)
{
	struct acc_grid g = {.nx = (int)counts[0], .ny = (int)counts[1], .nz = p->dimensions == 3 ? (int)counts[3] : 1};

	g.row = g.nx;
	g.plane = g.nx * g.ny;
	g.count = g.plane * g.nz;
	g.gangs = (g.count + 255) / 256;
	return g;
}

/* Between a half and one and a half, so that nothing overflows in a few steps. */
static float *array_new(const struct acc_grid *g, uint64_t seed, uint32_t number)
{
	float *a = workload_host_alloc((size_t)g->count, sizeof(float));

	for (int i = 0; i < g->count; i++)
		a[i] = 0.5f + workload_random_float(seed, number, (uint64_t)i);
	return a;
}

void grid_steps(const struct acc_program *p, struct acc_grid *g, float **a, unsigned int step_count, bool on_device)
{
	for (g->step = 0; g->step < step_count; g->step++)
		(g->is_reuse && on_device ? p->reuse : p->sweep)(g, a, on_device);
}

int acc_main(const struct acc_program *p, int argc, char **argv)
{
	const bool is_3d = p->dimensions == 3;
	static const char *const variants[] = {"original", "reuse", NULL};
	struct workload_count counts[] = {
	    {"nx", "points along x", 64, 256, 8, 4096, 1, NULL},
	    {"ny", "points along y", is_3d ? 16 : 64, is_3d ? 128 : 1024, 8, 4096, 1, NULL},
	    {"steps", "steps of time", 1, 1, 1, 1000, 1, NULL},
	    {"nz", "points along z", 16, 1024, 8, 4096, 1, NULL},
	    {"variant", "a load for each use, or what threads share loaded once for a loop", 0, 0, 0, 1, 1, variants},
	};
	unsigned int count = is_3d ? 4 : 3;
	struct workload_options o;
	struct acc_grid g;
	float *device[ACC_ARRAYS_MAX], *host[ACC_ARRAYS_MAX];
	bool right = true;

	if (p->reuse)
		counts[count++] = counts[4];
	o = workload_sized_parse(&p->about, counts, count, argc, argv);
	g = grid_of(p, o.counts);
	g.is_reuse = p->reuse && o.counts[count - 1];
	device_open();
	for (unsigned int n = 0; n < p->array_count; n++) {
		device[n] = array_new(&g, o.seed, n);
		host[n] = array_new(&g, o.seed, n);
	}
	for (unsigned int n = 0; n < p->array_count; n++)
		workload_input(device[n], (size_t)g.count * sizeof(float));
	workload_input_number((uint64_t)g.nx);
	workload_input_number((uint64_t)g.ny);
	workload_input_number(o.counts[2]);
	device_steps(p, &g, device, o.counts[2]);
	grid_steps(p, &g, host, o.counts[2], false);
	for (unsigned int n = 0; n < p->array_count; n++) {
		right = workload_same_f32("point", device[n], host[n], (size_t)g.count, 0) && right;
		free(device[n]);
		free(host[n]);
	}
	return workload_finish(right, "%d x %d x %d points, %u steps", g.nx, g.ny, g.nz, o.counts[2]);
}
