/*
 * White blood cells in a film by threads: pixels of the first frame for each, where circles are fitted to the gradient
 * and the best around is found, then cells, whose windows' gradient vector flows are followed frame by frame. The
 * film is there before, as a device's is.
 */
#include "common/steps.h"
#include "leukocyte/leukocyte.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MAX = 256 };
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

static const float PITCH = 24; /* pixels from a disc to the next, as in leukocyte */

struct gradient {
	float *x, *y; /* [row * columns + column] */
};

struct film {
	unsigned int rows, columns, frames_count, iterations;
	uint64_t seed;
	struct leukocyte_circles circles;
	struct gradient *frames;
};

struct cell {
	unsigned int row, column; /* of the middle of its window */
};

struct findings {
	float *fits, *largest; /* of the first frame */
	unsigned int cells_count, cells_wanted;
	struct cell found[CELLS_MAX], cells[CELLS_MAX];
	float *flows; /* of a frame, a window per cell */
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

/* leukocyte's frame: bright discs and noise. */
static void gradient_make(const struct film *film, unsigned int frame, float *pixels)
{
	const struct gradient *g = &film->frames[frame];

	for (unsigned int row = 0; row < film->rows; row++) {
		for (unsigned int column = 0; column < film->columns; column++) {
			const size_t i = (size_t)row * film->columns + column;
			const unsigned int disc =
			    (unsigned int)((float)row / PITCH) * 1024 + (unsigned int)((float)column / PITCH);
			const float x = fmodf((float)column, PITCH) - PITCH / 2 -
					2 * workload_random_float(film->seed, 1, disc) + 0.5f * (float)frame;
			const float y =
			    fmodf((float)row, PITCH) - PITCH / 2 - 2 * workload_random_float(film->seed, 2, disc);
			const float radius = 6 + 3 * workload_random_float(film->seed, 3, disc);

			pixels[i] = (x * x + y * y < radius * radius ? 0.8f : 0.2f) +
				    0.05f * workload_random_float(film->seed, 16 + frame, i);
		}
	}
	for (unsigned int row = 0; row < film->rows; row++) {
		for (unsigned int column = 0; column < film->columns; column++) {
			const size_t i = (size_t)row * film->columns + column;
			const size_t left = column > 0 ? i - 1 : i, right = column + 1 < film->columns ? i + 1 : i;
			const size_t up = row > 0 ? i - film->columns : i,
				     down = row + 1 < film->rows ? i + film->columns : i;

			g->x[i] = 0.5f * (pixels[right] - pixels[left]);
			g->y[i] = 0.5f * (pixels[down] - pixels[up]);
		}
	}
}

static struct film film_make(const struct workload_options *o)
{
	struct film film = {.rows = o->counts[0], .columns = o->counts[1], .frames_count = o->counts[2],
			    .iterations = o->counts[4], .seed = o->seed};
	float *pixels = workload_host_alloc(pixels_count(&film), sizeof(float));

