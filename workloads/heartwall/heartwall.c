/*
 * Tracking of points on a wall of the heart through the frames of an ultrasound film, as Rodinia's Heartwall does it:
 * each point has a template that is searched for around its last place by normalised cross-correlation, the point moves
 * to the best match, and every ten frames the template takes a share of what is there.
 *
 * The film is ours: random speckle that beats as a whole, by a drawn displacement in each frame, with noise on top.
 * The host repeats every step with the same operations and compares the last frame's scores and the templates bit for
 * bit; and independently of that, every point must have moved as the film did.
 */
#include "common/workload.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heartwall.h"

static const char heartwall_ptx[] =
#include WORKLOAD_PTX
	;

enum {
	POINTS_MAX = 512,
	MOVE_MAX = 4, /* pixels that the film is away from its first frame in each direction, at most */
};

/* The counts on the command line, in their order. */
enum {
	FRAMES,
	SIDE,
	REACH,
	POINTS,
	VARIANT,
};
enum { ORIGINAL, UNROLLED };

struct track {
	struct heartwall_shape shape;
	unsigned int points_count; /* on the inner and outer wall */
	unsigned int frames_count; /* that are searched; one more gives the templates */
	bool is_unrolled;
	uint64_t seed;
	float *frame;
	float *templates; /* [point][side * side] */
	float *scores;	  /* [point][full * full], of the last frame */
	struct heartwall_point *points;
	struct heartwall_point *last;
};

/* How far the film is from its first frame. */
static struct heartwall_point film_place(const struct track *t, unsigned int frame)
{
	struct heartwall_point at = {0, 0};

	if (frame > 0) {
		at.column = (unsigned int)(workload_random(t->seed, 1, frame) % (MOVE_MAX + 1));
		at.row = (unsigned int)(workload_random(t->seed, 2, frame) % (MOVE_MAX + 1));
	}
	return at;
}

/* Speckle is smooth over three pixels; its pattern is fixed to the film, the noise to the frame. */
static void frame_make(const struct track *t, unsigned int number, float *frame)
{
	struct heartwall_point at = film_place(t, number);
	size_t pixels = (size_t)t->shape.rows * t->shape.columns;

	for (unsigned int x = 0; x < t->shape.columns; x++) {
		for (unsigned int y = 0; y < t->shape.rows; y++) {
			uint64_t column = (uint64_t)x + 4096 - at.column;
			uint64_t place = (((uint64_t)y + 4096 - at.row) << 20) + column;
			float speckle = workload_random_float(t->seed, 3, place - 1) +
				workload_random_float(t->seed, 3, place) + workload_random_float(t->seed, 3, place + 1);
			size_t pixel = (size_t)x * t->shape.rows + y;

			frame[pixel] =
				speckle + 0.25f * workload_random_float(t->seed, 4, (uint64_t)number * pixels + pixel);
		}
	}
}

/* Points on two ellipses around the middle of the frame, as far from its border as the search needs. */
static void points_place(struct track *t)
{
	const struct heartwall_shape *s = &t->shape;
	unsigned int margin = s->reach + MOVE_MAX;

	for (unsigned int i = 0; i < t->points_count; i++) {
		double share = i % 2 ? 0.5 : 1.0;
		double angle = 6.283185307179586 * i / t->points_count;
		double x = 0.5 + 0.5 * share * cos(angle);
		double y = 0.5 + 0.5 * share * sin(angle);

		t->points[i].column = margin + (unsigned int)(x * (s->columns - s->side - 2 * margin));
		t->points[i].row = margin + (unsigned int)(y * (s->rows - s->side - 2 * margin));
		t->last[i] = t->points[i];
	}
}

static struct track track_make(const struct heartwall_shape *shape, const struct workload_options *options)
{
	struct track t = {.shape = *shape,
			  .points_count = options->counts[POINTS],
			  .frames_count = options->counts[FRAMES],
			  .is_unrolled = options->counts[VARIANT] == UNROLLED,
			  .seed = options->seed};

