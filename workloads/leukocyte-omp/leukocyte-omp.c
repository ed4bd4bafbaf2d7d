/*
 * White blood cells in a film by threads: pixels of the first frame for each, where circles are fitted to the gradient
 * and the best around is found, then cells, whose windows' gradient vector flows are followed frame by frame. The
 * film is there before, as a device's is.
 */
#include "common/steps.h"
#include "leukocyte/host.h"

#include <stdio.h>
#include <stdlib.h>

static const struct workload_about about = {"leukocyte-omp",
					    "White blood cells found and followed in a film, by threads.",
					    "64 x 96 pixels, 8 cells, 1 frame", "219 x 640 pixels, 36 cells, 5 frames"};
static const struct workload_count counts[] = {
	{"rows", "rows of pixels", 64, 219, LEUKOCYTE_SIDE, 4096, 1, NULL},
	{"columns", "columns of pixels", 96, 640, LEUKOCYTE_SIDE, 4096, 1, NULL},
	{"frames", "frames that cells are followed in", 1, 5, 1, 100, 1, NULL},
	{"cells", "cells that are followed, at most", 8, 36, 1, CELLS_MAX, 1, NULL},
	{"iterations", "of a flow, at most", 10, 500, 1, 10000, 1, NULL},
};

struct findings {
	float *fits, *largest; /* of the first frame */
	unsigned int cells_wanted;
	struct cells cells;
	float *flows; /* of a frame, a window per cell */
};

static struct gradient *gradients_make(const struct film *film)
{
	struct gradient *frames = workload_host_alloc(film->frames_count, sizeof(*frames));
	float *pixels = workload_host_alloc(pixels_count(film), sizeof(float));

	for (unsigned int frame = 0; frame < film->frames_count; frame++) {
		frames[frame].x = workload_host_alloc(pixels_count(film), sizeof(float));
		frames[frame].y = workload_host_alloc(pixels_count(film), sizeof(float));
		gradient_make(film, frame, pixels, &frames[frame]);
		workload_input(pixels, pixels_count(film) * sizeof(float));
	}
	free(pixels);
	return frames;
}

static void gradients_free(const struct film *film, struct gradient *frames)
{
	for (unsigned int frame = 0; frame < film->frames_count; frame++) {
		free(frames[frame].x);
		free(frames[frame].y);
	}
	free(frames);
}

static struct findings findings_make(const struct film *film, unsigned int cells_wanted)
{
	return (struct findings){
	    .fits = workload_host_alloc(pixels_count(film), sizeof(float)),
	    .largest = workload_host_alloc(pixels_count(film), sizeof(float)),
	    .cells_wanted = cells_wanted,
	    .flows = workload_host_alloc((size_t)CELLS_MAX * LEUKOCYTE_AREA, sizeof(float)),
	};
}

static void findings_free(struct findings *f)
{
	free(f->fits);
	free(f->largest);
	free(f->flows);
}

static void detect(const struct film *film, const struct gradient *first, struct findings *f, bool is_team)
{
	const unsigned int margin = LEUKOCYTE_MARGIN;

#pragma omp parallel for collapse(2) if (is_team)
	for (unsigned int row = margin; row < film->rows - margin; row++)
		for (unsigned int column = margin; column < film->columns - margin; column++)
			f->fits[(size_t)row * film->columns + column] =
			    fit_of(film, first, (size_t)row * film->columns + column);
#pragma omp parallel for collapse(2) if (is_team)
	for (unsigned int row = 0; row < film->rows; row++)
		for (unsigned int column = 0; column < film->columns; column++)
			f->largest[(size_t)row * film->columns + column] = largest_of(film, f->fits, row, column);
	cells_find(film, f->fits, f->largest, f->cells_wanted, &f->cells);
}

/* Cells do not know of each other. */
static void cells_follow(const struct film *film, const struct gradient *frames, struct findings *f, bool is_team)
{
#pragma omp parallel for if (is_team)
	for (unsigned int c = 0; c < f->cells.count; c++) {
		float edges[LEUKOCYTE_AREA], *flow = f->flows + (size_t)c * LEUKOCYTE_AREA;

		for (unsigned int frame = 0; frame < film->frames_count; frame++) {
			edges_of(film, &frames[frame], f->cells.at[c], edges);
			flow_of(edges, flow, film->iterations);
			cell_move(film, &f->cells.at[c], flow);
		}
	}
}

static void film_work(const struct film *film, const struct gradient *frames, struct findings *f, bool is_team)
{
	detect(film, &frames[0], f, is_team);
	cells_follow(film, frames, f, is_team);
}

/* As one thread does it; and a flow, whose steps are weighted means of what lies around, is never outside 0 and 1. */
static bool findings_check(const struct film *film, const struct findings *got, const struct findings *want)
{
	for (size_t i = 0; i < (size_t)got->cells.count * LEUKOCYTE_AREA; i++) {
		if (got->flows[i] >= 0 && got->flows[i] <= 1)
			continue;
		fprintf(stderr, "leukocyte-omp: element %zu of the flows is %g\n", i, (double)got->flows[i]);
		return false;
	}
	return got->cells.count == want->cells.count &&
	       workload_same_f32("fit", got->fits, want->fits, pixels_count(film), 0) &&
	       workload_same_f32("largest fit", got->largest, want->largest, pixels_count(film), 0) &&
	       workload_same_f32("flow", got->flows, want->flows, (size_t)CELLS_MAX * LEUKOCYTE_AREA, 0) &&
	       workload_same_u32("place", &got->cells.at[0].row, &want->cells.at[0].row, 2 * (size_t)got->cells.count);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct film film = {.rows = o.counts[0], .columns = o.counts[1], .frames_count = o.counts[2],
			    .iterations = o.counts[4], .seed = o.seed};
	struct gradient *frames;
	struct findings got, want;
	double begin;
	bool right;

	strata_modelling_end();
	circles_make(&film.circles);
	workload_input_number(film.iterations);
	workload_input_number(o.counts[3]);
	frames = gradients_make(&film);
	got = findings_make(&film, o.counts[3]);
	want = findings_make(&film, o.counts[3]);
	begin = steps_begin();
	film_work(&film, frames, &got, true);
	steps_end(begin);
	if (!got.cells.count)
		workload_fail("there is no cell in a frame of %u x %u", film.rows, film.columns);
	film_work(&film, frames, &want, false);
	right = findings_check(&film, &got, &want);
	gradients_free(&film, frames);
	findings_free(&got);
	findings_free(&want);
	return workload_finish(right, "%u x %u pixels, %u cells, %u frames", film.rows, film.columns, got.cells.count,
			       film.frames_count);
}
