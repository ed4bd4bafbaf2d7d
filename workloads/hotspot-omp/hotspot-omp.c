/*
 * Heat in a chip by threads: explicit steps of the differential equation on a 2D grid, rows for each thread.
 */
#include "common/steps.h"
#include "hotspot/hotspot.h"

#include <stdlib.h>

static const struct workload_about about = {"hotspot-omp", "Heat in a chip, on a 2D grid, by threads.",
					    "256 x 256 cells, 4 steps", "512 x 512 cells, 60 steps"};
static const struct workload_count counts[] = {
	{"side", "rows and columns of cells", 256, 512, 2, 8192, 1, NULL},
	{"steps", "steps of time", 4, 60, 1, 10000, 1, NULL},
};

struct chip {
	size_t side;
	unsigned int steps;
	struct hotspot_weights weights;
	float *power, *heat[2];
};

static void step(const struct chip *chip, const float *restrict from, float *restrict to, bool is_team)
{
	const size_t side = chip->side;
	const float *power = chip->power;

#pragma omp parallel for if (is_team)
	for (size_t row = 0; row < side; row++) {
		const struct hotspot_weights w = chip->weights;

		for (size_t column = 0; column < side; column++) {
			const size_t i = row * side + column;

			to[i] = hotspot_next(&w, from[i], power[i], from[row > 0 ? i - side : i],
					     from[row < side - 1 ? i + side : i], from[column < side - 1 ? i + 1 : i],
					     from[column > 0 ? i - 1 : i]);
		}
	}
}

static void steps(const struct chip *chip, bool is_team)
{
	for (unsigned int n = 0; n < chip->steps; n++)
		step(chip, chip->heat[n % 2], chip->heat[1 - n % 2], is_team);
}

static struct chip chip_make(const struct workload_options *o)
{
	struct chip chip = {.side = o->counts[0], .steps = o->counts[1], .weights = hotspot_weights_of(o->counts[0])};
	const size_t count = chip.side * chip.side;

	chip.power = workload_host_alloc(count, sizeof(float));
	chip.heat[0] = workload_host_alloc(count, sizeof(float));
	chip.heat[1] = workload_host_alloc(count, sizeof(float));
	for (size_t i = 0; i < count; i++) {
		chip.heat[0][i] = 320 + 20 * workload_random_float(o->seed, 0, i);
		chip.power[i] = 0.01f * workload_random_float(o->seed, 1, i);
	}
	return chip;
}

static void chip_free(struct chip *chip)
{
	free(chip->power);
	free(chip->heat[0]);
	free(chip->heat[1]);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct chip got, want;
	double begin;
	bool right;

	strata_modelling_end();
	got = chip_make(&o);
	want = chip_make(&o);
	workload_input(got.heat[0], got.side * got.side * sizeof(float));
	workload_input(got.power, got.side * got.side * sizeof(float));
	workload_input_number(got.steps);
	begin = steps_begin();
	steps(&got, true);
	steps_end(begin);
	steps(&want, false);
	right = workload_same_f32("cell", got.heat[got.steps % 2], want.heat[want.steps % 2], got.side * got.side, 0);
	chip_free(&want);
	chip_free(&got);
	return workload_finish(right, "%u x %u cells, %u steps", o.counts[0], o.counts[0], o.counts[1]);
}
