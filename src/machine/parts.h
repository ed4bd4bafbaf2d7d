/* parts.h - the parts of the shipped machines, and their parameters by type. */
#ifndef STRATA_MACHINE_PARTS_H
#define STRATA_MACHINE_PARTS_H

#include "device/host.h"
#include "device/run.h"
#include "energy/events.h"
#include "gpu/config.h"
#include "machine/machine.h"
#include "ndp/registry.h"

struct gpu;

extern const struct machine_part machine_gpu_part; /* with the mechanism that ndp.mechanism names */
extern const struct machine_part machine_energy_part, machine_ndp_part, machine_nsu_part, machine_host_part,
    machine_run_part;

/* What a machine description describes, as they are listed and built, then NULL. */
extern const struct machine_part *const machine_parts[];
/* The part with this name; NULL: there is none. */
const struct machine_part *machine_part_named(const char *name);
/* The part whose programs are files such as this one; NULL: it is a program for the host. */
const struct machine_part *machine_part_of_file(const char *path);
bool machine_config_has_gpu(const struct machine_config *c);

/* ---- parameters: of a machine that has the part ---- */

static inline const struct gpu_config *machine_gpu_config(const struct machine_config *c)
{
	return machine_config_of(c, &machine_gpu_part);
}
static inline const struct energy_params *machine_energy_params(const struct machine_config *c)
{
	return machine_config_of(c, &machine_energy_part);
}
static inline const struct host_params *machine_host_params(const struct machine_config *c)
{
	return machine_config_of(c, &machine_host_part);
}
static inline const struct run_params *machine_run_params(const struct machine_config *c)
{
	return machine_config_of(c, &machine_run_part);
}

/* Where the machine's mechanism lives, without a context. */
struct ndp_site machine_ndp_site(const struct machine_config *c);
/* NULL: the program never made a context, so m is NULL, or the machine has no GPU. */
struct gpu *machine_gpu(const struct machine *m);

/* A message for each setting of `run` that asks for values without time, where `what` have none. */
void machine_timing_check(const struct machine_config *c, const char *what, struct base_diag_list *diag);
/* A message if what this key sets keeps every cycle, is set, and the run is an estimate from some of them. */
void machine_sampled_check(const struct machine_config *c, bool is_set, const char *key, struct base_diag_list *diag);

#endif
