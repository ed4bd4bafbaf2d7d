/*
 * CLEAN's two kernels: the brightest pixel is found, and the point spread function (PSF) subtracted around it; by
 * threads of the CPU, by cores of an NDP, or by workloads/hdl/clean.v.
 */
#ifndef CLEAN_H
#define CLEAN_H

#include "common/program.h"

/* The numbers of the command line. */
enum { SIDE, ITERATIONS, FIND_ON, SUBTRACT_ON, THREADS, HANDOVER };

struct peak {
	float value;
	uint32_t index;
};

/* Image and PSF: squares of as many floats a side, row by row; the PSF's centre is at half its side. */
struct picture {
	uint32_t side;
	float *image, *psf;
};

/* Says what the input is (workload_input). */
void picture_input(const struct picture *p, const struct workload_options *o);

/* Of a picture with its peak at `index`: the PSF, scaled, lies over these pixels. Pixel (x, y) of the image lies at
 * (x - x_shift, y - y_shift) of the PSF. */
struct overlap {
	uint32_t x_begin, x_end, y_begin, y_end;
	int32_t x_shift, y_shift;
};
struct overlap overlap_of(uint32_t side, uint32_t index);

/* ---- What one thread of so many does ---- */

/* The first of the largest pixels of this part; of an empty one the value is not a number. */
struct peak find_part(const struct picture *p, uint32_t part, uint32_t parts);
void subtract_part(const struct picture *p, uint32_t index, float factor, uint32_t part, uint32_t parts);
/* Of parts' peaks, in their order. */
struct peak peak_of(const struct peak *peaks, uint32_t count);

/* ---- An NDP ---- */

struct near;
/* Memory channel 0's: its accelerator, or a team of its cores. There is one. */
struct near *near_make(const struct picture *p);
struct peak near_find(struct near *n);
void near_subtract(struct near *n, uint32_t index, float factor);
void near_free(struct near *n);

#endif
