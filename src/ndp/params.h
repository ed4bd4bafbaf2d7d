/* params.h - the group "ndp": which mechanism, and what can be set of each. */
#ifndef STRATA_NDP_PARAMS_H
#define STRATA_NDP_PARAMS_H

#include "ndp/bom/params.h"
#include "ndp/map/params.h"
#include "ndp/nsu/params.h"
#include "ndp/tom/params.h"

#define NDP_MECHANISMS(X) \
	X(NDP_NONE, none) X(NDP_TOM_IDEAL, tom-ideal) X(NDP_TOM, tom) X(NDP_BOM, bom) X(NDP_NSU, nsu)
enum ndp_mechanism_kind { NDP_MECHANISMS(SIM_PARAM_ENUMERATOR) };

struct ndp_params {
#include "sim/param_fields.inc"
#include "ndp/ndp_params.def"
#include "sim/param_end.inc"
};

struct ndp_config {
	struct ndp_params choice;
	struct tom_params tom;
	struct map_params map; /* of TOM and NSU */
	struct bom_params bom;
	struct nsu_control_params nsu;
};

/* Adds all these tables, bound to *c, which stays the caller's and must outlive out. */
void ndp_config_groups(struct ndp_config *c, struct sim_param_groups *out);

#endif
