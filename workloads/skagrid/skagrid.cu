#include <strata/kernel.h>

#include "skagrid.h"

struct __attribute__((aligned(8))) sample {
	float re, im;
};

/* Where a visibility lies: pixel of the grid, and which part of its matrix. */
struct __attribute__((aligned(16))) place {
	unsigned int x, y, part_x, part_y;
};

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

			atomicAdd(pixel, fmaf(a.re, m.re, -(a.im * m.im)));
			atomicAdd(pixel + 1, fmaf(a.re, m.im, a.im * m.re));
		}
	}
}
