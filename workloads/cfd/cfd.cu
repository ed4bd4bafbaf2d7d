#include <strata/kernel.h>

#include "cfd.h"

/* What leaves each element in unit time.  Neighbours are found through indices, as unstructured grids have it. */
extern "C" __global__ void cfd_flux(const float *variables, const unsigned int *neighbours, const float *faces,
				    float *fluxes, unsigned int elements)
{
	unsigned int e = blockIdx.x * blockDim.x + threadIdx.x;
	struct cfd_state sum = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
	struct cfd_state own;

	if (e >= elements)
		return;
	own = cfd_state_at(variables, elements, e);
#pragma unroll
	for (unsigned int f = 0; f < CFD_FACES; f++) {
		unsigned int neighbour = neighbours[f * elements + e];
		struct cfd_face face = {faces[3 * f * elements + e], faces[(3 * f + 1) * elements + e],
					faces[(3 * f + 2) * elements + e]};

		if (neighbour == CFD_WALL) {
			cfd_add_wall(&sum, &own, &face);
		} else {
			struct cfd_state other = cfd_state_at(variables, elements, neighbour);

			cfd_add_face(&sum, &own, &other, &face);
		}
	}
	fluxes[e] = sum.density;
	fluxes[elements + e] = sum.x;
	fluxes[2 * elements + e] = sum.y;
	fluxes[3 * elements + e] = sum.z;
	fluxes[4 * elements + e] = sum.energy;
}

/* One stage: the step's first state less the flux of the last stage. */
extern "C" __global__ void cfd_advance(const float *start, const float *fluxes, const float *volumes, float *variables,
				       float step, unsigned int elements)
{
	unsigned int e = blockIdx.x * blockDim.x + threadIdx.x;
	float scale;

	if (e >= elements)
		return;
	scale = -step / volumes[e];
#pragma unroll
	for (unsigned int v = 0; v < CFD_VARIABLES; v++)
		variables[v * elements + e] = fmaf(scale, fluxes[v * elements + e], start[v * elements + e]);
}
