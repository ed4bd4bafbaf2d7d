/*
 * White blood cells in a film: circles are fitted to the first frame's gradient, and each cell that is found is
 * followed by a gradient vector flow in its window, frame by frame.  Compared bit for bit with the same on the host.
 */
#include "common/workload.h"
#include "leukocyte.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char leukocyte_ptx[] =
#include WORKLOAD_PTX
    ;

enum { THREADS = 256, CELLS_MAX = 256 };
enum { ORIGINAL, UNROLLED };

struct film {
	unsigned int rows, columns, frames, cells_wanted, iterations, variant;
	uint64_t seed;
	struct leukocyte_circles circles;
	/* of the frame at hand, [row * columns + column] */
	float *pixels, *gradient_x, *gradient_y;
};

struct cell {
	unsigned int row, column; /* of the middle of its window */
};

struct findings {
	float *fits, *largest; /* of the first frame */
	unsigned int cells_count;
	struct cell cells[CELLS_MAX];
	float *edges, *flows; /* of a frame, a window per cell */
};

static size_t pixels_count(const struct film *film)
{
	return (size_t)film->rows * film->columns;
}

static void circles_make(struct leukocyte_circles *c)
{
	for (unsigned int k = 0; k < LEUKOCYTE_POINTS; k++) {
		const double angle = 2 * acos(-1) * k / LEUKOCYTE_POINTS;

		c->cosines[k] = (float)cos(angle);
		c->sines[k] = (float)sin(angle);
		for (int circle = 0; circle < LEUKOCYTE_CIRCLES; circle++) {
			c->across[circle][k] = (int)lround((LEUKOCYTE_RADIUS + 2 * circle) * cos(angle));
			c->along[circle][k] = (int)lround((LEUKOCYTE_RADIUS + 2 * circle) * sin(angle));
		}
	}
}

/* Bright discs on a grid, each at its own place and going its way, and noise. */
static void frame_make(struct film *film, unsigned int frame)
{
	const float pitch = 24;

	for (unsigned int row = 0; row < film->rows; row++) {
		for (unsigned int column = 0; column < film->columns; column++) {
			const size_t i = (size_t)row * film->columns + column;
			const unsigned int disc =
			    (unsigned int)((float)row / pitch) * 1024 + (unsigned int)((float)column / pitch);
			const float x = fmodf((float)column, pitch) - pitch / 2 -
					2 * workload_random_float(film->seed, 1, disc) + 0.5f * (float)frame;
			const float y =
			    fmodf((float)row, pitch) - pitch / 2 - 2 * workload_random_float(film->seed, 2, disc);
			const float radius = 6 + 3 * workload_random_float(film->seed, 3, disc);

			film->pixels[i] = (x * x + y * y < radius * radius ? 0.8f : 0.2f) +
					  0.05f * workload_random_float(film->seed, 16 + frame, i);
		}
	}
	for (unsigned int row = 0; row < film->rows; row++) {
		for (unsigned int column = 0; column < film->columns; column++) {
			const size_t i = (size_t)row * film->columns + column;
			const size_t left = column > 0 ? i - 1 : i, right = column + 1 < film->columns ? i + 1 : i;
			const size_t up = row > 0 ? i - film->columns : i,
				     down = row + 1 < film->rows ? i + film->columns : i;

			film->gradient_x[i] = 0.5f * (film->pixels[right] - film->pixels[left]);
			film->gradient_y[i] = 0.5f * (film->pixels[down] - film->pixels[up]);
		}
	}
}

/* Where the fit is the largest around, from the top; a cell is a window's half from the frame's edge. */
static void cells_find(const struct film *film, struct findings *f)
{
	const unsigned int half = LEUKOCYTE_SIDE / 2;

	f->cells_count = 0;
	for (unsigned int row = half; row + half < film->rows; row++) {
		for (unsigned int column = half; column + half < film->columns; column++) {
			const size_t i = (size_t)row * film->columns + column;

			if (f->fits[i] > 0 && f->fits[i] >= f->largest[i] && f->cells_count < film->cells_wanted)
				f->cells[f->cells_count++] = (struct cell){row, column};
		}
	}
}

/* Strength of the gradient in each cell's window, from 0 to 1. */
static void edges_make(const struct film *film, struct findings *f)
{
	for (unsigned int c = 0; c < f->cells_count; c++) {
		for (unsigned int k = 0; k < LEUKOCYTE_AREA; k++) {
			const size_t row = f->cells[c].row - LEUKOCYTE_SIDE / 2 + k / LEUKOCYTE_SIDE;
			const size_t column = f->cells[c].column - LEUKOCYTE_SIDE / 2 + k % LEUKOCYTE_SIDE;
			const float x = film->gradient_x[row * film->columns + column];
			const float y = film->gradient_y[row * film->columns + column];

			f->edges[(size_t)c * LEUKOCYTE_AREA + k] = fminf(1, 2 * sqrtf(x * x + y * y));
		}
	}
}

