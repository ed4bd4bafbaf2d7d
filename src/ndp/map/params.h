/* params.h - what can be set of the learned data mapping. */
#ifndef STRATA_NDP_MAP_PARAMS_H
#define STRATA_NDP_MAP_PARAMS_H

#include "ndp/map/foresee.h"
#include "sim/param.h"

#define TOM_MAPPINGS(X) X(TOM_MAPPING_BASELINE, baseline) X(TOM_MAPPING_LEARNED, learned)
enum tom_mapping_kind { TOM_MAPPINGS(SIM_PARAM_ENUMERATOR) };

#define TOM_LEARN_FROMS(X) X(TOM_LEARN_FROM_PHASE, phase) X(TOM_LEARN_FROM_CODE, code)
enum tom_learn_from { TOM_LEARN_FROMS(SIM_PARAM_ENUMERATOR) };

#define NDP_HINTS(X) X(NDP_HINTS_IGNORE, ignore) X(NDP_HINTS_HOMES, homes)
enum ndp_hints { NDP_HINTS(SIM_PARAM_ENUMERATOR) };

struct map_params {
#include "sim/param_fields.inc"
#include "ndp/map/map_params.def"
#include "sim/param_end.inc"
};

/* Adds the table, bound to *p, which stays the caller's and must outlive out. */
void map_params_groups(struct map_params *p, struct sim_param_groups *out);

#endif
