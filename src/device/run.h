/* run.h - parameters of how to run, not of what to model: "run". */
#ifndef STRATA_DEVICE_RUN_H
#define STRATA_DEVICE_RUN_H

#include "sim/param.h"

#define RUN_MODES(X) X(RUN_TIMING, timing) X(RUN_FUNCTIONAL, functional) X(RUN_SAMPLED, sampled)
/* How kernels run where nothing is timed; numbered as enum simt_host_code. */
#define RUN_FUNCTIONALS(X)                                                                              \
	X(RUN_FUNCTIONAL_AUTO, auto) X(RUN_FUNCTIONAL_INTERPRETED, interpreted) X(RUN_FUNCTIONAL_COMPILED, compiled)
#define RUN_BOUNDS(X) X(RUN_BOUNDS_EXACT, exact) X(RUN_BOUNDS_PAGE, page)
enum run_mode { RUN_MODES(SIM_PARAM_ENUMERATOR) };
enum run_functional { RUN_FUNCTIONALS(SIM_PARAM_ENUMERATOR) };
enum run_bounds { RUN_BOUNDS(SIM_PARAM_ENUMERATOR) };

struct run_params {
#include "sim/param_fields.inc"
#include "device/run_params.def"
#include "sim/param_end.inc"
};

/* Adds the table, bound to *p, which stays the caller's and must outlive out. */
void run_params_groups(struct run_params *p, struct sim_param_groups *out);

#endif
