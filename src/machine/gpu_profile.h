/* gpu_profile.h - the profile of a run without timing (ndp/profile.h), built with the part "run". */
#ifndef STRATA_MACHINE_GPU_PROFILE_H
#define STRATA_MACHINE_GPU_PROFILE_H

#include "machine/part.h"

/* NULL: run.profile is off. */
void *machine_gpu_profile_build(struct machine *m);
void machine_gpu_profile_free(void *built);
/* "profile": kernels with their counts, and those of TOM's and NSU's blocks. */
void machine_gpu_profile_result(const struct machine_config *c, const struct machine *m, const struct sim_stats *stats,
				json_t *o, json_t *units);

#endif
