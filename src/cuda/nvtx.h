/* nvtx.h - ranges that the program has named with NVTX, the tools extension of CUDA: for run.only = range:NAME. */
#ifndef STRATA_CUDA_NVTX_H
#define STRATA_CUDA_NVTX_H

#include <stdbool.h>

/* Is the calling thread within a range of that name, or has one been started that has not ended? A range of a domain
 * has the name DOMAIN@NAME, too. */
bool cuda_nvtx_is_open(const char *name);

#endif
