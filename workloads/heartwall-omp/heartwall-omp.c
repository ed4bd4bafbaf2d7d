/*
 * Tracking of points on a wall of the heart by threads: points for each, which search a frame after the other, as the
 * CUDA program's CTAs do. The film is there before, as a device's is.
 */
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))

#include "common/steps.h"
#include "heartwall/host.h"

#include <stdlib.h>

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

static float **frames_make(const struct film *film, unsigned int count)
{
	float **frames = workload_host_alloc(film->frames_count + 1, sizeof(*frames));

	workload_input_number(film->shape.side);
	workload_input_number(film->shape.reach);
	workload_input_number(count);
	for (unsigned int n = 0; n <= film->frames_count; n++) {
		frames[n] = workload_host_alloc((size_t)film->shape.rows * film->shape.columns, sizeof(float));
		frame_make(film, n, frames[n]);
		workload_input(frames[n], (size_t)film->shape.rows * film->shape.columns * sizeof(float));
	}
	return frames;
}

static void frames_free(const struct film *film, float **frames)
{
	for (unsigned int n = 0; n <= film->frames_count; n++)
		free(frames[n]);
	free(frames);
}

static void points_track(const struct film *film, float *const *frames, struct heartwall_work *work,
			 unsigned int count, bool is_team)
{
	for (unsigned int n = 0; n <= film->frames_count; n++) {
#pragma omp parallel for if (is_team)
		for (unsigned int i = 0; i < count; i++)
			point_track(&film->shape, &work[i], frames[n], n);
	}
}

/* As one thread does it; and every point has moved as the film did. */
static bool points_check(const struct film *film, const struct heartwall_work *got, const struct heartwall_work *want,
			 const struct heartwall_work *before, unsigned int count)
{
	const struct heartwall_shape *s = &film->shape;

	for (unsigned int i = 0; i < count; i++)
		if (!workload_same_f32("template", got[i].pixels, want[i].pixels, (size_t)s->side * s->side, 0) ||
		    !workload_same_f32("score", got[i].scores, want[i].scores, (size_t)s->full * s->full, 0) ||
		    !point_followed(about.name, film, i, before[i].start, got[i].last))
			return false;
	return true;
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const unsigned int count = o.counts[POINTS];
	const struct film film =
	    film_of(o.paper, o.counts[FRAMES], o.counts[SIDE], o.counts[REACH], o.seed);
	struct heartwall_work *got, *want, *before;
	float **frames;
	double begin;
	bool right;

	strata_modelling_end();
	frames = frames_make(&film, count);
	got = points_make(&film, count);
	want = points_make(&film, count);
	before = points_make(&film, count);
	begin = steps_begin();
	points_track(&film, frames, got, count, true);
	steps_end(begin);
	points_track(&film, frames, want, count, false);
	right = points_check(&film, got, want, before, count);
	frames_free(&film, frames);
	free(got);
	free(want);
	free(before);
	return workload_finish(right, "%u points, %u frames", count, film.frames_count);
}
