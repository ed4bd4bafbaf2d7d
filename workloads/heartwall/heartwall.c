/*
 * Tracking of points on a wall of the heart through the frames of an ultrasound film, as Rodinia's Heartwall does it:
 * each point has a template that is searched for around its last place by normalised cross-correlation, the point moves
 * to the best match, and every ten frames the template takes a share of what is there.
 *
 * The film is ours: random speckle that beats as a whole, by a drawn displacement in each frame, with noise on top.
 * The host repeats every step with the same operations and compares the last frame's scores and the templates bit for
 * bit; and independently of that, every point must have moved as the film did.
 */
#define MULTIPLY_ADD(a, b, c) fmaf(a, b, c)

#include "common/workload.h"
#include "heartwall/host.h"

#include <stddef.h>
#include <stdlib.h>

static const char heartwall_ptx[] =
#include WORKLOAD_PTX
	;

/* The counts on the command line, in their order. */
enum {
	FRAMES,
	SIDE,
	REACH,
	POINTS,
	VARIANT,
};
enum { ORIGINAL, UNROLLED };

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

static struct track_device device_open(const struct heartwall_shape *s, const struct heartwall_work *points,
				       unsigned int count, bool is_unrolled)
{
	struct track_device d = {.gpu = workload_gpu_open(heartwall_ptx)};

	d.track = workload_gpu_kernel(&d.gpu, is_unrolled ? "heartwall_track_unrolled" : "heartwall_track");
	d.frame = workload_device_alloc((size_t)s->rows * s->columns * sizeof(float));
	d.work = workload_device_alloc(count * sizeof(struct heartwall_work));
	for (unsigned int i = 0; i < count; i++) {
		struct heartwall_point both[] = {points[i].start, points[i].last};

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

static void device_track(struct track_device *d, const struct heartwall_shape *shape, const float *frame,
			 unsigned int count, bool is_unrolled, unsigned int number)
{
	struct heartwall_shape s = *shape;
	void *params[] = {&d->frame, &d->work, &s, &number};

	WORKLOAD_CUDA(cuMemcpyHtoD(d->frame, frame, (size_t)s.rows * s.columns * sizeof(float)));
	workload_launch(d->track, (struct workload_dim){count, 1, 1},
			(struct workload_dim){is_unrolled ? HEARTWALL_UNROLLED_THREADS : HEARTWALL_THREADS, 1, 1},
			params);
}

/* ---- Both ------------------------------------------------------------------------------------------------------- */

/* A point's last scores and its template, and that it is where the film is. */
static bool point_check(const struct track_device *d, const struct film *film, unsigned int i,
			const struct heartwall_work *want, struct heartwall_point start)
{
	const size_t area = (size_t)film->shape.side * film->shape.side;
	const size_t places = (size_t)film->shape.full * film->shape.full;
	float *pixels = workload_host_alloc(area, sizeof(float)), *scores = workload_host_alloc(places, sizeof(float));
	bool right;

	WORKLOAD_CUDA(
	    cuMemcpyDtoH(pixels, work_at(d, i, offsetof(struct heartwall_work, pixels)), area * sizeof(float)));
	WORKLOAD_CUDA(
	    cuMemcpyDtoH(scores, work_at(d, i, offsetof(struct heartwall_work, scores)), places * sizeof(float)));
	right = workload_same_f32("templates", pixels, want->pixels, area, 0) &&
		workload_same_f32("scores", scores, want->scores, places, 0) &&
		point_followed("heartwall", film, i, start, want->last);
	free(pixels);
	free(scores);
	return right;
}

static bool film_run(const struct film *film, unsigned int count, bool is_unrolled)
{
	const struct heartwall_shape *s = &film->shape;
	struct heartwall_work *work = points_make(film, count), *before = points_make(film, count);
	struct track_device d = device_open(s, work, count, is_unrolled);
	float *frame = workload_host_alloc((size_t)s->rows * s->columns, sizeof(float));
	bool right = true;

	workload_input_number(s->side);
	workload_input_number(s->reach);
	workload_input_number(count);
	for (unsigned int n = 0; n <= film->frames_count; n++) {
		frame_make(film, n, frame);
		workload_input(frame, (size_t)s->rows * s->columns * sizeof(float));
		device_track(&d, s, frame, count, is_unrolled, n);
		for (unsigned int i = 0; i < count; i++)
			point_track(s, &work[i], frame, n);
	}
	for (unsigned int i = 0; right && i < count; i++)
		right = point_check(&d, film, i, &work[i], before[i].start);
	device_close(&d);
	free(work);
	free(before);
	free(frame);
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
	const struct film film = film_of(options.paper, options.counts[FRAMES], options.counts[SIDE],
					 options.counts[REACH], options.seed);
	const bool right = film_run(&film, options.counts[POINTS], options.counts[VARIANT] == UNROLLED);

	return workload_finish(right, "%u points, %u frames", options.counts[POINTS], film.frames_count);
}
