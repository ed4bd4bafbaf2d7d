/* params.h - what can be set of CTAs that begin in stacks. */
#ifndef STRATA_NDP_CTAS_PARAMS_H
#define STRATA_NDP_CTAS_PARAMS_H

#include "sim/param.h"

#define NDP_CTAS(X) X(NDP_CTAS_NONE, none) X(NDP_CTAS_REST, rest) X(NDP_CTAS_HOMES, homes)
enum ndp_ctas { NDP_CTAS(SIM_PARAM_ENUMERATOR) };

struct ctas_params {
#include "sim/param_fields.inc"
#include "ndp/ctas/ctas_params.def"
#include "sim/param_end.inc"
};

/* Adds the table, bound to *p, which stays the caller's and must outlive out. */
void ctas_params_groups(struct ctas_params *p, struct sim_param_groups *out);

#endif
