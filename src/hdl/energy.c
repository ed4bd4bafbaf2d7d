/* energy.c - see energy.h. */
#include "hdl/energy.h"

#include <stddef.h>

#include "base/check.h"
#include "hdl/accelerator.h"

struct no_counts {
	uint32_t none;
};

#define ENERGY_PARAMS struct hdl_params
#define UNIT_EACH ENERGY_EACH, 0

#define ENERGY_TABLE hdl_energy_table
#define ENERGY_ROWS "hdl/energy_rows.def"
#define ENERGY_COUNTS struct no_counts
#include "energy/table.inc"

#define ENERGY_TABLE hdl_power_table
#define ENERGY_ROWS "hdl/power_rows.def"
#define ENERGY_COUNTS struct no_counts
#include "energy/table.inc"
