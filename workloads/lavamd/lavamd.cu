#include <strata/kernel.h>

#include "lavamd.h"

/* Forces on the particles of a box from those of the boxes around it: a CTA per box, a thread per particle. */
extern "C" __global__ void lavamd_forces(const struct lavamd_box *boxes, const struct lavamd_vector *places,
					 const float *charges, struct lavamd_vector *forces, float sharpness)
{
	__shared__ struct lavamd_vector own[LAVAMD_PARTICLES];
	__shared__ struct lavamd_vector others[LAVAMD_PARTICLES];
	__shared__ float other_charges[LAVAMD_PARTICLES];
	const struct lavamd_box *box = &boxes[blockIdx.x];
	unsigned int first = blockIdx.x * LAVAMD_PARTICLES;
	float twice = 2 * sharpness * sharpness;

	for (unsigned int i = threadIdx.x; i < LAVAMD_PARTICLES; i += LAVAMD_THREADS)
		own[i] = places[first + i];
	__syncthreads();
	for (unsigned int k = 0; k < box->neighbours_count; k++) {
		unsigned int there = box->neighbours[k] * LAVAMD_PARTICLES;

		for (unsigned int i = threadIdx.x; i < LAVAMD_PARTICLES; i += LAVAMD_THREADS) {
			others[i] = places[there + i];
			other_charges[i] = charges[there + i];
		}
		__syncthreads();
		for (unsigned int i = threadIdx.x; i < LAVAMD_PARTICLES; i += LAVAMD_THREADS) {
			struct lavamd_vector force = forces[first + i];

			for (unsigned int j = 0; j < LAVAMD_PARTICLES; j++) {
				float product = own[i].x * others[j].x + own[i].y * others[j].y + own[i].z * others[j].z;
				float potential = __expf(-twice * (own[i].v + others[j].v - product));
				float slope = 2 * potential * other_charges[j];

				force.v += other_charges[j] * potential;
				force.x += slope * (own[i].x - others[j].x);
				force.y += slope * (own[i].y - others[j].y);
				force.z += slope * (own[i].z - others[j].z);
			}
			forces[first + i] = force;
		}
		__syncthreads();
	}
}
