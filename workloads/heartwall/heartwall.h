/* Shared by the host program and the kernels: sizes, and the score of one displacement. */
#ifndef HEARTWALL_H
#define HEARTWALL_H

#define HEARTWALL_KEEP 0.75f  /* share of the old template that stays after a frame */
#define HEARTWALL_SIDE_MAX 51 /* of a template, in pixels */

/* All lengths in pixels. */
struct heartwall_shape {
	unsigned int width, height; /* of a frame */
	unsigned int side;	    /* of a template, which is square */
	unsigned int reach;	    /* displacements searched: -reach to reach in both directions */
};

/* Upper left corner of a point's template in the frame. */
struct heartwall_point {
	unsigned int x, y;
};

#if defined(__CUDA__) || defined(__CUDACC__)
#define HEARTWALL_BOTH static __device__ __forceinline__
#else
#include <math.h>
#define HEARTWALL_BOTH static inline
#endif

/*
 * Normalised cross-correlation of a template with a window of `count` pixels, times a positive factor that depends on
 * the template only: product, sum and squares are of the window, template_sum is the template's.
 */
HEARTWALL_BOTH float heartwall_score(float product, float sum, float squares, float template_sum, float count)
{
	float spread = squares - sum * sum / count;

	return (product - template_sum * sum / count) / sqrtf(spread > 1e-6f ? spread : 1e-6f);
}

#endif
