/* pace.h - how often a block may leave a core: the aggressiveness of BOM (MSc thesis 2017) section 5.3, which the
 * thesis sets once, adapted while kernels run and kept from one to the next. Pure.
 *
 * The kernel is cut into steps of equal length. If more instructions were executed in a step than in the one before,
 * the interval goes on the way it went, else it turns: it is halved or doubled.
 */
#ifndef STRATA_NDP_BOM_PACE_H
#define STRATA_NDP_BOM_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct bom_pace {
	uint64_t interval_cycles; /* least time between two blocks that leave a core */
	uint64_t min_cycles, max_cycles;
	uint64_t last_count; /* instructions of the last step; 0: none has ended */
	bool is_rising;	     /* the interval's last change */
};

/* Begins at interval_cycles; the bounds are an eighth and eight times of it. */
void bom_pace_begin(struct bom_pace *p, uint64_t interval_cycles);
/* A step has ended in which so many instructions were executed. */
void bom_pace_step(struct bom_pace *p, uint64_t instruction_count);

#endif
