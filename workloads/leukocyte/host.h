/*
 * The film, the steps and what they must give, for the CUDA program and the program of threads.
 */
#ifndef LEUKOCYTE_HOST_H
#define LEUKOCYTE_HOST_H

#include "common/program.h"
#include "leukocyte/leukocyte.h"

#include <math.h>
#include <string.h>

enum { CELLS_MAX = 256 };

static const float PITCH = 24; /* pixels from a disc to the next */

struct film {
	unsigned int rows, columns, frames_count, iterations;
	uint64_t seed;
	struct leukocyte_circles circles;
};

struct gradient {
	float *x, *y; /* [row * columns + column] */
};

struct cell {
	unsigned int row, column; /* of the middle of its window */
};

struct cells {
	unsigned int count;
	struct cell at[CELLS_MAX];
};

static inline size_t pixels_count(const struct film *film)
{
	return (size_t)film->rows * film->columns;
}

static inline void circles_make(struct leukocyte_circles *c)
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

/* Of a frame: bright discs on a grid, each at its own place and going its way, and noise. */
static inline void gradient_make(const struct film *film, unsigned int frame, float *pixels, const struct gradient *g)
{
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

static inline float fit_of(const struct film *film, const struct gradient *g, size_t i)
{
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

static inline float largest_of(const struct film *film, const float *fits, unsigned int row, unsigned int column)
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
static inline void cells_find(const struct film *film, const float *fits, const float *largest, unsigned int wanted,
			      struct cells *cells)
{
	const unsigned int half = LEUKOCYTE_SIDE / 2;

	cells->count = 0;
	for (unsigned int row = half; row + half < film->rows; row++) {
		for (unsigned int column = half; column + half < film->columns; column++) {
			const size_t i = (size_t)row * film->columns + column;

			if (fits[i] > 0 && fits[i] >= largest[i] && cells->count < wanted)
				cells->at[cells->count++] = (struct cell){row, column};
		}
	}
}

/* Strength of the gradient in a cell's window, from 0 to 1. */
static inline void edges_of(const struct film *film, const struct gradient *g, struct cell cell, float *edges)
{
	const size_t row = cell.row - LEUKOCYTE_SIDE / 2, column = cell.column - LEUKOCYTE_SIDE / 2;

	for (size_t k = 0; k < LEUKOCYTE_AREA; k++) {
		const size_t i = (row + k / LEUKOCYTE_SIDE) * film->columns + column + k % LEUKOCYTE_SIDE;
		const float strength = 2 * sqrtf(g->x[i] * g->x[i] + g->y[i] * g->y[i]);

		edges[k] = strength < 1 ? strength : 1;
	}
}

static inline float next_of(const float *flow, float edge, int row, int column)
{
	const float *at = flow + row * LEUKOCYTE_SIDE + column;
	const int up = row > 0 ? -LEUKOCYTE_SIDE : 0, down = row < LEUKOCYTE_SIDE - 1 ? LEUKOCYTE_SIDE : 0;
	const int left = column > 0 ? -1 : 0, right = column < LEUKOCYTE_SIDE - 1 ? 1 : 0;
	const float around[8] = {at[up + left], at[up],		 at[up + right], at[left],
				 at[right],	at[down + left], at[down],	 at[down + right]};

	return leukocyte_next(*at, edge, around);
}

/* The change of a window, in units, with which its flow ends. */
static inline unsigned int least_change(void)
{
	return (unsigned int)(0.0005f * LEUKOCYTE_AREA * LEUKOCYTE_UNIT);
}

/* The gradient vector flow of a window, until it changes little in all. */
static inline void flow_of(const float *edges, float *flow, unsigned int iterations)
{
	const unsigned int least = least_change();
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

static inline unsigned int towards(unsigned int from, unsigned int to, unsigned int most)
{
	const unsigned int half = LEUKOCYTE_SIDE / 2, moved = from < to ? from + 1 : from > to ? from - 1 : from;

	return moved < half ? half : moved + half >= most ? most - half - 1 : moved;
}

/* A pixel towards the middle of its flow. */
static inline void cell_move(const struct film *film, struct cell *cell, const float *flow)
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

#endif