static unsigned int towards(unsigned int from, unsigned int to, unsigned int most)
{
	const unsigned int half = LEUKOCYTE_SIDE / 2, moved = from < to ? from + 1 : from > to ? from - 1 : from;

	return moved < half ? half : moved + half >= most ? most - half - 1 : moved;
}

/* A cell goes a pixel towards the middle of its flow. */
static void cells_move(const struct film *film, struct findings *f)
{
	for (unsigned int c = 0; c < f->cells_count; c++) {
		const float *flow = f->flows + (size_t)c * LEUKOCYTE_AREA;
		double sum = 0, row = 0, column = 0;

		for (unsigned int k = 0; k < LEUKOCYTE_AREA; k++) {
			sum += flow[k];
			row += flow[k] * (double)(k / LEUKOCYTE_SIDE);
			column += flow[k] * (double)(k % LEUKOCYTE_SIDE);
		}
		if (sum <= 0)
			continue;
		f->cells[c].row =
		    towards(f->cells[c].row, f->cells[c].row - LEUKOCYTE_SIDE / 2 + (unsigned int)lround(row / sum),
			    film->rows);
		f->cells[c].column = towards(
		    f->cells[c].column, f->cells[c].column - LEUKOCYTE_SIDE / 2 + (unsigned int)lround(column / sum),
		    film->columns);
	}
}

static unsigned int least_change(void)
{
	return (unsigned int)(0.0005f * LEUKOCYTE_AREA * LEUKOCYTE_UNIT);
}

/* ---- on the GPU ---- */

