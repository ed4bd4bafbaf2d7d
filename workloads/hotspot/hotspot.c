/*
 * Heat in a chip: explicit steps of the differential equation on a 2D grid, several of them a launch with overlapping
 * tiles in shared memory.  Compared bit for bit with the same steps on the host.
 */
#include "common/workload.h"
#include "hotspot.h"

#include <stdlib.h>

static const char hotspot_ptx[] =
#include WORKLOAD_PTX
    ;

struct chip {
	unsigned int side, steps, steps_per_launch;
	struct hotspot_weights weights;
	float *heat, *power;
};

static void steps_run(struct chip *chip, float *result)
{
	struct workload_gpu gpu = workload_gpu_open(hotspot_ptx);
	CUfunction kernel = workload_gpu_kernel(&gpu, "hotspot_steps");
	size_t bytes = (size_t)chip->side * chip->side * sizeof(float);
	CUdeviceptr power = workload_device_copy(chip->power, bytes);
	CUdeviceptr from = workload_device_copy(chip->heat, bytes);
	CUdeviceptr to = workload_device_alloc(bytes);
	unsigned int steps;
	void *params[] = {&chip->weights, &power, &from, &to, &chip->side, &chip->side, &steps};

	for (unsigned int done = 0; done < chip->steps; done += steps) {
		CUdeviceptr swap = from;
		unsigned int ctas;

		steps = chip->steps - done < chip->steps_per_launch ? chip->steps - done : chip->steps_per_launch;
		ctas = workload_ctas(chip->side, HOTSPOT_TILE - 2 * steps);
		workload_launch(kernel, (struct workload_dim){ctas, ctas, 1},
				(struct workload_dim){HOTSPOT_TILE, HOTSPOT_TILE, 1}, params);
		from = to;
		to = swap;
	}
	WORKLOAD_CUDA(cuMemcpyDtoH(result, from, bytes));
	WORKLOAD_CUDA(cuMemFree(power));
	WORKLOAD_CUDA(cuMemFree(from));
	WORKLOAD_CUDA(cuMemFree(to));
	workload_gpu_close(&gpu);
}

static void step_reference(const struct chip *chip, const float *from, float *to)
{
	const size_t side = chip->side;

	for (size_t row = 0; row < side; row++) {
		for (size_t column = 0; column < side; column++) {
			size_t i = row * side + column;

			to[i] = hotspot_next(&chip->weights, from[i], chip->power[i], from[row > 0 ? i - side : i],
					     from[row < side - 1 ? i + side : i], from[column < side - 1 ? i + 1 : i],
					     from[column > 0 ? i - 1 : i]);
		}
	}
}

/* Overwrites the input. */
static bool result_check(struct chip *chip, const float *result)
{
	const size_t count = (size_t)chip->side * chip->side;
	float *other = workload_host_alloc(count, sizeof(float));
	float *from = chip->heat, *to = other;
	bool right;

	for (unsigned int step = 0; step < chip->steps; step++) {
		float *swap = from;

		step_reference(chip, from, to);
		from = to;
		to = swap;
	}
	right = workload_same_f32("cell", result, from, count, 0);
	free(other);
	return right;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"hotspot", "Heat in a chip, on a 2D grid.",
						    "256 x 256 cells, 4 steps", "512 x 512 cells, 60 steps"};
	static const struct workload_count counts[] = {
	    {"side", "rows and columns of cells", 256, 512, HOTSPOT_TILE, 1024, 1, NULL},
	    {"steps", "steps of time", 4, 60, 1, 10000, 1, NULL},
	    {"steps-per-launch", "steps in a launch", 2, 2, 1, HOTSPOT_TILE / 2 - 1, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct chip chip = {.side = options.counts[0],
			    .steps = options.counts[1],
			    .steps_per_launch = options.counts[2],
			    .weights = hotspot_weights_of(options.counts[0])};
	const size_t count = (size_t)chip.side * chip.side;
	float *result;
	bool right;

	chip.heat = workload_host_alloc(count, sizeof(float));
	chip.power = workload_host_alloc(count, sizeof(float));
	result = workload_host_alloc(count, sizeof(float));
	for (size_t i = 0; i < count; i++) {
		chip.heat[i] = 320 + 20 * workload_random_float(options.seed, 0, i);
		chip.power[i] = 0.01f * workload_random_float(options.seed, 1, i);
	}
	workload_input(chip.heat, count * sizeof(float));
	workload_input(chip.power, count * sizeof(float));
	workload_input_number(chip.steps);
	steps_run(&chip, result);
	right = result_check(&chip, result);
	free(chip.heat);
	free(chip.power);
	free(result);
	return workload_finish(right, "%u x %u cells, %u steps", chip.side, chip.side, chip.steps);
}
