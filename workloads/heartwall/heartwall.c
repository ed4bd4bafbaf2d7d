/*
 * Tracking of points on a wall of the heart through the frames of an ultrasound film, as Rodinia's Heartwall does it:
 * each point has a template that is searched for around its last place by normalised cross-correlation, the point moves
 * to the best match, and the template follows what it finds there.
 *
 * The film is ours: random speckle that moves as a whole by a drawn displacement from frame to frame, with noise on
 * each frame.  The host repeats every step with the same operations and compares templates bit for bit; and
 * independently of that, every point must have moved as the film did.
 */
#include "common/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "heartwall.h"

static const char heartwall_ptx[] =
#include WORKLOAD_PTX
	;

enum {
	BLOCK_THREADS = 128, /* heartwall_move counts on it */
	POINTS_COUNT = 51,   /* inner and outer wall, as in Rodinia */
	MOVE_MAX = 4,	     /* pixels that the film moves between frames in each direction, at most */
};

struct track {
	struct heartwall_shape shape;
	unsigned int frames_count; /* that are searched; one more gives the templates */
	uint64_t seed;
	float *frame;
	float *templates;     /* [point][side * side] */
	float *template_sums; /* [point] */
	struct heartwall_point points[POINTS_COUNT];
};

/* How far the film has moved at a frame. */
static struct heartwall_point film_place(const struct track *t, unsigned int frame)
{
	struct heartwall_point at = {0, 0};

	for (unsigned int n = 1; n <= frame; n++) {
		at.x += (unsigned int)(workload_random(t->seed, 1, n) % (MOVE_MAX + 1));
		at.y += (unsigned int)(workload_random(t->seed, 2, n) % (MOVE_MAX + 1));
	}
	return at;
}

/* Speckle is smooth over three pixels; its pattern is fixed to the film, the noise to the frame. */
static void frame_make(const struct track *t, unsigned int number, float *frame)
{
	struct heartwall_point at = film_place(t, number);
	size_t pixels = (size_t)t->shape.width * t->shape.height;

	for (unsigned int y = 0; y < t->shape.height; y++) {
		for (unsigned int x = 0; x < t->shape.width; x++) {
			uint64_t column = (uint64_t)x + 4096 - at.x;
			uint64_t place = (((uint64_t)y + 4096 - at.y) << 20) + column;
			float speckle = workload_random_float(t->seed, 3, place - 1) +
				workload_random_float(t->seed, 3, place) + workload_random_float(t->seed, 3, place + 1);
			size_t pixel = (size_t)y * t->shape.width + x;

			frame[pixel] =
				speckle + 0.25f * workload_random_float(t->seed, 4, (uint64_t)number * pixels + pixel);
		}
	}
}

/* Points on two ellipses around the middle of the frame, as far from its border as the search needs. */
static void points_place(struct track *t)
{
	const struct heartwall_shape *s = &t->shape;
	unsigned int margin = s->reach + MOVE_MAX * t->frames_count;

	for (unsigned int i = 0; i < POINTS_COUNT; i++) {
		double share = i % 2 ? 0.5 : 1.0;
		double angle = 6.283185307179586 * i / POINTS_COUNT;
		double x = 0.5 + 0.5 * share * cos(angle);
		double y = 0.5 + 0.5 * share * sin(angle);

		t->points[i].x = margin + (unsigned int)(x * (s->width - s->side - 2 * margin));
		t->points[i].y = margin + (unsigned int)(y * (s->height - s->side - 2 * margin));
	}
}

static struct track track_make(const struct heartwall_shape *shape, unsigned int frames_count, uint64_t seed)
{
	struct track t = {.shape = *shape, .frames_count = frames_count, .seed = seed};
	size_t area = (size_t)shape->side * shape->side;

	t.frame = workload_host_alloc((size_t)shape->width * shape->height, sizeof(float));
	t.templates = workload_host_alloc(POINTS_COUNT * area, sizeof(float));
	t.template_sums = workload_host_alloc(POINTS_COUNT, sizeof(float));
	points_place(&t);
	frame_make(&t, 0, t.frame);
	for (unsigned int i = 0; i < POINTS_COUNT; i++) {
		const float *window = t.frame + (size_t)t.points[i].y * shape->width + t.points[i].x;

		for (size_t p = 0; p < area; p++) {
			float value = window[p / shape->side * shape->width + p % shape->side];

			t.templates[i * area + p] = value;
			t.template_sums[i] += value;
		}
	}
	return t;
}

