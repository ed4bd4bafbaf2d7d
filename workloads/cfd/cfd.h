/*
 * Shared by the host program and the kernels: one element's state and the flux through one of its faces, so that both
 * do the same operations in the same order.
 *
 * Arrays are element-minor: variable v of element e is at [v * elements + e], and component k of the outward area
 * vector of face f at [(3 * f + k) * elements + e].
 */
#ifndef CFD_H
#define CFD_H

enum {
	CFD_FACES = 4,	   /* of a tetrahedron */
	CFD_VARIABLES = 5, /* density, momentum in x, y, z, energy; all per volume */
	CFD_STAGES = 3,	   /* of the Runge-Kutta step */
};

#define CFD_WALL 0xffffffffu /* in place of a neighbour: nothing flows through the face, pressure acts on it */
#define CFD_GAMMA 1.4f	     /* ratio of the specific heats of air */

struct cfd_state {
	float density, x, y, z, energy;
};

struct cfd_face {
	float x, y, z;
};

#if defined(__CUDA__) || defined(__CUDACC__)
#define CFD_BOTH static __device__ __forceinline__
#else
#include <math.h>
#define CFD_BOTH static inline
#endif

CFD_BOTH struct cfd_state cfd_state_at(const float *variables, unsigned int elements, unsigned int e)
{
	struct cfd_state s = {variables[e], variables[elements + e], variables[2 * elements + e],
			      variables[3 * elements + e], variables[4 * elements + e]};

	return s;
}

CFD_BOTH float cfd_pressure(const struct cfd_state *s)
{
	float motion = fmaf(s->x, s->x, fmaf(s->y, s->y, s->z * s->z)) / s->density;

	return (CFD_GAMMA - 1.0f) * fmaf(-0.5f, motion, s->energy);
}

/* Fastest signal: speed of the flow and of sound. */
CFD_BOTH float cfd_signal(const struct cfd_state *s)
{
	float speed = sqrtf(fmaf(s->x, s->x, fmaf(s->y, s->y, s->z * s->z))) / s->density;

	return speed + sqrtf(CFD_GAMMA * cfd_pressure(s) / s->density);
}

/* Add to `sum` the Euler flux of state s through half of the face. */
CFD_BOTH void cfd_add_half(struct cfd_state *sum, const struct cfd_state *s, const struct cfd_face *face)
{
	float pressure = cfd_pressure(s);
	float through = 0.5f * (fmaf(s->x, face->x, fmaf(s->y, face->y, s->z * face->z)) / s->density);
	float push = 0.5f * pressure;

	sum->density = fmaf(through, s->density, sum->density);
	sum->x = fmaf(through, s->x, fmaf(push, face->x, sum->x));
	sum->y = fmaf(through, s->y, fmaf(push, face->y, sum->y));
	sum->z = fmaf(through, s->z, fmaf(push, face->z, sum->z));
	sum->energy = fmaf(through, s->energy + pressure, sum->energy);
}

/* Add what flows out through a face to a neighbour: the mean of both fluxes, less the dissipation of Rusanov. */
CFD_BOTH void cfd_add_face(struct cfd_state *sum, const struct cfd_state *own, const struct cfd_state *other,
			   const struct cfd_face *face)
{
	float area = sqrtf(fmaf(face->x, face->x, fmaf(face->y, face->y, face->z * face->z)));
	float mine = cfd_signal(own);
	float theirs = cfd_signal(other);
	float weight = -0.5f * area * (mine > theirs ? mine : theirs);

	cfd_add_half(sum, own, face);
	cfd_add_half(sum, other, face);
	sum->density = fmaf(weight, other->density - own->density, sum->density);
	sum->x = fmaf(weight, other->x - own->x, sum->x);
	sum->y = fmaf(weight, other->y - own->y, sum->y);
	sum->z = fmaf(weight, other->z - own->z, sum->z);
	sum->energy = fmaf(weight, other->energy - own->energy, sum->energy);
}

CFD_BOTH void cfd_add_wall(struct cfd_state *sum, const struct cfd_state *own, const struct cfd_face *face)
{
	float pressure = cfd_pressure(own);

	sum->x = fmaf(pressure, face->x, sum->x);
	sum->y = fmaf(pressure, face->y, sum->y);
	sum->z = fmaf(pressure, face->z, sum->z);
}

#endif
