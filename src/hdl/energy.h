/* energy.h - the energy of accelerators' own work, beside the power that an NDP has all the time (channel/energy.h). */
#ifndef STRATA_HDL_ENERGY_H
#define STRATA_HDL_ENERGY_H

#include "energy/events.h"

/* Tables of struct hdl_params, which count nothing by number: by events, and in the account of powers over time. */
extern const struct energy_table hdl_energy_table, hdl_power_table;

#endif
