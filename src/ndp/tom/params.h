/* params.h - what can be set of TOM. */
#ifndef STRATA_NDP_TOM_PARAMS_H
#define STRATA_NDP_TOM_PARAMS_H

#include "sim/param.h"

#define TOM_WHEN_FULL(X) X(TOM_WHEN_FULL_LOCAL, local) X(TOM_WHEN_FULL_WAIT, wait)
#define TOM_CONTROLS(X) X(TOM_CONTROL_NONE, none) X(TOM_CONTROL_CTRL, ctrl) X(TOM_CONTROL_CTRL_ALU, ctrl_alu)
#define TOM_BUSY_SCOPES(X) X(TOM_BUSY_DESTINATION, destination) X(TOM_BUSY_ANY, any)
#define TOM_PENDING_FROMS(X) X(TOM_PENDING_FROM_DECISION, decision) X(TOM_PENDING_FROM_SENT, sent)
#define TOM_FLUSHES(X) X(TOM_FLUSH_ALL, all) X(TOM_FLUSH_WRITTEN, written)
enum tom_flush { TOM_FLUSHES(SIM_PARAM_ENUMERATOR) };
enum tom_when_full { TOM_WHEN_FULL(SIM_PARAM_ENUMERATOR) };
enum tom_control { TOM_CONTROLS(SIM_PARAM_ENUMERATOR) };
enum tom_busy_scope { TOM_BUSY_SCOPES(SIM_PARAM_ENUMERATOR) };
enum tom_pending_from { TOM_PENDING_FROMS(SIM_PARAM_ENUMERATOR) };

struct tom_params {
#include "sim/param_fields.inc"
#include "ndp/tom/tom_params.def"
#include "sim/param_end.inc"
};

struct gpu_config;
struct ndp_cost_params;
/* How blocks are scored on this machine. */
struct ndp_cost_params tom_cost_of(const struct tom_params *p, bool allows_shuffles, const struct gpu_config *config);

/* Adds the table, bound to *p, which stays the caller's and must outlive out. */
void tom_params_groups(struct tom_params *p, struct sim_param_groups *out);

#endif
