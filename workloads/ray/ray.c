/*
 * Ray tracing of mirroring spheres with one lamp and shadows: one pixel per thread, rays that end after different
 * numbers of reflections, and a scene that every thread reads again and again.
 *
 * The host follows every ray with the same code as the kernel and compares bit for bit.  Independently, rays of sampled
 * pixels are followed in double precision, written another way; pixels near an edge, where a rounding decides what is
 * hit, may differ, and at most a hundredth of the sample may.
 */
#include "common/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ray.h"

static const char ray_ptx[] =
#include WORKLOAD_PTX
	;

enum {
	/* as in GPGPU-Sim's programs */
	BLOCK_WIDTH = 16,
	BLOCK_HEIGHT = 8,
	PLANES_COUNT = 3,
	SAMPLE_STEP = 61, /* pixels between two of the independent check */
};

static const struct ray_vector lamp = {6.0f, 8.0f, -2.0f};
/* So large that it is nearly flat: rays that leave the other spheres downwards meet it. */
static const struct ray_sphere ground = {
	.y = -101.5f, .z = 5.0f, .radius = 100.0f, .red = 0.0f, .green = 0.75f, .blue = 0.75f, .mirror = 0.5f,
};

struct scene {
	unsigned int side;
	unsigned int spheres_count;
	struct ray_sphere *spheres;
};

static struct scene scene_make(unsigned int side, unsigned int spheres_count, uint64_t seed)
{
	struct scene scene = {.side = side, .spheres_count = spheres_count};

	scene.spheres = workload_host_alloc(spheres_count, sizeof(*scene.spheres));
	scene.spheres[0] = ground;
	for (unsigned int i = 1; i < spheres_count; i++) {
		float draw[8];

		for (unsigned int k = 0; k < 8; k++)
			draw[k] = workload_random_float(seed, k, i);
		scene.spheres[i] = (struct ray_sphere){
			.x = 5.0f * draw[0] - 2.5f,
			.y = 5.0f * draw[1] - 2.5f,
			.z = 4.0f + 4.0f * draw[2],
			.radius = 0.375f + 0.5f * draw[3],
			.red = 0.25f + 0.75f * draw[4],
			.green = 0.25f + 0.75f * draw[5],
			.blue = 0.25f + 0.75f * draw[6],
			.mirror = 0.75f * draw[7],
		};
	}
	return scene;
}

static void render(const struct scene *scene, float *image)
{
	struct workload_gpu gpu = workload_gpu_open(ray_ptx);
	CUfunction kernel = workload_gpu_kernel(&gpu, "ray_render");
	unsigned int side = scene->side;
	unsigned int spheres_count = scene->spheres_count;
	size_t bytes = (size_t)PLANES_COUNT * side * side * sizeof(float);
	CUdeviceptr spheres;
	CUdeviceptr pixels = workload_device_alloc(bytes);
	struct ray_vector from = lamp;
	void *params[] = {&spheres_count, &from.x, &from.y, &from.z, &pixels, &side};
	struct workload_dim grid = {workload_ctas(side, BLOCK_WIDTH), workload_ctas(side, BLOCK_HEIGHT), 1};
	struct workload_dim block = {BLOCK_WIDTH, BLOCK_HEIGHT, 1};

	WORKLOAD_CUDA(cuModuleGetGlobal(&spheres, NULL, gpu.module, "ray_spheres"));
	WORKLOAD_CUDA(cuMemcpyHtoD(spheres, scene->spheres, spheres_count * sizeof(struct ray_sphere)));
	workload_launch(kernel, grid, block, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(image, pixels, bytes));
	WORKLOAD_CUDA(cuMemFree(pixels));
	workload_gpu_close(&gpu);
}

static bool pixels_are_same(const struct scene *scene, const float *image)
{
	size_t plane = (size_t)scene->side * scene->side;

	for (unsigned int row = 0; row < scene->side; row++) {
		for (unsigned int column = 0; column < scene->side; column++) {
			struct ray_vector way = ray_through(column, row, scene->side);
			struct ray_vector want = ray_follow(scene->spheres, scene->spheres_count, lamp, way);
			size_t pixel = (size_t)row * scene->side + column;

			if (!workload_same_f32("red", &image[pixel], &want.x, 1, pixel) ||
			    !workload_same_f32("green", &image[plane + pixel], &want.y, 1, pixel) ||
			    !workload_same_f32("blue", &image[2 * plane + pixel], &want.z, 1, pixel))
				return false;
		}
	}
	return true;
}

/* ---- The independent check -------------------------------------------------------------------------------------- */

