/* threads.c - the steps of the same programs on the host's processors; these steps are what is modelled. */
#include "acc/grid.h"

#include <strata/ndp.h>

void device_open(void)
{
	strata_modelling_end();
}

/* The threads are made before their work is timed, as a device is opened before its. */
void device_steps(const struct acc_program *p, struct acc_grid *g, float **a, unsigned int step_count)
{
	double begin;

	strata_modelling_begin(STRATA_CACHES_COLD);
#pragma omp parallel
	{
#pragma omp barrier
	}
	begin = workload_seconds();
	grid_steps(p, g, a, step_count, true);
	workload_measure("steps", (workload_seconds() - begin) * 1e6, "us");
	strata_modelling_end();
}
