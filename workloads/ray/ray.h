/*
 * Shared by the host program and the kernel: the scene, and the path of one ray, so that both do the same operations in
 * the same order.
 */
#ifndef RAY_H
#define RAY_H

enum {
	RAY_BOUNCES_MAX = 4,   /* reflections followed */
	RAY_SPHERES_MAX = 512, /* in constant memory */
};

/* Eight floats: two 16-byte pieces of one line. */
struct ray_sphere {
	float x, y, z, radius;
	float red, green, blue;
	float mirror; /* share of light that is reflected as by a mirror, 0 to 1 */
};

struct ray_vector {
	float x, y, z;
};

/* What a ray finds at one bounce: light from there, and the share of the light behind it that it reflects. */
struct __attribute__((aligned(16))) ray_light {
	float red, green, blue, mirror;
};

#if defined(__CUDA__) || defined(__CUDACC__)
#define RAY_BOTH static __device__ __forceinline__
#else
#include <math.h>
#define RAY_BOTH static inline
#endif

RAY_BOTH float ray_dot(struct ray_vector a, struct ray_vector b)
{
	return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z));
}

/* a + s b */
RAY_BOTH struct ray_vector ray_along(struct ray_vector a, float s, struct ray_vector b)
{
	struct ray_vector sum = {fmaf(s, b.x, a.x), fmaf(s, b.y, a.y), fmaf(s, b.z, a.z)};

	return sum;
}

RAY_BOTH struct ray_vector ray_unit(struct ray_vector a)
{
	float scale = 1.0f / sqrtf(ray_dot(a, a));
	struct ray_vector unit = {a.x * scale, a.y * scale, a.z * scale};

	return unit;
}

/* Distance along the unit vector `way` to the sphere's near side; negative when the ray misses or starts inside. */
RAY_BOTH float ray_meet(const struct ray_sphere *sphere, struct ray_vector from, struct ray_vector way)
{
	struct ray_vector to = {sphere->x - from.x, sphere->y - from.y, sphere->z - from.z};
	float middle = ray_dot(to, way);
	float inside = fmaf(middle, middle, fmaf(sphere->radius, sphere->radius, -ray_dot(to, to)));

	return inside < 0.0f ? -1.0f : middle - sqrtf(inside);
}

/* The way of the ray through pixel (column, row) of an image of side x side pixels; the eye is at the origin. */
RAY_BOTH struct ray_vector ray_through(unsigned int column, unsigned int row, unsigned int side)
{
	float scale = 2.0f / (float)side;
	struct ray_vector way = {fmaf((float)column + 0.5f, scale, -1.0f), fmaf((float)row + 0.5f, scale, -1.0f), 1.5f};

	return ray_unit(way);
}

/*
 * Follow one ray.  The recursion is unrolled onto a pile, as devices without one want it: on the way out each bounce
 * leaves its own light there; on the way back, from the last to the first, the light is added up.
 */
RAY_BOTH struct ray_vector ray_follow(const struct ray_sphere *spheres, unsigned int spheres_count,
				      struct ray_vector lamp, struct ray_vector way)
{
	const float least = 1e-3f; /* nearer hits are the sphere that the ray leaves */
	struct ray_light pile[RAY_BOUNCES_MAX + 1];
	struct ray_vector from = {0.0f, 0.0f, 0.0f};
	struct ray_vector colour = {0.0f, 0.0f, 0.0f};
	float weight = 1.0f;

#ifdef __CUDACC__
#pragma unroll 1
#endif
	for (int bounce = 0; bounce <= RAY_BOUNCES_MAX; bounce++) {
		struct ray_light none = {0.0f, 0.0f, 0.0f, 0.0f};

		pile[bounce] = none;
	}
#ifdef __CUDACC__
#pragma unroll 1
#endif
	for (int bounce = 0; bounce <= RAY_BOUNCES_MAX && weight >= 0.03125f; bounce++) {
		float nearest = 3.402823466e38f;
		unsigned int met = spheres_count;
		struct ray_vector at, normal, to_lamp;
		struct ray_light here;
		float light, facing;

#ifdef __CUDACC__
#pragma unroll 1
#endif
		for (unsigned int i = 0; i < spheres_count; i++) {
			float distance = ray_meet(&spheres[i], from, way);

			if (distance > least && distance < nearest) {
				nearest = distance;
				met = i;
			}
		}
		if (met == spheres_count) {
			float sky = fmaf(0.25f, way.y, 0.25f);
			struct ray_light open = {sky, sky, sky, 0.0f};

			pile[bounce] = open;
			break;
		}
		at = ray_along(from, nearest, way);
		normal.x = (at.x - spheres[met].x) / spheres[met].radius;
		normal.y = (at.y - spheres[met].y) / spheres[met].radius;
		normal.z = (at.z - spheres[met].z) / spheres[met].radius;
		to_lamp.x = lamp.x - at.x;
		to_lamp.y = lamp.y - at.y;
		to_lamp.z = lamp.z - at.z;
		to_lamp = ray_unit(to_lamp);
		light = ray_dot(normal, to_lamp);
		light = light > 0.0f ? light : 0.0f;
#ifdef __CUDACC__
#pragma unroll 1
#endif
		for (unsigned int i = 0; i < spheres_count; i++) {
			if (ray_meet(&spheres[i], at, to_lamp) > least)
				light = 0.0f;
		}
		light = (1.0f - spheres[met].mirror) * fmaf(0.875f, light, 0.125f);
		here.red = light * spheres[met].red;
		here.green = light * spheres[met].green;
		here.blue = light * spheres[met].blue;
		here.mirror = spheres[met].mirror;
		pile[bounce] = here;
		weight *= here.mirror;
		facing = ray_dot(normal, way);
		way = ray_unit(ray_along(way, -2.0f * facing, normal));
		from = at;
	}
#ifdef __CUDACC__
#pragma unroll 1
#endif
	for (int bounce = RAY_BOUNCES_MAX; bounce >= 0; bounce--) {
		struct ray_light here = pile[bounce];

		colour.x = fmaf(here.mirror, colour.x, here.red);
		colour.y = fmaf(here.mirror, colour.y, here.green);
		colour.z = fmaf(here.mirror, colour.z, here.blue);
	}
	return colour;
}

#endif
