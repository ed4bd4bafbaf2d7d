/* host_price.h - what an instruction is on a core of the host, for those who run it and those who reckon with it. */
#ifndef STRATA_DC_SYSTEM_HOST_PRICE_H
#define STRATA_DC_SYSTEM_HOST_PRICE_H

#include "cpu/system.h"
#include "dc/system/params.h"
#include "simt/simt.h"

/* Its instructions, the units that they take if the core issues in order or its dividers do not pipeline, and the
 * latency of what they compute. */
struct dc_host_price {
	uint32_t instructions, slots;
	uint64_t cycles, latency;
};
/* An instruction of PTX that is no access: for a vector of so many lanes of which `lanes` take part; 1: a thread. */
struct dc_host_price dc_host_price_of(const struct dc_params *p, const struct cpu_params *cores,
				      const struct simt_inst *inst, uint32_t vector_lanes, uint32_t lanes);
/* The instruction of an access. is_apart: of one lane of a vector, whose others are elsewhere. */
struct dc_host_price dc_host_access_price(const struct dc_params *p, const struct cpu_params *cores, bool is_apart);

#endif
