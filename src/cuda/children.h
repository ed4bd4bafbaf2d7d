/* children.h - dynamic parallelism: a launch, all grids that come of it, and what their threads ask meanwhile. */
#ifndef STRATA_CUDA_CHILDREN_H
#define STRATA_CUDA_CHILDREN_H

#include "cuda/launch.h"

/* simt_launch.ask: a thread asks. grid: what cuda_launch_run gave cuda_launch_grid. */
uint32_t cuda_children_ask(void *grid, struct simt_ask *a);

#endif
