/* energy.h - what the energy of processors and their channels is of: counted events of Strata's own, and, beside them
 * and not to be added to them, the powers of the NDP thesis' section 4.9.3. A machine may also state what its cores,
 * bus and controllers take for an event and all parts idle: that is of the processor's energy. */
#ifndef STRATA_CPU_ENERGY_H
#define STRATA_CPU_ENERGY_H

#include "cpu/system.h"
#include "energy/events.h"

struct cpu_energy_counts {
	uint32_t channel_count, server_count, core_count;
	double up_bits_per_ps, down_bits_per_ps; /* of a channel */
	double pj_per_mw_ps;
};
extern const struct energy_table cpu_energy_table, cpu_chip_table, cpu_power_table;
struct cpu_energy_counts cpu_energy_counts(const struct cpu_params *p);

#endif
