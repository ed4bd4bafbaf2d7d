/*
 * The film, the steps and what they must give, for the CUDA program and the program of threads. Who includes it defines
 * MULTIPLY_ADD(a, b, c), a times b plus c, as its kernel rounds it.
 */
#ifndef HEARTWALL_HOST_H
#define HEARTWALL_HOST_H

#include "common/program.h"
#include "heartwall/heartwall.h"

#include <stdio.h>
#include <string.h>

enum {
	POINTS_MAX = 512,
	MOVE_MAX = 4, /* pixels that the film is away from its first frame in each direction, at most */
};

struct film {
	struct heartwall_shape shape;
	unsigned int frames_count; /* that are searched; one more gives the templates */
	uint64_t seed;
};

/* Of frames of 656 x 744 pixels, Rodinia's, or of few. */
static inline struct film film_of(bool is_paper, unsigned int frames, unsigned int side, unsigned int reach,
				  uint64_t seed)
{
	struct heartwall_shape s = {
	    .rows = is_paper ? 656 : 160, .columns = is_paper ? 744 : 160, .side = side, .reach = reach};

	s.region = s.side + 2 * s.reach;
	s.padded = s.region + 2 * s.side;
	s.full = s.region + s.side - 1;
	if (s.side + 2 * (s.reach + MOVE_MAX) > s.rows)
		workload_fail("frames of %u x %u are too small for templates of %u pixels that move up to %u",
			      s.columns, s.rows, s.side, s.reach);
	return (struct film){.shape = s, .frames_count = frames, .seed = seed};
}

/* How far the film is from its first frame. */
static inline struct heartwall_point film_place(const struct film *film, unsigned int frame)
{
	struct heartwall_point at = {0, 0};

	if (frame > 0) {
		at.column = (unsigned int)(workload_random(film->seed, 1, frame) % (MOVE_MAX + 1));
		at.row = (unsigned int)(workload_random(film->seed, 2, frame) % (MOVE_MAX + 1));
	}
	return at;
}

/* Speckle is smooth over three pixels; its pattern is fixed to the film, the noise to the frame. */
static inline void frame_make(const struct film *film, unsigned int number, float *frame)
{
	const struct heartwall_point at = film_place(film, number);
	const size_t pixels = (size_t)film->shape.rows * film->shape.columns;

	for (unsigned int x = 0; x < film->shape.columns; x++) {
		for (unsigned int y = 0; y < film->shape.rows; y++) {
			const uint64_t column = (uint64_t)x + 4096 - at.column;
			const uint64_t place = (((uint64_t)y + 4096 - at.row) << 20) + column;
			const float speckle = workload_random_float(film->seed, 3, place - 1) +
					      workload_random_float(film->seed, 3, place) +
					      workload_random_float(film->seed, 3, place + 1);
			const size_t pixel = (size_t)x * film->shape.rows + y;

			frame[pixel] =
			    speckle + 0.25f * workload_random_float(film->seed, 4, (uint64_t)number * pixels + pixel);
		}
	}
}

/* Points on two ellipses around the middle of the frame, as far from its border as the search needs. */
static inline struct heartwall_work *points_make(const struct film *film, unsigned int count)
{
	struct heartwall_work *work = workload_host_alloc(count, sizeof(*work));
	const struct heartwall_shape *s = &film->shape;
	const unsigned int margin = s->reach + MOVE_MAX;

	for (unsigned int i = 0; i < count; i++) {
		const double share = i % 2 ? 0.5 : 1.0, angle = 6.283185307179586 * i / count;
		const double x = 0.5 + 0.5 * share * cos(angle), y = 0.5 + 0.5 * share * sin(angle);

		work[i].start.column = margin + (unsigned int)(x * (s->columns - s->side - 2 * margin));
		work[i].start.row = margin + (unsigned int)(y * (s->rows - s->side - 2 * margin));
		work[i].last = work[i].start;
	}
	return work;
}

static inline void cut(const struct heartwall_shape *s, const float *frame, struct heartwall_point at,
		       unsigned int side, float *to)
{
	for (unsigned int c = 0; c < side; c++)
		memcpy(to + (size_t)c * side, frame + (size_t)(at.column + c) * s->rows + at.row, side * sizeof(float));
}

/* Sums of side x side values at every place, by running sums down the columns and then along the rows. */
static inline void box_sums(const struct heartwall_shape *s, struct heartwall_work *w, const float *region, float *sums)
{
	float *down = w->padded, *across = w->before;

	memset(down, 0, (size_t)s->padded * s->padded * sizeof(float));
	for (unsigned int c = 0; c < s->region; c++)
		memcpy(down + (size_t)(c + s->side) * s->padded + s->side, region + (size_t)c * s->region,
		       s->region * sizeof(float));
	for (unsigned int c = 0; c < s->padded; c++)
		for (unsigned int r = 1; r < s->padded; r++)
			down[c * s->padded + r] += down[c * s->padded + r - 1];
	for (unsigned int c = 0; c < s->padded; c++) {
		for (unsigned int r = 0; r < s->full; r++) {
			across[c * s->full + r] = down[c * s->padded + r + s->side] - down[c * s->padded + r];
			if (c > 0)
				across[c * s->full + r] += across[(c - 1) * s->full + r];
		}
	}
	for (unsigned int c = 0; c < s->full; c++)
		for (unsigned int r = 0; r < s->full; r++)
			sums[c * s->full + r] = across[(c + s->side) * s->full + r] - across[c * s->full + r];
}