	t.points = workload_host_alloc(t.points_count, sizeof(*t.points));
	t.last = workload_host_alloc(t.points_count, sizeof(*t.last));
	t.frame = workload_host_alloc((size_t)shape->rows * shape->columns, sizeof(float));
	t.templates = workload_host_alloc((size_t)t.points_count * shape->side * shape->side, sizeof(float));
	t.scores = workload_host_alloc((size_t)t.points_count * shape->full * shape->full, sizeof(float));
	points_place(&t);
	return t;
}

static void track_free(struct track *t)
{
	free(t->points);
	free(t->last);
	free(t->frame);
	free(t->templates);
	free(t->scores);
}

/* ---- The device ------------------------------------------------------------------------------------------------- */

struct track_device {
	struct workload_gpu gpu;
	CUfunction track;
	CUdeviceptr frame;
	CUdeviceptr work; /* struct heartwall_work, one per point */
};

/* Where a member of a point's work lies. */
static CUdeviceptr work_at(const struct track_device *d, unsigned int point, size_t offset)
{
	return d->work + point * sizeof(struct heartwall_work) + offset;
}

static struct track_device device_open(const struct track *t)
{
	const struct heartwall_shape *s = &t->shape;
	struct track_device d = {.gpu = workload_gpu_open(heartwall_ptx)};

	d.track = workload_gpu_kernel(&d.gpu, t->is_unrolled ? "heartwall_track_unrolled" : "heartwall_track");
	d.frame = workload_device_alloc((size_t)s->rows * s->columns * sizeof(float));
	d.work = workload_device_alloc(t->points_count * sizeof(struct heartwall_work));
	for (unsigned int i = 0; i < t->points_count; i++) {
		struct heartwall_point both[] = {t->points[i], t->last[i]};

		WORKLOAD_CUDA(cuMemcpyHtoD(work_at(&d, i, 0), both, sizeof(both)));
	}
	return d;
}

static void device_close(struct track_device *d)
{
	WORKLOAD_CUDA(cuMemFree(d->frame));
	WORKLOAD_CUDA(cuMemFree(d->work));
	workload_gpu_close(&d->gpu);
}

static void device_track(struct track_device *d, const struct track *t, unsigned int number)
{
	struct heartwall_shape s = t->shape;
	void *params[] = {&d->frame, &d->work, &s, &number};

	WORKLOAD_CUDA(cuMemcpyHtoD(d->frame, t->frame, (size_t)s.rows * s.columns * sizeof(float)));
	workload_launch(d->track, (struct workload_dim){t->points_count, 1, 1},
			(struct workload_dim){t->is_unrolled ? HEARTWALL_UNROLLED_THREADS : HEARTWALL_THREADS, 1, 1},
			params);
}

/* The same member of all points, one after the other. */
static float *work_read(const struct track_device *d, unsigned int points_count, size_t offset, size_t elements)
{
	float *all = workload_host_alloc(points_count * elements, sizeof(float));

	for (unsigned int i = 0; i < points_count; i++)
		WORKLOAD_CUDA(cuMemcpyDtoH(all + i * elements, work_at(d, i, offset), elements * sizeof(float)));
	return all;
}

/* ---- The host --------------------------------------------------------------------------------------------------- */

static void host_window(const struct track *t, struct heartwall_point at, unsigned int side, float *to)
{
	for (unsigned int c = 0; c < side; c++)
		for (unsigned int r = 0; r < side; r++)
			to[c * side + r] = t->frame[(size_t)(at.column + c) * t->shape.rows + at.row + r];
}

static float host_product(const struct heartwall_shape *s, const float *pixels, const float *region, unsigned int row,
			  unsigned int column)
{
	float sum = 0.0f;

	for (unsigned int c = 0; c < s->side && c <= column; c++) {
		for (unsigned int r = 0; r < s->side && r <= row && column - c < s->region; r++) {
			if (row - r < s->region)
				sum = fmaf(pixels[(s->side - 1 - c) * s->side + s->side - 1 - r],
					   region[(column - c) * s->region + row - r], sum);
		}
	}
	return sum;
}

