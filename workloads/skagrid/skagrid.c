/*
 * Gridding of the SKA (NDP thesis, sections 2.3 and 2.4): each visibility times the part of a convolution matrix that
 * its place selects, added to a grid atomically: every product, or what a thread has of a pixel when the pixel leaves
 * the window (the work distribution that section 2.4.2 quotes).  Values are small multiples of 1/16, so that every
 * order of additions has the same result; compared bit for bit with the host's.
 */
#include "common/workload.h"
#include "skagrid/host.h"

#include <stdlib.h>

static const char skagrid_ptx[] =
#include WORKLOAD_PTX
	;

enum { VISIBILITIES, SIDE, TRACK, STAY, ATOMICS };
enum atomics { ATOMICS_EVERY, ATOMICS_FEW, ATOMICS_NONE };
static const char *const atomics_words[] = {"every", "few", "none"};

static const struct workload_about about = {"skagrid", "Gridding of the SKA, with atomic additions.",
					    "512 visibilities on 256 x 256 pixels",
					    "32,768 visibilities on 2,048 x 2,048 pixels"};
static const struct workload_count counts[] = {
	{"visibilities", "visibilities", 512, 32768, 1, 16777216, 1, NULL},
	{"side", "pixels of a side of the grid", 256, 2048, 2 * SKAGRID_SIDE, 16384, 1, NULL},
	{"track", "visibilities of a baseline", SKAGRID_TRACK, SKAGRID_TRACK, 1, 16777216, 1, NULL},
	{"stay", "of them before the window moves by a pixel", SKAGRID_STAY, SKAGRID_STAY, 1, 16777216, 1, NULL},
	{"atomics", "of every product, of few sums, or none: sums of threads, no grid", ATOMICS_EVERY, ATOMICS_EVERY,
	 ATOMICS_EVERY, ATOMICS_NONE, 1, atomics_words},
};

struct job {
	unsigned int count, side, of_cta;
	enum atomics atomics;
	struct sample *visibilities, *matrix, *parts; /* the matrix' parts one after the other */
	struct place *places;
	float *want, *got; /* the grid, or each thread's sum */
	size_t got_count;
};

/* Pixels that a CTA's threads read together lie together. */
static void parts_make(struct sample *parts, const struct sample *matrix)
{
	for (unsigned int part = 0; part < SKAGRID_SCALE * SKAGRID_SCALE; part++) {
		const struct place p = {.part_x = part % SKAGRID_SCALE, .part_y = part / SKAGRID_SCALE};

		for (unsigned int y = 0; y < SKAGRID_SIDE; y++)
			for (unsigned int x = 0; x < SKAGRID_SIDE; x++)
				*parts++ = matrix_pixel(matrix, &p, x, y);
	}
}

static void job_make(struct job *j, const struct workload_options *o)
{
	const struct track track = {o->counts[TRACK], o->counts[STAY]};

	j->count = o->counts[VISIBILITIES];
	j->side = o->counts[SIDE];
	j->atomics = (enum atomics)o->counts[ATOMICS];
	j->of_cta = j->atomics == ATOMICS_EVERY ? SKAGRID_VISIBILITIES : track.visibilities;
	j->got_count = 2 * (size_t)j->side * j->side;
	if (j->atomics == ATOMICS_NONE)
		j->got_count = (size_t)2 * SKAGRID_SIDE * SKAGRID_SIDE * workload_ctas(j->count, j->of_cta);
	j->visibilities = workload_host_alloc(j->count, sizeof(*j->visibilities));
	j->matrix = workload_host_alloc(MATRIX_SIDE * MATRIX_SIDE, sizeof(*j->matrix));
	j->parts = workload_host_alloc(MATRIX_SIDE * MATRIX_SIDE, sizeof(*j->parts));
	j->places = workload_host_alloc(j->count, sizeof(*j->places));
	j->want = workload_host_alloc(j->got_count, sizeof(*j->want));
	j->got = workload_host_alloc(j->got_count, sizeof(*j->got));
	samples_make(j->visibilities, j->count, o->seed, 0);
	samples_make(j->matrix, MATRIX_SIDE * MATRIX_SIDE, o->seed, 2);
	parts_make(j->parts, j->matrix);
	places_make(j->places, j->count, j->side, track, o->seed);
	workload_input(j->visibilities, j->count * sizeof(*j->visibilities));
	workload_input(j->matrix, MATRIX_SIDE * MATRIX_SIDE * sizeof(*j->matrix));
	workload_input(j->places, j->count * sizeof(*j->places));
	workload_input_number(j->side);
	if (j->atomics == ATOMICS_NONE)
		sums_make(j->want, j->visibilities, j->places, j->matrix, j->count, j->of_cta);
	else
		grid_make(j->want, j->side, j->visibilities, j->places, j->matrix, j->count);
}

static void job_free(struct job *j)
{
	free(j->visibilities);
	free(j->matrix);
	free(j->parts);
	free(j->places);
	free(j->want);
	free(j->got);
}

static void job_run(struct job *j)
{
	struct workload_gpu gpu = workload_gpu_open(skagrid_ptx);
	CUdeviceptr v = workload_device_copy(j->visibilities, j->count * sizeof(*j->visibilities));
	CUdeviceptr p = workload_device_copy(j->places, j->count * sizeof(*j->places));
	CUdeviceptr m = workload_device_copy(j->atomics == ATOMICS_EVERY ? j->matrix : j->parts,
					     MATRIX_SIDE * MATRIX_SIDE * sizeof(*j->matrix));
	CUdeviceptr g = workload_device_copy(j->got, j->got_count * sizeof(*j->got));
	void *every[] = {&v, &p, &m, &g, &j->side, &j->count};
	void *moving[] = {&v, &p, &m, &g, &j->side, &j->count, &j->of_cta};
	const struct {
		const char *name;
		void **params;
	} kernels[] = {
		[ATOMICS_EVERY] = {"grid_visibilities", every},
		[ATOMICS_FEW] = {"grid_few", moving},
		[ATOMICS_NONE] = {"grid_none", moving},
	};

	workload_launch(workload_gpu_kernel(&gpu, kernels[j->atomics].name),
			(struct workload_dim){workload_ctas(j->count, j->of_cta), 1, 1},
			(struct workload_dim){SKAGRID_SIDE, SKAGRID_SIDE, 1}, kernels[j->atomics].params);
	WORKLOAD_CUDA(cuMemcpyDtoH(j->got, g, j->got_count * sizeof(*j->got)));
	WORKLOAD_CUDA(cuMemFree(v));
	WORKLOAD_CUDA(cuMemFree(p));
	WORKLOAD_CUDA(cuMemFree(m));
	WORKLOAD_CUDA(cuMemFree(g));
	workload_gpu_close(&gpu);
}

int main(int argc, char **argv)
{
	const struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct job j;
	bool right;

	job_make(&j, &options);
	job_run(&j);
	right = workload_same_f32(j.atomics == ATOMICS_NONE ? "sums" : "grid", j.got, j.want, j.got_count, 0);
	workload_measure("operations", operations_of(j.count), "operations");
	job_free(&j);
	return workload_finish(right, "%u visibilities, %u x %u pixels", j.count, j.side, j.side);
}