static void track_free(struct track *t)
{
	free(t->frame);
	free(t->templates);
	free(t->template_sums);
}

/* ---- The device ------------------------------------------------------------------------------------------------- */

struct track_device {
	struct workload_gpu gpu;
	CUfunction correlate, columns, rate, move;
	CUdeviceptr frame, points, templates, template_sums;
	CUdeviceptr products, sums, squares, scores;
};

static struct track_device device_open(const struct track *t)
{
	const struct heartwall_shape *s = &t->shape;
	size_t span = 2 * s->reach + 1;
	size_t scores = POINTS_COUNT * span * span * sizeof(float);
	size_t columns = POINTS_COUNT * span * (span + s->side - 1) * sizeof(float);
	struct track_device d = {.gpu = workload_gpu_open(heartwall_ptx)};

	d.correlate = workload_gpu_kernel(&d.gpu, "heartwall_correlate");
	d.columns = workload_gpu_kernel(&d.gpu, "heartwall_columns");
	d.rate = workload_gpu_kernel(&d.gpu, "heartwall_rate");
	d.move = workload_gpu_kernel(&d.gpu, "heartwall_move");
	d.frame = workload_device_alloc((size_t)s->width * s->height * sizeof(float));
	d.points = workload_device_copy(t->points, sizeof(t->points));
	d.templates = workload_device_copy(t->templates, POINTS_COUNT * (size_t)s->side * s->side * sizeof(float));
	d.template_sums = workload_device_copy(t->template_sums, POINTS_COUNT * sizeof(float));
	d.products = workload_device_alloc(scores);
	d.scores = workload_device_alloc(scores);
	d.sums = workload_device_alloc(columns);
	d.squares = workload_device_alloc(columns);
	return d;
}

static void device_close(struct track_device *d)
{
	const CUdeviceptr all[] = {d->frame,	d->points, d->templates, d->template_sums,
				   d->products, d->scores, d->sums,	 d->squares};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		WORKLOAD_CUDA(cuMemFree(all[i]));
	workload_gpu_close(&d->gpu);
}

static void device_search(struct track_device *d, const struct track *t, const float *frame)
{
	struct heartwall_shape s = t->shape;
	unsigned int span = 2 * s.reach + 1;
	struct workload_dim block = {BLOCK_THREADS, 1, 1};
	struct workload_dim all = {workload_ctas(span * span, BLOCK_THREADS), POINTS_COUNT, 1};
	struct workload_dim places = {workload_ctas(span * (span + s.side - 1), BLOCK_THREADS), POINTS_COUNT, 1};
	struct workload_dim each = {POINTS_COUNT, 1, 1};
	void *correlate[] = {&d->frame, &d->templates, &d->points, &d->products, &s.width, &s.side, &s.reach};
	void *columns[] = {&d->frame, &d->points, &d->sums, &d->squares, &s.width, &s.side, &s.reach};
	void *rate[] = {&d->products, &d->sums, &d->squares, &d->template_sums, &d->scores, &s.side, &s.reach};
	void *move[] = {&d->frame,	   &d->scores, &d->points, &d->templates,
			&d->template_sums, &s.width,   &s.side,	   &s.reach};

	WORKLOAD_CUDA(cuMemcpyHtoD(d->frame, frame, (size_t)s.width * s.height * sizeof(float)));
	workload_launch(d->correlate, all, block, correlate);
	workload_launch(d->columns, places, block, columns);
	workload_launch(d->rate, all, block, rate);
	workload_launch(d->move, each, block, move);
}

/* ---- The host --------------------------------------------------------------------------------------------------- */

static float host_score(const struct track *t, unsigned int i, const float *window)
{
	const struct heartwall_shape *s = &t->shape;
	const float *pixels = t->templates + (size_t)i * s->side * s->side;
	float product = 0.0f, sum = 0.0f, squares = 0.0f;

	for (unsigned int row = 0; row < s->side; row++) {
		for (unsigned int column = 0; column < s->side; column++)
			product = fmaf(pixels[row * s->side + column], window[row * s->width + column], product);
	}
	for (unsigned int column = 0; column < s->side; column++) {
		float down = 0.0f, square = 0.0f;

		for (unsigned int row = 0; row < s->side; row++) {
			float value = window[row * s->width + column];

			down += value;
			square = fmaf(value, value, square);
		}
		sum += down;
		squares += square;
	}
	return heartwall_score(product, sum, squares, t->template_sums[i], (float)(s->side * s->side));
}

