/*
 * Laplace's equation on a 3D grid by Jacobi sweeps, tuned for shared memory: every point is read once per sweep from
 * global memory, coalesced.  Compared bit for bit with the same sweeps on the host.
 */
#include "common/workload.h"
#include "lps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char lps_ptx[] =
#include WORKLOAD_PTX
    ;

struct lps {
	unsigned int nx, ny, nz;
	unsigned int pitch; /* points from row to row: rows begin at multiples of a tile's width */
	unsigned int sweeps_count;
	float *grid;
	float *result;
};

static size_t points_count(const struct lps *work)
{
	return (size_t)work->pitch * work->ny * work->nz;
}

static void sweeps_run(struct lps *work)
{
	struct workload_gpu gpu = workload_gpu_open(lps_ptx);
	CUfunction kernel = workload_gpu_kernel(&gpu, "lps_sweep");
	size_t bytes = points_count(work) * sizeof(float);
	CUdeviceptr from = workload_device_copy(work->grid, bytes);
	CUdeviceptr to = workload_device_alloc(bytes);
	struct workload_dim grid = {workload_ctas(work->nx, LPS_TILE_X), workload_ctas(work->ny, LPS_TILE_Y), 1};
	void *params[] = {&from, &to, &work->nx, &work->ny, &work->nz, &work->pitch};

	/* The faces are never written: both grids need them. */
	WORKLOAD_CUDA(cuMemcpyDtoD(to, from, bytes));
	for (unsigned int sweep = 0; sweep < work->sweeps_count; sweep++) {
		CUdeviceptr swap = from;

		workload_launch(kernel, grid, (struct workload_dim){LPS_TILE_X, LPS_TILE_Y, 1}, params);
		from = to;
		to = swap;
	}
	WORKLOAD_CUDA(cuMemcpyDtoH(work->result, from, bytes));
	WORKLOAD_CUDA(cuMemFree(from));
	WORKLOAD_CUDA(cuMemFree(to));
	workload_gpu_close(&gpu);
}

static void sweep_reference(const struct lps *work, const float *from, float *to)
{
	size_t pitch = work->pitch;
	size_t plane = pitch * work->ny;

	for (size_t z = 1; z + 1 < work->nz; z++) {
		for (size_t y = 1; y + 1 < work->ny; y++) {
			for (size_t x = 1; x + 1 < work->nx; x++) {
				size_t i = z * plane + y * pitch + x;
				float sum = from[i - 1] + from[i + 1];

				sum += from[i - pitch];
				sum += from[i + pitch];
				sum += from[i - plane];
				sum += from[i + plane];
				to[i] = sum * LPS_SIXTH;
			}
		}
	}
}

/* Overwrites the input grid. */
static bool result_check(struct lps *work)
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
	static const struct workload_about about = {"lps", "Laplace's equation on a 3D grid, planes in shared memory.",
						    "256 x 64 x 24 grid, 2 sweeps",
						    "100 x 100 x 100 grid, 1 sweep"};
	struct workload_options options = workload_options_parse(&about, argc, argv);
	struct lps work = {
	    .nx = options.paper ? 100 : 256,
	    .ny = options.paper ? 100 : 64,
	    .nz = options.paper ? 100 : 24,
	    .sweeps_count = options.paper ? 1 : 2,
	};
	size_t count;
	bool right;

	work.pitch = workload_ctas(work.nx, LPS_TILE_X) * LPS_TILE_X;
	count = points_count(&work);
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
