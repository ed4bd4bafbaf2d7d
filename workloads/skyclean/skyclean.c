/*
 * clean - an image of the sky is deconvolved by CLEAN (Hogbom 1974): the brightest pixel is found, a share of it
 * goes to the model, and the telescope's point spread function (PSF), scaled by that, is subtracted around it; again.
 *
 * Each of the two kernels is the CPU's or an NDP's (NDP thesis, section 5.5.1). Image and model are compared, bit for
 * bit, with those of one thread.
 */
#include "clean.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <strata/ndp.h>
#include <string.h>

static const struct workload_about about = {
	.name = "clean",
	.summary = "CLEAN: brightest pixel and point spread function, by the CPU or beside the memory.",
	.small_size = "64 x 64 pixels, 10 iterations",
	.paper_size = "1024 x 1024 pixels, 50 iterations",
};

enum { ON_CPU, ON_NDP };
enum { SOURCES = 24 };
enum { BY_DIRECTORY, BY_FLUSH };
static const char *const places[] = {"cpu", "ndp"};
static const char *const handovers[] = {"directory", "flush"};
static const struct workload_count counts[] = {
	{"side", "pixels of the image's side", 64, 1024, 64, 4096, 8, NULL},
	{"iterations", "sources that are subtracted", 10, 50, 1, 1000000, 1, NULL},
	{"find", "who finds the brightest pixel; an NDP, if there is one", ON_CPU, ON_CPU, 0, ON_NDP, 1, places},
	{"subtract", "who subtracts", ON_CPU, ON_CPU, 0, ON_NDP, 1, places},
	{"threads", "threads of the CPU; 0: one for each of its hardware threads", 0, 0, 0, 4096, 1, NULL},
	{"handover", "of the image, CPU to NDP; flush: the CPU writes it back and forgets it before a message",
	 BY_DIRECTORY, BY_DIRECTORY, 0, BY_FLUSH, 1, handovers},
};

static const float gain = 0.1f; /* choice: the thesis does not say; common in CLEAN */

struct clean {
	struct picture picture;
	float *model;
	uint32_t iterations, threads;
	bool finds_near, subtracts_near;
	bool is_flushed; /* what one side has of the image when the other one needs it */
	struct near *near;
	struct peak *peaks; /* of the CPU's threads */
	double finding, subtracting, handing;
};

/* ---- the input ---- */

/* A bright core and rings that fade. */
static void psf_make(const struct picture *p)
{
	const double half = p->side / 2;

	for (uint32_t y = 0; y < p->side; y++)
		for (uint32_t x = 0; x < p->side; x++) {
			const double r = hypot(x - half, y - half);

			p->psf[(size_t)y * p->side + x] =
				(float)(exp(-r * r / 8) + 0.05 * (cos(r) - exp(-r * r / 8)) / (1 + r));
		}
}

/* What the telescope sees of some sources. */
static void image_make(const struct picture *p, uint64_t seed)
{
	memset(p->image, 0, (size_t)p->side * p->side * sizeof(float));
	for (uint32_t i = 0; i < SOURCES; i++) {
		const uint32_t at = (uint32_t)(workload_random(seed, 0, i) % ((uint64_t)p->side * p->side));

		subtract_part(p, at, -1 - 4 * workload_random_float(seed, 1, i), 0, 1);
	}
}

/* ---- CLEAN ---- */

/* The image goes to an NDP that nobody keeps coherent, or the CPU's copies will be old when it has written: line by
 * line, as the thesis' flushRangeToRAM and readFromRAM (section 5.2.3), which are the same instruction. */
static void hand_over(struct clean *c)
{
	double begin;

	if (!c->is_flushed || (c->finds_near && c->subtracts_near))
		return;
	begin = workload_seconds();
	strata_flush(c->picture.image, (size_t)c->picture.side * c->picture.side * sizeof(float));
	c->handing += workload_seconds() - begin;
}

static struct peak find(struct clean *c)
{
	if (c->finds_near) {
		hand_over(c);
		return near_find(c->near);
	}
#pragma omp parallel num_threads(c->threads)
	{
		const uint32_t part = (uint32_t)omp_get_thread_num();

		c->peaks[part] = find_part(&c->picture, part, c->threads);
	}
	return peak_of(c->peaks, c->threads);
}