static void detect_run(const struct workload_gpu *gpu, struct film *film, struct findings *f)
{
	const size_t bytes = pixels_count(film) * sizeof(float);
	CUdeviceptr circles = workload_device_copy(&film->circles, sizeof(film->circles));
	CUdeviceptr x = workload_device_copy(film->gradient_x, bytes);
	CUdeviceptr y = workload_device_copy(film->gradient_y, bytes);
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

static void flows_run(const struct workload_gpu *gpu, const struct film *film, struct findings *f)
{
	const bool is_unrolled = film->variant == UNROLLED;
	const size_t bytes = (size_t)f->cells_count * LEUKOCYTE_AREA * sizeof(float);
	CUfunction kernel =
	    workload_gpu_kernel(gpu, is_unrolled ? "leukocyte_flow_unrolled" : "leukocyte_flow_original");
	CUdeviceptr edges = workload_device_copy(f->edges, bytes);
	CUdeviceptr flows = workload_device_alloc(bytes);
	unsigned int iterations = film->iterations, least = least_change();
	void *params[] = {&edges, &flows, &iterations, &least};

	workload_launch(kernel, (struct workload_dim){f->cells_count, 1, 1},
			(struct workload_dim){is_unrolled ? LEUKOCYTE_UNROLLED_THREADS : LEUKOCYTE_THREADS, 1, 1},
			params);
	WORKLOAD_CUDA(cuMemcpyDtoH(f->flows, flows, bytes));
	WORKLOAD_CUDA(cuMemFree(edges));
	WORKLOAD_CUDA(cuMemFree(flows));
}

/* ---- on the host ---- */

static float fit_reference(const struct film *film, size_t i)
{
	float best = 0;

	for (int circle = 0; circle < LEUKOCYTE_CIRCLES; circle++) {
		float sum = 0, squares = 0, mean, variance;

		for (int k = 0; k < LEUKOCYTE_POINTS; k++) {
			const size_t at = i + (size_t)((long)film->circles.along[circle][k] * film->columns +
						       film->circles.across[circle][k]);
			const float across = film->gradient_x[at] * film->circles.cosines[k] +
					     film->gradient_y[at] * film->circles.sines[k];

			sum += across;
			squares += across * across;
		}
		mean = sum / LEUKOCYTE_POINTS;
		variance = squares / LEUKOCYTE_POINTS - mean * mean;
		mean = mean * mean / (variance + 0.001f);
		best = best > mean ? best : mean;
	}
	return best;
}

static float largest_reference(const struct film *film, const float *fits, unsigned int row, unsigned int column)
{
	const unsigned int reach = LEUKOCYTE_REACH;
	float best = 0;

	for (unsigned int y = row > reach ? row - reach : 0; y <= row + reach && y < film->rows; y++) {
		for (unsigned int x = column > reach ? column - reach : 0; x <= column + reach && x < film->columns;
		     x++)
			best = fmaxf(best, fits[(size_t)y * film->columns + x]);
	}
	return best;
}

static void detect_reference(const struct film *film, struct findings *f)
{
	const unsigned int margin = LEUKOCYTE_MARGIN;

	for (unsigned int row = margin; row + margin < film->rows; row++) {
		for (unsigned int column = margin; column + margin < film->columns; column++) {
			const size_t i = (size_t)row * film->columns + column;

			f->fits[i] = fit_reference(film, i);
		}
	}
	for (unsigned int row = 0; row < film->rows; row++) {
		for (unsigned int column = 0; column < film->columns; column++)
			f->largest[(size_t)row * film->columns + column] =
			    largest_reference(film, f->fits, row, column);
	}
}

static float next_reference(const float *flow, float edge, int i)
{
	const int row = i / LEUKOCYTE_SIDE, column = i % LEUKOCYTE_SIDE;
	const int up = row > 0 ? -LEUKOCYTE_SIDE : 0, down = row < LEUKOCYTE_SIDE - 1 ? LEUKOCYTE_SIDE : 0;
	const int left = column > 0 ? -1 : 0, right = column < LEUKOCYTE_SIDE - 1 ? 1 : 0;
	const float around[8] = {flow[i + up + left], flow[i + up],          flow[i + up + right],
				 flow[i + left],      flow[i + right],       flow[i + down + left],
				 flow[i + down],      flow[i + down + right]};

	return leukocyte_next(flow[i], edge, around);
}

static void flow_reference(const float *edge, float *flow, unsigned int iterations)
{
	float next[LEUKOCYTE_AREA];

	memcpy(flow, edge, sizeof(next));
	for (unsigned int iteration = 0; iteration < iterations; iteration++) {
		unsigned int change = 0;

		for (int i = 0; i < LEUKOCYTE_AREA; i++)
			next[i] = next_reference(flow, edge[i], i);
		for (int i = 0; i < LEUKOCYTE_AREA; i++)
			change += (unsigned int)(fabsf(next[i] - flow[i]) * LEUKOCYTE_UNIT);
		memcpy(flow, next, sizeof(next));
		if (change < least_change())
			break;
	}
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
static bool frame_check(const struct film *film, struct findings *got, struct findings *want)
{
	edges_make(film, want);
	for (unsigned int c = 0; c < want->cells_count; c++)
		flow_reference(want->edges + (size_t)c * LEUKOCYTE_AREA, want->flows + (size_t)c * LEUKOCYTE_AREA,
			       film->iterations);
	return workload_same_f32("flow", got->flows, want->flows, (size_t)want->cells_count * LEUKOCYTE_AREA, 0);
}

static bool film_run(struct film *film)
{
	struct workload_gpu gpu = workload_gpu_open(leukocyte_ptx);
	struct findings got = findings_make(film), want = findings_make(film);
	bool right;

	frame_make(film, 0);
	detect_run(&gpu, film, &got);
	detect_reference(film, &want);
	right = workload_same_f32("fit", got.fits, want.fits, pixels_count(film), 0) &&
		workload_same_f32("largest fit", got.largest, want.largest, pixels_count(film), 0);
	cells_find(film, &got);
	cells_find(film, &want);
	if (!got.cells_count)
		workload_fail("there is no cell in a frame of %u x %u", film->rows, film->columns);
	for (unsigned int frame = 0; right && frame < film->frames; frame++) {
		frame_make(film, frame);
		edges_make(film, &got);
		flows_run(&gpu, film, &got);
		right = frame_check(film, &got, &want);
		cells_move(film, &got);
		cells_move(film, &want);
	}
	film->cells_wanted = got.cells_count;
	findings_free(&got);
	findings_free(&want);
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
	    .frames = options.counts[2],
	    .cells_wanted = options.counts[3],
	    .iterations = options.counts[4],
	    .variant = options.counts[5],
	    .seed = options.seed,
	};
	bool right;

	circles_make(&film.circles);
	film.pixels = workload_host_alloc(pixels_count(&film), sizeof(float));
	film.gradient_x = workload_host_alloc(pixels_count(&film), sizeof(float));
	film.gradient_y = workload_host_alloc(pixels_count(&film), sizeof(float));
	right = film_run(&film);
	free(film.pixels);
	free(film.gradient_x);
	free(film.gradient_y);
	return workload_finish(right, "%u x %u pixels, %u cells, %u frames", film.rows, film.columns, film.cells_wanted,
			       film.frames);
}
