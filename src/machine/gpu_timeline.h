/* gpu_timeline.h - counts over time, CTAs, offloaded blocks, pauses, DRAM commands, for the results. */
#ifndef STRATA_MACHINE_GPU_TIMELINE_H
#define STRATA_MACHINE_GPU_TIMELINE_H

#include <jansson.h>

#include "machine/machine.h"

/* Puts samples, spans and dram_commands into o; null is what was not asked for. */
void machine_gpu_timeline(const struct machine_config *config, const struct machine *m, json_t *o);

#endif
