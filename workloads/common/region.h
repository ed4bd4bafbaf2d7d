/*
 * The time of a kernel in threads that are there: from when the last of them has come to when the last is done. A GPU's
 * kernels are timed in the same way, without their launch. To be called by all threads of a region.
 */
#ifndef REGION_H
#define REGION_H

#include "common/program.h"

static inline void region_begin(double *seconds)
{
#pragma omp barrier
#pragma omp master
	*seconds = workload_seconds();
#pragma omp barrier
}

static inline void region_end(double *seconds)
{
#pragma omp barrier
#pragma omp master
	*seconds = workload_seconds() - *seconds;
}

#endif
