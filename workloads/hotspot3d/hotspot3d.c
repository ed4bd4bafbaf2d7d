/*
 * Heat in a stack of dies: explicit steps on a 3D grid of few layers, a column of cells per thread.  Compared bit for
 * bit with the same steps on the host.
 */
#include "common/workload.h"
#include "hotspot3d.h"

#include <stdlib.h>

static const char hotspot3d_ptx[] =
#include WORKLOAD_PTX
    ;

struct stack {
	unsigned int nx, ny, nz, steps;
	struct hotspot3d_weights weights;
	float *heat, *power;
};

static size_t cells_count(const struct stack *stack)
{
	return (size_t)stack->nx * stack->ny * stack->nz;
}

static void steps_run(struct stack *stack, float *result)
{
	struct workload_gpu gpu = workload_gpu_open(hotspot3d_ptx);
	CUfunction kernel = workload_gpu_kernel(&gpu, "hotspot3d_step");
	size_t bytes = cells_count(stack) * sizeof(float);
	CUdeviceptr power = workload_device_copy(stack->power, bytes);
	CUdeviceptr from = workload_device_copy(stack->heat, bytes);
	CUdeviceptr to = workload_device_alloc(bytes);
	void *params[] = {&stack->weights, &power, &from, &to, &stack->nx, &stack->ny, &stack->nz};

	for (unsigned int step = 0; step < stack->steps; step++) {
		CUdeviceptr swap = from;

		workload_launch(kernel, (struct workload_dim){stack->nx / HOTSPOT3D_X, stack->ny / HOTSPOT3D_Y, 1},
				(struct workload_dim){HOTSPOT3D_X, HOTSPOT3D_Y, 1}, params);
		from = to;
		to = swap;
	}
	WORKLOAD_CUDA(cuMemcpyDtoH(result, from, bytes));
	WORKLOAD_CUDA(cuMemFree(power));
	WORKLOAD_CUDA(cuMemFree(from));
	WORKLOAD_CUDA(cuMemFree(to));
	workload_gpu_close(&gpu);
}

static float cell_next(const struct stack *stack, const float *from, size_t x, size_t y, size_t z)
{
	const struct hotspot3d_weights *w = &stack->weights;
	const size_t nx = stack->nx, plane = nx * stack->ny, i = z * plane + y * nx + x;
	float sum = w->own * from[i];

	sum += w->east_west * from[x > 0 ? i - 1 : i] + w->east_west * from[x < nx - 1 ? i + 1 : i];
	sum += w->north_south * from[y < stack->ny - 1 ? i + nx : i] + w->north_south * from[y > 0 ? i - nx : i];
	sum += w->top_bottom * from[z > 0 ? i - plane : i] + w->top_bottom * from[z < stack->nz - 1 ? i + plane : i];
	return sum + w->power * stack->power[i] + w->ambient;
}

static void step_reference(const struct stack *stack, const float *from, float *to)
{
	for (size_t z = 0; z < stack->nz; z++) {
		for (size_t y = 0; y < stack->ny; y++) {
			for (size_t x = 0; x < stack->nx; x++)
				to[(z * stack->ny + y) * stack->nx + x] = cell_next(stack, from, x, y, z);
		}
	}
}

/* Overwrites the input. */
static bool result_check(struct stack *stack, const float *result)
{
	float *other = workload_host_alloc(cells_count(stack), sizeof(float));
	float *from = stack->heat, *to = other;
	bool right;

	for (unsigned int step = 0; step < stack->steps; step++) {
		float *swap = from;

		step_reference(stack, from, to);
		from = to;
		to = swap;
	}
	right = workload_same_f32("cell", result, from, cells_count(stack), 0);
	free(other);
	return right;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"hotspot3d", "Heat in a stack of dies, on a 3D grid.",
						    "128 x 128 x 8 cells, 3 steps", "512 x 512 x 8 cells, 100 steps"};
	static const struct workload_count counts[] = {
	    {"nx", "cells along x", 128, 512, HOTSPOT3D_X, 8192, HOTSPOT3D_X, NULL},
	    {"ny", "cells along y", 128, 512, HOTSPOT3D_Y, 8192, HOTSPOT3D_Y, NULL},
	    {"layers", "cells along z", 8, 8, 1, 64, 1, NULL},
	    {"steps", "steps of time", 3, 100, 1, 10000, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct stack stack = {.nx = options.counts[0],
			      .ny = options.counts[1],
			      .nz = options.counts[2],
			      .steps = options.counts[3],
			      .weights = hotspot3d_weights};
	float *result = workload_host_alloc(cells_count(&stack), sizeof(float));
	bool right;

	stack.heat = workload_host_alloc(cells_count(&stack), sizeof(float));
	stack.power = workload_host_alloc(cells_count(&stack), sizeof(float));
	for (size_t i = 0; i < cells_count(&stack); i++) {
		stack.heat[i] = 60 + 20 * workload_random_float(options.seed, 0, i);
		stack.power[i] = workload_random_float(options.seed, 1, i);
	}
	workload_input(stack.heat, cells_count(&stack) * sizeof(float));
	workload_input(stack.power, cells_count(&stack) * sizeof(float));
	workload_input_number(stack.nx);
	workload_input_number(stack.ny);
	workload_input_number(stack.steps);
	steps_run(&stack, result);
	right = result_check(&stack, result);
	free(stack.heat);
	free(stack.power);
	free(result);
	return workload_finish(right, "%u x %u x %u cells, %u steps", stack.nx, stack.ny, stack.nz, stack.steps);
}
