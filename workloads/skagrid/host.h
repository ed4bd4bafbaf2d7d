/*
 * Input and reference of the gridding, for the CUDA program and the program of threads. Values are small multiples of
 * 1/16, so that every order of additions, and every rounding, has the same result.
 */
#ifndef SKAGRID_HOST_H
#define SKAGRID_HOST_H

#include "common/samples.h"
#include "skagrid/skagrid.h"

struct place {
	unsigned int x, y, part_x, part_y;
};

enum { MATRIX_SIDE = SKAGRID_SIDE * SKAGRID_SCALE };

/* -2 to 2 in steps of 1/4: products are multiples of 1/16 */
static inline float quarter(uint64_t seed, uint32_t stream, size_t i)
{
	return (float)((int)(workload_random(seed, stream, i) % 17) - 8) / 4;
}

static inline void samples_make(struct sample *samples, size_t count, uint64_t seed, uint32_t stream)
{
	for (size_t i = 0; i < count; i++) {
		samples[i].re = quarter(seed, stream, i);
		samples[i].im = quarter(seed, stream + 1, i);
	}
}

/* How the visibilities of a baseline follow one another. */
struct track {
	unsigned int visibilities; /* of a baseline */
	unsigned int stay;	   /* of them before the window moves by a pixel; across it moves half as often */
};

/* Visibilities of a baseline lie along an arc: neighbours in the list are neighbours on the grid, as in a dump. */
static inline void places_make(struct place *places, unsigned int count, unsigned int side, struct track track,
			       uint64_t seed)
{
	for (unsigned int i = 0; i < count; i++) {
		const uint64_t at = workload_random(seed, 4, i / track.visibilities);
		const unsigned int moved = i % track.visibilities / track.stay;
		const unsigned int room = side - SKAGRID_SIDE;

		places[i].x = (unsigned int)((at & 0xffffffff) % room + moved) % room;
		places[i].y = (unsigned int)((at >> 32) % room + moved / 2) % room;
		places[i].part_x = (unsigned int)(workload_random(seed, 5, i) % SKAGRID_SCALE);
		places[i].part_y = (unsigned int)(workload_random(seed, 6, i) % SKAGRID_SCALE);
	}
}

/* The part of a matrix that a place selects, pixel x, y of it. */
static inline struct sample matrix_pixel(const struct sample *matrix, const struct place *p, unsigned int x,
					 unsigned int y)
{
	return matrix[(y * SKAGRID_SCALE + p->part_y) * MATRIX_SIDE + x * SKAGRID_SCALE + p->part_x];
}

static inline void grid_make(float *grid, unsigned int side, const struct sample *visibilities,
			     const struct place *places, const struct sample *matrix, unsigned int count)
{
	for (unsigned int v = 0; v < count; v++)
		for (unsigned int y = 0; y < SKAGRID_SIDE; y++)
			for (unsigned int x = 0; x < SKAGRID_SIDE; x++) {
				const struct place *p = &places[v];
				const struct sample a = visibilities[v], m = matrix_pixel(matrix, p, x, y);
				float *pixel = grid + 2 * ((size_t)(p->y + y) * side + p->x + x);

				pixel[0] += a.re * m.re - a.im * m.im;
				pixel[1] += a.re * m.im + a.im * m.re;
			}
}

/* What each thread of a CTA has of all its visibilities, whichever pixels these were for. */
static inline void sums_make(float *sums, const struct sample *visibilities, const struct place *places,
			     const struct sample *matrix, unsigned int count, unsigned int of_cta)
{
	for (unsigned int v = 0; v < count; v++)
		for (unsigned int y = 0; y < SKAGRID_SIDE; y++)
			for (unsigned int x = 0; x < SKAGRID_SIDE; x++) {
				const struct place *p = &places[v];
				const struct sample a = visibilities[v], m = matrix_pixel(matrix, p, x, y);
				const unsigned int column = (p->x + x) % SKAGRID_SIDE, row = (p->y + y) % SKAGRID_SIDE;
				float *sum =
				    sums + 2 * (((size_t)(v / of_cta) * SKAGRID_SIDE + row) * SKAGRID_SIDE + column);

				sum[0] += a.re * m.re - a.im * m.im;
				sum[1] += a.re * m.im + a.im * m.re;
			}
}

/* 6 + 2 for a pixel: equation (2.4). */
static inline double operations_of(unsigned int count)
{
	return 8.0 * SKAGRID_SIDE * SKAGRID_SIDE * count;
}

#endif
