/* params.h - the group "ndp": which mechanism, and what can be set of each. */
#ifndef STRATA_NDP_PARAMS_H
#define STRATA_NDP_PARAMS_H

#include "ndp/bom/params.h"
#include "ndp/carry/destination.h"
#include "ndp/ctas/params.h"
#include "ndp/map/params.h"
#include "ndp/nsu/params.h"
#include "ndp/tom/params.h"

#define NDP_MECHANISMS(X) \
	X(NDP_NONE, none) X(NDP_TOM_IDEAL, tom-ideal) X(NDP_TOM, tom) X(NDP_BOM, bom) X(NDP_NSU, nsu)
enum ndp_mechanism_kind { NDP_MECHANISMS(SIM_PARAM_ENUMERATOR) };

#define NDP_AWAYS(X) X(NDP_AWAY_ANY, any) X(NDP_AWAY_AUTO, auto)
enum ndp_away { NDP_AWAYS(SIM_PARAM_ENUMERATOR) };

struct ndp_params {
#include "sim/param_fields.inc"
#include "ndp/ndp_params.def"
#include "sim/param_end.inc"
};

enum { NDP_MECHANISMS_MAX = 16, NDP_OWN_BYTES = 128 };

struct ndp_config {
	struct ndp_params choice;
	struct tom_params tom;
	struct map_params map; /* of TOM and NSU */
	struct ctas_params ctas; /* of TOM */
	struct bom_params bom;
	struct nsu_control_params nsu;
	/* By value of ndp.mechanism: what mechanisms that declare parameters of their own (mechanism.h) are set to. */
	uint64_t own[NDP_MECHANISMS_MAX][NDP_OWN_BYTES / sizeof(uint64_t)];
};

/* The parameters that the chosen mechanism declares as its own. */
const void *ndp_own_params(const struct ndp_config *c);

/* Adds all these tables, and those of the mechanisms, bound to *c, which stays the caller's and must outlive out. */
void ndp_config_groups(struct ndp_config *c, struct sim_param_groups *out);

#endif
