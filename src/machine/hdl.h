/* hdl.h - near-data processors that are hardware: the group "hdl" of machines with processors. */
#ifndef STRATA_MACHINE_HDL_H
#define STRATA_MACHINE_HDL_H

#include "hdl/accelerator.h"
#include "machine/machine.h"

extern const struct machine_part machine_hdl_part;

/* NULL: the machine's NDPs, if it has any, are cores. */
const struct hdl_params *machine_hdl_params(const struct machine_config *c);
struct hdl_system *machine_hdl(const struct machine *m);

#endif
