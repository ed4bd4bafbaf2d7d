/* choices.h - what the enumerations among the parameters of gpu/ may be: per list the enumerator and the name that a
 * user writes. The rows (*_params.def) name a list and the default's enumerator. */
#ifndef STRATA_GPU_CHOICES_H
#define STRATA_GPU_CHOICES_H

#include "net/network.h" /* NET_TOPOLOGIES */
#include "sim/param.h"

#define RUN_MODES(X) X(RUN_TIMING, timing) X(RUN_FUNCTIONAL, functional)
#define RUN_BOUNDS(X) X(RUN_BOUNDS_EXACT, exact) X(RUN_BOUNDS_PAGE, page)
enum run_mode { RUN_MODES(SIM_PARAM_ENUMERATOR) };
enum run_bounds { RUN_BOUNDS(SIM_PARAM_ENUMERATOR) };

#define SM_SCHEDULERS(X) X(SM_LRR, lrr) X(SM_GTO, gto)
#define GPU_ADDRESS_MAPS(X) \
	X(GPU_MAP_BASELINE, baseline) X(GPU_MAP_TWO_BIT, two_bit) X(GPU_MAP_RANDOM_PAGE, random_page)
#define GPU_MMUS(X) X(GPU_MMU_NONE, none) X(GPU_MMU_STACKS, stacks) X(GPU_MMU_ALL, all)
enum sm_scheduling { SM_SCHEDULERS(SIM_PARAM_ENUMERATOR) };
enum gpu_address_map { GPU_ADDRESS_MAPS(SIM_PARAM_ENUMERATOR) };
enum gpu_mmu { GPU_MMUS(SIM_PARAM_ENUMERATOR) };

#define HOST_LINKS(X) X(HOST_PCIE, pcie) X(HOST_NVLINK, nvlink)
#define HOST_ACCESS_WIRES(X) X(HOST_ACCESS_SHARED, shared) X(HOST_ACCESS_LATENCY_ONLY, latency_only)
#define HOST_CODES(X) X(HOST_CODE_NONE, none) X(HOST_CODE_MEASURED, measured)
enum host_link_kind { HOST_LINKS(SIM_PARAM_ENUMERATOR) };
enum host_access_wires { HOST_ACCESS_WIRES(SIM_PARAM_ENUMERATOR) };
enum host_code { HOST_CODES(SIM_PARAM_ENUMERATOR) };

#define NDP_MECHANISMS(X) \
	X(NDP_NONE, none) X(NDP_TOM_IDEAL, tom-ideal) X(NDP_TOM, tom) X(NDP_BOM, bom) X(NDP_NSU, nsu)
enum ndp_mechanism_kind { NDP_MECHANISMS(SIM_PARAM_ENUMERATOR) };

#define TOM_WHEN_FULL(X) X(TOM_WHEN_FULL_LOCAL, local) X(TOM_WHEN_FULL_WAIT, wait)
#define TOM_CONTROLS(X) X(TOM_CONTROL_NONE, none) X(TOM_CONTROL_CTRL, ctrl) X(TOM_CONTROL_CTRL_ALU, ctrl_alu)
#define TOM_BUSY_SCOPES(X) X(TOM_BUSY_DESTINATION, destination) X(TOM_BUSY_ANY, any)
#define TOM_MAPPINGS(X) X(TOM_MAPPING_BASELINE, baseline) X(TOM_MAPPING_LEARNED, learned)
enum tom_when_full { TOM_WHEN_FULL(SIM_PARAM_ENUMERATOR) };
enum tom_control { TOM_CONTROLS(SIM_PARAM_ENUMERATOR) };
enum tom_busy_scope { TOM_BUSY_SCOPES(SIM_PARAM_ENUMERATOR) };
enum tom_mapping_kind { TOM_MAPPINGS(SIM_PARAM_ENUMERATOR) };

#define BOM_PACES(X) X(BOM_PACE_STATIC, static) X(BOM_PACE_CLIMB, climb)
/* What a selected block may have in flight when it is ordered to leave. */
#define BOM_DRAINS(X) X(BOM_DRAIN_NONE, none) X(BOM_DRAIN_LOADS, loads) X(BOM_DRAIN_STORES, stores)
enum bom_pace_kind { BOM_PACES(SIM_PARAM_ENUMERATOR) };
enum bom_drain { BOM_DRAINS(SIM_PARAM_ENUMERATOR) };

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

#endif
