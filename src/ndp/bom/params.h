/* params.h - what can be set of BOM. */
#ifndef STRATA_NDP_BOM_PARAMS_H
#define STRATA_NDP_BOM_PARAMS_H

#include "sim/param.h"

#define BOM_PACES(X) X(BOM_PACE_STATIC, static) X(BOM_PACE_CLIMB, climb)
/* What a selected block may have in flight when it is ordered to leave. */
#define BOM_DRAINS(X) \
	X(BOM_DRAIN_NONE, none) X(BOM_DRAIN_RESULTS, results) X(BOM_DRAIN_LOADS, loads) X(BOM_DRAIN_STORES, stores)
#define BOM_RATES(X) X(BOM_RATES_KERNEL, kernel) X(BOM_RATES_RUN, run) X(BOM_RATES_LOOK, look)
#define BOM_MEANS(X) X(BOM_MEAN_CORE, core) X(BOM_MEAN_KERNEL, kernel)
#define BOM_WHEN_FULLS(X) X(BOM_FULL_STAY, stay) X(BOM_FULL_WAIT, wait)
enum bom_when_full { BOM_WHEN_FULLS(SIM_PARAM_ENUMERATOR) };
enum bom_pace_kind { BOM_PACES(SIM_PARAM_ENUMERATOR) };
enum bom_rates { BOM_RATES(SIM_PARAM_ENUMERATOR) };
enum bom_mean { BOM_MEANS(SIM_PARAM_ENUMERATOR) };
enum bom_drain { BOM_DRAINS(SIM_PARAM_ENUMERATOR) };

struct bom_params {
#include "sim/param_fields.inc"
#include "ndp/bom/bom_params.def"
#include "sim/param_end.inc"
};

/* Adds the table, bound to *p, which stays the caller's and must outlive out. */
void bom_params_groups(struct bom_params *p, struct sim_param_groups *out);

#endif