static void subtract(struct clean *c, uint32_t index, float factor)
{
	if (c->subtracts_near) {
		hand_over(c);
		near_subtract(c->near, index, factor);
		return;
	}
#pragma omp parallel num_threads(c->threads)
	subtract_part(&c->picture, index, factor, (uint32_t)omp_get_thread_num(), c->threads);
}

static void clean_do(struct clean *c)
{
	double begin = workload_seconds(), middle;

	for (uint32_t i = 0; i < c->iterations; i++) {
		const struct peak peak = find(c);

		middle = workload_seconds();
		c->finding += middle - begin;
		c->model[peak.index] += gain * peak.value;
		subtract(c, peak.index, gain * peak.value);
		begin = workload_seconds();
		c->subtracting += begin - middle;
	}
}

/* The same by one thread, from the start. */
static bool is_right(const struct clean *c, uint64_t seed)
{
	const size_t count = (size_t)c->picture.side * c->picture.side;
	const struct picture wanted = {c->picture.side, workload_host_alloc(count, sizeof(float)), c->picture.psf};
	float *model = workload_host_alloc(count, sizeof(float));
	float first;
	bool right;

	image_make(&wanted, seed);
	first = find_part(&wanted, 0, 1).value;
	for (uint32_t i = 0; i < c->iterations; i++) {
		const struct peak peak = find_part(&wanted, 0, 1);

		model[peak.index] += gain * peak.value;
		subtract_part(&wanted, peak.index, gain * peak.value, 0, 1);
	}
	right = workload_same_f32("image", c->picture.image, wanted.image, count, 0) &&
		workload_same_f32("model", c->model, model, count, 0) &&
		find_part(&c->picture, 0, 1).value < first;
	free(wanted.image);
	free(model);
	return right;
}

/* ---- all of it ---- */

static float *pixels_on_channel(uint32_t side)
{
	float *pixels = strata_alloc_on((size_t)side * side * sizeof(float), 0);

	if (!pixels)
		workload_fail("no memory for %u x %u pixels", side, side);
	return pixels;
}

static struct clean clean_make(const struct workload_options *o)
{
	const uint32_t side = o->counts[SIDE];
	const bool is_near = strata_accelerator_count() || strata_ndp_count();
	struct clean c = {.picture = {side, pixels_on_channel(side), pixels_on_channel(side)},
			  .iterations = o->counts[ITERATIONS],
			  .threads = o->counts[THREADS] ? o->counts[THREADS] : (uint32_t)omp_get_num_procs(),
			  .finds_near = is_near && o->counts[FIND_ON] == ON_NDP,
			  .subtracts_near = is_near && o->counts[SUBTRACT_ON] == ON_NDP,
			  .is_flushed = o->counts[HANDOVER] == BY_FLUSH};

	c.model = workload_host_alloc((size_t)side * side, sizeof(float));
	c.peaks = workload_host_alloc(c.threads, sizeof(*c.peaks));
	psf_make(&c.picture);
	image_make(&c.picture, o->seed);
	picture_input(&c.picture, o);
	return c;
}

static void clean_free(struct clean *c)
{
	const size_t bytes = (size_t)c->picture.side * c->picture.side * sizeof(float);

	strata_free(c->picture.image, bytes);
	strata_free(c->picture.psf, bytes);
	free(c->model);
	free(c->peaks);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const uint32_t side = o.counts[SIDE];
	struct clean c;
	bool right;

	omp_set_dynamic(0);
	strata_modelling_end();
	c = clean_make(&o);
	strata_modelling_begin(STRATA_CACHES_COLD);
	if (c.finds_near || c.subtracts_near)
		c.near = near_make(&c.picture);
	/* Makes the threads. */
#pragma omp parallel num_threads(c.threads)
	{
#pragma omp barrier
	}
	clean_do(&c);
	if (c.near)
		near_free(c.near);
	strata_modelling_end();
	workload_measure("find_time", c.finding / c.iterations * 1e6, "us");
	workload_measure("subtract_time", c.subtracting / c.iterations * 1e6, "us");
	if (c.is_flushed)
		workload_measure("handover_time", c.handing / c.iterations * 1e6, "us");
	workload_measure("iteration_time", (c.finding + c.subtracting) / c.iterations * 1e6, "us");
	right = is_right(&c, o.seed);
	clean_free(&c);
	return workload_finish(right, "%u x %u pixels, %u iterations", side, side, o.counts[ITERATIONS]);
}
