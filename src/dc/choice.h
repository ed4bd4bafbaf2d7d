/* choice.h - what is decided before a kernel is launched: how many ways of each slice stay cache (Duality Cache,
 * ISCA'19, section 3.5), and whether the arrays or the host's cores run it (section 5.4). */
#ifndef STRATA_DC_CHOICE_H
#define STRATA_DC_CHOICE_H

#include "dc/compile/compile.h"
#include "dc/host_cost.h"
#include "dc/system/params.h"

struct dc_choice {
	uint32_t cache_ways;
	bool is_host;
	uint32_t host_lanes; /* in vectors of so many there; 1: one thread after the other */
	double arrays_us, host_us; /* reckoned, where it is asked who is faster; else 0 */
};

/* How CTAs lie in control blocks. */
struct dc_placing {
	bool is_spread; /* each in one of its own */
	bool waits;     /* for each other: all that there are must have one */
};

/* Nothing is reckoned unless duality.cache_choice or duality.host_kernels ask for it. A cooperative launch, and one
 * whose CTAs wait for each other, has the ways that the program was told of. */
struct dc_choice dc_choose(const struct dc_host_machine *m, const struct dc_kernel *k, const struct simt_launch *l,
			   struct dc_placing placing);

/* What the compiler is told of the place of a launch: as if its CTAs fill control blocks one after the other. */
struct dc_prices dc_prices_of(const struct dc_params *p, const struct simt_launch *l, uint32_t array_count,
			      double memory_bytes_per_s);

#endif
