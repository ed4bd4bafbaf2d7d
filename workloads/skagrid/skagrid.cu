#include <strata/kernel.h>

#include "skagrid.h"

struct __attribute__((aligned(8))) sample {
	float re, im;
};

/* Where a visibility lies: pixel of the grid, and which part of its matrix. */
struct __attribute__((aligned(16))) place {
	unsigned int x, y, part_x, part_y;
};

static __device__ float product_re(const struct sample &a, const struct sample &m)
{
	return fmaf(a.re, m.re, -(a.im * m.im));
}

static __device__ float product_im(const struct sample &a, const struct sample &m)
{
	return fmaf(a.re, m.im, a.im * m.re);
}

/* A thread per pixel of the matrix' part; visibilities of different CTAs meet on the grid. */
extern "C" __global__ void grid_visibilities(const struct sample *visibilities, const struct place *places,
					     const struct sample *matrix, float *grid, unsigned int side,
					     unsigned int count)
{
	const unsigned int x = threadIdx.x, y = threadIdx.y;
	const unsigned int row = SKAGRID_SIDE * SKAGRID_SCALE;

	for (unsigned int i = 0; i < SKAGRID_VISIBILITIES; i++) {
		const unsigned int v = blockIdx.x * SKAGRID_VISIBILITIES + i;

		if (v < count) {
			const struct place p = places[v];
			const struct sample a = visibilities[v];
			const struct sample m =
			    matrix[(y * SKAGRID_SCALE + p.part_y) * row + x * SKAGRID_SCALE + p.part_x];
			float *pixel = grid + 2 * ((p.y + y) * side + p.x + x);

			atomicAdd(pixel, product_re(a, m));
			atomicAdd(pixel + 1, product_im(a, m));
		}
	}
}

/* Pixel x, y of the part that a place selects, where the parts lie one after the other. */
static __device__ const struct sample *part_pixel(const struct sample *parts, const struct place &p, unsigned int x,
						  unsigned int y)
{
	const unsigned int part = p.part_y * SKAGRID_SCALE + p.part_x;

	return parts + (part * SKAGRID_SIDE + y) * SKAGRID_SIDE + x;
}

/* What is added of a pixel: to the grid, or to the thread's `all`. */
static __device__ void add(bool to_grid, float *grid, unsigned int pixel, const struct sample &sum, struct sample &all)
{
	if (to_grid) {
		atomicAdd(grid + 2 * pixel, sum.re);
		atomicAdd(grid + 2 * pixel + 1, sum.im);
	} else {
		all.re += sum.re;
		all.im += sum.im;
	}
}

/*
 * A CTA's visibilities, a thread per column and row modulo the window's sides: while a baseline's window moves, a
 * thread keeps the sum of its pixel, and adds it when the pixel has left the window.
 */
static __device__ struct sample grid_moving(bool to_grid, const struct sample *visibilities,
					    const struct place *places, const struct sample *parts, float *grid,
					    unsigned int side, unsigned int count, unsigned int of_cta)
{
	const unsigned int first = blockIdx.x * of_cta, end = first + of_cta < count ? first + of_cta : count;
	struct sample sum = {0, 0}, all = {0, 0};
	unsigned int kept = 0;

	for (unsigned int v = first; v < end; v++) {
		const struct place p = places[v];
		const struct sample a = visibilities[v];
		const unsigned int x = (threadIdx.x - p.x) % SKAGRID_SIDE, y = (threadIdx.y - p.y) % SKAGRID_SIDE;
		const unsigned int pixel = (p.y + y) * side + p.x + x;
		const struct sample m = *part_pixel(parts, p, x, y);

		if (pixel != kept) {
			if (v > first)
				add(to_grid, grid, kept, sum, all);
			kept = pixel;
			sum = {0, 0};
		}
		sum.re += product_re(a, m);
		sum.im += product_im(a, m);
	}
	add(to_grid, grid, kept, sum, all);
	return all;
}

extern "C" __global__ void grid_few(const struct sample *visibilities, const struct place *places,
				    const struct sample *parts, float *grid, unsigned int side, unsigned int count,
				    unsigned int of_cta)
{
	grid_moving(true, visibilities, places, parts, grid, side, count, of_cta);
}

/* The same with no addition to a grid: each thread's sum of all its pixels, to compare the times. */
extern "C" __global__ void grid_none(const struct sample *visibilities, const struct place *places,
				     const struct sample *parts, struct sample *sums, unsigned int side,
				     unsigned int count, unsigned int of_cta)
{
	sums[(blockIdx.x * SKAGRID_SIDE + threadIdx.y) * SKAGRID_SIDE + threadIdx.x] =
	    grid_moving(false, visibilities, places, parts, 0, side, count, of_cta);
}
