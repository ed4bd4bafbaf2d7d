/* Shared by the host program and the kernel: sizes, and the arithmetic on single values. */
#ifndef HEARTWALL_H
#define HEARTWALL_H

#define HEARTWALL_THREADS 256 /* of a CTA */
#define HEARTWALL_UNROLLED_THREADS 1024
/* The most of each length below: Rodinia's. */
#define HEARTWALL_SIDE_MAX 51
#define HEARTWALL_REACH_MAX 15
#define HEARTWALL_REGION_MAX (HEARTWALL_SIDE_MAX + 2 * HEARTWALL_REACH_MAX)
#define HEARTWALL_PADDED_MAX (HEARTWALL_REGION_MAX + 2 * HEARTWALL_SIDE_MAX)
#define HEARTWALL_FULL_MAX (HEARTWALL_REGION_MAX + HEARTWALL_SIDE_MAX - 1)

#define HEARTWALL_NEAR 10    /* places along a side of the window around the last match that is searched */
#define HEARTWALL_RENEW 10   /* frames between two renewals of the templates */
#define HEARTWALL_KEEP 0.87f /* share of the old template that stays when it is renewed */

/*
 * All lengths in pixels.  Every array is stored column by column.  A point's region is what may be searched: its
 * template's place and `reach` pixels more on each side.  Padded: the region in a border as wide as a template.  Full:
 * all places where template and region overlap.
 */
struct heartwall_shape {
	unsigned int rows, columns; /* of a frame */
	unsigned int side;          /* of a template, which is square */
	unsigned int reach;         /* displacements that a region allows: -reach to reach in both directions */
	unsigned int region, padded, full;
};

/* Upper left corner of a template in the frame. */
struct heartwall_point {
	unsigned int row, column;
};

/* What a point's CTA works on, apart from the frame.  The offsets are constants, so that one address register does. */
struct heartwall_work {
	struct heartwall_point start; /* where the template was taken: the middle of the region */
	struct heartwall_point last;  /* the match in the last frame */
	float pixels[HEARTWALL_SIDE_MAX * HEARTWALL_SIDE_MAX]; /* the template */
	float pixel_squares[HEARTWALL_SIDE_MAX * HEARTWALL_SIDE_MAX];
	float region[HEARTWALL_REGION_MAX * HEARTWALL_REGION_MAX];
	float region_squares[HEARTWALL_REGION_MAX * HEARTWALL_REGION_MAX];
	float padded[HEARTWALL_PADDED_MAX * HEARTWALL_PADDED_MAX];
	/* [full x padded]: sums of `side` pixels of a column, and running sums of those before it */
	float strips[HEARTWALL_FULL_MAX * HEARTWALL_PADDED_MAX];
	float before[HEARTWALL_FULL_MAX * HEARTWALL_PADDED_MAX];
	/* [full x full], as the rest: sums of side x side pixels */
	float sums[HEARTWALL_FULL_MAX * HEARTWALL_FULL_MAX];
	float square_sums[HEARTWALL_FULL_MAX * HEARTWALL_FULL_MAX]; /* of their squares; later spreads */
	float products[HEARTWALL_FULL_MAX * HEARTWALL_FULL_MAX];    /* the convolution; later without the means */
	float mask[HEARTWALL_FULL_MAX * HEARTWALL_FULL_MAX];        /* one where the last match was, else nothing */
	float scores[HEARTWALL_FULL_MAX * HEARTWALL_FULL_MAX];
};

#if defined(__CUDA__) || defined(__CUDACC__)
#define HEARTWALL_BOTH static __device__ __forceinline__
#else
#include <math.h>
#define HEARTWALL_BOTH static inline
#endif

/* How far `count` pixels are from their mean, from their sum and that of their squares: sqrt(sum of (x - mean)^2). */
HEARTWALL_BOTH float heartwall_spread(float sum, float squares, float count)
{
	float spread = squares - sum * sum / count;

	return sqrtf(spread > 0.0f ? spread : 0.0f);
}

/* A product of template and window, without what their means alone give. */
HEARTWALL_BOTH float heartwall_centred(float product, float sum, float template_sum, float count)
{
	return product - sum * template_sum / count;
}

#endif
