/* gpu_profile.h - the profile of a run without timing (ndp/profile.h), built with the part "ndp". */
#ifndef STRATA_MACHINE_GPU_PROFILE_H
#define STRATA_MACHINE_GPU_PROFILE_H

#include <jansson.h>

struct machine;
struct ndp_profile;

/* A struct ndp_profile; NULL: run.profile is off. */
void *machine_gpu_profile_build(struct machine *m);
void machine_gpu_profile_free(void *built);
/* "profile": kernels with their counts, and those of TOM's and NSU's blocks. p may be NULL: nothing. */
void machine_gpu_profile_result(const struct ndp_profile *p, json_t *o, json_t *units);

#endif
