/* telescope.h - a telescope by name or file: SKA-low and others are YAML files, each value with its section.
 *
 * A file has the groups station, csp and imaging, and must state every parameter of theirs, itself or by the file that
 * it extends (sim/description.h); the group device is optional.
 */
#ifndef STRATA_SKA_TELESCOPE_H
#define STRATA_SKA_TELESCOPE_H

#include "base/diag.h"
#include "sim/description.h"
#include "sim/param.h"

struct ska_station_params {
#include "sim/param_fields.inc"
#include "ska/station_params.def"
#include "sim/param_end.inc"
};
struct ska_csp_params {
#include "sim/param_fields.inc"
#include "ska/csp_params.def"
#include "sim/param_end.inc"
};
struct ska_imaging_params {
#include "sim/param_fields.inc"
#include "ska/imaging_params.def"
#include "sim/param_end.inc"
};
struct ska_device_params {
#include "sim/param_fields.inc"
#include "ska/device_params.def"
#include "sim/param_end.inc"
};

struct ska_telescope {
	struct sim_description about;
	struct ska_station_params station;
	struct ska_csp_params csp;
	struct ska_imaging_params imaging;
	struct ska_device_params device;
};

/* The groups station, csp, imaging and device, bound to the values in t. */
void ska_telescope_groups(struct ska_telescope *t, struct sim_param_groups *out);
/* Loads a telescope by name ("ska-low") or path. False with messages (file:line:column) on any mistake, and for each
 * parameter that is not stated. */
bool ska_telescope_load(const char *name_or_path, const struct sim_search *search, struct ska_telescope *out,
			struct base_diag_list *diag);
/* Applies one "group.name=value"; where names the option in messages ("--set"). */
bool ska_telescope_set(struct ska_telescope *t, const char *assignment, const char *where, struct base_diag_list *diag);
/* Rules across parameters. False with messages. */
bool ska_telescope_check(const struct ska_telescope *t, struct base_diag_list *diag);

#endif
