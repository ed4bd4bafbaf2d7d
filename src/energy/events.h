/* events.h - energy: events counted by the components times energy per event, plus static power times time.
 *
 * Every row of energy_params.def has a value, a unit and a source. The components only count events in their
 * statistics; energy_rows.def says which event costs what and whose energy that is, and energy_account turns the
 * statistics of a run into picojoules per component.
 */
#ifndef STRATA_ENERGY_EVENTS_H
#define STRATA_ENERGY_EVENTS_H

#include <stdint.h>

#include "sim/param.h"
#include "sim/stat.h"

struct energy_params {
#include "sim/param_fields.inc"
#include "energy/energy_params.def"
#include "sim/param_end.inc"
};
extern const struct sim_param_desc energy_param_rows[];
extern const uint32_t energy_param_row_count;

enum { ENERGY_COMPONENT_MAX = 32 };

struct energy_component {
	const char *name; /* of energy_rows.def: "sm_front_end", "l1", "link_active", ...: see docs/memory.md */
	double pj;
};

struct energy_report {
	struct energy_component components[ENERGY_COMPONENT_MAX];
	uint32_t component_count;
	double total_pj;
};

/* What the accounting needs beyond statistics. */
struct energy_run {
	uint64_t time_ps;	 /* simulated time of the kernels */
	uint32_t sm_count;	 /* all SMs, those in stacks included */
	uint32_t l2_count;	 /* L2s, all slices of one counted together */
	uint32_t link_count;	 /* directed off-chip channels (TX and RX of every stack, stack to stack) */
	double link_bits_per_ps; /* capacity of one GPU-stack channel */
	double mesh_bits_per_ps; /* capacity of one stack-stack channel */
	uint32_t mesh_count;
	uint32_t stack_count;
	uint32_t nsu_count;	 /* SIMD units in stacks */
	uint64_t dram_row_bytes;	 /* as the DRAM parameters: activation energy scales with the row */
	uint32_t dram_bank_count; /* banks per vault: a refresh restores rows in each */
};

/* Reads the statistics that energy_rows.def names. A group that the machine has not counts nothing; a group without a
 * statistic that is named there is a failed CHECK. Components appear in the rows' order, all of them always. */
void energy_account(const struct energy_params *p, const struct sim_stats *stats, const struct energy_run *run,
		    struct energy_report *out);

#endif
