/* energy.h - the energy of accelerators' own work, beside the power that an NDP has all the time (channel/energy.h). */
#ifndef STRATA_HDL_ENERGY_H
#define STRATA_HDL_ENERGY_H

#include "energy/events.h"

extern const struct energy_table hdl_energy_table; /* of struct hdl_params; it counts nothing by number */

#endif