static void host_search_point(struct track *t, unsigned int i)
{
	const struct heartwall_shape *s = &t->shape;
	unsigned int span = 2 * s->reach + 1;
	unsigned int best_x = 0, best_y = 0;
	float high = -3.402823466e38f;
	float *pixels = t->templates + (size_t)i * s->side * s->side;
	const float *window;

	for (unsigned int y = 0; y < span; y++) {
		for (unsigned int x = 0; x < span; x++) {
			float score = host_score(t, i,
						 t->frame + (size_t)(t->points[i].y + y - s->reach) * s->width +
							 t->points[i].x + x - s->reach);

			if (score > high) {
				high = score;
				best_x = x;
				best_y = y;
			}
		}
	}
	t->points[i].x += best_x - s->reach;
	t->points[i].y += best_y - s->reach;
	window = t->frame + (size_t)t->points[i].y * s->width + t->points[i].x;
	t->template_sums[i] = 0.0f;
	for (unsigned int p = 0; p < s->side * s->side; p++) {
		float value = window[p / s->side * s->width + p % s->side];

		pixels[p] = fmaf(HEARTWALL_KEEP, pixels[p] - value, value);
		t->template_sums[i] += pixels[p];
	}
}

/* ---- All together ----------------------------------------------------------------------------------------------- */

static bool points_followed(const struct track *t, const struct heartwall_point *got,
			    const struct heartwall_point *start)
{
	struct heartwall_point moved = film_place(t, t->frames_count);

	for (unsigned int i = 0; i < POINTS_COUNT; i++) {
		if (got[i].x == start[i].x + moved.x && got[i].y == start[i].y + moved.y)
			continue;
		fprintf(stderr, "heartwall: point %u was at %u, %u and is at %u, %u; the film moved by %u, %u\n", i,
			start[i].x, start[i].y, got[i].x, got[i].y, moved.x, moved.y);
		return false;
	}
	return true;
}

static bool track_run(struct track *t)
{
	size_t area = (size_t)POINTS_COUNT * t->shape.side * t->shape.side;
	struct track_device d = device_open(t);
	float *templates = workload_host_alloc(area, sizeof(*templates));
	struct heartwall_point start[POINTS_COUNT], got[POINTS_COUNT];
	bool right;

	for (unsigned int i = 0; i < POINTS_COUNT; i++)
		start[i] = t->points[i];
	for (unsigned int n = 1; n <= t->frames_count; n++) {
		frame_make(t, n, t->frame);
		device_search(&d, t, t->frame);
		for (unsigned int i = 0; i < POINTS_COUNT; i++)
			host_search_point(t, i);
	}
	WORKLOAD_CUDA(cuMemcpyDtoH(templates, d.templates, area * sizeof(*templates)));
	WORKLOAD_CUDA(cuMemcpyDtoH(got, d.points, sizeof(got)));
	device_close(&d);
	right = workload_same_f32("templates", templates, t->templates, area, 0) && points_followed(t, got, start);
	free(templates);
	return right;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"heartwall", "Tracking of 51 points through the frames of a film by cross-correlation.",
		"2 frames of 160 x 160, templates of 15 x 15, displacements up to 8",
		"2 frames of 656 x 744, templates of 51 x 51, displacements up to 15"};
	static const struct workload_count counts[] = {
		{"frames", "frames searched", 2, 2, 1, 100, 1},
		{"side", "pixels along a side of a template", 15, 51, 3, HEARTWALL_SIDE_MAX, 1},
		{"reach", "displacements searched in each direction, in pixels", 8, 15, MOVE_MAX, 31, 1},
	};
	static const struct heartwall_shape small = {.width = 160, .height = 160, .side = 15, .reach = 8};
	static const struct heartwall_shape paper = {.width = 656, .height = 744, .side = 51, .reach = 15};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct heartwall_shape shape = options.paper ? paper : small;
	struct track t;
	unsigned int frames_count = options.counts[0];
	bool right;

	shape.side = options.counts[1];
	shape.reach = options.counts[2];
	if (shape.side + 2 * (shape.reach + MOVE_MAX * frames_count) > shape.height)
		workload_fail("%u frames of %u x %u are too small for templates of %u pixels that move up to %u",
			      frames_count, shape.width, shape.height, shape.side, shape.reach);
	t = track_make(&shape, frames_count, options.seed);
	right = track_run(&t);

	track_free(&t);
	return workload_finish(right, "%u points, %u frames", POINTS_COUNT, frames_count);
}
