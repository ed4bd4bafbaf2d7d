/* Shared by the host program and the kernel. */
#ifndef HOTSPOT_H
#define HOTSPOT_H

#define HOTSPOT_TILE 16 /* threads along a side of a CTA: Rodinia's */

/* What a step adds per unit of power and of difference of temperature. */
struct hotspot_weights {
	float step, across_x, across_y, across_z, ambient;
};

#if defined(__CUDA__) || defined(__CUDACC__)
#define HOTSPOT_DEVICE static __device__ __forceinline__
#else
#define HOTSPOT_DEVICE static inline
#endif

HOTSPOT_DEVICE float hotspot_next(const struct hotspot_weights *w, float here, float power, float north, float south,
				  float east, float west)
{
	float change = power + (north + south - 2 * here) * w->across_y;

	change += (east + west - 2 * here) * w->across_x;
	change += (w->ambient - here) * w->across_z;
	return here + w->step * change;
}

#endif
