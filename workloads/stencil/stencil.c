/*
 * Jacobi sweeps of a 7-point stencil over a 3D grid: seven loads per point, most of which hit in a cache that holds a
 * few rows and planes.  Compared bit for bit with the same sweeps on the host.
 */
#include "common/workload.h"
#include "stencil.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char stencil_ptx[] =
#include WORKLOAD_PTX
	;

struct stencil {
	unsigned int nx, ny, nz;
	unsigned int sweeps_count;
	float *grid;
	float *result;
};

static size_t points_count(const struct stencil *work)
{
	return (size_t)work->nx * work->ny * work->nz;
}

static void sweeps_run(struct stencil *work)
{
	struct workload_gpu gpu = workload_gpu_open(stencil_ptx);
	CUfunction kernel = workload_gpu_kernel(&gpu, "stencil_sweep");
	size_t bytes = points_count(work) * sizeof(float);
	CUdeviceptr from = workload_device_copy(work->grid, bytes);
	CUdeviceptr to = workload_device_alloc(bytes);
	float side = STENCIL_SIDE, centre = STENCIL_CENTRE;
	void *params[] = {&side, &centre, &from, &to, &work->nx, &work->ny};
	struct workload_dim grid = {work->ny - 2, work->nz - 2, 1};
	struct workload_dim block = {work->nx - 1, 1, 1};

	/* The faces are never written: both grids need them. */
	WORKLOAD_CUDA(cuMemcpyDtoD(to, from, bytes));
	for (unsigned int sweep = 0; sweep < work->sweeps_count; sweep++) {
		CUdeviceptr swap = from;

		workload_launch(kernel, grid, block, params);
		from = to;
		to = swap;
	}
	WORKLOAD_CUDA(cuMemcpyDtoH(work->result, from, bytes));
	WORKLOAD_CUDA(cuMemFree(from));
	WORKLOAD_CUDA(cuMemFree(to));
	workload_gpu_close(&gpu);
}

static void sweep_reference(const struct stencil *work, const float *from, float *to)
{
	size_t nx = work->nx;
	size_t plane = nx * work->ny;

	for (size_t z = 1; z + 1 < work->nz; z++) {
		for (size_t y = 1; y + 1 < work->ny; y++) {
			for (size_t x = 1; x + 1 < nx; x++) {
				size_t i = z * plane + y * nx + x;
				float sides = from[i + plane] + from[i - plane];

				sides += from[i + nx];
				sides += from[i - nx];
				sides += from[i + 1];
				sides += from[i - 1];
				to[i] = fmaf(STENCIL_SIDE, sides, STENCIL_CENTRE * from[i]);
			}
		}
	}
}

/* Overwrites the input grid. */
static bool result_check(struct stencil *work)
{
	size_t count = points_count(work);
	float *from = work->grid;
	float *to = workload_host_alloc(count, sizeof(float));
	float *other = to;
	bool right;

	memcpy(to, from, count * sizeof(float));
	for (unsigned int sweep = 0; sweep < work->sweeps_count; sweep++) {
		float *swap = from;

		sweep_reference(work, from, to);
		from = to;
		to = swap;
	}
	right = workload_same_f32("point", work->result, from, count, 0);
	free(other);
	return right;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"stencil", "Jacobi sweeps of a 7-point stencil over a 3D grid.", "128 x 128 x 16 grid, 2 sweeps",
		"512 x 512 x 64 grid (NSU Table 1), 2 sweeps"};
	static const struct workload_count counts[] = {
		{"nx", "points along x, a CTA's threads and one", 128, 512, 3, 1025, 1, NULL},
		{"ny", "points along y", 128, 512, 3, 4096, 1, NULL},
		{"nz", "points along z", 16, 64, 3, 1024, 1, NULL},
		{"sweeps", "sweeps over the grid", 2, 2, 1, 1000, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct stencil work = {
		.nx = options.counts[0],
		.ny = options.counts[1],
		.nz = options.counts[2],
		.sweeps_count = options.counts[3],
	};
	size_t count = points_count(&work);
	bool right;

	work.grid = workload_host_alloc(count, sizeof(float));
	work.result = workload_host_alloc(count, sizeof(float));
	for (size_t i = 0; i < count; i++)
		work.grid[i] = workload_random_float(options.seed, 0, i);
	sweeps_run(&work);
	right = result_check(&work);
	free(work.grid);
	free(work.result);
	return workload_finish(right, "%u x %u x %u grid, %u sweeps", work.nx, work.ny, work.nz, work.sweeps_count);
}
