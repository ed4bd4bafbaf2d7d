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

#if !defined(__CUDA__) && !defined(__CUDACC__)
/* Rodinia's material and chip: 16 mm a side, 0.5 mm thick, at 80 degrees. */
static inline struct hotspot_weights hotspot_weights_of(unsigned int side)
{
	const float chip_side = 0.016f, thick = 0.0005f, heat_per_volume = 1.75e6f, conducts = 100, precision = 0.001f;
	const float cell = chip_side / (float)side, capacity = 0.5f * heat_per_volume * thick * cell * cell;
	const float slope = 3e6f / (0.5f * thick * heat_per_volume);

	return (struct hotspot_weights){
	    .step = precision / slope / capacity,
	    .across_x = 2 * conducts * thick,
	    .across_y = 2 * conducts * thick,
	    .across_z = conducts * cell * cell / thick,
	    .ambient = 80,
	};
}
#endif

#endif
