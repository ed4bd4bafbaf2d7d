/* hint.h - what a compiler knows of a kernel's memory intensity: the future work of BOM (MSc thesis 2017). */
#ifndef STRATA_NDP_BOM_HINT_H
#define STRATA_NDP_BOM_HINT_H

#include "simt/simt.h"

/* Share of the entry function's instructions that access global or local memory or textures, an instruction counting
 * ten times for each loop around it (a compiler's usual guess of trips, six loops at most). 0 to 1. */
double bom_memory_share(const struct simt_program *p);

#endif