/* Sums of side x side values at every place, by running sums in the kernel's order: their rounding shows. */
static void host_box_sums(const struct heartwall_shape *s, const float *region, float *sums)
{
	float *down = workload_host_alloc((size_t)s->padded * s->padded, sizeof(float));
	float *across = workload_host_alloc((size_t)s->full * s->padded, sizeof(float));

	for (unsigned int c = 0; c < s->region; c++)
		for (unsigned int r = 0; r < s->region; r++)
			down[(c + s->side) * s->padded + r + s->side] = region[c * s->region + r];
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
	free(down);
	free(across);
}

/* A template's sum and spread, line by line. */
static void host_template(const struct heartwall_shape *s, const float *pixels, float *sum, float *spread)
{
	float squares = 0.0f;

	*sum = 0.0f;
	for (unsigned int line = 0; line < s->side; line++) {
		float part = 0.0f, square_part = 0.0f;

		for (unsigned int i = 0; i < s->side; i++) {
			float value = pixels[i * s->side + line];

			part += pixels[line * s->side + i];
			square_part += value * value;
		}
		*sum += part;
		squares += square_part;
	}
	*spread = heartwall_spread(*sum, squares, (float)(s->side * s->side));
}

static void host_scores(const struct track *t, unsigned int i, const float *region, float *scores)
{
	const struct heartwall_shape *s = &t->shape;
	size_t places = (size_t)s->full * s->full, pixels = (size_t)s->region * s->region;
	float *sums = workload_host_alloc(places, sizeof(float));
	float *square_sums = workload_host_alloc(places, sizeof(float));
	float *squares = workload_host_alloc(pixels, sizeof(float));
	const float *template = t->templates + (size_t)i * s->side * s->side;
	float count = (float)(s->side * s->side);
	unsigned int row = t->last[i].row - t->points[i].row + s->reach + s->side - 1;
	unsigned int column = t->last[i].column - t->points[i].column + s->reach + s->side - 1;
	float sum, spread;

	for (size_t p = 0; p < pixels; p++)
		squares[p] = region[p] * region[p];
	host_box_sums(s, region, sums);
	host_box_sums(s, squares, square_sums);
	host_template(s, template, &sum, &spread);
	for (unsigned int c = 0; c < s->full; c++) {
		for (unsigned int r = 0; r < s->full; r++) {
			size_t p = (size_t)c * s->full + r;
			bool is_near = r + HEARTWALL_NEAR / 2 >= row && r < row + HEARTWALL_NEAR / 2 &&
				c + HEARTWALL_NEAR / 2 >= column && c < column + HEARTWALL_NEAR / 2;

			scores[p] = heartwall_centred(host_product(s, template, region, r, c), sums[p], sum, count) /
				(heartwall_spread(sums[p], square_sums[p], count) * spread) * (is_near ? 1.0f : 0.0f);
		}
	}
	free(sums);
	free(square_sums);
	free(squares);
}

/* Move a point to the best score, the first of equals. */
static void host_move(struct track *t, unsigned int i, const float *scores)
{
	const struct heartwall_shape *s = &t->shape;
	unsigned int at = 0;
	float high = 0.0f;

	for (unsigned int p = 0; p < s->full * s->full; p++) {
		if (fabsf(scores[p]) > high) {
			high = fabsf(scores[p]);
			at = p;
		}
	}
	t->last[i].row = t->points[i].row + at % s->full - s->reach - s->side + 1;
	t->last[i].column = t->points[i].column + at / s->full - s->reach - s->side + 1;
}

static void host_renew(struct track *t, unsigned int i)
{
	const struct heartwall_shape *s = &t->shape;
	size_t area = (size_t)s->side * s->side;
	float *now = workload_host_alloc(area, sizeof(float));
	float *template = t->templates + i * area;

	t->points[i] = t->last[i];
	host_window(t, t->points[i], s->side, now);
	for (size_t p = 0; p < area; p++)
		template[p] = fmaf(HEARTWALL_KEEP, template[p] - now[p], now[p]);
	free(now);
}

