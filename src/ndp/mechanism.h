/* mechanism.h - what a near-data mechanism provides to the registry. */
#ifndef STRATA_NDP_MECHANISM_H
#define STRATA_NDP_MECHANISM_H

#include "base/diag.h"
#include "gpu/config.h"
#include "gpu/guest.h"
#include "ndp/registry.h"

struct ndp_mechanism {
	struct gpu_guest_ops ops;
	/* A context for this machine, owned by the gpu and freed by ops.free; NULL with a message when the mechanism
	 * cannot live on it. config is kept. */
	void *(*create)(const struct gpu_config *config, struct base_diag_list *diag);
	/* What it stores; NULL: nothing is known. */
	uint32_t (*storage)(const struct gpu_config *config, struct ndp_storage *items);
};

#define MECHANISM(choice, symbol) extern const struct ndp_mechanism ndp_##symbol;
#include "ndp/mechanisms.def"
#undef MECHANISM

#endif
