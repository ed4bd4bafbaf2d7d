/* machine.h - a machine in operation: the context that its parts share, and the parts. */
#ifndef STRATA_MACHINE_MACHINE_H
#define STRATA_MACHINE_MACHINE_H

#include "base/diag.h"
#include "gpu/gpu.h"
#include "sim/ctx.h"

struct machine {
	struct sim_ctx ctx;
	struct gpu *gpu; /* with the mechanism that config.ndp names */
};

/* Builds what config describes, and keeps it. NULL with messages when parameters contradict each other. */
struct machine *machine_new(const struct gpu_config *config, struct base_diag_list *diag);
void machine_free(struct machine *m);

#endif
