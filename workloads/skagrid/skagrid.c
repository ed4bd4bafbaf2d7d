/*
 * Gridding of the SKA (NDP thesis, sections 2.3 and 2.4): each visibility times the part of a convolution matrix that
 * its place selects, added to a grid atomically.  Values are small multiples of 1/16, so that every order of additions
 * has the same result; compared bit for bit with the host's.
 */
#include "common/workload.h"
#include "skagrid/host.h"

#include <stdlib.h>

static const char skagrid_ptx[] =
#include WORKLOAD_PTX
	;

int main(int argc, char **argv)
{
	static const struct workload_about about = {"skagrid", "Gridding of the SKA, with atomic additions.",
						    "512 visibilities on 256 x 256 pixels",
						    "32,768 visibilities on 2,048 x 2,048 pixels"};
	static const struct workload_count counts[] = {
		{"visibilities", "visibilities", 512, 32768, 1, 16777216, 1, NULL},
		{"side", "pixels of a side of the grid", 256, 2048, 2 * SKAGRID_SIDE, 16384, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	unsigned int count = options.counts[0], side = options.counts[1];
	size_t grid_count = 2 * (size_t)side * side;
	struct sample *visibilities = workload_host_alloc(count, sizeof(*visibilities));
	struct sample *matrix = workload_host_alloc(MATRIX_SIDE * MATRIX_SIDE, sizeof(*matrix));
	struct place *places = workload_host_alloc(count, sizeof(*places));
	float *want = workload_host_alloc(grid_count, sizeof(float));
	float *got = workload_host_alloc(grid_count, sizeof(float));
	bool right;

	samples_make(visibilities, count, options.seed, 0);
	samples_make(matrix, MATRIX_SIDE * MATRIX_SIDE, options.seed, 2);
	places_make(places, count, side, options.seed);
	grid_make(want, side, visibilities, places, matrix, count);

	struct workload_gpu gpu = workload_gpu_open(skagrid_ptx);
	CUdeviceptr v = workload_device_copy(visibilities, count * sizeof(*visibilities));
	CUdeviceptr p = workload_device_copy(places, count * sizeof(*places));
	CUdeviceptr m = workload_device_copy(matrix, MATRIX_SIDE * MATRIX_SIDE * sizeof(*matrix));
	CUdeviceptr g = workload_device_copy(got, grid_count * sizeof(float));
	void *params[] = {&v, &p, &m, &g, &side, &count};

	workload_launch(workload_gpu_kernel(&gpu, "grid_visibilities"),
			(struct workload_dim){workload_ctas(count, SKAGRID_VISIBILITIES), 1, 1},
			(struct workload_dim){SKAGRID_SIDE, SKAGRID_SIDE, 1}, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(got, g, grid_count * sizeof(float)));
	right = workload_same_f32("grid", got, want, grid_count, 0);
	WORKLOAD_CUDA(cuMemFree(v));
	WORKLOAD_CUDA(cuMemFree(p));
	WORKLOAD_CUDA(cuMemFree(m));
	WORKLOAD_CUDA(cuMemFree(g));
	workload_gpu_close(&gpu);
	workload_measure("operations", operations_of(count), "operations");
	free(visibilities);
	free(matrix);
	free(places);
	free(want);
	free(got);
	return workload_finish(right, "%u visibilities, %u x %u pixels", count, side, side);
}
