/* machine.h - a machine in operation: the context that its parts share, and the parts. */
#ifndef STRATA_MACHINE_MACHINE_H
#define STRATA_MACHINE_MACHINE_H

#include "base/diag.h"
#include "device/device.h"
#include "gpu/gpu.h"
#include "sim/ctx.h"

struct machine {
	struct sim_ctx ctx;
	struct device device; /* what runs kernels */
	struct gpu *gpu;      /* it, with the mechanism that config.ndp names; NULL: something else does */
};

/* Says so and returns false where this host has not the memory that such a machine takes. */
bool machine_has_memory(const struct gpu_config *config);
/* Builds what config describes, and keeps it. NULL with messages when parameters contradict each other. */
struct machine *machine_new(const struct gpu_config *config, struct base_diag_list *diag);
void machine_free(struct machine *m);

#endif
