#include <strata/kernel.h>

#include "ray.h"

__constant__ struct ray_sphere ray_spheres[RAY_SPHERES_MAX];

/* One pixel per thread; the image's three colours lie in three planes. */
extern "C" __global__ void ray_render(unsigned int spheres_count, float lamp_x, float lamp_y, float lamp_z,
				      float *image, unsigned int side)
{
	unsigned int column = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
	struct ray_vector lamp = {lamp_x, lamp_y, lamp_z};
	struct ray_vector colour;
	unsigned int pixel = row * side + column;

	if (column >= side || row >= side)
		return;
	colour = ray_follow(ray_spheres, spheres_count, lamp, ray_through(column, row, side));
	image[pixel] = colour.x;
	image[side * side + pixel] = colour.y;
	image[2 * side * side + pixel] = colour.z;
}
