/* Shared by the host program and the kernels: sizes, and the arithmetic on single values. */
#ifndef LEUKOCYTE_H
#define LEUKOCYTE_H

#define LEUKOCYTE_CIRCLES 7  /* radii that are tried: Rodinia's */
#define LEUKOCYTE_POINTS 150 /* of a circle: Rodinia's */
#define LEUKOCYTE_RADIUS 4   /* pixels, the least; each further circle has two more */
#define LEUKOCYTE_MARGIN (LEUKOCYTE_RADIUS + 2 * LEUKOCYTE_CIRCLES)
#define LEUKOCYTE_REACH 6 /* of a dilation, pixels on each side */
#define LEUKOCYTE_SIDE 41 /* of a cell's window, rows and columns: Rodinia's rows */
#define LEUKOCYTE_AREA (LEUKOCYTE_SIDE * LEUKOCYTE_SIDE)
#define LEUKOCYTE_THREADS 320 /* of a cell's CTA: Rodinia's */
#define LEUKOCYTE_UNROLLED_THREADS 1024
#define LEUKOCYTE_FLOW 0.5f /* weights of what a pixel takes from those around it, and of its edge */
#define LEUKOCYTE_EDGE 0.2f
#define LEUKOCYTE_UNIT 16777216.0f /* changes are added up in 2^-24 */

struct leukocyte_circles {
	float cosines[LEUKOCYTE_POINTS], sines[LEUKOCYTE_POINTS];
	int across[LEUKOCYTE_CIRCLES][LEUKOCYTE_POINTS], along[LEUKOCYTE_CIRCLES][LEUKOCYTE_POINTS];
};

#if defined(__CUDA__) || defined(__CUDACC__)
#define LEUKOCYTE_DEVICE static __device__ __forceinline__
#else
#define LEUKOCYTE_DEVICE static inline
#endif

/* A step from 0 to 1 around 0, smooth: as much as is taken from a neighbour whose value is so much larger. */
LEUKOCYTE_DEVICE float leukocyte_share(float difference)
{
	return 0.5f + 0.5f * difference / (0.02f + (difference < 0 ? -difference : difference));
}

/* What a pixel takes from a neighbour. */
LEUKOCYTE_DEVICE float leukocyte_flow(float here, float there)
{
	return leukocyte_share(there - here) * (there - here);
}

LEUKOCYTE_DEVICE float leukocyte_next(float here, float edge, const float *around)
{
	float sum = 0;

	for (int k = 0; k < 8; k++)
		sum += leukocyte_flow(here, around[k]);
	return here + LEUKOCYTE_FLOW / 8 * sum - LEUKOCYTE_EDGE * edge * (here - edge);
}

#endif
