/*
 * White blood cells in a film: circles are fitted to the first frame's gradient, and each cell that is found is
 * followed by a gradient vector flow in its window, frame by frame.  Compared bit for bit with the same on the host.
 */
#include "common/workload.h"
#include "leukocyte/host.h"

#include <stdlib.h>

static const char leukocyte_ptx[] =
#include WORKLOAD_PTX
    ;

enum { THREADS = 256 };
enum { ORIGINAL, UNROLLED };

struct findings {
	float *fits, *largest; /* of the first frame */
	struct cells cells;
	float *edges, *flows; /* of a frame, a window per cell */
};

static void edges_make(const struct film *film, const struct gradient *g, struct findings *f)
{
	for (unsigned int c = 0; c < f->cells.count; c++)
		edges_of(film, g, f->cells.at[c], f->edges + (size_t)c * LEUKOCYTE_AREA);
}

static void cells_move(const struct film *film, struct findings *f)
{
	for (unsigned int c = 0; c < f->cells.count; c++)
		cell_move(film, &f->cells.at[c], f->flows + (size_t)c * LEUKOCYTE_AREA);
}

/* ---- on the GPU ---- */

static void detect_run(const struct workload_gpu *gpu, struct film *film, const struct gradient *g, struct findings *f)
{
	const size_t bytes = pixels_count(film) * sizeof(float);
	CUdeviceptr circles = workload_device_copy(&film->circles, sizeof(film->circles));
	CUdeviceptr x = workload_device_copy(g->x, bytes);
	CUdeviceptr y = workload_device_copy(g->y, bytes);
	CUdeviceptr fits = workload_device_alloc(bytes);
	CUdeviceptr largest = workload_device_alloc(bytes);
	struct workload_dim grid = {workload_ctas(pixels_count(film), THREADS), 1, 1}, block = {THREADS, 1, 1};
	void *fit_params[] = {&circles, &x, &y, &fits, &film->rows, &film->columns};
	void *dilate_params[] = {&fits, &largest, &film->rows, &film->columns};

	workload_launch(workload_gpu_kernel(gpu, "leukocyte_fit"), grid, block, fit_params);
	workload_launch(workload_gpu_kernel(gpu, "leukocyte_dilate"), grid, block, dilate_params);
	WORKLOAD_CUDA(cuMemcpyDtoH(f->fits, fits, bytes));
	WORKLOAD_CUDA(cuMemcpyDtoH(f->largest, largest, bytes));
	WORKLOAD_CUDA(cuMemFree(circles));
	WORKLOAD_CUDA(cuMemFree(x));
	WORKLOAD_CUDA(cuMemFree(y));
	WORKLOAD_CUDA(cuMemFree(fits));
	WORKLOAD_CUDA(cuMemFree(largest));
}

static void flows_run(const struct workload_gpu *gpu, const struct film *film, bool is_unrolled, struct findings *f)
{
	const size_t bytes = (size_t)f->cells.count * LEUKOCYTE_AREA * sizeof(float);
	CUfunction kernel =
	    workload_gpu_kernel(gpu, is_unrolled ? "leukocyte_flow_unrolled" : "leukocyte_flow_original");
	CUdeviceptr edges = workload_device_copy(f->edges, bytes);
	CUdeviceptr flows = workload_device_alloc(bytes);
	unsigned int iterations = film->iterations, least = least_change();
	void *params[] = {&edges, &flows, &iterations, &least};

	workload_launch(kernel, (struct workload_dim){f->cells.count, 1, 1},
			(struct workload_dim){is_unrolled ? LEUKOCYTE_UNROLLED_THREADS : LEUKOCYTE_THREADS, 1, 1},
			params);
	WORKLOAD_CUDA(cuMemcpyDtoH(f->flows, flows, bytes));
	WORKLOAD_CUDA(cuMemFree(edges));
	WORKLOAD_CUDA(cuMemFree(flows));
}

/* ---- on the host ---- */

static void detect_reference(const struct film *film, const struct gradient *g, struct findings *f)
{
	const unsigned int margin = LEUKOCYTE_MARGIN;

	for (unsigned int row = margin; row + margin < film->rows; row++) {
		for (unsigned int column = margin; column + margin < film->columns; column++) {
			const size_t i = (size_t)row * film->columns + column;

			f->fits[i] = fit_of(film, g, i);
		}
	}
	for (unsigned int row = 0; row < film->rows; row++)
		for (unsigned int column = 0; column < film->columns; column++)
			f->largest[(size_t)row * film->columns + column] = largest_of(film, f->fits, row, column);
}

