/* params.h - what can be set of NSU's decision; its units are the machine's (nsu.*). */
#ifndef STRATA_NDP_NSU_PARAMS_H
#define STRATA_NDP_NSU_PARAMS_H

#include "sim/param.h"

#define NSU_DECISIONS(X) X(NSU_DECIDE_ALL, all) X(NSU_DECIDE_STATIC, static) X(NSU_DECIDE_CLIMB, climb)
#define NSU_CLIMB_FIRST(X) X(NSU_CLIMB_UP, up) X(NSU_CLIMB_DOWN, down)
#define NSU_CLIMB_MOVES(X) X(NSU_CLIMB_BY_STEP, step) X(NSU_CLIMB_BY_UNIT, unit)
#define NSU_CLIMB_GUARDS(X) X(NSU_CLIMB_GUARD_NEW, new) X(NSU_CLIMB_GUARD_OLD, old)
#define NSU_BENEFIT_FORMS(X) X(NSU_BENEFIT_LINES, lines) X(NSU_BENEFIT_PRINTED, printed)
enum nsu_decision { NSU_DECISIONS(SIM_PARAM_ENUMERATOR) };
enum nsu_climb_first { NSU_CLIMB_FIRST(SIM_PARAM_ENUMERATOR) };
enum nsu_climb_move { NSU_CLIMB_MOVES(SIM_PARAM_ENUMERATOR) };
enum nsu_climb_guard { NSU_CLIMB_GUARDS(SIM_PARAM_ENUMERATOR) };
enum nsu_benefit_form { NSU_BENEFIT_FORMS(SIM_PARAM_ENUMERATOR) };

struct nsu_control_params {
#include "sim/param_fields.inc"
#include "ndp/nsu/nsu_control_params.def"
#include "sim/param_end.inc"
};

/* Adds the table, bound to *p, which stays the caller's and must outlive out. */
void nsu_control_params_groups(struct nsu_control_params *p, struct sim_param_groups *out);

#endif
