/* gpu_account.h - the GPU's account (gpu/account.h) as a member of the results. */
#ifndef STRATA_MACHINE_GPU_ACCOUNT_H
#define STRATA_MACHINE_GPU_ACCOUNT_H

#include <jansson.h>

struct gpu;

/* null where nothing was accounted, or gpu is NULL. */
json_t *machine_gpu_account_json(const struct gpu *gpu);

#endif