/* ---- both ---- */

static struct findings findings_make(const struct film *film)
{
	return (struct findings){
	    .fits = workload_host_alloc(pixels_count(film), sizeof(float)),
	    .largest = workload_host_alloc(pixels_count(film), sizeof(float)),
	    .edges = workload_host_alloc((size_t)CELLS_MAX * LEUKOCYTE_AREA, sizeof(float)),
	    .flows = workload_host_alloc((size_t)CELLS_MAX * LEUKOCYTE_AREA, sizeof(float)),
	};
}

static void findings_free(struct findings *f)
{
	free(f->fits);
	free(f->largest);
	free(f->edges);
	free(f->flows);
}

/* The frame's cells against the host's, which go on from there. */
static bool frame_check(const struct film *film, const struct gradient *g, struct findings *got, struct findings *want)
{
	const size_t count = (size_t)want->cells.count * LEUKOCYTE_AREA;

	edges_make(film, g, want);
	for (size_t at = 0; at < count; at += LEUKOCYTE_AREA)
		flow_of(want->edges + at, want->flows + at, film->iterations);
	return workload_same_f32("flow", got->flows, want->flows, count, 0);
}

/* *count: of cells; at first, at most. */
static bool film_run(struct film *film, bool is_unrolled, unsigned int *count)
{
	struct workload_gpu gpu = workload_gpu_open(leukocyte_ptx);
	struct findings got = findings_make(film), want = findings_make(film);
	float *pixels = workload_host_alloc(pixels_count(film), sizeof(float));
	const struct gradient g = {workload_host_alloc(pixels_count(film), sizeof(float)),
				   workload_host_alloc(pixels_count(film), sizeof(float))};
	bool right;

	gradient_make(film, 0, pixels, &g);
	detect_run(&gpu, film, &g, &got);
	detect_reference(film, &g, &want);
	right = workload_same_f32("fit", got.fits, want.fits, pixels_count(film), 0) &&
		workload_same_f32("largest fit", got.largest, want.largest, pixels_count(film), 0);
	cells_find(film, got.fits, got.largest, *count, &got.cells);
	cells_find(film, want.fits, want.largest, *count, &want.cells);
	if (!got.cells.count)
		workload_fail("there is no cell in a frame of %u x %u", film->rows, film->columns);
	for (unsigned int frame = 0; right && frame < film->frames_count; frame++) {
		gradient_make(film, frame, pixels, &g);
		workload_input(pixels, pixels_count(film) * sizeof(float));
		edges_make(film, &g, &got);
		flows_run(&gpu, film, is_unrolled, &got);
		right = frame_check(film, &g, &got, &want);
		cells_move(film, &got);
		cells_move(film, &want);
	}
	*count = got.cells.count;
	findings_free(&got);
	findings_free(&want);
	free(pixels);
	free(g.x);
	free(g.y);
	workload_gpu_close(&gpu);
	return right;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"leukocyte", "White blood cells found and followed in a film.",
						    "64 x 96 pixels, 8 cells, 1 frame",
						    "219 x 640 pixels, 36 cells, 5 frames"};
	static const char *const variants[] = {"original", "unrolled", NULL};
	static const struct workload_count counts[] = {
	    {"rows", "rows of pixels", 64, 219, LEUKOCYTE_SIDE, 4096, 1, NULL},
	    {"columns", "columns of pixels", 96, 640, LEUKOCYTE_SIDE, 4096, 1, NULL},
	    {"frames", "frames that cells are followed in", 1, 5, 1, 1000, 1, NULL},
	    {"cells", "cells that are followed, at most", 8, 36, 1, CELLS_MAX, 1, NULL},
	    {"iterations", "of a flow, at most", 10, 500, 1, 10000, 1, NULL},
	    {"variant", "the sweep over a window: a loop, or unrolled with 1,024 threads", ORIGINAL, ORIGINAL, 0,
	     UNROLLED, 1, variants},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct film film = {
	    .rows = options.counts[0],
	    .columns = options.counts[1],
	    .frames_count = options.counts[2],
	    .iterations = options.counts[4],
	    .seed = options.seed,
	};
	unsigned int cells_count = options.counts[3];
	bool right;

	circles_make(&film.circles);
	workload_input_number(film.iterations);
	workload_input_number(cells_count);
	right = film_run(&film, options.counts[5] == UNROLLED, &cells_count);
	return workload_finish(right, "%u x %u pixels, %u cells, %u frames", film.rows, film.columns, cells_count,
			       film.frames_count);
}
