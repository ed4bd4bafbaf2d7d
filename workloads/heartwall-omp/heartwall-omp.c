/*
 * Tracking of points on a wall of the heart by threads: points for each, which search a frame after the other, as the
 * CUDA program's CTAs do. The film is there before, as a device's is.
 */
#include "common/steps.h"
#include "heartwall/heartwall.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	POINTS_MAX = 512,
	MOVE_MAX = 4, /* pixels of the film from its first frame in each direction, at most: as in heartwall */
};
enum { FRAMES, SIDE, REACH, POINTS };

static const struct workload_about about = {
	"heartwall-omp", "Tracking of points through the frames of a film by cross-correlation, by threads.",
	"51 points, 1 frame of 160 x 160, templates of 9 x 9, displacements up to 4",
	"51 points, 1 frame of 656 x 744, templates of 51 x 51, displacements up to 15: Rodinia's"};
static const struct workload_count counts[] = {
	{"frames", "frames searched", 1, 1, 1, 100, 1, NULL},
	{"side", "pixels along a side of a template", 9, 51, 7, HEARTWALL_SIDE_MAX, 1, NULL},
	{"reach", "displacements searched in each direction, in pixels", 4, 15, MOVE_MAX, HEARTWALL_REACH_MAX, 1, NULL},
	{"points", "points on the inner and the outer wall", 51, 51, 2, POINTS_MAX, 1, NULL},
};

struct film {
	struct heartwall_shape shape;
	unsigned int frames_count; /* that are searched; one more gives the templates */
	uint64_t seed;
	float **frames;
};

/* How far the film is from its first frame. */
static struct heartwall_point film_place(const struct film *film, unsigned int frame)
{
	struct heartwall_point at = {0, 0};

	if (frame > 0) {
		at.column = (unsigned int)(workload_random(film->seed, 1, frame) % (MOVE_MAX + 1));
		at.row = (unsigned int)(workload_random(film->seed, 2, frame) % (MOVE_MAX + 1));
	}
	return at;
}

/* heartwall's frame: speckle that is smooth over three pixels and fixed to the film, and noise. */
static void frame_make(const struct film *film, unsigned int number, float *frame)
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

static struct film film_make(const struct workload_options *o)
{
	struct film film = {.frames_count = o->counts[FRAMES], .seed = o->seed};
	struct heartwall_shape *s = &film.shape;

	*s = (struct heartwall_shape){.rows = o->paper ? 656 : 160, .columns = o->paper ? 744 : 160,
				      .side = o->counts[SIDE], .reach = o->counts[REACH]};
	s->region = s->side + 2 * s->reach;
	s->padded = s->region + 2 * s->side;
	s->full = s->region + s->side - 1;
	if (s->side + 2 * (s->reach + MOVE_MAX) > s->rows)
		workload_fail("frames of %u x %u are too small for templates of %u pixels that move up to %u",
			      s->columns, s->rows, s->side, s->reach);
	film.frames = workload_host_alloc(film.frames_count + 1, sizeof(*film.frames));
	for (unsigned int n = 0; n <= film.frames_count; n++) {
		film.frames[n] = workload_host_alloc((size_t)s->rows * s->columns, sizeof(float));
		frame_make(&film, n, film.frames[n]);
	}
	return film;
}

static void film_free(struct film *film)
{
	for (unsigned int n = 0; n <= film->frames_count; n++)
		free(film->frames[n]);
	free(film->frames);
}

/* Points on two ellipses around the middle of the frame, as far from its border as the search needs. */
static struct heartwall_work *points_make(const struct film *film, unsigned int count)
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

static void cut(const struct heartwall_shape *s, const float *frame, struct heartwall_point at, unsigned int side,
		float *to)
{
	for (unsigned int c = 0; c < side; c++)
		memcpy(to + (size_t)c * side, frame + (size_t)(at.column + c) * s->rows + at.row, side * sizeof(float));
}

/* Sums of side x side values at every place, by running sums down the columns and then along the rows. */
static void box_sums(const struct heartwall_shape *s, struct heartwall_work *w, const float *region, float *sums)
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
static float product_at(const struct heartwall_shape *s, const struct heartwall_work *w, unsigned int row,
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
			sum += *(pixels - r) * *(region - r);
	}
	return sum;
}

/* A template's sum and spread, line by line. */
static void template_sums(const struct heartwall_shape *s, const float *pixels, float *sum, float *spread)
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
static void scores_compute(const struct heartwall_shape *s, struct heartwall_work *w)
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
static void point_move(const struct heartwall_shape *s, struct heartwall_work *w)
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

static void template_renew(const struct heartwall_shape *s, struct heartwall_work *w, const float *frame)
{
	w->start = w->last;
	for (unsigned int c = 0; c < s->side; c++) {
		const float *now = frame + (size_t)(w->start.column + c) * s->rows + w->start.row;
		float *pixels = w->pixels + (size_t)c * s->side;

		for (unsigned int r = 0; r < s->side; r++)
			pixels[r] = HEARTWALL_KEEP * (pixels[r] - now[r]) + now[r];
	}
}

static void points_track(const struct film *film, struct heartwall_work *work, unsigned int count, bool is_team)
{
	const struct heartwall_shape *s = &film->shape;

	for (unsigned int n = 0; n <= film->frames_count; n++) {
		const float *frame = film->frames[n];

#pragma omp parallel for if (is_team)
		for (unsigned int i = 0; i < count; i++) {
			struct heartwall_work *w = &work[i];

			if (n == 0) { /* gives the templates */
				cut(s, frame, w->start, s->side, w->pixels);
				continue;
			}
			cut(s, frame, (struct heartwall_point){w->start.row - s->reach, w->start.column - s->reach},
			    s->region, w->region);
			scores_compute(s, w);
			point_move(s, w);
			if (n % HEARTWALL_RENEW == 0)
				template_renew(s, w, frame);
		}
	}
}

/* As one thread does it; and every point has moved as the film did. */
static bool points_check(const struct film *film, const struct heartwall_work *got, const struct heartwall_work *want,
			 const struct heartwall_work *before, unsigned int count)
{
	const struct heartwall_shape *s = &film->shape;
	const struct heartwall_point moved = film_place(film, film->frames_count);

	for (unsigned int i = 0; i < count; i++) {
		const struct heartwall_point *start = &before[i].start, *last = &got[i].last;

		if (!workload_same_f32("template", got[i].pixels, want[i].pixels, (size_t)s->side * s->side, 0) ||
		    !workload_same_f32("score", got[i].scores, want[i].scores, (size_t)s->full * s->full, 0))
			return false;
		if (last->row == start->row + moved.row && last->column == start->column + moved.column)
			continue;
		fprintf(stderr, "heartwall-omp: point %u was at %u, %u and is at %u, %u; the film is at %u, %u\n", i,
			start->column, start->row, last->column, last->row, moved.column, moved.row);
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const unsigned int count = o.counts[POINTS];
	struct heartwall_work *got, *want, *before;
	struct film film;
	double begin;
	bool right;

	strata_modelling_end();
	film = film_make(&o);
	got = points_make(&film, count);
	want = points_make(&film, count);
	before = points_make(&film, count);
	begin = steps_begin();
	points_track(&film, got, count, true);
	steps_end(begin);
	points_track(&film, want, count, false);
	right = points_check(&film, got, want, before, count);
	film_free(&film);
	free(got);
	free(want);
	free(before);
	return workload_finish(right, "%u points, %u frames", count, film.frames_count);
}
