/* energy.c - see energy.h. */
#include "channel/energy.h"

#include <stddef.h>

#include "base/check.h"

#define ENERGY_PARAMS struct channel_params
#define UNIT_EACH ENERGY_EACH, 0

#define ENERGY_TABLE channel_energy_table
#define ENERGY_ROWS "channel/energy_rows.def"
#define ENERGY_COUNTS struct channel_energy_counts
#include "energy/table.inc"

#define ENERGY_TABLE channel_power_table
#define ENERGY_ROWS "channel/power_rows.def"
#define ENERGY_COUNTS struct channel_energy_counts
#include "energy/table.inc"

struct channel_energy_counts channel_energy_counts(const struct channel_params *p)
{
	const bool has_points = p->coherence == CHANNEL_COHERENCE_DIRECTORY;

	return (struct channel_energy_counts){.ndp_count = (uint32_t)p->ndp_count,
					      .point_count = has_points ? (uint32_t)p->point_count : 0};
}
