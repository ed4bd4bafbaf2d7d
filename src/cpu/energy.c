/* energy.c - see energy.h. */
#include "cpu/energy.h"

#include <stddef.h>

#include "base/check.h"
#include "base/units.h"

#define ENERGY_PARAMS struct cpu_params
#define UNIT_EACH ENERGY_EACH, 0
#define UNIT_BITS ENERGY_BITS, 0
#define UNIT_MW_PS ENERGY_SCALED, offsetof(struct cpu_energy_counts, pj_per_mw_ps)

#define ENERGY_TABLE cpu_energy_table
#define ENERGY_ROWS "cpu/energy_rows.def"
#define ENERGY_COUNTS struct cpu_energy_counts
#include "energy/table.inc"

#define ENERGY_TABLE cpu_chip_table
#define ENERGY_ROWS "cpu/chip_rows.def"
#define ENERGY_COUNTS struct cpu_energy_counts
#include "energy/table.inc"

#define ENERGY_TABLE cpu_power_table
#define ENERGY_ROWS "cpu/power_rows.def"
#define ENERGY_COUNTS struct cpu_energy_counts
#include "energy/table.inc"

struct cpu_energy_counts cpu_energy_counts(const struct cpu_params *p)
{
	const double bits_per_mbyte_per_s = BASE_BITS_PER_BYTE * 1e-6; /* in a ps */

	return (struct cpu_energy_counts){.channel_count = (uint32_t)p->channel_count,
					  .server_count = 1,
					  .core_count = (uint32_t)p->core_count,
					  .up_bits_per_ps = (double)p->up_mbytes_per_s * bits_per_mbyte_per_s,
					  .down_bits_per_ps = (double)p->down_mbytes_per_s * bits_per_mbyte_per_s,
					  .pj_per_mw_ps = 1e-3};
}