static void host_track(struct track *t, unsigned int number)
{
	const struct heartwall_shape *s = &t->shape;
	float *region = workload_host_alloc((size_t)s->region * s->region, sizeof(float));

	for (unsigned int i = 0; i < t->points_count; i++) {
		float *scores = t->scores + (size_t)i * s->full * s->full;
		struct heartwall_point corner = {t->points[i].row - s->reach, t->points[i].column - s->reach};

		if (number == 0) {
			host_window(t, t->points[i], s->side, t->templates + (size_t)i * s->side * s->side);
			continue;
		}
		host_window(t, corner, s->region, region);
		host_scores(t, i, region, scores);
		host_move(t, i, scores);
		if (number % HEARTWALL_RENEW == 0)
			host_renew(t, i);
	}
	free(region);
}

/* ---- All together ----------------------------------------------------------------------------------------------- */

static bool points_followed(const struct track *t, const struct heartwall_point *start)
{
	struct heartwall_point moved = film_place(t, t->frames_count);

	for (unsigned int i = 0; i < t->points_count; i++) {
		const struct heartwall_point *got = &t->last[i];

		if (got->row == start[i].row + moved.row && got->column == start[i].column + moved.column)
			continue;
		fprintf(stderr, "heartwall: point %u was at %u, %u and is at %u, %u; the film is at %u, %u\n", i,
			start[i].column, start[i].row, got->column, got->row, moved.column, moved.row);
		return false;
	}
	return true;
}

static bool track_run(struct track *t)
{
	size_t area = (size_t)t->shape.side * t->shape.side, places = (size_t)t->shape.full * t->shape.full;
	struct track_device d = device_open(t);
	struct heartwall_point *start = workload_host_alloc(t->points_count, sizeof(*start));
	float *templates, *scores;
	bool right;

	memcpy(start, t->points, t->points_count * sizeof(*start));
	for (unsigned int n = 0; n <= t->frames_count; n++) {
		frame_make(t, n, t->frame);
		device_track(&d, t, n);
		host_track(t, n);
	}
	templates = work_read(&d, t->points_count, offsetof(struct heartwall_work, pixels), area);
	scores = work_read(&d, t->points_count, offsetof(struct heartwall_work, scores), places);
	device_close(&d);
	right = workload_same_f32("templates", templates, t->templates, t->points_count * area, 0) &&
		workload_same_f32("scores", scores, t->scores, t->points_count * places, 0) &&
		points_followed(t, start);
	free(start);
	free(templates);
	free(scores);
	return right;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"heartwall", "Tracking of points through the frames of a film by cross-correlation.",
		"51 points, 1 frame of 160 x 160, templates of 9 x 9, displacements up to 4",
		"51 points, 1 frame of 656 x 744, templates of 51 x 51, displacements up to 15: Rodinia's"};
	static const char *const variants[] = {"original", "unrolled", NULL};
	static const struct workload_count counts[] = {
		{"frames", "frames searched", 1, 1, 1, 100, 1, NULL},
		{"side", "pixels along a side of a template", 9, 51, 7, HEARTWALL_SIDE_MAX, 1, NULL},
		{"reach", "displacements searched in each direction, in pixels", 4, 15, MOVE_MAX, HEARTWALL_REACH_MAX,
		 1, NULL},
		{"points", "points on the inner and the outer wall", 51, 51, 2, POINTS_MAX, 1, NULL},
		{"variant", "loops over arrays: a round for 256 elements, or for 1,024", ORIGINAL, ORIGINAL, 0,
		 UNROLLED, 1, variants},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct heartwall_shape shape = {
		.rows = options.paper ? 656 : 160,
		.columns = options.paper ? 744 : 160,
		.side = options.counts[SIDE],
		.reach = options.counts[REACH],
	};
	struct track t;
	bool right;

	shape.region = shape.side + 2 * shape.reach;
	shape.padded = shape.region + 2 * shape.side;
	shape.full = shape.region + shape.side - 1;
	if (shape.side + 2 * (shape.reach + MOVE_MAX) > shape.rows)
		workload_fail("frames of %u x %u are too small for templates of %u pixels that move up to %u",
			      shape.columns, shape.rows, shape.side, shape.reach);
	t = track_make(&shape, &options);
	right = track_run(&t);
	track_free(&t);
	return workload_finish(right, "%u points, %u frames", t.points_count, t.frames_count);
}