	circles_make(&film.circles);
	film.frames = workload_host_alloc(film.frames_count, sizeof(*film.frames));
	for (unsigned int frame = 0; frame < film.frames_count; frame++) {
		film.frames[frame].x = workload_host_alloc(pixels_count(&film), sizeof(float));
		film.frames[frame].y = workload_host_alloc(pixels_count(&film), sizeof(float));
		gradient_make(&film, frame, pixels);
	}
	free(pixels);
	return film;
}

static void film_free(struct film *film)
{
	for (unsigned int frame = 0; frame < film->frames_count; frame++) {
		free(film->frames[frame].x);
		free(film->frames[frame].y);
	}
	free(film->frames);
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

static float fit_of(const struct film *film, size_t i)
{
	const struct gradient *g = &film->frames[0];
	float best = 0;

	for (int circle = 0; circle < LEUKOCYTE_CIRCLES; circle++) {
		float sum = 0, squares = 0, mean, variance;

		for (int k = 0; k < LEUKOCYTE_POINTS; k++) {
			const size_t at = i + (size_t)((long)film->circles.along[circle][k] * film->columns +
						       film->circles.across[circle][k]);
			const float across = g->x[at] * film->circles.cosines[k] + g->y[at] * film->circles.sines[k];

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

static float largest_of(const struct film *film, const float *fits, unsigned int row, unsigned int column)
{
	const unsigned int reach = LEUKOCYTE_REACH;
	const unsigned int left = column > reach ? column - reach : 0;
	float best = 0;

	for (unsigned int y = row > reach ? row - reach : 0; y <= row + reach && y < film->rows; y++) {
		for (unsigned int x = left; x <= column + reach && x < film->columns; x++) {
			const float fit = fits[(size_t)y * film->columns + x];

			best = best > fit ? best : fit;
		}
	}
	return best;
}

/* Where the fit is the largest around, from the top; a cell is a window's half from the frame's edge. */
static void cells_find(const struct film *film, struct findings *f)
{
	const unsigned int half = LEUKOCYTE_SIDE / 2;

	for (unsigned int row = half; row + half < film->rows; row++) {
		for (unsigned int column = half; column + half < film->columns; column++) {
			const size_t i = (size_t)row * film->columns + column;

			if (f->fits[i] > 0 && f->fits[i] >= f->largest[i] && f->cells_count < f->cells_wanted)
				f->found[f->cells_count++] = (struct cell){row, column};
		}
	}
	memcpy(f->cells, f->found, sizeof(f->cells));
}

static void detect(const struct film *film, struct findings *f, bool is_team)
{
	const unsigned int margin = LEUKOCYTE_MARGIN;

#pragma omp parallel for collapse(2) if (is_team)
	for (unsigned int row = margin; row < film->rows - margin; row++)
		for (unsigned int column = margin; column < film->columns - margin; column++)
			f->fits[(size_t)row * film->columns + column] =
			    fit_of(film, (size_t)row * film->columns + column);
#pragma omp parallel for collapse(2) if (is_team)
	for (unsigned int row = 0; row < film->rows; row++)
		for (unsigned int column = 0; column < film->columns; column++)
			f->largest[(size_t)row * film->columns + column] = largest_of(film, f->fits, row, column);
	cells_find(film, f);
}

/* Strength of the gradient in a cell's window, from 0 to 1. */
static void edges_of(const struct film *film, const struct gradient *g, struct cell cell, float *edges)
{
	const size_t row = cell.row - LEUKOCYTE_SIDE / 2, column = cell.column - LEUKOCYTE_SIDE / 2;

	for (size_t k = 0; k < LEUKOCYTE_AREA; k++) {
		const size_t i = (row + k / LEUKOCYTE_SIDE) * film->columns + column + k % LEUKOCYTE_SIDE;
		const float strength = 2 * sqrtf(g->x[i] * g->x[i] + g->y[i] * g->y[i]);

		edges[k] = strength < 1 ? strength : 1;
	}
}

static float next_of(const float *flow, float edge, int row, int column)
{
	const float *at = flow + row * LEUKOCYTE_SIDE + column;
	const int up = row > 0 ? -LEUKOCYTE_SIDE : 0, down = row < LEUKOCYTE_SIDE - 1 ? LEUKOCYTE_SIDE : 0;
	const int left = column > 0 ? -1 : 0, right = column < LEUKOCYTE_SIDE - 1 ? 1 : 0;
	const float around[8] = {at[up + left], at[up],		 at[up + right], at[left],
				 at[right],	at[down + left], at[down],	 at[down + right]};

	return leukocyte_next(*at, edge, around);
}

/* The gradient vector flow of a window, until it changes little in all. */
static void flow_of(const float *edges, float *flow, unsigned int iterations)
{
	const unsigned int least = (unsigned int)(0.0005f * LEUKOCYTE_AREA * LEUKOCYTE_UNIT);
	float next[LEUKOCYTE_AREA];
	unsigned int change = least;

	memcpy(flow, edges, sizeof(next));
	for (unsigned int iteration = 0; iteration < iterations && change >= least; iteration++) {
		change = 0;
		for (int row = 0; row < LEUKOCYTE_SIDE; row++) {
			for (int column = 0; column < LEUKOCYTE_SIDE; column++) {
				const int i = row * LEUKOCYTE_SIDE + column;

				next[i] = next_of(flow, edges[i], row, column);
				change += (unsigned int)(fabsf(next[i] - flow[i]) * LEUKOCYTE_UNIT);
			}
		}
		memcpy(flow, next, sizeof(next));
	}
}

static unsigned int towards(unsigned int from, unsigned int to, unsigned int most)
{
	const unsigned int half = LEUKOCYTE_SIDE / 2, moved = from < to ? from + 1 : from > to ? from - 1 : from;

	return moved < half ? half : moved + half >= most ? most - half - 1 : moved;
}

/* A pixel towards the middle of its flow. */
static void cell_move(const struct film *film, struct cell *cell, const float *flow)
{
	double sum = 0, row = 0, column = 0;

	for (unsigned int k = 0; k < LEUKOCYTE_AREA; k++) {
		sum += flow[k];
		row += flow[k] * (double)(k / LEUKOCYTE_SIDE);
		column += flow[k] * (double)(k % LEUKOCYTE_SIDE);
	}
	if (sum <= 0)
		return;
	cell->row = towards(cell->row, cell->row - LEUKOCYTE_SIDE / 2 + (unsigned int)lround(row / sum), film->rows);
	cell->column = towards(cell->column, cell->column - LEUKOCYTE_SIDE / 2 + (unsigned int)lround(column / sum),
			       film->columns);
}

/* Cells do not know of each other. */
static void cells_follow(const struct film *film, struct findings *f, bool is_team)
{
#pragma omp parallel for if (is_team)
	for (unsigned int c = 0; c < f->cells_count; c++) {
		float edges[LEUKOCYTE_AREA], *flow = f->flows + (size_t)c * LEUKOCYTE_AREA;

		for (unsigned int frame = 0; frame < film->frames_count; frame++) {
			edges_of(film, &film->frames[frame], f->cells[c], edges);
			flow_of(edges, flow, film->iterations);
			cell_move(film, &f->cells[c], flow);
		}
	}
}

static void film_work(const struct film *film, struct findings *f, bool is_team)
{
	detect(film, f, is_team);
	cells_follow(film, f, is_team);
}

/* As one thread does it; and a flow, whose steps are weighted means of what lies around, is never outside 0 and 1. */
static bool findings_check(const struct film *film, const struct findings *got, const struct findings *want)
{
	for (size_t i = 0; i < (size_t)got->cells_count * LEUKOCYTE_AREA; i++) {
		if (got->flows[i] >= 0 && got->flows[i] <= 1)
			continue;
		fprintf(stderr, "leukocyte-omp: element %zu of the flows is %g\n", i, (double)got->flows[i]);
		return false;
	}
	return got->cells_count == want->cells_count &&
	       workload_same_f32("fit", got->fits, want->fits, pixels_count(film), 0) &&
	       workload_same_f32("largest fit", got->largest, want->largest, pixels_count(film), 0) &&
	       workload_same_f32("flow", got->flows, want->flows, (size_t)CELLS_MAX * LEUKOCYTE_AREA, 0) &&
	       workload_same_u32("place", &got->cells[0].row, &want->cells[0].row, 2 * (size_t)got->cells_count);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct findings got, want;
	struct film film;
	double begin;
	bool right;

	strata_modelling_end();
	film = film_make(&o);
	got = findings_make(&film, o.counts[3]);
	want = findings_make(&film, o.counts[3]);
	begin = steps_begin();
	film_work(&film, &got, true);
	steps_end(begin);
	if (!got.cells_count)
		workload_fail("there is no cell in a frame of %u x %u", film.rows, film.columns);
	film_work(&film, &want, false);
	right = findings_check(&film, &got, &want);
	film_free(&film);
	findings_free(&got);
	findings_free(&want);
	return workload_finish(right, "%u x %u pixels, %u cells, %u frames", film.rows, film.columns, got.cells_count,
			       film.frames_count);
}
