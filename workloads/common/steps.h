/*
 * The time of work in threads that are there, as a device is when its work begins: the only part of a program that is
 * modelled.  Its input is made, and its result checked, without.
 */
#ifndef STEPS_H
#define STEPS_H

#include "common/program.h"

#include <strata/ndp.h>

/* Caches are cold.  Returns what steps_end takes. */
static inline double steps_begin(void)
{
	strata_modelling_begin(STRATA_CACHES_COLD);
#pragma omp parallel
	{
#pragma omp barrier
	}
	return workload_seconds();
}

static inline void steps_end(double begin)
{
	workload_measure("steps", (workload_seconds() - begin) * 1e6, "us");
	strata_modelling_end();
}

#endif