/* The template, turned by half a circle, at a place of the region. */
static inline float product_at(const struct heartwall_shape *s, const struct heartwall_work *w, unsigned int row,
			       unsigned int column)
{
	const unsigned int row_first = row < s->region ? 0 : row - s->region + 1;
	const unsigned int row_end = row < s->side ? row + 1 : s->side;
	const unsigned int column_end = column < s->side ? column + 1 : s->side;
	float sum = 0;

	for (unsigned int c = column < s->region ? 0 : column - s->region + 1; c < column_end; c++) {
		const float *pixels = w->pixels + (s->side - 1 - c) * s->side + s->side - 1;
		const float *region = w->region + (column - c) * s->region + row;

		for (unsigned int r = row_first; r < row_end; r++)
			sum = MULTIPLY_ADD(*(pixels - r), *(region - r), sum);
	}
	return sum;
}

/* A template's sum and spread, line by line. */
static inline void template_sums(const struct heartwall_shape *s, const float *pixels, float *sum, float *spread)
{
	float squares = 0;

	*sum = 0;
	for (unsigned int line = 0; line < s->side; line++) {
		float part = 0, square_part = 0;

		for (unsigned int i = 0; i < s->side; i++) {
			const float value = pixels[i * s->side + line];

			part += pixels[line * s->side + i];
			square_part += value * value;
		}
		*sum += part;
		squares += square_part;
	}
	*spread = heartwall_spread(*sum, squares, (float)(s->side * s->side));
}

/* How well the template matches at every place, and nothing where the last match is far. */
static inline void scores_compute(const struct heartwall_shape *s, struct heartwall_work *w)
{
	const float count = (float)(s->side * s->side);
	const unsigned int row = w->last.row - w->start.row + s->reach + s->side - 1;
	const unsigned int column = w->last.column - w->start.column + s->reach + s->side - 1;
	float sum, spread;

	for (size_t p = 0; p < (size_t)s->region * s->region; p++)
		w->region_squares[p] = w->region[p] * w->region[p];
	box_sums(s, w, w->region, w->sums);
	box_sums(s, w, w->region_squares, w->square_sums);
	template_sums(s, w->pixels, &sum, &spread);
	for (unsigned int c = 0; c < s->full; c++) {
		for (unsigned int r = 0; r < s->full; r++) {
			const size_t p = (size_t)c * s->full + r;
			const bool is_near = r + HEARTWALL_NEAR / 2 >= row && r < row + HEARTWALL_NEAR / 2 &&
					     c + HEARTWALL_NEAR / 2 >= column && c < column + HEARTWALL_NEAR / 2;
			const float centred = heartwall_centred(product_at(s, w, r, c), w->sums[p], sum, count);

			w->scores[p] = centred / (heartwall_spread(w->sums[p], w->square_sums[p], count) * spread) *
				       (is_near ? 1.0f : 0.0f);
		}
	}
}

/* To the best score, the first of equals. */
static inline void point_move(const struct heartwall_shape *s, struct heartwall_work *w)
{
	unsigned int at = 0;
	float high = 0;

	for (unsigned int p = 0; p < s->full * s->full; p++) {
		if (fabsf(w->scores[p]) > high) {
			high = fabsf(w->scores[p]);
			at = p;
		}
	}
	w->last.row = w->start.row + at % s->full - s->reach - s->side + 1;
	w->last.column = w->start.column + at / s->full - s->reach - s->side + 1;
}

static inline void template_renew(const struct heartwall_shape *s, struct heartwall_work *w, const float *frame)
{
	w->start = w->last;
	for (unsigned int c = 0; c < s->side; c++) {
		const float *now = frame + (size_t)(w->start.column + c) * s->rows + w->start.row;
		float *pixels = w->pixels + (size_t)c * s->side;

		for (unsigned int r = 0; r < s->side; r++)
			pixels[r] = MULTIPLY_ADD(HEARTWALL_KEEP, pixels[r] - now[r], now[r]);
	}
}

/* What a point does in a frame; the first one gives the templates. */
static inline void point_track(const struct heartwall_shape *s, struct heartwall_work *w, const float *frame,
			       unsigned int number)
{
	if (number == 0) {
		cut(s, frame, w->start, s->side, w->pixels);
		return;
	}
	cut(s, frame, (struct heartwall_point){w->start.row - s->reach, w->start.column - s->reach}, s->region,
	    w->region);
	scores_compute(s, w);
	point_move(s, w);
	if (number % HEARTWALL_RENEW == 0)
		template_renew(s, w, frame);
}

/* Independently of these steps: a point has moved as the film did. */
static inline bool point_followed(const char *program, const struct film *film, unsigned int number,
				  struct heartwall_point from, struct heartwall_point to)
{
	const struct heartwall_point moved = film_place(film, film->frames_count);

	if (to.row == from.row + moved.row && to.column == from.column + moved.column)
		return true;
	fprintf(stderr, "%s: point %u was at %u, %u and is at %u, %u; the film is at %u, %u\n", program, number,
		from.column, from.row, to.column, to.row, moved.column, moved.row);
	return false;
}

#endif
