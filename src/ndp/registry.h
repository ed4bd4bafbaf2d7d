/* registry.h - the near-data mechanisms: one line each in mechanisms.def. */
#ifndef STRATA_NDP_REGISTRY_H
#define STRATA_NDP_REGISTRY_H

#include "base/diag.h"
#include "gpu/config.h"
#include "ndp/carry/carry.h"
#include "ndp/params.h"

struct sim_explain;

/* Where a mechanism is to live. */
struct ndp_site {
	const struct gpu_config *gpu;
	const struct ndp_config *ndp;
	uint64_t seed; /* run.seed */
	const struct sim_ctx *ctx; /* of the machine; NULL: the mechanism is only tried */
};

/* The mechanism that ndp.mechanism names: its table and a new context in *ctx (owned by the gpu, freed through
 * ops->free). NULL when the machine has none. A mechanism that cannot live on this machine (no stack SMs) adds a
 * message and returns NULL. */
const struct carry_policy *ndp_mechanism_new(const struct ndp_site *site, void **ctx, struct base_diag_list *diag);

/* Can the mechanism live on this machine? False with a message when it cannot. */
bool ndp_mechanism_check(const struct ndp_site *site, struct base_diag_list *diag);

/* Storage that a mechanism adds to the machine, computed from the configured structures. */
struct ndp_storage {
	const char *what;
	uint64_t bits;	 /* of one instance */
	uint64_t count;	 /* instances in the machine */
	const char *of;	 /* what has an instance: "SM", "GPU", "stack" */
	const char *source;
};
enum { NDP_STORAGE_MAX = 16 };
/* Fills items (room for NDP_STORAGE_MAX) and returns their number. */
uint32_t ndp_mechanism_storage(const struct ndp_site *site, struct ndp_storage *items);

/* The rows that explain a mechanism, by its name; NULL: there are none. */
const struct sim_explain *ndp_mechanism_explain(const char *name);

/* Adds the tables of what the mechanism of a site counts; site NULL: of what any mechanism does. */
void ndp_stat_tables(const struct ndp_site *site, struct sim_stat_tables *out);

struct ndp_mechanism;
/* Makes one known that has no line in mechanisms.def, for a program that links this library; m (mechanism.h) is kept.
 * Returns the value of ndp.mechanism that chooses it. Call it before machines are described. */
uint32_t ndp_mechanism_add(const struct ndp_mechanism *m);

/* Names for listings, index = value of the parameter; [0] is "none". */
const char *ndp_mechanism_name(uint32_t mechanism);

#endif
