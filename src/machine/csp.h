/* csp.h - the part "csp": a coprocessor for radio astronomy beside stacks of its own. */
#ifndef STRATA_MACHINE_CSP_H
#define STRATA_MACHINE_CSP_H

#include "csp/machine.h"
#include "machine/part.h"

extern const struct machine_part machine_csp_part;

/* NULL: the machine has no coprocessor. */
const struct csp_config *machine_csp_config(const struct machine_config *c);
/* What the part has built; NULL: the machine has no coprocessor. */
struct csp_machine *machine_csp(const struct machine *m);

#endif
