/* energy.h - what near-data processors add to cpu/energy.h, in the same two ways. */
#ifndef STRATA_CHANNEL_ENERGY_H
#define STRATA_CHANNEL_ENERGY_H

#include "channel/channel.h"
#include "energy/events.h"

struct channel_energy_counts {
	uint32_t ndp_count, point_count;
};
extern const struct energy_table channel_energy_table, channel_power_table;
struct channel_energy_counts channel_energy_counts(const struct channel_params *p);

#endif
