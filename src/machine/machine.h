/* machine.h - a machine in operation: the context that its parts share, and what each has built. */
#ifndef STRATA_MACHINE_MACHINE_H
#define STRATA_MACHINE_MACHINE_H

#include "device/device.h"
#include "machine/part.h"
#include "sim/ctx.h"

struct machine {
	struct sim_ctx ctx;
	const struct machine_config *config;
	struct device device;		/* what runs kernels, if any part does */
	void *built[MACHINE_PARTS_MAX]; /* in the order of the parts */
};

/* Says so and returns false where this host has not the memory that such a machine takes. */
bool machine_has_memory(const struct machine_config *config);
/* Builds what a config describes, and keeps it. The auditors watch if audit is set. NULL with messages when the config
 * is not right (machine_config_check). */
struct machine *machine_new(const struct machine_config *config, bool audit, struct base_diag_list *diag);
void machine_free(struct machine *m);
/* What a part that the machine has built; NULL: nothing. */
void *machine_built(const struct machine *m, const struct machine_part *part);

#endif
