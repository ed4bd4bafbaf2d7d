/* mechanism.h - what a near-data mechanism provides to the registry. */
#ifndef STRATA_NDP_MECHANISM_H
#define STRATA_NDP_MECHANISM_H

#include "base/diag.h"
#include "ndp/carry/carry.h"
#include "ndp/registry.h"
#include "sim/explain.h"

/* Settings of the group ndp that some mechanisms have in common: NDP_READS_NAME is of those that read ndp.NAME. */
#define NDP_COMMON(X)                                                                                              \
	X(DESTINATION, "destination*")                                                                             \
	X(SHUFFLES, "shuffles")                                                                                    \
	X(TIMED, "timed*")                                                                                         \
	X(AWAY, "away*")                                                                                           \
	X(CTAS, "cta*")
enum ndp_common_setting {
#define NDP_COMMON_NUMBER(name, names) NDP_COMMON_##name,
	NDP_COMMON(NDP_COMMON_NUMBER)
#undef NDP_COMMON_NUMBER
	NDP_COMMON_COUNT
};
enum ndp_reads {
#define NDP_COMMON_BIT(name, names) NDP_READS_##name = 1 << NDP_COMMON_##name,
	NDP_COMMON(NDP_COMMON_BIT)
#undef NDP_COMMON_BIT
};

struct ndp_mechanism {
	struct carry_policy ops;
	/* The mechanism reads these, of enum ndp_reads. Who sets what it does not read is told so. */
	uint32_t reads;
	/* A context for this machine, owned by the gpu and freed by ops.free; NULL with a message when the mechanism
	 * cannot live on it. What the site points to is kept. */
	void *(*create)(const struct ndp_site *site, struct base_diag_list *diag);
	/* Its own parameters, in the group ndp: rows that describe a struct of param_bytes, at most NDP_OWN_BYTES.
	 * ndp_own_params gives their values. NULL: it has none. */
	const struct sim_param_desc *params;
	uint32_t param_count;
	size_t param_bytes;
	/* What it stores; NULL: nothing is known. */
	uint32_t (*storage)(const struct ndp_site *site, struct ndp_storage *items);
	/* The rows that explain it; NULL: it has none. */
	const struct sim_explain *explain;
	/* Adds the tables of what it counts at a site; site NULL: at any. NULL: it counts nothing. */
	void (*stats)(const struct ndp_site *site, struct sim_stat_tables *out);
};

#define MECHANISM(choice, symbol) extern const struct ndp_mechanism ndp_##symbol;
#include "ndp/mechanisms.def"
#undef MECHANISM

#endif
