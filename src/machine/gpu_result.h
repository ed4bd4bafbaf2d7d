/* gpu_result.h - what the part "gpu" gives to the energy account and to the results. */
#ifndef STRATA_MACHINE_GPU_RESULT_H
#define STRATA_MACHINE_GPU_RESULT_H

#include "machine/part.h"

extern const struct machine_sum machine_gpu_sums[];
void machine_gpu_energy(const struct machine_config *c, struct energy_list *out);
void machine_gpu_result(const struct machine_config *c, const struct machine *m, const struct sim_stats *stats,
			json_t *fields, json_t *units);

#endif