/* Smallest positive root t of |from + t way - centre|^2 = radius^2 by the textbook's formula; 0 when there is none. */
static double root_find(const struct ray_sphere *s, const double from[3], const double way[3])
{
	const double centre[3] = {s->x, s->y, s->z};
	double a = 0.0, b = 0.0, c = -(double)s->radius * s->radius, discriminant, root;

	for (int k = 0; k < 3; k++) {
		a += way[k] * way[k];
		b += 2.0 * way[k] * (from[k] - centre[k]);
		c += (from[k] - centre[k]) * (from[k] - centre[k]);
	}
	discriminant = b * b - 4.0 * a * c;
	if (discriminant < 0.0)
		return 0.0;
	root = (-b - sqrt(discriminant)) / (2.0 * a);
	return root > 1e-3 ? root : 0.0;
}

/* Light that the ray brings, one colour at a time, by recursion. */
static double light_find(const struct scene *scene, const double from[3], const double way[3], int plane, int bounce)
{
	const double to[3] = {lamp.x, lamp.y, lamp.z};
	const struct ray_sphere *met = NULL;
	double nearest = 0.0, at[3], normal[3], shade[3], next[3];
	double length = 0.0, facing = 0.0, direct = 0.0, own;

	for (unsigned int i = 0; i < scene->spheres_count; i++) {
		double root = root_find(&scene->spheres[i], from, way);

		if (root > 0.0 && (!met || root < nearest)) {
			nearest = root;
			met = &scene->spheres[i];
		}
	}
	if (!met)
		return 0.25 + 0.25 * way[1];
	for (int k = 0; k < 3; k++) {
		const double centre[3] = {met->x, met->y, met->z};

		at[k] = from[k] + nearest * way[k];
		normal[k] = (at[k] - centre[k]) / met->radius;
		shade[k] = to[k] - at[k];
		length += shade[k] * shade[k];
		facing += normal[k] * way[k];
	}
	for (int k = 0; k < 3; k++) {
		shade[k] /= sqrt(length);
		direct += normal[k] * shade[k];
		next[k] = way[k] - 2.0 * facing * normal[k];
	}
	direct = direct > 0.0 ? direct : 0.0;
	for (unsigned int i = 0; i < scene->spheres_count; i++)
		direct = root_find(&scene->spheres[i], at, shade) > 0.0 ? 0.0 : direct;
	own = (plane == 0 ? met->red : plane == 1 ? met->green : met->blue) * (0.125 + 0.875 * direct);
	own *= 1.0 - met->mirror;
	return bounce == RAY_BOUNCES_MAX ? own : own + met->mirror * light_find(scene, at, next, plane, bounce + 1);
}

static bool sample_agrees(const struct scene *scene, const float *image)
{
	const double eye[3] = {0.0, 0.0, 0.0};
	unsigned int pixels_count = scene->side * scene->side;
	unsigned int sampled = 0, apart = 0;

	for (unsigned int pixel = 0; pixel < pixels_count; pixel += SAMPLE_STEP) {
		double x = 2.0 * (pixel % scene->side + 0.5) / scene->side - 1.0;
		double y = 2.0 * (pixel / scene->side + 0.5) / scene->side - 1.0;
		double length = sqrt(x * x + y * y + 1.5 * 1.5);
		const double way[3] = {x / length, y / length, 1.5 / length};

		for (int plane = 0; plane < PLANES_COUNT; plane++) {
			double want = light_find(scene, eye, way, plane, 0);

			/* The kernel stops at a weight below 1/32: what it then leaves out is less than that. */
			sampled++;
			if (!(fabs(image[(size_t)plane * pixels_count + pixel] - want) <= 1.0 / 32.0))
				apart++;
		}
	}
	if (apart * 100 <= sampled)
		return true;
	fprintf(stderr, "ray: %u of %u sampled colours differ from the double-precision image\n", apart, sampled);
	return false;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"ray", "Ray tracing of mirroring spheres.",
						    "128 x 128 pixels, 12 spheres",
						    "256 x 256 pixels, 4 spheres (GPGPU-Sim's RAY)"};
	static const struct workload_count counts[] = {
		{"pixels", "pixels along a side", 128, 256, 16, 8192, 1, NULL},
		{"spheres", "spheres, the ground among them", 12, 4, 1, RAY_SPHERES_MAX, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct scene scene = scene_make(options.counts[0], options.counts[1], options.seed);
	float *image = workload_host_alloc((size_t)PLANES_COUNT * scene.side * scene.side, sizeof(*image));
	bool right;

	render(&scene, image);
	right = pixels_are_same(&scene, image) && sample_agrees(&scene, image);
	free(scene.spheres);
	free(image);
	return workload_finish(right, "%u x %u pixels, %u spheres", scene.side, scene.side, scene.spheres_count);
}
