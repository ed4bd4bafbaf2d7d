/* threads.c - the steps of the same programs on the host's processors; these steps are what is modelled. */
#include "acc/grid.h"
#include "common/steps.h"

void device_open(void)
{
	strata_modelling_end();
}

void device_steps(const struct acc_program *p, struct acc_grid *g, float **a, unsigned int step_count)
{
	const double begin = steps_begin();

	grid_steps(p, g, a, step_count, true);
	steps_end(begin);
}
