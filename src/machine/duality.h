/* duality.h - the part "duality": a Duality Cache in the last-level caches of a server without a GPU. */
#ifndef STRATA_MACHINE_DUALITY_H
#define STRATA_MACHINE_DUALITY_H

#include "dc/system/params.h"
#include "machine/machine.h"

extern const struct machine_part machine_duality_part;

/* NULL: the machine has none. */
const struct dc_params *machine_duality_params(const struct machine_config *c);

#endif
